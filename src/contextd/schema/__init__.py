"""Types of records: built-in ones, and those that people define in schema.yaml.

Uses: contextd_common, domain, jobs, pages, redaction, runtime; its operations also files, knowledge, person,
    policies, search.
Start at: `active_schema.py`, `model.py`.
"""
