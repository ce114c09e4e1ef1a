"""The single entry point: validate, authorise, run, observe and serialise every call from any surface.

Uses: contextd_common, domain, redaction, runtime.
Start at: `invoke.py`.
"""
