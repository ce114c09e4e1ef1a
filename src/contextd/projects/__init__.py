"""Projects and checkouts: the project of a directory, its modules, and whether it is trusted.

Uses: contextd_code, contextd_common, domain, files, jobs, pages, person, policies, ports, redaction, runtime,
    sessions; its operations also awareness, briefing, codebase, knowledge, search.
Start at: `project_lookup.py`, `model_facts.py`.
"""
