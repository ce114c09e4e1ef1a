"""What a start may import. Shim, hook and status line start in every agent window and on every prompt, and a
daemon while somebody waits for it.
"""

from __future__ import annotations

import ast
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sources import parsed, product_files

from contextd.thin import ready
from contextd.thin.home import socket_path
from contextd.thin.spawn import take_lock
from support.verdicts import none_of

FEW = {
    "thin",
    *(f"thin.{name}" for name in (
        "channel", "greetings", "home", "hook", "long_lines", "messages", "offline", "plain_json", "shim",
        "shim_options", "spawn", "spool",
    )),
}  # fmt: skip
"""What of contextd they may import, besides the package and its `__main__`."""

OURS = {"contextd", "contextd_code", "contextd_common"}

SLOW = {
    "collections", "contextlib", "enum", "functools", "importlib", "inspect", "json", "logging", "pathlib", "re",
    "runpy", "signal", "socket", "subprocess", "tempfile", "typing", "urllib",
}  # fmt: skip
"""Of the standard library: each takes as long as a tenth of a start of Python or longer, with what it imports."""

REDACTION = {
    "contextd_common", "contextd_common.text", "contextd_common.text.regex", "redaction", "redaction.redact",
    *(f"redaction.{name}" for name in (
        "bare_secrets", "examples", "label_values", "labelled", "logins", "natural_words", "percent_decoding", "positional_secrets",
        "providers", "repeated_secrets", "scanned_text", "secret_labels", "secret_values", "test_literals",
        "token_shapes",
    )),
}  # fmt: skip
"""What a hook loads besides where no daemon answers: its event lies on the disk until one comes."""

HEAVY = {"asyncio", "logging", "pathlib", "socket", "subprocess", "tempfile", "urllib.request"}

PROBE = """
import sys
before = set(sys.modules)
from contextd.__main__ import main
{do}
print(*sorted(set(sys.modules) - before), file=sys.stderr)
"""
EVENT = {"session_id": "s-1", "source": "startup", "tool_name": "Bash", "tool_input": {}}


