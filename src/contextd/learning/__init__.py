"""Learn from sessions: hook events, episodes, statements, and the evidence for them.

Uses: claims, clients, contextd_code, contextd_common, domain, files, imports, knowledge, projects, redaction,
    runtime, sessions.
Start at: `operations/learning.py`, `operations/hooks.py`.
"""
