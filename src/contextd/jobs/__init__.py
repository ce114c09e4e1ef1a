"""The table of background jobs, their queue and their schedules.

Uses: contextd_common, domain, ports.
Start at: `table.py`.
"""
