"""Learn from sessions: hook events, episodes, statements, and the evidence for them.

Uses: claims, clients, contextd_code, contextd_common, domain, files, imports, knowledge, projects, redaction,
    runtime, sessions; its operations also briefing, folding, jobs, policies, remedies, search, skills, thin.
Start at: `operations/learning.py`, `operations/hooks.py`.
"""
