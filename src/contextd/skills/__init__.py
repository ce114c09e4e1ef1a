"""Skills and agents that stand in files, and steps that sessions repeat.

Uses: domain, files, jobs, knowledge, projects, runtime, sessions, thin.
Start at: `skill_files.py`.
"""
