"""Finding what answers a question, ranking it, and saying whether it still holds.

Uses: claims, code, domain, knowledge, ports, runtime.
Start at: `finding.py` (from an operation), `search.py` (the ranking), `validity.py`.
"""
