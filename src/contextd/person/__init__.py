"""The person's layer: who the owner of the machine is, and their preferences.

Uses: claims, contextd_common, domain, knowledge, pages, redaction, runtime, sessions.
Start at: `person.py`, `files.py`.
"""
