"""Taking over what other programs kept: transcripts, memories, notes, bundles; and taking it back.

Uses: claims, clients, code, domain, files, knowledge, person, projects, redaction, runtime, sessions, thin.
Start at: `operations/imports.py`, `intake.py`.
"""
