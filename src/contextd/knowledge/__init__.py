"""Records: writing, reading and listing them, their history and their candidates.

Uses: claims, clients, code, domain, jobs, redaction, runtime, schema, thin.
Start at: `writing.py`, `operations/records.py`.
"""
