"""Thin clients: the processes of every agent window and every prompt, with the standard library alone.

Uses: app, contextd_common, redaction.
Start at: `shim.py` (MCP over stdio), `hook.py` (events of a client), `channel.py` (the socket to the
    daemon).
"""
