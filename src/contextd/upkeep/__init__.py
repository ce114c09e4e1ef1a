"""Maintenance of the store: health, backups, background work, repairs.

Uses: clients, contextd_common, domain, pages, runtime, thin.
Start at: `operations/doctor.py`.
"""
