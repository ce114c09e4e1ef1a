"""`contextd demo`: the core workflow, end to end, in a temporary home, on the current repository.

Nothing is simulated: a daemon is started, an agent connects over stdio MCP, the hooks get the events of a sample
session, and the next session's briefing contains what was learned from it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from contextd.imports.importers.injected_text import own_words
from contextd.imports.importers.sample import sample_session
from contextd.thin import client
from contextd_code.git.programs import git_environment, git_line
from contextd_code.git.substitute import keep_stand_ins_in
from contextd_code.processes import run
from contextd_code.tree.walk import walk
from contextd_common.errors import ContextdError, Invalid, Unavailable
from contextd_common.text.tokens import count_tokens

COMMAND = [sys.executable, "-P", "-m", "contextd"]
MOST_FILES = 5_000
LEARNING_SECONDS = 60.0
_SECONDS = 300.0
"""How long a command may take: `init` takes a minute of the largest repository that the demo accepts."""
_WIDTH = 78
_LEARNED = re.compile(r"\[[\w ]+ [0-9a-f]{8} · ")


@dataclass(slots=True)
class Stage:
    """The demo's environment: a copy of the repository, and a home of its own."""

    folder: Path
    root: Path
    environment: dict[str, str]
    marks: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])

    @property
    def home(self) -> Path:
        """The temporary home."""
        return self.folder / "home"

    def run(self, *arguments: str, stdin: str = "") -> str:
        """Run a command of contextd in this environment; return its output."""
        began = time.perf_counter()
        given = stdin.encode()
        command = [*COMMAND, *arguments]
        # Without a limit of memory, which a daemon that it starts would inherit.
        done = run(command, self.root, self.environment, _SECONDS, given, memory=None)
        self.marks.append((" ".join(arguments[:3]), (time.perf_counter() - began) * 1e3))
        if done.code != 0:
            output = (done.problem or done.output).decode("utf-8", "replace").strip()
            raise Unavailable(
                f"`contextd {' '.join(arguments)}` failed: {output}",
                "run `contextd doctor` to find the cause",
            )
        return done.output.decode("utf-8", "replace")

    def hook(self, event: str, session: str, **more: Any) -> dict[str, Any]:
        """Run one hook as the client does; return its output."""
        transcript = str(self.folder / f"{session}.jsonl")
        payload = {
            "session_id": session,
            "transcript_path": transcript,
            "cwd": str(self.root),
            "hook_event_name": event,
            **more,
        }
        printed = self.run("hook", "--client", "claude-code", stdin=json.dumps(payload))
        return json.loads(printed) if printed.strip() else {}


def main(arguments: Sequence[str]) -> int:
    """Run the demo; 0 only if the second session gets a record that the first one created."""
    parser = argparse.ArgumentParser(
        "contextd demo",
        description="Run the core workflow on this repository, in a temporary home. Leaves nothing behind.",
    )
    parser.add_argument("path", nargs="?", default=".", type=Path, help="The repository.")
    path = parser.parse_args(arguments).path.resolve()
    if not path.is_dir():
        parser.error(f"{path} is not a directory")
    try:
        with tempfile.TemporaryDirectory(
            prefix="contextd-demo-", ignore_cleanup_errors=True
        ) as made:
            keep_stand_ins_in(Path(made) / "git")
            stage = _set_up(Path(made), path)
            try:
                return _play(stage)
            finally:
                _stop(stage)
    except ContextdError as error:
        print(f"✗ {error.message}\n  {error.hint}", file=sys.stderr)
        return 1


def _set_up(folder: Path, repository: Path) -> Stage:
    root = folder / (re.sub(r"[^\w.-]", "-", repository.name) or "project")
    walked = walk(repository)
    if len(walked.files) > MOST_FILES:
        raise Invalid(
            f"{repository} has {len(walked.files)} files", f"choose one with up to {MOST_FILES}"
        )
    root.mkdir()
    for file in walked.files:
        if file.path.startswith(".context/"):
            continue
        target = root / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(repository / file.path, target, follow_symlinks=True)
    environment = {
        **os.environ,
        "CONTEXTD_HOME": str(folder / "home"),
        "HOME": str(folder),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    author = ["-c", "user.name=demo", "-c", "user.email=demo@example.invalid"]
    with contextlib.suppress(Unavailable):
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "As it is"]):
            run(
                git_line([*author, *command]),
                root,
                git_environment() | {"HOME": str(folder), "GIT_CONFIG_GLOBAL": os.devnull},
                _SECONDS,
            )
    (folder / "home").mkdir(mode=0o700)
    return Stage(folder, root, environment)


