"""What doctor finds out about this process and the network, from what the process holds open."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

from contextd.domain.dataclass import dataclass
from contextd.domain.time import iso
from contextd.thin.home import cache_directory
from contextd.thin.offline import is_telemetry_off

TELEMETRY_FOLDER = "Microsoft/DeveloperTools/.onnxruntime"
"""Where onnxruntime keeps its device id and what it would report, below the user's cache directory."""

PROC = Path("/proc/self")
_INTERNET = ("tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6", "icmp", "icmp6")
_LOCAL, _REMOTE, _INODE = 1, 2, 9
_LOCAL_TABLES = {"unix": 6, "netlink": 9}
"""Sockets that end at this machine's kernel: the table, and its column with the inode."""


@dataclass(frozen=True, slots=True)
class NetworkFinding:
    """One thing that was looked at. `ok` is `None` for what could not be told."""

    text: str
    ok: bool | None = True


def network_findings() -> list[NetworkFinding]:
    """The telemetry of the embedder's runtime, its device id, and the sockets of this process: how
    they are at this moment.
    """
    return [telemetry(), device_id(cache_directory() / TELEMETRY_FOLDER / "deviceid"), sockets()]


def telemetry() -> NetworkFinding:
    """Whether onnxruntime, once loaded, was kept from reporting: it was told so, and obeys."""
    if "onnxruntime" not in sys.modules:
        return NetworkFinding("onnxruntime is not loaded")
    if not is_telemetry_off():
        return NetworkFinding("onnxruntime's telemetry is not turned off", False)
    try:
        open_files = [path for path in _held() if f"/{TELEMETRY_FOLDER}/" in path]
    except OSError:
        return NetworkFinding(
            "onnxruntime's telemetry is turned off; that it obeys is not checked", None
        )
    if open_files:
        return NetworkFinding(f"onnxruntime's telemetry is on: it has {open_files[0]} open", False)
    return NetworkFinding("onnxruntime's telemetry is off, none of its files is open")


def device_id(path: Path) -> NetworkFinding:
    """Whether a device id of onnxruntime's telemetry is there, and who can have made it."""
    started = _started_at()
    if started is None:
        return NetworkFinding("a device id is not checked on this system", None)
    try:
        made_at = path.stat().st_mtime
    except OSError:
        return NetworkFinding(f"no device id at {path}")
    found = f"a device id at {path}, made at {iso(datetime.fromtimestamp(made_at, UTC))}"
    if made_at < started:
        return NetworkFinding(f"{found} before this process started: it may be deleted")
    return NetworkFinding(f"{found} while this process ran; by which program is not known", None)


def sockets() -> NetworkFinding:
    """Whether every socket of this process ends at this machine."""
    try:
        elsewhere, here, unlisted = _sorted_sockets()
    except OSError:
        return NetworkFinding("sockets are not checked on this system", None)
    if elsewhere:
        return NetworkFinding(
            f"sockets that others can reach or that reach others: {'; '.join(elsewhere)}", False
        )
    if unlisted:
        return NetworkFinding(f"{unlisted} sockets of a kind that cannot be told", None)
    return NetworkFinding(f"each of its {here} sockets stays on this machine")


def _sorted_sockets() -> tuple[list[str], int, int]:
    """Those that leave this machine, by their addresses; how many stay; how many the kernel lists
    in no table. Raises `OSError` where there is no `/proc`.
    """
    inodes = _socket_inodes()
    elsewhere: list[str] = []
    listed: set[str] = set()
    for name in _INTERNET:
        for row in _rows(name):
            listed.add(row[_INODE])
            local, port = _address(row[_LOCAL])
            if row[_INODE] in inodes and not local.is_loopback:
                remote, remote_port = _address(row[_REMOTE])
                elsewhere.append(f"{name} {local} port {port} to {remote} port {remote_port}")
    for name, column in _LOCAL_TABLES.items():
        listed.update(row[column] for row in _rows(name))
    # One that was closed meanwhile stands in no table any more.
    unlisted = (inodes - listed) & _socket_inodes()
    return elsewhere, len(inodes & listed) - len(elsewhere), len(unlisted)


def _address(field: str) -> tuple[IPv4Address | IPv6Address, int]:
    """`0100007F:1D09` is 127.0.0.1 and 7433: words of 32 bits, as they lie in memory."""
    digits, _, port = field.partition(":")
    words = (digits[at : at + 8] for at in range(0, len(digits), 8))
    packed = b"".join(int(word, 16).to_bytes(4, sys.byteorder) for word in words)
    if len(packed) == 4:
        return IPv4Address(packed), int(port, 16)
    address = IPv6Address(packed)
    return address.ipv4_mapped or address, int(port, 16)


def _rows(name: str) -> list[list[str]]:
    """The rows of a table under `/proc/net`, without its head; none where the kernel has no such."""
    try:
        lines = (PROC / "net" / name).read_text("utf-8", "replace").splitlines()[1:]
    except FileNotFoundError:
        return []
    return [line.split() for line in lines]


def _socket_inodes() -> set[str]:
    return {path[8:-1] for path in _held() if path.startswith("socket:[")}


def _held() -> list[str]:
    """What the open descriptors of this process lead to. Raises `OSError` without a `/proc`."""
    held = []
    for descriptor in (PROC / "fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            held.append(str(descriptor.readlink()))
    return held


def _started_at() -> float | None:
    """When this process started, in seconds since the epoch; None without a `/proc`."""
    try:
        stat = (PROC / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The name in brackets may itself hold brackets and blanks: count behind the last one.
    ticks = int(stat.rpartition(")")[2].split()[19])
    since_boot = ticks / os.sysconf("SC_CLK_TCK")
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + since_boot
