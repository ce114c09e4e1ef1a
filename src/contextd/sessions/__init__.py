"""Sessions of agents: which session a call belongs to, what happened in it, and when it ends.

Uses: claims, clients, contextd_code, contextd_common, domain, files, jobs, pages, redaction, runtime; its operations
    also briefing, codebase, knowledge, search.
Start at: `session_binding.py`, `thread.py`.
"""