def imported(do: str, home: Path, event: str = "", said: str = "") -> set[str]:
    """Every module that a fresh interpreter loads for it; what the hook printed must be `said`."""
    result = subprocess.run(
        [sys.executable, "-c", PROBE.format(do=do)],
        input=json.dumps({**EVENT, "hook_event_name": event, "cwd": str(home)}),
        env={**os.environ, "CONTEXTD_HOME": str(home)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert result.stdout == said, f"src/contextd/thin: {do} printed something else"
    return set(result.stderr.split())


def hooked(home: Path, event: str, said: str) -> set[str]:
    """What `contextd hook` loads for an event from its start to its end."""
    return imported('sys.argv[1:] = ["hook", "--client", "claude-code"]; main()', home, event, said)


def own(modules: set[str]) -> set[str]:
    ours = {module for module in modules if module.partition(".")[0] in OURS}
    return {module.removeprefix("contextd.") for module in ours} - {"__main__", "contextd"}


def roots(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def importing(modules: set[str]) -> list[str]:
    """The places in the thin code that import these modules; the modules themselves if others import them."""
    found = sorted(
        f"{path}:{node.lineno}: {name}"
        for path in product_files()
        if path.parts[:3] == ("src", "contextd", "thin")
        for node in run_by(parsed(path))
        for name in imported_by(node)
        if modules & {name, name.partition(".")[0]}
    )
    return found or sorted(modules)


def run_by(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements of a module, without those for type checkers."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
                continue
            waiting.append(node)
            if isinstance(node, ast.stmt):
                yield node


def imported_by(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [one.name for one in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
    return []


def check_imports(modules: set[str], allowed: set[str] | None, slow: set[str]) -> None:
    """Fail for each module that a start may not load. `allowed` are those of contextd."""
    ours = own(modules) - allowed if allowed is not None else set()
    none_of(
        importing({f"contextd.{name}" for name in ours}),
        "do without this import, or add it to the allowed modules of this test in "
        "tests/rules/test_thin_entry_points.py, with what it costs by `python -X importtime`",
    )
    none_of(
        importing(roots(modules) - sys.stdlib_module_names - OURS),
        "use the standard library only",
    )
    none_of(
        importing(roots(modules) & slow),
        "it slows each start: do without it, or import something lighter",
    )


@pytest.fixture
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ctx-") as folder:
        yield Path(folder).resolve()


@pytest.fixture
def daemon(home: Path) -> Iterator[None]:
    """Something that answers a hook and a command line as the daemon does."""

    def serve() -> None:
        while True:
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as lines:
                preamble = lines.readline()
                if not preamble:
                    return
                if b'"command"' in preamble:
                    connection.sendall(b'{"welcome":"test"}\n')
                lines.readline()
                connection.sendall(b'{"output":{"seen":true},"code":0,"printed":[[1,"seen"]]}\n')

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(socket_path(home)))
        listener.listen()
        server = threading.Thread(target=serve)
        server.start()
        yield
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as last:
            last.connect(str(socket_path(home)))
        server.join()


@pytest.fixture
def nobody(home: Path) -> Iterator[None]:
    """No daemon, and none can be started."""
    lock = take_lock(home)
    assert lock is not None, "src/contextd/thin/spawn.py: the lock of a new home is taken"
    yield
    os.close(lock)


def test_a_shim_imports_a_few_light_modules(home: Path) -> None:
    modules = imported("import contextd.thin.shim", home)
    check_imports(modules, FEW, SLOW)


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize("event", ["PreToolUse", "UserPromptSubmit", "SessionStart"])
def test_a_hook_that_a_daemon_answers_imports_a_few_light_modules(home: Path, event: str) -> None:
    modules = hooked(home, event, '{"seen":true}')
    check_imports(modules, FEW | {"thin.ready"}, SLOW | {"datetime", "hashlib"})


@pytest.mark.usefixtures("nobody")
def test_a_hook_without_a_daemon_imports_little_more(home: Path) -> None:
    modules = hooked(home, "UserPromptSubmit", "")
    check_imports(modules, FEW | REDACTION | {"thin.ready"}, HEAVY)
    assert (home / "spool.jsonl").read_text("utf-8").count("\n") == 1, (
        "src/contextd/thin/spool.py: the hook spooled another number of events than one"
    )

    lay_ready(home)
    modules = hooked(home, "SessionStart", '{"context":"Use tabs"}')
    check_imports(modules, None, HEAVY)


@pytest.mark.usefixtures("daemon")
def test_a_command_that_a_daemon_runs_imports_a_few_light_modules(home: Path) -> None:
    modules = imported('sys.argv[1:] = ["list", "--json"]; main()', home, said="seen")
    check_imports(
        modules, FEW | {"thin.command", "thin.exchange"}, SLOW | {"datetime", "hashlib", "shutil"}
    )


def test_a_status_line_imports_the_standard_library_and_a_few_of_ours(home: Path) -> None:
    modules = imported("import contextd.thin.statusline", home)
    check_imports(
        modules,
        FEW | {"thin.ready", "thin.statusline"},
        {"asyncio", "logging", "subprocess", "tempfile"},
    )


def test_a_daemon_leaves_to_its_clients_what_only_they_need(home: Path) -> None:
    started = (
        "import contextd.launch, contextd.surfaces.connections; from contextd.app import load_operations;"
        " load_operations()"
    )
    modules = roots(imported(started, home))
    none_of(
        sorted(modules & {"jinja2", "mcp", "onnxruntime", "ruamel", "starlette", "uvicorn"}),
        "a daemon loads it at its start: import it in the function of src/contextd that needs it",
    )


def test_modules_of_the_daemon_import_dataclass_from_contextd_common() -> None:
    source = Path(__file__).parents[2] / "src"
    standing_alone = {source / "contextd" / "demo.py", source / "contextd_common" / "dataclass.py"}
    dear = [
        path.relative_to(source.parent)
        for path in source.rglob("*.py")
        if "folding" not in path.parts
        and path not in standing_alone
        and re.search(r"^from dataclasses import .*\bdataclass\b", path.read_text("utf-8"), re.M)
    ]
    none_of(dear, "import `dataclass` from contextd_common.dataclass: its classes are made faster")


def lay_ready(home: Path) -> None:
    now = datetime.now(UTC).isoformat()
    made = {
        "v": ready.VERSION, "root": str(home), "made_at": now, "last_at": "", "text": "Use tabs",
        "check": ready.check_of("Use tabs"),
        "forms": [{"names": ["claude-code"], "marks": [], "answer": {"context": ready.TEXT}}],
    }  # fmt: skip
    path = ready.ready_path(home, home)
    path.parent.mkdir()
    path.write_text(json.dumps(made), "utf-8")
