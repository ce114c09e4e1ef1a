"""The one way in: every call from any surface is validated, authorised, run, observed and serialised here.

Uses: briefing, domain, folding, person, policies, redaction, runtime, sessions.
Start at: `invoke.py`.
"""
