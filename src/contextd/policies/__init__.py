"""Policies: rules for the work, the files that state them, and the check of an action.

Uses: clients, contextd_code, contextd_common, domain, files, knowledge, pages, redaction, runtime, schema; its
    operations also briefing, projects, search.
Start at: `rules_in_force.py`, `rule_check.py`.
"""
