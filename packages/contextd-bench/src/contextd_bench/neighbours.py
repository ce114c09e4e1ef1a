"""`contextd bench neighbours PATH …`: use many repositories in one home at once, and compare with
each alone.

Each repository has its own client, a real `contextd mcp` on a shared home. Its steps are drawn from
a seed: notes, searches, edits, hooks around sessions. Then the store must be consistent, and a
program runs the final queries of each repository; unlike agents it sees scores, which identify
equal hits. Then each repository runs alone in its own home with the same steps and queries: all
answers must be the same.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from contextd.app import Host
from contextd.domain.access import OWNER
from contextd.runtime.runtime import Request
from contextd.runtime.settings import load_settings
from contextd.thin.client import call, control
from contextd_common.errors import ContextdError

MINUTES = float(os.environ.get("CONTEXTD_BENCH_MINUTES", "2"))
"""How long the projects work in parallel. A release is tested with ten minutes."""

_COMMAND = (sys.executable, "-m", "contextd")

CLIENTS = (
    "claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli", "cline", "cursor", "zed", "opencode",
)  # fmt: skip

_SETTLED_SECONDS = 1_800.0
"""How long background work may take after the last call."""

_QUESTIONS = 12
_NAMES = ("reconcile", "ledger", "invoice", "parcel", "voucher", "tariff", "docket", "manifest")
_CLAIMS = (
    "is written by the night job only", "must be locked before it is read", "expires after two hours",
    "keeps its order when it is retried", "has a copy on every node",
)  # fmt: skip
_HIDDEN = (
    "id", "session_id", "sessionId", "age", "date", "createdAt", "created_at", "updatedAt", "updated_at", "why",
)  # fmt: skip
"""Parts of an answer that depend on the time or the copy, not on the result."""


class Agent:
    """A client's MCP server, spoken to as the client does, in one directory."""

    def __init__(self, home: Path, root: Path, client: str, environment: Mapping[str, str]) -> None:
        self.client, self._environment, self._root = client, environment, root
        self._process = subprocess.Popen(
            [*_COMMAND, "mcp", "--profile", "full", "--client", client],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**environment, "CONTEXTD_HOME": str(home)}, cwd=root,
        )  # fmt: skip
        self._home, self._number = home, 0
        info = {"name": client, "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        self._ask("initialize", hello)
        self._send({"method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> Any:
        """What a tool answers; an error's text when it is one."""
        found = self._ask(
            "tools/call",
            {"name": tool, "arguments": arguments, "_meta": {"contextd/complete": True}},
        )
        if found.get("isError"):
            return {"error": " ".join(part.get("text", "") for part in found["content"])}
        return found.get("structuredContent")

    def hook(self, event: str, **payload: Any) -> None:
        """Run a hook as Claude Code does."""
        given = json.dumps({"hook_event_name": event, "cwd": str(self._root), **payload})
        arguments = ["hook", "--client", "claude-code"]
        _contextd(arguments, self._home, self._environment, root=self._root, input=given)

    def _ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self._number:
                result: dict[str, Any] = answer.get("result") or {"isError": True, "content": []}
                return result
        raise RuntimeError(f"the server of {self.client} ended")

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """End it as a client does, by closing its stdin."""
        self._process.communicate(timeout=60)


@dataclass
class Work:
    """The run of one client: number of steps, their times, failures, final answers."""

    root: Path
    client: str
    files: int
    steps: int = 0
    seconds: list[float] = field(default_factory=list[float])
    errors: list[str] = field(default_factory=list[str])
    answers: list[Any] = field(default_factory=list[Any])


def run(paths: Sequence[Path], *, out: TextIO, embedder: str = "none") -> bool:
    """Use the repositories at `paths` together and alone; True if all checks pass."""
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        # Short, for the sockets in the homes.
        place = Path(folder)
        works = [
            Work(place / path.resolve().name, CLIENTS[n % len(CLIENTS)], _copied(path, place))
            for n, path in enumerate(paths)
        ]
        environment = {**os.environ, "CONTEXTD_EMBEDDER_NAME": embedder}
        together = place / "together"
        with _daemon(together, environment):
            _all_at_once(works, lambda work: _opened(work, together, environment))
            until = time.monotonic() + 60 * MINUTES
            _all_at_once(works, lambda work: _worked(work, together, environment, until=until))
            problems = _settled(together, works)
        problems += _balance(together)
        alone = [
            _alone(work, path, place, environment) for work, path in zip(works, paths, strict=True)
        ]
    _report(works, alone, problems, out)
    different = [w.root.name for w, a in zip(works, alone, strict=True) if w.answers != a.answers]
    return not problems and not different and not any(work.errors for work in works)


def _copied(path: Path, place: Path) -> int:
    """Copy a repository without what contextd made of it; returns how many files it has."""
    root = place / path.resolve().name
    shutil.rmtree(root, ignore_errors=True)
    # `copytree` keeps the times of files: of two copies nothing changed outside in one of them only.
    shutil.copytree(path, root, symlinks=True, ignore=shutil.ignore_patterns(".context"))
    return sum(len(files) for _, _, files in os.walk(root))


def _alone(work: Work, path: Path, place: Path, environment: Mapping[str, str]) -> Work:
    """The same steps in a home that knows this repository only, at the same path."""
    _copied(path, place)
    again = Work(work.root, work.client, work.files)
    home = place / f"alone-{work.root.name}"
    home.mkdir(mode=0o700)
    # What stands in place of a secret is made with this key.
    shutil.copy2(place / "together" / "redaction.key", home)
    with _daemon(home, environment):
        _opened(again, home, environment)
        _worked(again, home, environment, steps=work.steps)
        _settled(home, [again])
    shutil.rmtree(home, ignore_errors=True)
    return again


@contextlib.contextmanager
def _daemon(home: Path, environment: Mapping[str, str]) -> Iterator[None]:
    _contextd(["daemon", "start"], home, environment).check_returncode()
    try:
        yield
    finally:
        _contextd(["daemon", "stop"], home, environment).check_returncode()


def _contextd(
    arguments: Sequence[str],
    home: Path,
    environment: Mapping[str, str],
    *,
    root: Path | None = None,
    input: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command of contextd to its end."""
    return subprocess.run(
        [*_COMMAND, *arguments],
        env={**environment, "CONTEXTD_HOME": str(home)},
        cwd=root, input=input, text=True, capture_output=True, check=False,
    )  # fmt: skip


def _all_at_once(works: Sequence[Work], do: Any) -> None:
    threads = [threading.Thread(target=do, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _opened(work: Work, home: Path, environment: Mapping[str, str]) -> None:
    done = _contextd(["init"], home, environment, root=work.root)
    work.errors += [done.stderr] if done.returncode else []


def _worked(
    work: Work,
    home: Path,
    environment: Mapping[str, str],
    *,
    until: float = float("inf"),
    steps: int | None = None,
) -> None:
    """Take steps in a repository until the time is up, or as many as `steps`."""
    chance = random.Random(work.root.name)
    try:
        with contextlib.closing(Agent(home, work.root, work.client, environment)) as agent:
            while work.steps < steps if steps is not None else time.monotonic() < until:
                began = time.perf_counter()
                problem = _step(agent, work, chance)
                work.seconds.append(time.perf_counter() - began)
                work.steps += 1
                if problem:
                    work.errors.append(problem)
    except Exception as error:  # noqa: BLE001 - whatever it is, the report must say it
        work.errors.append(repr(error))


def _step(agent: Agent, work: Work, chance: random.Random) -> str:
    """Run one step of an agent; return what is wrong with the answer, if anything."""
    number, word = work.steps, f"{chance.choice(_NAMES)}_{chance.randrange(10_000)}"
    mine = work.root.name
    match chance.choice(("note", "lesson", "edit", "edit", "search", "grep", "recall", "hooks")):
        case "note":
            text = f"The {word} of {mine} {chance.choice(_CLAIMS)}, seen in case {number}."
            answer = agent.call("save_context", content=text)
        case "lesson":
            title = f"Lesson {number} of {mine}"
            answer = agent.call(
                "memory_record", title=title, description=f"when the {word} is touched",
                content=f"The {word} {chance.choice(_CLAIMS)}.", outcome="success",
            )  # fmt: skip
        case "edit":
            return _edited(agent, work, word)
        case "search":
            answer = agent.call("codebase_search", query=f"where is the {word.split('_')[0]} kept")
        case "grep":
            answer = agent.call("grep_codebase", pattern=word.split("_")[0])
        case "recall":
            answer = agent.call("memory_search", query=f"the {word.split('_')[0]} must be locked")
        case _:
            session = f"{mine}-{number}"
            agent.hook("SessionStart", session_id=session, source="startup")
            agent.hook("UserPromptSubmit", session_id=session, prompt=f"what of the {word}?")
            agent.hook("SessionEnd", session_id=session, reason="exit")
            return ""
    foreign = _names_of_others(answer, work)
    problem = str((answer or {}).get("error", "")) if isinstance(answer, dict) else "no answer"
    return problem or foreign


def _edited(agent: Agent, work: Work, word: str) -> str:
    """Write a function into a file of its own, and find it at once."""
    path = work.root / f"neighbour_{work.steps % 40}.py"
    path.write_text(f"def {word}(value):\n    return value + {work.steps}\n", "utf-8")
    found = agent.call("find_symbol", name=word)
    return "" if path.name in json.dumps(found) else f"{word} was not found after its edit: {found}"


def _names_of_others(answer: Any, work: Work) -> str:
    """Words of an answer that only another project's note contains."""
    text = json.dumps(answer)
    others = [path.name for path in work.root.parent.iterdir() if path.name != work.root.name]
    leaked_names = [name for name in others if f" of {name} " in text or f'of {name}"' in text]
    return f"{work.root.name} was told of {', '.join(leaked_names)}" if leaked_names else ""


def _settled(home: Path, works: Sequence[Work]) -> list[str]:
    """Wait for background work to finish, then run each repository's final queries."""
    # What earlier work says of files is gathered behind the first question.
    first = ("codebase_search", {"query": "where is the ledger kept"})
    _all_at_once(works, lambda work: _called(work, home, [first]))
    deadline = time.monotonic() + _SETTLED_SECONDS
    while not _idle(home):
        if time.monotonic() > deadline:
            return [f"background work took longer than {_SETTLED_SECONDS:g} s"]
    _all_at_once(works, lambda work: _asked(work, home))
    return []


def _idle(home: Path) -> bool:
    """Whether no job waits or runs, and none appeared within a second."""
    for _ in range(2):
        state = control("status", home=home)
        if state.get("waiting_jobs", 1) or state.get("preparations", 1):
            return False
        time.sleep(1.0)
    return True


def _asked(work: Work, home: Path) -> None:
    work.answers += map(comparable, _called(work, home, final_questions(work.root.name)))


def final_questions(repository: str) -> list[tuple[str, dict[str, Any]]]:
    """What a repository of this name is asked in the end: operations and their arguments."""
    chance = random.Random(f"questions {repository}")
    questions: list[tuple[str, dict[str, Any]]] = []
    for _ in range(_QUESTIONS):
        name = chance.choice(_NAMES)
        questions += [
            ("grep_codebase", {"pattern": f"{name}_[0-9]"}),
            ("find_symbol", {"name": f"{name}_{chance.randrange(10_000)}"}),
            ("codebase_search", {"query": f"where is the {name} read and locked"}),
            ("recall_context", {"query": f"the {name} is written by the night job"}),
            ("memory_search", {"query": f"the {name} must be locked before it is read"}),
        ]
    return questions


def _called(work: Work, home: Path, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
    """What a program in the repository is answered; an error's text when it is one."""
    answers: list[Any] = []
    for operation, arguments in calls:
        try:
            cwd = str(work.root)
            answers.append(call(operation, arguments, home=home, cwd=cwd, start=False).value)
        except ContextdError as error:
            answers.append({"error": error.message})
    return answers


def comparable(value: Any) -> Any:
    """What was found. Of hits with equal scores it is chance which come first and which find room."""
    if isinstance(value, dict):
        return {name: comparable(inner) for name, inner in value.items() if name not in _HIDDEN}
    if not isinstance(value, list):
        return value
    found = [comparable(one) for one in value]
    scores: list[float] = [o["score"] for o in found if isinstance(o, dict) and "score" in o]
    if not scores or len(scores) < len(found):
        return found
    return sorted((one for one in found if one["score"] > min(scores)), key=json.dumps)


def _balance(home: Path) -> list[str]:
    """Inconsistencies of a home, and the problems that `contextd doctor` reports."""
    host = Host.open(load_settings(home=home, flags={"embedder.name": "none"}), work=False)
    try:
        health = host.call("doctor", Request(surface="python", caller=OWNER), {}).value
        wrong = [f"{one['name']}: {one['detail']}" for one in health["checks"] if not one["ok"]]
        # Without an embedder, which is said too; the check of vectors is the store's.
        return [text for text in wrong if not text.startswith("embedder")]
    finally:
        host.close()


def _difference(together: Any, alone: Any) -> str:
    """The first difference between two answers."""
    here, there = json.dumps(together), json.dumps(alone)
    at = next((n for n, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), 0)
    return (
        f"together …{here[max(0, at - 80) : at + 120]}… alone …{there[max(0, at - 80) : at + 120]}…"
    )


def _report(
    works: Sequence[Work], alone: Sequence[Work], problems: Sequence[str], out: TextIO
) -> None:
    print("\n## neighbours", file=out)
    print(
        "| repository | files | client | steps | p50 ms | p95 ms | errors | same as alone |",
        file=out,
    )
    print("|---|---|---|---|---|---|---|---|", file=out)
    different: list[str] = []
    for work, other in zip(works, alone, strict=True):
        taken = sorted(work.seconds) or [0.0]
        p50, p95 = taken[len(taken) // 2], taken[int(0.95 * (len(taken) - 1))]
        pairs = list(zip(work.answers, other.answers, strict=False))
        same = sum(together == alone for together, alone in pairs)
        different += [f"{work.root.name}: {_difference(a, b)}" for a, b in pairs if a != b][:3]
        print(
            f"| {work.root.name} | {work.files} | {work.client} | {work.steps} | {1e3 * p50:.0f} "
            f"| {1e3 * p95:.0f} | {len(work.errors)} | {same} of {len(work.answers)} |",
            file=out,
        )
    for text in [*problems, *different, *(e for work in works for e in work.errors[:3])]:
        print(f"- {text}", file=out)
