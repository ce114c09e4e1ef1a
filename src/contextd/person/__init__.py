"""The person's layer: who the owner of the machine is and how they like things done.

Uses: claims, domain, files, jobs, knowledge, redaction, runtime, sessions.
Start at: `person.py`, `files.py`.
"""
