"""Learn from sessions: hook events, episodes, statements, and the evidence for them.

Uses: clients, code, domain, imports, knowledge, redaction, runtime, sessions.
Start at: `operations/learning.py`, `operations/hooks.py`.
"""
