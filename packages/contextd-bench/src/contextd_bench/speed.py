"""How fast contextd is, each figure beside a baseline measured in the same run."""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from contextd.thin import client
from contextd.thin.home import endpoint_path
from contextd.thin.spawn import take_lock
from contextd_common.errors import Unavailable

SEED = 20260801
COMMAND = [sys.executable, "-P", "-m", "contextd"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured thing. Times in milliseconds; `cpu` is user and system time together."""

    name: str
    n: int
    p50: float
    p95: float
    cpu: float | None = None

    def row(self) -> str:
        """A line of a Markdown table."""
        cpu = "" if self.cpu is None else f"{self.cpu:.1f}"
        return f"| {self.name} | {self.n} | {self.p50:.2f} | {self.p95:.2f} | {cpu} |"


def timed(name: str, n: int, run: Callable[[int], object]) -> Figure:
    """Call `run(i)` n times in this process."""
    walls, cpu = [], time.process_time()
    for i in range(n):
        began = time.perf_counter()
        run(i)
        walls.append((time.perf_counter() - began) * 1e3)
    return figure(name, walls, (time.process_time() - cpu) / n * 1e3)


def timed_process(name: str, n: int, run: Callable[[], float]) -> Figure:
    """Call `run` n times; it starts one process, waits for it, and returns the wall time in ms."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    walls = [run() for _ in range(n)]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return figure(name, walls, spent / n * 1e3)


def figure(name: str, walls: list[float], cpu: float | None) -> Figure:
    """Median and 95th percentile of the walls."""
    ranked = sorted(walls)
    p95 = ranked[min(len(ranked) - 1, int(len(ranked) * 0.95))]
    return Figure(name, len(walls), statistics.median(ranked), p95, cpu)


@contextmanager
def temporary_home() -> Iterator[Path]:
    """A home of its own in the environment; its daemon is stopped at the end."""
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        home = Path(folder) / "home"
        before = os.environ.get("CONTEXTD_HOME")
        os.environ["CONTEXTD_HOME"] = str(home)
        try:
            yield home
        finally:
            with suppress(Unavailable):
                client.control("stop", home=home, timeout=30)
            if before is None:
                del os.environ["CONTEXTD_HOME"]
            else:
                os.environ["CONTEXTD_HOME"] = before


def bench_start(n: int = 10) -> list[Figure]:
    """A warm and a cold client up to the `initialize` answer, hooks with and without a daemon, and a daemon."""
    with temporary_home() as home:
        cold = figure("shim, daemon cold: start to initialize", [_initialize(home)], None)
        _initialize(home)
        warm = timed_process("shim, daemon warm: start to initialize", n, lambda: _initialize(home))
        bare = timed_process("baseline: python -c pass", n, lambda: _process("-c", "pass"))
        sdk = timed_process(
            "baseline: python -c 'import mcp'", 3, lambda: _process("-c", "import mcp")
        )
        hooks = list(_bench_hooks(home, n))
    answering = [timed_process("daemon: start to the first answer, and stop", 3, _first_answer)]
    return [warm, *hooks, cold, *answering, bare, sdk]


def _bench_hooks(home: Path, n: int) -> Iterator[Figure]:
    """The hooks of a client, first with the daemon that runs, then without one and none that comes."""
    for event in ("PreToolUse", "UserPromptSubmit", "SessionStart"):
        yield timed_process(f"hook {event}, daemon warm", n, partial(_hook, home, event))
    client.control("stop", home=home, timeout=30)
    while (lock := take_lock(home)) is None:
        time.sleep(0.02)
    name = "hook UserPromptSubmit, no daemon: left in the spool"
    yield timed_process(name, n, partial(_hook, home, "UserPromptSubmit"))
    os.close(lock)


def _hook(home: Path, event: str) -> float:
    payload = {
        "hook_event_name": event, "session_id": "bench", "source": "startup", "prompt": "Go on",
        "cwd": str(home.parent), "tool_name": "Bash", "tool_input": {"command": "ls"},
    }  # fmt: skip
    command = [*_installed(), "hook", "--client", "claude-code"]
    began = time.perf_counter()
    subprocess.run(command, input=json.dumps(payload).encode(), check=True, capture_output=True)
    return (time.perf_counter() - began) * 1e3


def _installed() -> list[str]:
    """The command as a client runs it: the script, where there is one."""
    script = Path(sys.executable).with_name("contextd")
    return [str(script)] if script.exists() else COMMAND


def _first_answer() -> float:
    """Start a daemon in a new home, ask it for its status and have it stop; the time of the answer."""
    with temporary_home() as home:
        home.mkdir()
        began = time.perf_counter()
        process = subprocess.Popen([*COMMAND, "daemon", "run"], stderr=subprocess.DEVNULL)
        while not endpoint_path(home).exists():
            time.sleep(0.005)
        client.call("status", home=home, cwd=str(home.parent), timeout=60)
        took = (time.perf_counter() - began) * 1e3
        client.control("stop", home=home, timeout=30)
        process.wait()
        return took


def _process(*arguments: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True)
    return (time.perf_counter() - began) * 1e3


def _initialize(home: Path) -> float:
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    began = time.perf_counter()
    process = subprocess.Popen(
        [*_installed(), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=home.parent
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    took = (time.perf_counter() - began) * 1e3
    process.stdin.close()
    process.stdout.close()
    process.wait()
    assert answer["result"]["serverInfo"]["name"] == "contextd"
    return took


def bench_commands(n: int = 7) -> list[Figure]:
    """Commands as a person waits for them, the daemon warm."""
    with temporary_home() as home:
        client.call("status", home=home, cwd=str(home.parent), timeout=60)
        _command("status")  # The first one in a home notes the signatures of all operations.
        asked = (["status"], ["call", "memory_search", "--query", "x"], ["--help"])
        return [
            *(
                timed_process(f"contextd {one[0]}, daemon warm", n, partial(_command, *one))
                for one in asked
            ),
            timed_process("baseline: python -c 'import click'", n, _import_click),
        ]


def _import_click() -> float:
    return _process("-c", "import click")


def _command(*arguments: str) -> float:
    began = time.perf_counter()
    subprocess.run([*COMMAND, *arguments], check=True, capture_output=True)
    return (time.perf_counter() - began) * 1e3


def bench_init(files: int = 500, n: int = 7) -> list[Figure]:
    """`contextd init` of a generated TypeScript repository until it is lexically searchable."""
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        root = Path(folder) / "repository"
        write_repository(root, files)
        homes = iter(range(1000))

        def once() -> float:
            environment = {**os.environ, "CONTEXTD_HOME": f"{folder}/home{next(homes)}"}
            began = time.perf_counter()
            subprocess.run(
                [*COMMAND, "init", "--no-daemon", str(root)],
                check=True,
                capture_output=True,
                env=environment,
            )
            return (time.perf_counter() - began) * 1e3

        def read() -> float:
            began = time.perf_counter()
            subprocess.run(["git", "-C", str(root), "grep", "-c", "zzz"], capture_output=True)
            return (time.perf_counter() - began) * 1e3

        return [
            timed_process(f"contextd init, {files} files, whole process", n, once),
            timed_process("baseline: git grep reads the same files once", n, read),
        ]


def write_repository(root: Path, files: int) -> None:
    """A TypeScript repository of `files` files, about 2 kB each, importing one another."""
    words = random.Random(SEED)
    root.mkdir(parents=True)
    (root / "package.json").write_text('{"name":"generated","dependencies":{"next":"14.2.0"}}')
    (root / "tsconfig.json").write_text('{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}')
    for i in range(files):
        module = root / "src" / words.choice(("auth", "users", "payments", "core", "ui"))
        module.mkdir(parents=True, exist_ok=True)
        body = "\n".join(
            f"export function {words.choice(VOCABULARY)}{i}x{j}(value: number): string {{\n"
            f"  const {words.choice(VOCABULARY)} = value * {j};\n"
            f"  // {' '.join(words.choices(VOCABULARY, k=12))}\n"
            f"  return String({words.choice(VOCABULARY)}Of(value));\n}}\n"
            for j in range(9)
        )
        (module / f"file{i}.ts").write_text(f"import {{ a }} from './file{max(0, i - 5)}';\n{body}")
    git = ["git", "-C", str(root), "-c", "user.name=b", "-c", "user.email=b@example.invalid"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "generated"]):
        subprocess.run([*git, *command], check=True)


def _made_up() -> list[str]:
    words = random.Random(SEED)
    parts = "ka lo mi ren tas vo qui ber dol san fe gar hun jep nor pil ruk sta ter wim".split()
    return sorted({"".join(words.choices(parts, k=words.randint(2, 4))) for _ in range(4000)})


VOCABULARY = _made_up()
SPEED: dict[str, Callable[[], list[Figure]]] = {
    "start": bench_start,
    "commands": bench_commands,
    "init": bench_init,
}
"""The speed benchmarks by name."""
