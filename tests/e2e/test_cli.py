"""The command line as a person uses it: real processes, real daemon, a repository of their own."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from homes import Home, temporary_home

Command = Callable[..., Any]

CONFIG = '{\n    "theme": "dark",\n    "hooks": {"Notification": [{"hooks": [{"type": "command", "command": "bell"}]}]}\n}\n'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop")


def make_repository(root: Path) -> Path:
    (root / "src" / "auth").mkdir(parents=True)
    (root / "src" / "mail").mkdir()
    (root / "package.json").write_text('{"name": "shop", "dependencies": {"express": "4.18.0"}}')
    (root / "src" / "auth" / "token.ts").write_text("export function renew() { return 1; }\n")
    (root / "src" / "auth" / "guard.ts").write_text("import { renew } from './token';\nrenew();\n")
    (root / "src" / "mail" / "send.ts").write_text("export const send = () => 2;\n")
    git = ["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run([*git, *command], check=True)
    return root


@pytest.fixture
def run(home: Home, repository: Path, tmp_path: Path):
    return commands(home, repository, tmp_path / "person")


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """Commands on one home and project, for tests that leave them as they are."""
    place = tmp_path_factory.mktemp("unchanged")
    with temporary_home() as home:
        run = commands(home, make_repository(place / "shop"), place / "person")
        run("init")
        yield run


def commands(home: Home, repository: Path, person: Path) -> Command:
    person.mkdir()
    home.environment["HOME"] = str(person)

    def command(*arguments: str, ok: bool = True, cwd: Path = repository):
        home.warm()
        done = subprocess.run(
            [sys.executable, "-P", "-m", "contextd", *arguments],
            cwd=cwd,
            env=home.environment,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert (done.returncode == 0) is ok, done.stdout + done.stderr
        return done

    command.person = person
    command.home = home.path
    return command


@pytest.mark.long
def test_init_tells_what_it_found_and_a_second_run_changes_nothing(run, repository):
    first = run("init").stdout
    assert "✓ Detected: Express 4" in first
    assert "✓ Wrote .context/project.yaml" in first
    assert "contextd install" in first
    before = (repository / ".context" / "project.yaml").read_bytes()
    assert "up to date" in run("init").stdout
    assert (repository / ".context" / "project.yaml").read_bytes() == before


@pytest.mark.long
@pytest.mark.parametrize(
    "kind",
    [
        "empty",
        "loop",
        "broken",
        *(pytest.param(k, marks=pytest.mark.slow) for k in ("binary", "unreadable")),
    ],
)
def test_init_never_fails_on_an_odd_directory(run, tmp_path, kind):
    odd = tmp_path / "odd"
    odd.mkdir()
    if kind == "binary":
        (odd / "blob.ts").write_bytes(bytes(range(256)) * 50)
        (odd / "latin.py").write_bytes("name = 'Straße'\n".encode("latin-1"))
    if kind == "loop":
        (odd / "again").symlink_to(odd)
        os.mkfifo(odd / "pipe.ts")
    if kind == "unreadable":
        (odd / "secret.ts").write_text("x")
        (odd / "secret.ts").chmod(0)
    if kind == "broken":
        (odd / "package.json").write_text("{ not json")
        (odd / "deep.ts").write_text("(" * 5000)
    made = run("init", "--no-daemon", "--json", cwd=odd)
    assert json.loads(made.stdout)["project"].startswith("local/default/odd")
    assert (odd / ".context" / "project.yaml").is_file()


def test_a_note_is_saved_searched_deleted_undone_and_restored_from_a_backup(run, tmp_path):
    run("init", "--no-daemon")
    content = "Mail must be queued, never sent inside a request."
    saved = json.loads(run("save-context", content, "--json").stdout)
    assert content in run("context-search", "mail inside a request").stdout
    run("backup", "--path", str(tmp_path / "kept.db"))
    run("delete-context", saved["id"][:8])
    assert content not in run("context-search", "mail inside a request").stdout
    assert "undid the delete" in run("undo", saved["id"][:8]).stdout
    run("delete-context", saved["id"][:8])
    refused = run("restore", str(tmp_path / "kept.db"), ok=False)
    assert refused.returncode != 0
    assert "3 changes of records and 0 sessions that this backup lacks" in refused.stderr
    assert content not in run("context-search", "mail inside a request").stdout
    restored = run("restore", str(tmp_path / "kept.db"), "--yes").stdout
    assert "Set aside: 3 changes of records" in restored
    assert "To restore it: contextd store restore" in restored
    assert content in run("context-search", "mail inside a request").stdout
    assert "delete" not in run("history", saved["id"][:8]).stdout


def test_a_file_that_is_no_backup_of_this_version_leaves_the_store_as_it_is(run, tmp_path):
    run("init", "--no-daemon")
    content = "Mail must be queued, never sent inside a request."
    run("save-context", content)
    for name, version in (("another program", 0), ("a newer contextd", 99)):
        other = tmp_path / f"{name}.db"
        connection = apsw.Connection(str(other))
        connection.execute("CREATE TABLE customers (name TEXT)")
        connection.execute(f"PRAGMA user_version={version}")
        connection.close()
        refused = run("restore", str(other), ok=False)
        assert refused.returncode != 0
        assert "1 change of records and 0 sessions that this backup lacks" in refused.stderr
        refused = run("restore", str(other), "--yes", ok=False)
        assert refused.returncode != 0
        assert name in refused.stderr
        assert "the store is unchanged" in refused.stderr
        assert content in run("context-search", "mail inside a request").stdout


def test_status_doctor_show_and_config_answer_in_text_and_in_json(unchanged):
    run = unchanged
    assert "local/default/shop" in run("status").stdout
    assert "✓ canary" in run("doctor").stdout
    assert "Project: shop" in run("show").stdout
    assert "Sessions:" in run("show", "--sessions").stdout
    assert "indexed texts" in run("show", "--stats").stdout
    settings = json.loads(run("config", "--json").stdout)["settings"]
    assert {row["name"]: row["origin"] for row in settings}["embedder.name"] == "default"
    assert json.loads(run("status", "--json").stdout)["files"] == 4


def test_any_operation_is_callable_by_its_arguments_names(unchanged):
    run = unchanged
    read = run("call", "read_file", "--path", "src/auth/guard.ts", "--include_deps", "true").stdout
    assert "uses src/auth/token.ts" in read
    assert "export function renew" in read
    found = json.loads(run("call", "grep_codebase", "--pattern", "send", "--json").stdout)
    assert found["matches"][0]["path"] == "src/mail/send.ts"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["statu"], 2, "did you mean 'status'?"),
        (["memory-search"], 2, "missing QUERY"),
        (["read-file", "../../etc/passwd"], 2, "leads out of the project"),
        (["call", "nonsense_operation"], 2, "no operation"),
        (["show", "--project", "shp"], 1, "did you mean 'shop'?"),
        (["install", "emacs"], 2, "known clients"),
        (["restore", "package.json"], 2, "is not a backup"),
    ],
)
def test_mistakes_are_answered_with_what_to_do(unchanged, arguments, code, said):
    done = unchanged(*arguments, ok=False)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_setting_is_listed_with_its_line_and_the_nearest_name(cold_home: Home) -> None:
    (cold_home.path / "config.yaml").write_text("daemon:\n  idle_minuts: 3\n")
    done = cold_home.run("config")
    assert done.returncode == 0
    first = done.stdout.splitlines()[0]
    assert first.startswith(f"! {cold_home.path}/config.yaml:2: unknown setting")
    assert "did you mean 'daemon.idle_minutes'?" in first


def test_install_and_uninstall_leave_every_byte_as_it_was(run):
    settings = run.person / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(CONFIG)
    run("install", "claude-code")
    written = json.loads(settings.read_text())
    assert written["hooks"]["Notification"] == [{"hooks": [{"type": "command", "command": "bell"}]}]
    assert set(written["hooks"]) == {
        "Notification",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUseFailure",
        "PreCompact",
        "PostCompact",
        "SessionEnd",
    }
    servers = json.loads((run.person / ".claude.json").read_text())["mcpServers"]
    assert servers["contextd"]["args"][-4:] == ["mcp", "--client", "claude-code", "--hooked"]
    once = settings.read_bytes()
    run("install", "claude-code")
    assert settings.read_bytes() == once
    run("uninstall", "claude-code")
    assert settings.read_text() == CONFIG
    assert not (run.person / ".claude.json").exists()


def test_the_installed_command_serves_an_agent_and_its_hook(run, repository):
    run("init", "--no-daemon")
    run("install", "claude-code")
    server = json.loads((run.person / ".claude.json").read_text())["mcpServers"]["contextd"]
    hooks = json.loads((run.person / ".claude" / "settings.json").read_text())["hooks"]
    handler = hooks["SessionStart"][0]["hooks"][0]
    run("daemon", "start")
    environment = {**os.environ, "CONTEXTD_HOME": str(run_home(run)), "HOME": str(run.person)}
    payload = {"session_id": "abc", "cwd": str(repository), "hook_event_name": "SessionStart"}
    hooked = subprocess.run(
        # As Claude Code runs it: one line for a shell.
        ["/bin/sh", "-c", handler["command"]],
        input=json.dumps(payload), env=environment, cwd=repository,
        capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    answer = json.loads(hooked.stdout)["hookSpecificOutput"]
    assert "shop" in answer["additionalContext"]
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                   "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    served = subprocess.run(
        [server["command"], *server["args"]],
        input=json.dumps(hello) + "\n", env=environment, cwd=repository,
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert json.loads(served.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "contextd"


def run_home(run) -> str:
    return json.loads(run("daemon", "status", "--json").stdout)["home"]


def test_the_demo_ends_with_what_session_a_learned_in_session_bs_briefing(run, repository):
    session = "import { renew } from './token';\n" + "".join(
        f"export const step{number} = () => renew() + {number};\n" for number in range(9)
    )
    (repository / "src" / "auth" / "session.ts").write_text(session)
    shown = run("demo", str(repository)).stdout
    assert "Session B's briefing contains session A's thread" in shown
    assert "context_search(" in shown
    assert "read_file('src/auth/session.ts', include_deps=true)" in shown
    assert "what it uses from src/auth/token.ts" in shown
    assert not (repository / ".context").exists()


@pytest.mark.long
def test_a_file_beside_me_is_imported_and_exported_by_its_name(home: Home) -> None:
    entry = {
        "id": "abc-123", "content": "Prefer small functions", "tags": ["style"], "source": "chat",
        "createdAt": "2026-01-15T08:00:00Z", "updatedAt": "2026-01-15T08:00:00Z", "mood": "good",
    }  # fmt: skip
    subprocess.run(["git", "init", "-q", str(home.project)], check=True)
    (home.project / "contexts.json").write_text(json.dumps({"version": 1, "entries": [entry]}))
    done = home.run("import", "contexts.json")
    assert "1 read, 1 new, 0 updated, 0 duplicate, 0 redacted, 0 junk" in done.stdout
    assert home.run("export", "--format", "opencontext-v2", "--out", "out.json").returncode == 0
    out = json.loads((home.project / "out.json").read_text())
    assert out == {"version": 2, "entries": [entry], "bubbles": []}
    again = home.run("export", "--out", "out.json")
    assert (again.returncode, "exists" in again.stderr) == (1, True)
    assert home.run("import", "absent.json").returncode == 1


@pytest.mark.long
def test_a_terminal_shows_unseen_characters_and_a_pipe_gets_them_as_they_are(run, repository):
    strange = "src/odd\x1b[31m\u202egnp.ts"
    (repository / strange).write_text("export const lantern = 1;\n")
    run("init")
    search = ["grep-codebase", "lantern", "--json"]
    assert json.loads(run(*search).stdout)["matches"][0]["path"] == strange
    ours, theirs = pty.openpty()
    environment = {**os.environ, "CONTEXTD_HOME": str(run.home), "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "contextd", *search[:2]],
        cwd=repository, env=environment, stdin=theirs, stdout=theirs, check=False, timeout=60,
    )  # fmt: skip
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        shown = terminal.read(1 << 16).decode()
    assert done.returncode == 0
    assert "src/odd⟨ESC⟩[31m⟨U+202E⟩gnp.ts:1" in shown
    assert "\x1b" not in shown
