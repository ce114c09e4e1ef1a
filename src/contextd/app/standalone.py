"""Serve one agent in this process, without a daemon."""

from __future__ import annotations

from pathlib import Path

from contextd.app.host import Host
from contextd.app.tables import load_operations
from contextd.runtime.settings import load_settings


def serve_standalone(profile: str, client: str, cwd: str, *, hooked: bool = False) -> int:
    """Serve one agent over MCP on this process's stdio, without a daemon."""
    from contextd.surfaces.standalone import serve_stdio  # noqa: PLC0415 - imports the MCP SDK

    settings = load_settings(Path(cwd) if cwd else None)
    load_operations()
    return serve_stdio(lambda: Host.open(settings), settings, profile, client, cwd, hooked=hooked)
