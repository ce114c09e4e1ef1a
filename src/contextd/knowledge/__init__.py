"""Records: writing, reading and listing them, and their history.

Uses: claims, clients, contextd_code, contextd_common, domain, jobs, pages, redaction, runtime, schema, thin; its
    operations also consolidation, person, policies, projects, search.
Start at: `writing.py`, `operations/records.py`.
"""
