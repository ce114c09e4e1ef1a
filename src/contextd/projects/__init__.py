"""Projects and checkouts: which project a directory is, what it consists of, whether it is trusted.

Uses: code, domain, files, jobs, person, ports, redaction, runtime, sessions.
Start at: `location.py`, `modelling.py`.
"""
