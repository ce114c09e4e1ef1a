"""Maintenance of the store: health, backups, background work, repairs.

Uses: clients, contextd_common, domain, pages, runtime, thin; its operations also codebase, imports, jobs, knowledge,
    learning, policies, ports, projects, schema, search, sessions.
Start at: `operations/doctor.py`.
"""