def _stop(stage: Stage) -> None:
    with contextlib.suppress(Unavailable):
        client.stop(stage.home, seconds=30)


def _play(stage: Stage) -> int:
    _title("1. A repository contextd has never seen")
    print(stage.run("init").rstrip())

    _title("2. Session A: an agent works, contextd watches")
    session_a = str(uuid.uuid4())
    before = _briefing(stage.hook("SessionStart", session_a, source="startup"))
    print(asyncio.run(_as_agent(stage, _greet)))
    prompts, events = _replay(stage, session_a)
    stage.hook("PreCompact", session_a, trigger="auto")
    stage.hook("SessionEnd", session_a, reason="prompt_input_exit")
    print(f"replayed {events} events and {prompts} prompts of a sample session through the hooks")

    _title("3. contextd learns in the background")
    print(_wait_for_learning(stage))

    _title("4. Session B starts warm")
    session_b = str(uuid.uuid4())
    after = _briefing(stage.hook("SessionStart", session_b, source="startup"))
    fresh = [line for line in after.splitlines() if line.startswith("- ") and line not in before]
    learned = [line for line in fresh if _LEARNED.search(line)]
    print(f"Session A began with {count_tokens(before)} tokens:")
    print(_quote(before))
    print(f"\nSession B begins with {count_tokens(after)} tokens; lines with + are new:")
    print(_quote(after, marked=set(fresh)))
    if learned:
        print("\n" + asyncio.run(_as_agent(stage, lambda agent: _ask(agent, stage, learned[0]))))

    _title("What it took (whole processes, start included)")
    for name, took in _longest(stage.marks):
        print(f"  {name:44} {took:7.0f} ms")
    if not learned:
        print("\n✗ Session B's briefing has nothing from session A", file=sys.stderr)
        return 1
    print(f"\n✓ Session B's briefing contains session A's thread and {len(learned)} of its rules.")
    print("To use it for real, in your repository:\n  contextd init\n  contextd install")
    return 0


def _briefing(answer: dict[str, Any]) -> str:
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


async def _as_agent(stage: Stage, talk: Any) -> str:
    """Connect like an agent, over real stdio MCP, and run `talk` with the connection."""
    parameters = StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], "mcp", "--client", "claude-code"],
        env=stage.environment,
        cwd=str(stage.root),
    )
    began = time.perf_counter()
    async with Client(stdio_client(parameters)) as agent:
        stage.marks.append(("agent connects over MCP", (time.perf_counter() - began) * 1e3))
        return str(await talk(agent))


async def _greet(agent: Client) -> str:
    listed = await agent.list_tools()
    size = count_tokens(
        json.dumps(
            [
                t.model_dump(mode="json", include={"name", "description", "input_schema"})
                for t in listed.tools
            ]
        )
    )
    names = ", ".join(tool.name for tool in listed.tools)
    return f"connected; {len(listed.tools)} tools, about {size} tokens: {names}"


_COMPLETE: Any = {"contextd/complete": True}
"""The `_meta` of a call by a program that reads the data beside the text."""


async def _ask(agent: Client, stage: Stage, learned: str) -> str:
    """Show a search that explains its results, and a file with its dependencies."""
    question = " ".join(re.findall(r"\w+", learned.split(" [")[0])[:8])
    lines = [f"context_search({question!r}):"]
    began = time.perf_counter()
    found = await agent.call_tool("context_search", {"query": question, "limit": 3})
    stage.marks.append(("context_search", (time.perf_counter() - began) * 1e3))
    lines.append(_quote(_text(found)))
    path = _file_with_imports(stage)
    if path:
        began = time.perf_counter()
        read = await agent.call_tool(
            "read_file",
            {"path": path, "include_deps": True, "budget": 3000},
            meta=_COMPLETE,
        )
        stage.marks.append(("read_file with dependencies", (time.perf_counter() - began) * 1e3))
        text = _text(read)
        uses = re.findall(r"^--- uses (.+) ---$", text, re.MULTILINE)
        known = len((read.structured_content or {}).get("knowledge", []))
        lines.append(f"\nread_file({path!r}, include_deps=true): {count_tokens(text)} tokens, with")
        lines += [f"  what it uses from {use}" for use in uses[:5]] or ["  no dependencies in here"]
        lines += [f"  {known} records attached to it"] if known else []
    return "\n".join(lines)


