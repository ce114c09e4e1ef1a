"""The context of a call (`Runtime`), the settings, and the table of operations.

Uses: contextd_code, contextd_common, domain, ports, redaction, thin.
Start at: `runtime.py`, `operation.py`.
"""
