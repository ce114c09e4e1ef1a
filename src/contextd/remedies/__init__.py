"""Recurring errors and their fixes.

Uses: claims, domain, knowledge, learning, runtime, sessions, skills.
Start at: `lookup.py`, `learned_fixes.py`.
"""
