"""Sessions of agents: which session a call belongs to, what happened in it, and when it ends.

Uses: claims, clients, contextd_code, contextd_common, domain, files, jobs, pages, redaction, runtime.
Start at: `session_binding.py`, `thread.py`.
"""
