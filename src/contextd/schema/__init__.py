"""The types of records: those that are built in and those that people define in schema.yaml.

Uses: domain, files, jobs, redaction, runtime.
Start at: `in_force.py`, `model.py`.
"""
