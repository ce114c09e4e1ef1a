"""Maintenance of the store: health, backups, background work, repairs.

Uses: clients, domain, pages, runtime, thin.
Start at: `operations/doctor.py`.
"""
