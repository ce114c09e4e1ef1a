"""Check this process's use of the network, for doctor."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

from contextd.domain.time import iso
from contextd.thin.home import cache_directory
from contextd.thin.offline import is_telemetry_off
from contextd_common.dataclass import dataclass

TELEMETRY_FOLDER = "Microsoft/DeveloperTools/.onnxruntime"
"""Where onnxruntime stores its device id and pending reports, below the user's cache directory."""

PROC = Path("/proc/self")
_INTERNET = ("tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6", "icmp", "icmp6")
_LOCAL, _REMOTE, _INODE = 1, 2, 9
_LOCAL_TABLES = {"unix": 6, "netlink": 9}
"""Socket types that stay within this machine's kernel: the table, and its inode column."""


@dataclass(frozen=True, slots=True)
class NetworkFinding:
    """The result of one check. `ok` is None if it could not be determined."""

    text: str
    ok: bool | None = True


def network_findings() -> list[NetworkFinding]:
    """The current state of the embedder runtime's telemetry, its device id, and the sockets of this process."""
    return [telemetry(), device_id(cache_directory() / TELEMETRY_FOLDER / "deviceid"), sockets()]


def telemetry() -> NetworkFinding:
    """Whether a loaded onnxruntime has its telemetry turned off, and whether that took effect."""
    if "onnxruntime" not in sys.modules:
        return NetworkFinding("onnxruntime is not loaded")
    if not is_telemetry_off():
        return NetworkFinding("onnxruntime's telemetry is not turned off", False)
    try:
        open_files = [path for path in _held() if f"/{TELEMETRY_FOLDER}/" in path]
    except OSError:
        return NetworkFinding(
            "onnxruntime's telemetry is turned off, which cannot be verified here", None
        )
    if open_files:
        return NetworkFinding(f"onnxruntime's telemetry is on: it has {open_files[0]} open", False)
    return NetworkFinding("onnxruntime's telemetry is off; none of its files is open")


def device_id(path: Path) -> NetworkFinding:
    """Whether onnxruntime's telemetry has a device id, and which process may have created it."""
    started = _started_at()
    if started is None:
        return NetworkFinding("the device id cannot be checked on this system", None)
    try:
        made_at = path.stat().st_mtime
    except OSError:
        return NetworkFinding(f"no device id at {path}")
    found = f"a device id at {path}, made at {iso(datetime.fromtimestamp(made_at, UTC))}"
    if made_at < started:
        return NetworkFinding(f"{found} before this process started; you may delete it")
    return NetworkFinding(f"{found} while this process ran, by an unknown program", None)


def sockets() -> NetworkFinding:
    """Whether every socket of this process stays on this machine."""
    try:
        elsewhere, here, unlisted = _sorted_sockets()
    except OSError:
        return NetworkFinding("sockets cannot be checked on this system", None)
    if elsewhere:
        return NetworkFinding(
            f"sockets reachable from or connected to other machines: {'; '.join(elsewhere)}", False
        )
    if unlisted:
        return NetworkFinding(f"{unlisted} sockets of an unknown kind", None)
    return NetworkFinding(f"all {here} sockets stay on this machine")


def _sorted_sockets() -> tuple[list[str], int, int]:
    """The sockets that leave this machine, by address; how many stay; how many the kernel does not list.
    Raises `OSError` without `/proc`.
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
    # A socket that was closed meanwhile is no longer listed.
    unlisted = (inodes - listed) & _socket_inodes()
    return elsewhere, len(inodes & listed) - len(elsewhere), len(unlisted)


def _address(field: str) -> tuple[IPv4Address | IPv6Address, int]:
    """`0100007F:1D09` is 127.0.0.1 and 7433: 32-bit words in memory order."""
    digits, _, port = field.partition(":")
    words = (digits[at : at + 8] for at in range(0, len(digits), 8))
    packed = b"".join(int(word, 16).to_bytes(4, sys.byteorder) for word in words)
    if len(packed) == 4:
        return IPv4Address(packed), int(port, 16)
    address = IPv6Address(packed)
    return address.ipv4_mapped or address, int(port, 16)


def _rows(name: str) -> list[list[str]]:
    """The rows of a table in `/proc/net`, without its header; empty if it does not exist."""
    try:
        lines = (PROC / "net" / name).read_text("utf-8", "replace").splitlines()[1:]
    except FileNotFoundError:
        return []
    return [line.split() for line in lines]


def _socket_inodes() -> set[str]:
    return {path[8:-1] for path in _held() if path.startswith("socket:[")}


def _held() -> list[str]:
    """The targets of this process's open file descriptors. Raises `OSError` without `/proc`."""
    held = []
    for descriptor in (PROC / "fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            held.append(str(descriptor.readlink()))
    return held


def _started_at() -> float | None:
    """The start time of this process in seconds since the epoch; None without `/proc`."""
    try:
        stat = (PROC / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The name in parentheses may contain parentheses and blanks: split after the last one.
    ticks = int(stat.rpartition(")")[2].split()[19])
    since_boot = ticks / os.sysconf("SC_CLK_TCK")
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + since_boot
