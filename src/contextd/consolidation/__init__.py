"""Merge duplicate records, and propose wider scopes for knowledge shared by several projects.

Uses: claims, contextd_common, domain, knowledge, pages, runtime, schema; its operations also jobs, search, sessions.
Start at: `merge_run.py`, `promotion.py`.
"""
