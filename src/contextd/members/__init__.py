"""Members of a server's organisation: their roles, and the tokens that they sign in with.

Uses: contextd_common, domain, ports, runtime.
Start at: `invitations.py`, `operations/members.py`.
"""
