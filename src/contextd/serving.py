"""The commands of a server: `serve` answers calls, `work` does background work, `tenant` makes organisations."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from contextd.launch import without_secrets
from contextd.runtime.daemon_log import keep_log
from contextd.runtime.gc_pause import building
from contextd.runtime.settings import Settings, load_settings
from contextd.thin.home import log_path
from contextd_common.errors import ContextdError, Unavailable

if TYPE_CHECKING:
    from contextd.app import Host
    from contextd.app.organisation import Duties
    from contextd.surfaces.server import TeamServer

_LISTEN = "server.listen"


def serve(arguments: Sequence[str]) -> int:
    """Answer calls at an address until SIGTERM; return the exit code."""
    parser = argparse.ArgumentParser(
        "contextd serve",
        description="Answer MCP, REST and health checks for a team, over PostgreSQL. Any number of these"
        " processes may run; `contextd work` does the background work.",
        epilog="Settings are read from config.yaml of the home and from CONTEXTD_… variables: `contextd config`"
        " lists them. Example: CONTEXTD_STORE_URL=postgresql://contextd@db/contextd contextd serve",
    )
    parser.add_argument("--listen", help="Host and port, as 0.0.0.0:7434.")
    asked = parser.parse_args(arguments)
    settings = _settings({_LISTEN: asked.listen} if asked.listen else {})
    return _run(settings, "calls", settings.text(_LISTEN))


def work(arguments: Sequence[str]) -> int:
    """Do the background work of all organisations until SIGTERM; return the exit code."""
    parser = argparse.ArgumentParser(
        "contextd work",
        description="Do the background work of a server: learning, vectors, merging, retention. Any number of"
        " these processes may run; a job runs in one of them.",
        epilog="Example: contextd work --listen 0.0.0.0:7435",
    )
    parser.add_argument(
        "--listen", default="", help="Host and port for /healthz, /readyz and /metrics alone."
    )
    asked = parser.parse_args(arguments)
    return _run(_settings({}), "all", asked.listen)


def tenant(arguments: Sequence[str]) -> int:
    """Make an organisation; return the exit code."""
    parser = argparse.ArgumentParser(
        "contextd tenant",
        description="Make an organisation on the server, and print the code of its first administrator. It is"
        " shown once, valid for a day, and exchanged for a token: POST /api/codes/exchange.",
        epilog="Example: contextd tenant create acme --admin ada",
    )
    commands = parser.add_subparsers(required=True, dest="command")
    create = commands.add_parser("create", help="Make an organisation.")
    create.add_argument("name", help="Lower-case letters, digits and hyphens.")
    create.add_argument("--admin", required=True, help="Name of the first administrator.")
    asked = parser.parse_args(arguments)
    host = _host(_settings({}), "none")
    try:
        made = host.add_organisation(asked.name, asked.admin)
    finally:
        host.close()
    sys.stdout.write(
        f"made {asked.name}; {made.member.name} is its administrator ({made.member.id})\n"
        f"code, valid for a day: {made.code}\n"
    )
    return 0


def _settings(flags: dict[str, str]) -> Settings:
    settings = load_settings(flags=flags)
    for problem in settings.problems:
        sys.stderr.write(f"! {problem}\n")
    return settings


def _run(settings: Settings, duties: Duties, address: str) -> int:
    """Run a process of the server. Exits without waiting for threads that are still busy: all data is stored."""
    keep_log(sys.stderr, log_path(settings.home), settings.text("log.level"), without_secrets)
    listener = None
    server, listener_at = _server(settings, duties)
    if address:
        listener = listener_at(address)
    asyncio.run(server.run(listener))
    logging.shutdown()
    os._exit(0)


def _server(settings: Settings, duties: Duties) -> tuple[TeamServer, Any]:
    try:
        with building():
            from contextd.surfaces.server import TeamServer, listener_at  # noqa: PLC0415 - HTTP
    except ModuleNotFoundError as problem:
        raise Unavailable(
            f"the server's libraries are not installed: {problem.name}",
            "pip install 'contextd-runtime[server]'",
        ) from problem
    if not settings.text("store.url").startswith("postgresql:"):
        # Said at once instead of at each call.
        _host(settings, duties)
    server = TeamServer(
        lambda: _host(settings, duties), settings, load=_load, answers=duties == "calls"
    )
    return server, listener_at


def _host(settings: Settings, duties: Duties) -> Host:
    with building():
        from contextd.app import Host  # noqa: PLC0415 - numpy and the store

    return Host.open_server(settings, duties)


def _load() -> None:
    with building():
        from contextd.app import load_operations  # noqa: PLC0415 - half a second

        load_operations()


COMMANDS = {"serve": serve, "work": work, "tenant": tenant}


def main(command: str, arguments: Sequence[str]) -> int:
    """Run a command of the server; return the exit code."""
    try:
        return COMMANDS[command](arguments)
    except ContextdError as error:
        sys.stderr.write(f"{error.message}\nhint: {error.hint}\n")
        return 1
