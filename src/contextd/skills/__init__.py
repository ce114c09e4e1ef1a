"""Skills and agents in files, and procedures that sessions repeat.

Uses: contextd_common, domain, knowledge, projects, redaction, runtime, sessions, thin.
Start at: `skill_files.py`.
"""
