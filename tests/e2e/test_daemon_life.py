"""One daemon per home: how it starts, stops, is replaced, and what it survives."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from homes import Home, has_ended, wait_for

from contextd import __version__
from contextd.thin.channel import Channel, connect, dial
from contextd.thin.client import call, control, start, stop
from contextd.thin.home import socket_path
from contextd.thin.spawn import claim_home, is_alive
from contextd_common.errors import NotFound, Unavailable


@pytest.fixture
def home(cold_home: Home) -> Home:
    """Here it is told how a daemon comes and goes."""
    return cold_home


def test_a_second_daemon_leaves_at_once_and_quietly(home: Home) -> None:
    daemon = home.start()
    second = home.run("daemon", "run")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert home.daemons() == [daemon]


def test_a_socket_and_facts_left_by_a_killed_daemon_are_replaced(home: Home) -> None:
    first = home.start()
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: has_ended(first), "the daemon is dead")
    assert (home.path / "contextd.sock").exists()
    assert home.about()["pid"] == first
    assert call("tools_list", home=home.path).value
    assert home.about()["pid"] != first


@pytest.mark.long
@pytest.mark.parametrize("welcome", [b"", b'{"welcome":"1"}\n'], ids=["unwelcomed", "welcomed"])
def test_a_call_lost_with_a_dying_daemon_is_asked_again(home: Home, welcome: bytes) -> None:
    asked = []
    with socket.socket(socket.AF_UNIX) as dying:
        dying.bind(str(socket_path(home.path)))
        dying.listen()

        def die() -> None:
            connection, _ = dying.accept()
            told = connection.recv(1 << 16)
            connection.sendall(welcome)
            # A caller sends its request after the greeting.
            while welcome and told.count(b"\n") < 2:
                told += connection.recv(1 << 16)
            asked.append(told)
            dying.close()
            connection.close()

        thread = threading.Thread(target=die)
        thread.start()
        assert call("tools_list", home=home.path).value
        thread.join()
    assert len(asked) == 1
    assert len(home.daemons()) == 1


def test_a_process_id_in_a_stale_file_means_nothing(home: Home) -> None:
    (home.path / "daemon.json").write_text(json.dumps({"pid": os.getpid(), "version": "0.0.1"}))
    (home.path / "daemon.lock").write_text(str(os.getpid()))
    assert call("tools_list", home=home.path).value
    assert home.about()["pid"] != os.getpid()


def test_files_of_the_daemon_are_for_the_owner_only(home: Home) -> None:
    home.start()
    for name in ("contextd.sock", "token", "daemon.json", "daemon.lock", "logs/daemon.log"):
        assert stat.S_IMODE((home.path / name).stat().st_mode) == 0o600, name
    assert stat.S_IMODE(home.path.stat().st_mode) == 0o700


def test_a_daemon_starts_with_telemetry_off_whatever_its_client_has_in_its_environment(
    home: Home,
) -> None:
    home.environment["ORT_DISABLE_TELEMETRY"] = "0"
    assert home.run("daemon", "start").returncode == 0
    (daemon,) = home.daemons()
    given = Path(f"/proc/{daemon}/environ").read_bytes().split(b"\0")
    assert b"ORT_DISABLE_TELEMETRY=1" in given
    assert b"ORT_DISABLE_TELEMETRY=0" not in given


def test_a_running_call_is_finished_when_the_daemon_is_told_to_stop(home: Home) -> None:
    daemon = home.start_local()
    mark = home.path / "mark"
    given: list[Any] = []
    arguments = {"seconds": 1.5, "mark": str(mark)}
    caller = threading.Thread(
        target=lambda: given.append(call("probe_wait", arguments, home=home.path))
    )
    caller.start()
    wait_for(mark.exists, "the call runs")
    daemon.send_signal(signal.SIGTERM)
    caller.join()
    assert daemon.wait(60) == 0
    assert mark.read_text("utf-8") == "done"
    assert given[0].value == {"waited": 1.5}
    assert not (home.path / "contextd.sock").exists()
    assert not (home.path / "daemon.json").exists()


@pytest.mark.long
def test_it_leaves_when_idle_and_no_earlier(home: Home) -> None:
    home.environment["CONTEXTD_DAEMON_IDLE_MINUTES"] = "0"
    agent = home.popen("mcp", stdin=-1, stdout=-1)
    daemon = wait_for(lambda: home.about().get("port") and home.about()["pid"], "it is up")
    with pytest.raises(AssertionError, match="not within"):
        wait_for(lambda: has_ended(daemon), "it left a client alone", seconds=4)
    agent.communicate(timeout=30)
    wait_for(lambda: home.daemons() == [], "it left when nobody was there")
    assert "Traceback" not in home.log()


def test_a_newer_client_replaces_an_older_daemon_and_an_older_one_does_not(home: Home) -> None:
    first = home.start()
    connect(home.path, "control", version="0.0.1").close()
    assert home.daemons() == [first]
    connect(home.path, "control", version="99.0.0").close()
    second = wait_for(lambda: home.about().get("pid"), "the new daemon is up")
    assert second != first
    assert home.daemons() == [second]


@pytest.mark.long
def test_an_agent_stays_connected_through_a_handover(home: Home) -> None:
    home.start()
    agent = home.popen("mcp", stdin=-1, stdout=-1)
    assert agent.stdin
    assert agent.stdout
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}  # fmt: skip
    for message in (
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ):
        agent.stdin.write(json.dumps(message).encode() + b"\n")
    agent.stdin.flush()
    assert json.loads(agent.stdout.readline())["id"] == 0
    connect(home.path, "control", version="99.0.0").close()
    agent.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    agent.stdin.flush()
    assert json.loads(agent.stdout.readline())["id"] == 1
    agent.communicate(timeout=30)
    assert agent.returncode == 0


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"GET / HTTP/1.1\n", "invalid"),
        (b"[]\n", "invalid"),
        (b'{"v":2,"role":"mcp"}\n', "invalid"),
        (b'{"v":1,"role":"boss"}\n', "invalid"),
        (b'{"v":1,"role":["mcp"]}\n', "invalid"),
        (b'{"v":1,"role":"mcp","profile":"huge"}\n', "invalid"),
        (b'{"v":1,"role":"mcp","profile":["core"]}\n', "invalid"),
        ((b"", 17, b""), "too_large"),
        ((b"", 2, b""), "too_large"),
        ((b"", 2, b"\n{}\n"), "too_large"),
        ((b"[]\n", 15, b"\n"), "invalid"),
    ],
)
def test_a_wrong_preamble_is_answered_and_harms_nobody(
    shared_home: Home, line: bytes | tuple[bytes, int, bytes], code: str
) -> None:
    if isinstance(line, tuple):
        # Megabytes are made when they are sent: every process collects every row.
        before, megabytes, after = line
        line = before + b"x" * (megabytes << 20) + after
    connection = dial(shared_home.path, 10)
    assert connection
    with Channel(connection) as channel:
        try:
            connection.sendall(line)
        except ConnectionError:
            assert len(line) > 1 << 20
        answer = channel.receive(10)
        assert answer["error"]["code"] == code
        with pytest.raises(ConnectionError):
            channel.receive(10)
    assert control("status", home=shared_home.path)["pid"] == shared_home.about()["pid"]


def test_calls_answer_with_values_or_the_error_and_keep_the_connection(shared_home: Home) -> None:
    with connect(shared_home.path, "call") as channel:
        assert "welcome" in channel.receive(30)
        channel.send({"id": 1, "operation": "tools_list", "arguments": {}})
        assert {"id", "value", "text"} == set(channel.receive(30))
        channel.send({"id": 2, "operation": "tools_lust"})
        assert "did you mean" in channel.receive(30)["error"]["hint"]
        channel.socket.sendall(b"rubbish\n")
        assert channel.receive(30)["error"]["code"] == "invalid"
        channel.send({"id": 3, "operation": "tools_list"})
        assert channel.receive(30)["id"] == 3
    with pytest.raises(NotFound, match="tools_lust"):
        call("tools_lust", home=shared_home.path)


def test_a_daemon_that_does_not_listen_yet_is_stopped_as_well(home: Home) -> None:
    daemon = home.popen("daemon", "run", stdout=-1, stderr=-1)
    wait_for(lambda: is_alive(home.path), "it has its lock")
    assert stop(home.path)
    daemon.communicate(timeout=60)
    assert not is_alive(home.path)


def test_control_says_that_no_daemon_runs_and_stops_one_that_does(home: Home) -> None:
    with pytest.raises(Unavailable, match="no daemon is running"):
        control("status", home=home.path)
    daemon = home.start()
    assert control("status", home=home.path)["pid"] == daemon
    control("stop", home=home.path)
    wait_for(lambda: not home.daemons(), "it stopped")
    with pytest.raises(Unavailable, match="no daemon is running"):
        control("status", home=home.path)


@contextmanager
def silent_daemon(home: Home) -> Iterator[None]:
    """A daemon that has the home, listens, and answers nobody."""
    claim = claim_home(home.path)
    assert claim is not None
    try:
        claim.publish(version=__version__)
        yield
    finally:
        claim.release()


@pytest.mark.long
def test_starting_waits_for_a_slow_daemon_and_says_what_for(home: Home) -> None:
    with silent_daemon(home):
        starting = home.popen("daemon", "start", stdout=-1, stderr=-1)
        status = home.run("daemon", "status")
        assert status.returncode == 1
        assert status.stdout.startswith("a daemon is starting and does not answer yet\nhint: ")
        assert starting.poll() is None
        assert "Usage: contextd list" in home.run("list", "--help").stdout, "without the daemon"
        assert starting.stderr is not None
        assert b"waiting for the daemon to " in starting.stderr.readline()
    shown, waited = starting.communicate(timeout=60)
    assert starting.returncode == 0, waited
    assert b"open: yes" in shown


@pytest.mark.long
def test_starting_tells_when_it_takes_too_long_and_starts_again_what_ended(home: Home) -> None:
    with silent_daemon(home):
        starting = home.popen("daemon", "start", stdout=-1, stderr=-1)
        with pytest.raises(Unavailable, match=r"is running, but 1 s were not enough to "):
            start(home.path, seconds=1)
    shown, _ = starting.communicate(timeout=60)
    assert b"open: yes" in shown
    assert home.daemons()


def test_starting_and_asking_name_a_daemon_that_a_signal_stopped(home: Home) -> None:
    daemon = home.start()
    os.kill(daemon, signal.SIGSTOP)
    asked, started = home.run("daemon", "status"), home.run("daemon", "start")
    assert (asked.returncode, started.returncode) == (1, 1)
    for said in (asked.stdout, started.stderr):
        assert f"a signal stopped the daemon (process {daemon})" in said
        assert f"`kill -CONT {daemon}` lets it run again" in said
    os.kill(daemon, signal.SIGCONT)
    assert home.run("daemon", "status").returncode == 0


def test_a_daemon_that_hangs_is_told_with_what_ends_it(home: Home) -> None:
    with silent_daemon(home):
        about = json.loads((home.path / "daemon.json").read_text())
        (home.path / "daemon.json").write_text(json.dumps({**about, "port": 1}))
        asked = home.run("daemon", "status", "--json")
    assert asked.returncode == 1
    told = json.loads(asked.stdout)
    assert told["running"] is True
    assert f"a daemon runs (process {os.getpid()}) but did not answer" in told["problem"]
    assert f"`kill -9 {os.getpid()}` ends one that hangs" in told["hint"]


@pytest.mark.long
def test_a_daemon_that_cannot_run_is_told_with_its_last_words(home: Home) -> None:
    (home.path / "config.yaml").write_text("\nmcp: {profile: core\n", "utf-8")
    for command in (["daemon", "start"], ["status"], ["dashboard", "--no-open"]):
        done = home.run(*command)
        assert done.returncode == 1, command
        assert "the daemon ended: " in done.stderr
        assert "config.yaml, line 3: not valid YAML: " in done.stderr
        assert "Traceback" not in done.stderr


def test_starting_tells_what_keeps_the_store_from_opening(home: Home) -> None:
    store = home.path / "orgs" / "local" / "contextd.db"
    store.parent.mkdir(parents=True)
    store.write_bytes(b"no database at all" * 100)
    done = home.run("daemon", "start")
    assert done.returncode == 1
    assert "corrupt: " in done.stderr
    assert "is not a database" in done.stderr
    assert "! " in home.run("daemon", "status").stdout


def test_a_long_home_still_has_a_socket_of_its_own(home: Home) -> None:
    top, deep = home.path, home.path / ("d" * 60) / ("e" * 60)
    home.path = deep
    try:
        assert call("tools_list", home=deep).value
        with pytest.raises(OSError, match="too long"), socket.socket(socket.AF_UNIX) as plain:
            plain.bind(str(deep / "contextd.sock"))
    finally:
        home.clear()
        shutil.rmtree(socket_path(deep).parent)
        home.path = top


@pytest.mark.parametrize("instead", ["nothing", "a file"])
def test_a_daemon_whose_socket_was_deleted_is_found_again(home: Home, instead: str) -> None:
    assert home.run("init").returncode == 0
    daemon = home.start()
    with connect(home.path, "call") as kept:
        kept.receive(30)
        socket_path(home.path).unlink()
        if instead == "a file":
            socket_path(home.path).write_text("")
        found = home.run("list")
        assert (found.returncode, found.stderr) == (0, "")
        # Who was connected stays.
        kept.send({"id": 1, "operation": "tools_list"})
        assert kept.receive(30)["id"] == 1
    assert home.daemons() == [daemon]
    assert stat.S_IMODE(socket_path(home.path).stat().st_mode) == 0o600
    assert home.log().count("the socket was deleted") == 1


def test_a_daemon_whose_place_is_taken_listens_again_once_it_is_free(home: Home) -> None:
    assert home.run("init").returncode == 0
    daemon = home.start()
    place = socket_path(home.path)
    place.unlink()
    place.mkdir()
    wait_for(lambda: "no new one opens yet" in home.log(), "the daemon to miss its socket")
    place.rmdir()
    found = home.run("list")
    assert (found.returncode, found.stderr) == (0, "")
    assert home.daemons() == [daemon]


def test_a_home_with_a_long_path_is_reached_from_another_temporary_directory(home: Home) -> None:
    places = [home.path / "one", home.path / "two"]
    for place in places:
        place.mkdir()
    long = home.path / ("x" * 60) / ("y" * 60)
    long.mkdir(parents=True, mode=0o700)
    home.environment |= {"CONTEXTD_HOME": str(long), "TMPDIR": str(places[0])}
    assert home.run("init").returncode == 0
    assert home.run("remember", "Kelp is weighed wet").returncode == 0
    daemon = json.loads((long / "daemon.json").read_text())["pid"]
    home.environment["TMPDIR"] = str(places[1])
    try:
        found = home.run("search", "kelp")
        assert "weighed wet" in found.stdout
        assert json.loads((long / "daemon.json").read_text())["pid"] == daemon
    finally:
        home.run("daemon", "stop")
