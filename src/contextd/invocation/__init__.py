"""The single entry point: validate, authorise, run, observe and serialise every call from any surface.

Uses: briefing, contextd_common, domain, folding, person, policies, redaction, runtime, sessions.
Start at: `invoke.py`.
"""
