"""The command `contextd`. Heavy modules are imported only once the command is known: a shim and a hook start in
every agent window and on every prompt.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contextd.app import Host
    from contextd.surfaces.cli.commands import Commands
    from contextd.surfaces.cli.signatures import Signature
    from contextd.surfaces.command_lines import RunLine
    from contextd.thin.shim_options import Options


def main() -> int:
    """Run the command line; returns the exit code."""
    arguments = sys.argv[1:]
    command = arguments[0] if arguments else ""
    if "--help" in arguments or "-h" in arguments:
        # For a person's help request, the thin commands are not run.
        command = command if command == "mcp" else ""
    if command == "mcp":
        from contextd.thin.shim import main as shim  # noqa: PLC0415 - measured: stdlib only

        return shim(arguments[1:], _serve_here)
    if command == "hook":
        from contextd.thin.hook import main as hook  # noqa: PLC0415 - measured: stdlib only

        return hook(arguments[1:])
    if command == "statusline":
        from contextd.thin.statusline import main as statusline  # noqa: PLC0415 - measured: stdlib only

        return statusline()
    if not arguments:
        from contextd.thin.hook import is_misdirected  # noqa: PLC0415 - measured: stdlib only

        if is_misdirected():
            return 0
    if command == "daemon" and arguments[1:2] == ["run"]:
        return _daemon()
    if command in ("daemon", *SERVER):
        # These commands look after the daemon, also one that hangs, or are a server that needs none.
        return run_here(arguments)
    from contextd.thin.command import run_in_daemon  # noqa: PLC0415 - not for shim and hook

    answered = run_in_daemon(arguments)
    if isinstance(answered, int):
        return answered
    if answered is not None:
        from contextd.surfaces.cli.main import refuse  # noqa: PLC0415 - click

        return refuse(arguments, answered)
    return run_here(arguments)


def _serve_here(options: Options) -> int:
    """Serve an agent on stdin and stdout without a daemon; returns the exit code."""
    # 1.5 s of imports that a shim with a daemon must not pay.
    from contextd.app import serve_standalone  # noqa: PLC0415
    from contextd.thin.messages import refuse_all  # noqa: PLC0415 - not for shim and hook

    profile, client, cwd = options.profile, options.client, options.cwd
    try:
        return int(serve_standalone(profile, client, cwd, hooked=options.hooked))
    except Exception as error:  # noqa: BLE001  it was raised before the agent was served
        why, advice = str(error), str(getattr(error, "hint", ""))
    sys.stderr.write(f"contextd mcp: {why}\n")
    refuse_all(why, advice)
    return 1


def run_here(arguments: Sequence[str]) -> int:
    """Run a command line in this process; returns the exit code."""
    from contextd.surfaces.cli.main import main as cli  # noqa: PLC0415 - click

    return cli(arguments, load=_load, standalone=_standalone, extras=EXTRAS)


def lines_of_terminals() -> RunLine:
    """The function that runs command lines sent to a daemon; it reads the operations once."""
    known: dict[str, Signature] = {}

    def run(arguments: Sequence[str]) -> int:
        # This import takes 20 ms, which a daemon without command lines does not need.
        from contextd.surfaces.cli.main import main as cli  # noqa: PLC0415
        from contextd.surfaces.cli.signatures import signatures_of_table  # noqa: PLC0415

        if not known:
            known.update(signatures_of_table())
        return cli(
            arguments, load=_load, standalone=_standalone, extras=EXTRAS, operations=lambda: known
        )

    return run


def commands() -> Commands:
    """Every command of the command line, as its help lists them."""
    from contextd.surfaces.cli.commands import Commands  # noqa: PLC0415 - click

    return Commands(_load, _standalone, EXTRAS)


def _daemon() -> int:
    from contextd.thin.home import home_directory  # noqa: PLC0415 - not for shim and hook
    from contextd.thin.spawn import claim_home  # noqa: PLC0415 - not for shim and hook

    # The home is locked and the socket listens before the imports: a second daemon exits at once, clients wait.
    claim = claim_home(home_directory())
    if claim is None:
        return 0
    from contextd.launch import run_daemon  # noqa: PLC0415 - asyncio and YAML

    return run_daemon(claim, lines_of_terminals())


def _load() -> None:
    from contextd.runtime.gc_pause import building  # noqa: PLC0415 - not for shim and hook

    with building():
        from contextd.app import load_operations  # noqa: PLC0415 - 1 s; many commands do without

        load_operations()


def _standalone(*, fresh: bool = False, migrate: bool = False) -> Host:
    # Only commands that work without a daemon need it.
    from contextlib import suppress  # noqa: PLC0415

    from contextd.app import Host  # noqa: PLC0415
    from contextd.launch import without_secrets  # noqa: PLC0415
    from contextd.runtime.daemon_log import keep_log  # noqa: PLC0415
    from contextd.thin.home import log_path  # noqa: PLC0415

    host = Host.open(work=False, fresh=fresh, migrate=migrate)
    path = log_path(host.settings.home)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        stream = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a")
        keep_log(stream, path, host.settings.text("log.level"), without_secrets)
    return host


def _demo(arguments: Sequence[str]) -> int:
    from contextd.demo import main as demo  # noqa: PLC0415 - imports the MCP SDK: over a second

    return demo(arguments)


def _bench(arguments: Sequence[str]) -> int:
    try:
        from contextd_bench.run import main as bench  # noqa: PLC0415 - numpy and the embedder
    except ModuleNotFoundError as error:
        if error.name != "contextd_bench":
            raise
        sys.stderr.write("The benchmarks are not installed. Run: pip install contextd-bench\n")
        return 1
    return bench(arguments)


def _server(command: str) -> Callable[[Sequence[str]], int]:
    def run(arguments: Sequence[str]) -> int:
        from contextd.serving import main as server  # noqa: PLC0415 - asyncio and YAML

        return server(command, arguments)

    return run


SERVER = ("serve", "work", "tenant")
EXTRAS = {
    "demo": ("Run an end-to-end demo on this repository, in a temporary home.", _demo),
    "bench": ("Measure recall and speed, each beside its baseline.", _bench),
    "serve": ("Answer the calls of a team over PostgreSQL: MCP, REST, health.", _server("serve")),
    "work": ("Do the background work of a team's server.", _server("work")),
    "tenant": ("Make an organisation on a team's server.", _server("tenant")),
}
"""Commands of this layer, by name: what they do, and the function."""


if __name__ == "__main__":
    sys.exit(main())