def _text(result: Any) -> str:
    return "\n".join(part.text for part in result.content if getattr(part, "text", None))


_LARGEST = 6_000
"""Bytes of the file to read: at most half of the budget, so that its dependencies fit too."""


def _file_with_imports(stage: Stage) -> str:
    pattern = re.compile(r"^(?:from \.?[\w.]+ import|import .* from ['\"][.@])", re.MULTILINE)
    best, most = "", 0
    for file in walk(stage.root).files:
        if file.path.endswith((".py", ".ts", ".tsx", ".js", ".jsx")) and 300 < file.size < _LARGEST:
            text = (stage.root / file.path).read_text("utf-8", errors="replace")
            count = len(pattern.findall(text))
            if count > most and "test" not in file.path:
                best, most = file.path, count
    return best


def _replay(stage: Stage, session: str) -> tuple[int, int]:
    """Write the sample session as the client's transcript, line by line, firing the prompt hooks.

    Returns the number of prompts and of events.
    """
    code = [
        f.path for f in walk(stage.root).files if f.path.endswith((".py", ".ts", ".js", ".tsx"))
    ]
    # The session works on the file that is read at the end, so it has both records and dependencies.
    main_file = _file_with_imports(stage)
    code = [path for path in (main_file, *(path for path in code if path != main_file)) if path]
    began = datetime.now(UTC) - timedelta(minutes=12)
    text = sample_session(cwd=str(stage.root), session=session, start=began, files=code)
    lines = [line for line in text.splitlines() if line.strip()]
    prompts = 0
    with (stage.folder / f"{session}.jsonl").open("w", encoding="utf-8") as transcript:
        for line in lines:
            transcript.write(line + "\n")
            transcript.flush()
            prompt = _prompt(json.loads(line))
            if prompt:
                stage.hook("UserPromptSubmit", session, prompt=prompt)
                prompts += 1
    return prompts, len(lines)


def _prompt(event: dict[str, Any]) -> str:
    if event.get("type") != "user" or event.get("isMeta") or event.get("isSidechain"):
        return ""
    content = event.get("message", {}).get("content")
    if isinstance(content, list):
        texts = [str(part.get("text", "")) for part in content if part.get("type") == "text"]
        content = "\n".join(texts)
    return own_words(str(content or ""))


def _wait_for_learning(stage: Stage) -> str:
    began = time.perf_counter()
    while time.perf_counter() - began < LEARNING_SECONDS:
        listed = client.call("jobs", {}, home=stage.home, cwd=str(stage.root)).value["jobs"]
        job = next((job for job in listed if job["name"] == "learn_session"), None)
        if job is not None and job["state"] == "failed":
            raise Unavailable(f"learning failed: {job['error']}", "this is a bug in contextd")
        if job is not None and job["state"] == "done":
            stage.marks.append(("learning in the background", (time.perf_counter() - began) * 1e3))
            result = job["result"]
            turns, stated = result["episodes"], result["learned"]
            return f"stored {turns} turns and {stated} statements from them"
        time.sleep(0.1)
    raise Unavailable(f"nothing was learned in {LEARNING_SECONDS:.0f} s", "see the daemon's log")


def _title(text: str) -> None:
    print(f"\n── {text} " + "─" * max(0, _WIDTH - len(text) - 4), flush=True)


def _quote(text: str, marked: set[str] | None = None) -> str:
    wanted = marked or set()
    return "\n".join(("  │+" if line in wanted else "  │ ") + line for line in text.splitlines())


def _longest(marks: list[tuple[str, float]]) -> list[tuple[str, float]]:
    longest: dict[str, float] = {}
    for name, took in marks:
        longest[name] = max(longest.get(name, 0.0), took)
    return sorted(longest.items(), key=lambda item: -item[1])[:10]
