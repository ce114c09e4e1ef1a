"""Learn from sessions: hook events, episodes, statements, and the evidence for them.

Uses: clients, contextd_code, domain, imports, knowledge, redaction, runtime, sessions.
Start at: `operations/learning.py`, `operations/hooks.py`.
"""
