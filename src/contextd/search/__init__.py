"""Find and rank what answers a question, and report whether it is still valid.

Uses: claims, contextd_code, contextd_common, domain, knowledge, ports, redaction, runtime; its operations also
    briefing, codebase.
Start at: `find_records.py` (from an operation), `search.py` (the ranking), `validity.py`.
"""
