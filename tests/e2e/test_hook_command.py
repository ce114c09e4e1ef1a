"""`contextd hook`: nothing is lost, nobody waits, nothing breaks the agent."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading

import pytest
from homes import CONTEXTD, Home, wait_for

from contextd.thin import spool
from contextd.thin.home import socket_path
from contextd.thin.spawn import take_lock


@pytest.fixture
def home(cold_home: Home) -> Home:
    """Here it is told how a daemon comes and goes, and how long a hook waits for it."""
    del cold_home.environment["CONTEXTD_HOOKS_DEADLINE_MS"]
    return cold_home


EVENT = {"hook_event_name": "SessionStart", "session_id": "s-1", "source": "startup"}


def test_without_a_daemon_the_event_waits_in_the_spool_until_one_takes_it(home: Home) -> None:
    result = home.run("hook", "--client", "claude-code", stdin=json.dumps(EVENT))
    # It waits for the daemon as long as the client would; a machine under load takes longer.
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr in ("", "contextd hook: no answer in time; the event waits in the spool\n")
    wait_for(lambda: home.about().get("port"), "the daemon was started in the background")
    wait_for(lambda: not spool.take(home.path), "the event was taken in")
    assert "dropped" not in home.log()


def test_the_spooled_event_is_complete(home: Home) -> None:
    # A lock that looks like a daemon starting keeps a real one from taking the event.
    home.path.chmod(0o700)
    lock = take_lock(home.path)
    assert lock is not None
    for _ in range(2):
        home.run(
            "hook", "--client", "claude-code", stdin=json.dumps({**EVENT, "cwd": "/somewhere"})
        )
    (batch,) = spool.take(home.path)
    entries = list(spool.read(batch))
    os.close(lock)
    assert len(entries) == 2
    assert entries[0]["payload"] == {**EVENT, "cwd": "/somewhere"}
    assert entries[0]["cwd"] == "/somewhere"
    assert (entries[0]["client"], entries[0]["event"]) == ("claude-code", "SessionStart")
    assert entries[0]["at"].endswith("+00:00")
    assert os.getpid() in entries[0]["ancestors"]
    assert batch.stat().st_mode & 0o777 == 0o600


def test_no_secret_lies_in_the_spool(home: Home) -> None:
    home.path.chmod(0o700)
    lock = take_lock(home.path)
    assert lock is not None
    secret = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    asked = {"prompt": f"deploy with {secret}, the password is hunter2-Stag1ng"}
    event = {"session_id": "s-1", **asked, "tool_input": {secret: ["password=hunter2"]}}
    result = home.run(
        "hook", "--client", "claude-code", "UserPromptSubmit", stdin=json.dumps(event)
    )
    assert result.returncode == 0
    (batch,) = spool.take(home.path)
    os.close(lock)
    text = batch.read_text("utf-8")
    assert secret not in text
    assert "hunter2" not in text
    [entry] = spool.read(batch)
    assert entry["payload"]["prompt"].startswith("deploy with [REDACTED:github-token:")


def test_the_daemons_output_is_printed_for_the_client(home: Home) -> None:
    home.start_local()
    result = home.run("hook", "--client", "claude-code", stdin=json.dumps(EVENT))
    printed = json.loads(result.stdout)
    assert printed == {"seen": "SessionStart", "payload": EVENT, "client": "claude-code"}
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("code", "waits"),
    [
        ("busy", True),
        ("unavailable", True),
        ("corrupt", True),
        ("internal", True),
        ("invalid", False),
    ],
)
def test_an_event_that_a_daemon_refuses_for_now_waits_in_the_spool(
    cold_home: Home, code: str, waits: bool
) -> None:
    socket_path(cold_home.path).parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(socket_path(cold_home.path)))
        listener.listen()
        refusal = json.dumps({"error": {"code": code, "message": "not now"}}).encode() + b"\n"

        def refuse() -> None:
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as lines:
                lines.readline()
                lines.readline()
                connection.sendall(refusal)

        daemon = threading.Thread(target=refuse)
        daemon.start()
        result = cold_home.run("hook", stdin=json.dumps(EVENT))
        daemon.join()

    assert result.returncode == 0
    assert "not now" in result.stderr
    assert len(spool.take(cold_home.path)) == waits


def test_the_user_is_told_why_no_daemon_can_run_and_the_event_waits(cold_home: Home) -> None:
    (cold_home.path / "config.yaml").write_text("mcp: {profile: core\n", "utf-8")
    cold_home.environment["CONTEXTD_HOOKS_DEADLINE_MS"] = "60000"

    result = cold_home.run("hook", stdin=json.dumps({**EVENT, "hook_event_name": "SessionStart"}))

    told = json.loads(result.stdout)["systemMessage"]
    assert result.returncode == 0
    assert told.startswith("contextd: not recording for now: ")
    assert "config.yaml, line 2: not valid YAML" in told
    assert len(spool.take(cold_home.path)) == 1


@pytest.mark.long
@pytest.mark.parametrize("event", ["UserPromptSubmit", "SessionStart"])
def test_a_hook_gives_up_a_hanging_daemon_and_loses_nothing(home: Home, event: str) -> None:
    daemon = home.start_local()
    daemon.send_signal(signal.SIGSTOP)
    # It ends while the daemon hangs; how long it waits is asked of `time_limit` in tests/unit/thin.
    result = home.run("hook", stdin=json.dumps({**EVENT, "hook_event_name": event}))
    daemon.send_signal(signal.SIGCONT)
    assert (result.returncode, result.stdout) == (0, "")
    assert "no answer in time" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    wait_for(lambda: not spool.take(home.path), "the event was taken in after all")


def test_a_user_may_let_hooks_wait_longer(home: Home) -> None:
    daemon = home.start_local()
    daemon.send_signal(signal.SIGSTOP)
    home.environment["CONTEXTD_HOOKS_DEADLINE_MS"] = "60000"
    patient = home.popen("hook", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert patient.stdin is not None
    patient.stdin.write(json.dumps(EVENT).encode())
    patient.stdin.close()
    home.environment["CONTEXTD_HOOKS_DEADLINE_MS"] = "100"
    assert "no answer in time" in home.run("hook", stdin=json.dumps(EVENT)).stderr
    assert patient.poll() is None
    daemon.send_signal(signal.SIGCONT)
    assert patient.stdout is not None
    assert json.loads(patient.stdout.read())["seen"] == "SessionStart"
    patient.stdout.close()


@pytest.mark.parametrize("stdin", ["", "rubbish", "[1]", '"x"', '{"a":', "null", "{}"])
def test_whatever_comes_in_the_agent_goes_on(shared_home: Home, stdin: str) -> None:
    result = shared_home.run("hook", stdin=stdin)
    assert (result.returncode, result.stdout) == (0, "")
    assert len(result.stderr.splitlines()) <= 1


@pytest.mark.parametrize(
    "event",
    [
        {**EVENT, "hook_event_name": "UserPromptSubmit", "prompt": "rename x"},
        {"hookEventName": "Stop", "sessionId": "s-1"},
        {"hookName": "TaskStart", "taskId": "1"},
    ],
)
def test_a_hook_without_its_arguments_swallows_nothing_and_says_how_to_mend_it(
    shared_home: Home, event: dict[str, str]
) -> None:
    done = shared_home.run(stdin=json.dumps(event))
    assert (done.returncode, done.stdout) == (0, "")
    [said] = done.stderr.splitlines()
    assert "contextd install" in said


@pytest.mark.parametrize("stdin", ["", "status\n", "[1, 2]", '{"name": "x"}', "{", "\0\xff"])
def test_without_arguments_and_without_an_event_there_is_help(
    shared_home: Home, stdin: str
) -> None:
    done = shared_home.run(stdin=stdin)
    assert done.returncode == 2
    assert "Example: contextd status" in done.stderr


def test_without_arguments_an_open_stdin_is_not_waited_for(shared_home: Home) -> None:
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [str(CONTEXTD)], stdin=reading, capture_output=True, text=True, check=False,
            env=shared_home.environment, cwd=shared_home.project, timeout=60,
        )  # fmt: skip
    finally:
        os.close(reading)
        os.close(writing)
    assert (done.returncode, done.stdout) == (2, "")


def test_an_event_for_a_home_that_cannot_be_written_waits_in_memory_or_on_another_disk(
    home: Home,
) -> None:
    (home.path / "file").write_text("", "utf-8")
    home.environment["CONTEXTD_HOME"] = str(home.path / "file" / "home")
    result = home.run("hook", stdin=json.dumps(EVENT))
    assert result.returncode == 0
    assert "cannot be used" in json.loads(result.stdout)["systemMessage"]
    assert result.stderr.startswith("contextd hook: the daemon cannot be started: ")
    batches = spool.take(home.path / "file" / "home")
    assert [entry["event"] for batch in batches for entry in spool.read(batch)] == ["SessionStart"]
    for batch in batches:
        batch.unlink()
        batch.parent.rmdir()
    home.environment["CONTEXTD_HOME"] = str(home.path)
