"""What a call is given (`Runtime`), the settings, and the table that holds every operation.

Uses: domain, files, ports, thin.
Start at: `runtime.py`, `operation.py`.
"""
