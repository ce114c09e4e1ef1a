"""The person's layer: who the owner of the machine is, and their preferences.

Uses: claims, contextd_common, domain, knowledge, pages, redaction, runtime, sessions; its operations also jobs,
    search.
Start at: `person.py`, `files.py`.
"""
