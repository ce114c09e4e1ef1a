"""The context of a call (`Runtime`), the settings, and the table of operations.

Uses: domain, files, ports, thin.
Start at: `runtime.py`, `operation.py`.
"""
