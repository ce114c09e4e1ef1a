"""Skills and agents in files, and procedures that sessions repeat.

Uses: domain, files, jobs, knowledge, projects, runtime, sessions, thin.
Start at: `skill_files.py`.
"""
