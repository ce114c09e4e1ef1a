"""Skills and agents in files, and procedures that sessions repeat.

Uses: contextd_common, domain, knowledge, projects, redaction, runtime, sessions, thin; its operations also search.
Start at: `skill_files.py`.
"""
