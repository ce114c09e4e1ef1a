"""Recurring errors and their fixes.

Uses: claims, contextd_common, domain, knowledge, learning, runtime, sessions, skills; its operations also briefing,
    person, redaction, search.
Start at: `lookup.py`, `learned_fixes.py`.
"""
