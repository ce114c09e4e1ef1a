"""The indexed code of a checkout: scanning, symbols, references, impact, search.

Uses: briefing, contextd_code, contextd_common, domain, jobs, knowledge, policies, ports, projects, redaction,
    runtime, schema, skills, thin; its operations also search, sessions.
Start at: `scanning.py`, `freshness.py`, `operations/references.py`.
"""
