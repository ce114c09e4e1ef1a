"""Maintenance of the store: health, backups, background work, repairs.

Uses: clients, contextd_code, domain, runtime, thin.
Start at: `operations/doctor.py`.
"""
