"""What doctor says about the network is what the process really holds."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from contextd.upkeep import network_check
from contextd.upkeep.network_check import TELEMETRY_FOLDER, device_id, sockets, telemetry
from support.desks import embedder

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no /proc")


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    embedder().embed(["warm"])


@pytest.fixture
def loopback() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@linux_only
def test_a_process_with_local_sockets_only_is_well(loopback: socket.socket) -> None:
    left, right = socket.socketpair()
    with left, right, socket.create_connection(loopback.getsockname()):
        found = sockets()
    assert found.ok is True
    assert "stay on this machine" in found.text


@linux_only
@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_socket_that_others_can_reach_is_named_with_its_address(kind: int) -> None:
    with socket.socket(socket.AF_INET, kind) as open_to_all:
        open_to_all.bind(("0.0.0.0", 0))
        if kind == socket.SOCK_STREAM:
            open_to_all.listen()
        port = open_to_all.getsockname()[1]
        found = sockets()
    assert found.ok is False
    assert f"0.0.0.0 port {port}" in found.text
    assert sockets().ok is True


@linux_only
def test_loopback_of_ipv6_is_this_machine_too() -> None:
    try:
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with server:
        assert sockets().ok is True


def test_where_sockets_cannot_be_looked_at_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_check, "PROC", Path("/nowhere"))
    for finding in (sockets(), telemetry(), device_id(Path("/nowhere"))):
        assert finding.ok is None
        assert "cannot be" in finding.text


@linux_only
def test_telemetry_is_off_once_the_embedder_is_loaded() -> None:
    assert "onnxruntime" in sys.modules
    assert telemetry().ok is True


@linux_only
def test_telemetry_that_is_on_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    used = tmp_path / TELEMETRY_FOLDER / "onnxruntime.db"
    used.parent.mkdir(parents=True)
    with used.open("w"):
        found = telemetry()
    assert found.ok is False
    assert str(used) in found.text
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "0")
    assert telemetry().ok is False


@linux_only
def test_a_device_id_is_told_apart_by_whether_it_was_there_before(tmp_path: Path) -> None:
    path = tmp_path / "deviceid"
    assert device_id(path).ok is True
    path.write_text("x")
    assert device_id(path).ok is None
    year_ago = time.time() - 3600 * 24 * 365
    os.utime(path, (year_ago, year_ago))
    found = device_id(path)
    assert found.ok is True
    assert "before this process started" in found.text


def test_a_process_without_the_embedder_has_nothing_that_could_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    assert telemetry().text == "onnxruntime is not loaded"


def test_a_socket_of_a_kind_that_the_kernel_does_not_list_is_no_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "contextd.upkeep.network_check._sorted_sockets"
    monkeypatch.setattr(name, lambda: ([], 3, 2))
    assert sockets().ok is None
    monkeypatch.setattr(name, lambda: (["10.0.0.1:443"], 3, 2))
    assert sockets().ok is False
    monkeypatch.setattr(name, lambda: ([], 3, 0))
    assert sockets().ok
