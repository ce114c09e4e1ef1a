"""The table of background jobs, their queue and their schedules.

Uses: contextd_code, domain, ports.
Start at: `table.py`.
"""
