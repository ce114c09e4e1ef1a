"""Nothing leaves the machine: every process of contextd is watched from outside while it does
everything once.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import pytest

WHOLE_PATH = Path(__file__).with_name("whole_path.py")
WRITING = (
    "open", "openat", "openat2", "creat", "mkdir", "mkdirat", "link", "linkat", "symlink",
    "symlinkat", "rename", "renameat", "renameat2", "mknod", "mknodat",
)  # fmt: skip
MOVING = ("chdir", "fchdir")
OPENING = ("open", "openat", "openat2")
NAME_LOOKUP = ("/etc/resolv.conf", "/etc/hosts")
"""What the C library reads to look up a host's name."""

# The kernel stops a process only for the calls named; all others are most of what it does.
TRACE = [
    "strace",
    "-ff",
    "--seccomp-bpf",
    "-y",
    "-s",
    "400",
    "-e",
    f"trace=network,{','.join(WRITING + MOVING)}",
]
_CALL = re.compile(r"(\w+)\((.*)")
_ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
_FAMILY = re.compile(r"AF_[A-Z0-9]+")
_PLACE = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Call:
    """A system call as strace prints it."""

    name: str
    rest: str


@dataclass(frozen=True)
class Machine:
    """The folders of one run; nothing else may be written to."""

    folder: Path

    def part(self, name: str) -> Path:
        path = self.folder / name
        path.mkdir(exist_ok=True)
        return path

    @property
    def command(self) -> list[str]:
        return [sys.executable, str(WHOLE_PATH), str(self.part("shop")), str(self.part("homes"))]

    @property
    def environment(self) -> dict[str, str]:
        """A new user's, who even asks for telemetry."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.part("person")),
            "TMPDIR": str(self.part("tmp")),
            "ORT_DISABLE_TELEMETRY": "0",
            # Written beside the installed files, where the tests before may or may not have done so.
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def run(self, command: list[str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.part("shop"),
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.endswith("done\n")
        return done.stdout


@pytest.fixture
def machine() -> Iterator[Machine]:
    # Short: a home whose path is too long for a socket has a folder for it elsewhere.
    with tempfile.TemporaryDirectory(prefix="ctx-") as folder:
        yield new_machine(Path(folder).resolve())


def new_machine(folder: Path) -> Machine:
    made = Machine(folder)
    root = made.part("shop")
    (root / "package.json").write_text('{"name": "shop", "dependencies": {"express": "4.18.0"}}')
    (root / "token.ts").write_text("export function renew() { return 900; }\n")
    git = ["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run([*git, *command], check=True)
    return made


def works(*command: str) -> bool:
    """Whether a program is there and may do its work here."""
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def calls(folder: Path) -> Iterator[Call]:
    """Every system call of every process, those of one process in their order."""
    for path in sorted(folder.iterdir()):
        for line in path.read_text("utf-8", "replace").splitlines():
            found = _CALL.match(line)
            if found:
                yield Call(found[1], found[2])


def strangers(call: Call) -> list[str]:
    """The addresses and families of a call that are not on this machine; contextd's own loopback is
    IPv4.
    """
    addresses = [four or six for four, six in _ADDRESS.findall(call.rest)]
    families = {name for name in _FAMILY.findall(call.rest) if name != "AF_FDCWD"}
    return [a for a in addresses if not ip_address(a).is_loopback] + sorted(
        families - {"AF_UNIX", "AF_INET", "AF_NETLINK"}
    )


def places(call: Call) -> list[Path]:
    """Where a call writes; a path without a folder is below the working directory."""
    if call.name in OPENING and "O_CREAT" not in call.rest:
        return []
    return [Path(base or ".", name) for base, name in _PLACE.findall(call.rest)]


def is_inside(path: Path, folder: Path) -> bool:
    plain = Path(os.path.normpath(path))
    if not plain.is_absolute():
        return plain.parts[:1] != ("..",)
    return plain.is_relative_to(folder) or plain == Path(os.devnull)


@pytest.mark.long
@pytest.mark.timeout(400)
def test_no_process_reaches_beyond_this_machine_or_leaves_a_file_elsewhere(
    machine: Machine,
) -> None:
    if not works("strace", "-f", "-o", os.devnull, "true"):
        pytest.skip("strace cannot run here")
    traces = machine.part("traces")
    machine.run([*TRACE, "-o", str(traces / "trace"), *machine.command])
    seen = list(calls(traces))
    connected = [call for call in seen if call.name == "connect"]
    assert any("127.0.0.1" in call.rest for call in connected)
    assert any("AF_UNIX" in call.rest for call in connected)
    assert [call for call in seen if strangers(call)] == []
    assert [call for call in seen if any(name in call.rest for name in NAME_LOOKUP)] == []
    # The guard of child processes stands in the root, so that it keeps no folder from being removed.
    moved = [p for call in seen if call.name in MOVING for p in places(call) if p != Path("/")]
    written = [p for call in seen if call.name in WRITING for p in places(call)]
    assert any(path.name == "contextd.db" for path in written)
    assert [p for p in (*moved, *written) if not is_inside(p, machine.folder)] == []
    assert list(machine.part("person").rglob("*")) == []
    assert list(machine.part("tmp").iterdir()) == []


@pytest.mark.timeout(400)
@pytest.mark.slow  # what is watched from outside above is the same path
def test_everything_works_where_there_is_no_network(machine: Machine) -> None:
    if not works("unshare", "-rn", "true"):
        pytest.skip("this kernel gives no network namespace to a user")
    printed = machine.run(["unshare", "-rn", *machine.command, "--alone"])
    assert "✓ network" in printed
    assert "✗" not in printed


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('connect(3<s>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("10.0.0.5")}, 16) = 0', ["10.0.0.5"]),
        ('connect(3<s>, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = 0', []),
        ("socket(AF_INET6, SOCK_DGRAM, IPPROTO_IP) = 7", ["AF_INET6"]),
        ('connect(3<s>, {sa_family=AF_UNIX, sun_path="/x"}, 110) = 0', []),
    ],
)  # fmt: skip
def test_the_watcher_tells_strangers_from_neighbours(line: str, found: list[str]) -> None:
    call = _CALL.match(line)
    assert call
    assert strangers(Call(call[1], call[2])) == found


@pytest.mark.parametrize(
    ("line", "inside"),
    [
        ('openat(AT_FDCWD</a/shop>, "/home/x/.cache/id", O_WRONLY|O_CREAT, 0600) = 7', False),
        ('openat(6</home/x/.cache>, "id.tmp", O_WRONLY|O_CREAT|O_EXCL, 0600) = 7', False),
        ('openat(AT_FDCWD</a/shop>, "../../b", O_WRONLY|O_CREAT, 0600) = 7', False),
        ('openat(AT_FDCWD</a/shop>, "/usr/lib/x.so", O_RDONLY|O_CLOEXEC) = 7', True),
        ('mkdir("/var/x", 0777) = 0', False),
        ('rename("/a/shop/x", "/b/x") = 0', False),
        ('rename("x.lock", "x") = 0', True),
        ('chdir("/b") = 0', False),
    ],
)
def test_the_watcher_tells_where_a_call_writes(line: str, inside: bool) -> None:
    call = _CALL.match(line)
    assert call
    found = places(Call(call[1], call[2]))
    assert all(is_inside(path, Path("/a")) for path in found) is inside
