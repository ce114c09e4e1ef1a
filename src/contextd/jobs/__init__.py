"""The table of background jobs, their queue and their schedules.

Uses: domain, ports.
Start at: `table.py`.
"""
