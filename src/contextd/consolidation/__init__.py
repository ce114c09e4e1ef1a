"""Merging records that say the same, and proposing wider scopes for what many projects know.

Uses: claims, domain, knowledge, runtime, schema.
Start at: `merge_run.py`, `promotion.py`.
"""
