"""Errors that come back, and the fixes that ended them.

Uses: claims, domain, knowledge, learning, runtime, sessions, skills.
Start at: `lookup.py`, `learned_fixes.py`.
"""
