"""`contextd bench story [PATH PATH]`: one piece of work on a real repository, each tool as an agent calls it.

Two clones share a new home: Ann works in the first one through the official client over `contextd mcp`,
with Bob, who met her error before, on a connection beside her; Eve works in the other repository and must
get nothing of it. What each call costs the model in tokens, and the daemon in time, is printed.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from contextd.thin.client import control
from contextd_bench import story_files
from contextd_bench.data import hardware
from contextd_bench.scratch import cloned
from contextd_common.errors import Unavailable
from contextd_common.text.tokens import count_tokens

_COMMAND = (sys.executable, "-P", "-m", "contextd")
_SETTLED_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Cost:
    """A step: tokens of its text and of its data, milliseconds until its answer, those of the daemon's
    CPU where they are known, and whether it came out as it should.
    """

    step: str
    text: int
    data: int
    wall: float
    cpu: float | None
    met: bool

    def row(self) -> str:
        """A line of a Markdown table."""
        cpu = "" if self.cpu is None else f"{self.cpu:.0f}"
        met = "yes" if self.met else "NO"
        return f"| {self.step} | {self.text} | {self.data} | {self.wall:.0f} | {cpu} | {met} |"


@dataclass(slots=True)
class StoryAnswer:
    """What came back: the text, the data, and whether it was an error."""

    text: str
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    failed: bool = False

    def __contains__(self, words: str) -> bool:
        return words in self.text


Expected = Callable[[StoryAnswer], bool]


def given(answer: StoryAnswer) -> bool:
    """It is an answer."""
    return not answer.failed


def refused(answer: StoryAnswer) -> bool:
    """It is an error that says what to do."""
    return answer.failed and bool(answer.text)


@dataclass(slots=True)
class StoryStage:
    """Where it plays: a home, and what each step cost."""

    home: Path
    environment: dict[str, str]
    costs: list[Cost] = field(default_factory=list[Cost])

    def run(self, root: Path, *words: str, stdin: str = "") -> str:
        """Run a command in a repository."""
        done = subprocess.run(
            [*_COMMAND, *words],
            cwd=root,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise Unavailable(f"`contextd {' '.join(words)}` failed", done.stderr or done.stdout)
        return done.stdout

    def hook(self, root: Path, step: str, event: str, expected: Expected, **payload: Any) -> None:
        """Fire a hook as Claude Code does."""
        body = {"hook_event_name": event, "cwd": str(root), **payload}
        began, before = time.perf_counter(), self._cpu()
        printed = self.run(root, "hook", "--client", "claude-code", stdin=json.dumps(body))
        self._note(f"{step} (hook {event})", StoryAnswer(_said(printed)), expected, began, before)

    async def call(
        self, agent: Client, step: str, tool: str, expected: Expected = given, /, **arguments: Any
    ) -> StoryAnswer:
        """Call a tool."""
        began, before = time.perf_counter(), self._cpu()
        meta: Any = {"contextd/complete": True}
        answer = await agent.call_tool(tool, arguments, meta=meta)
        text = "\n".join(getattr(part, "text", "") for part in answer.content)
        reply = StoryAnswer(text, answer.structured_content or {}, bool(answer.is_error))
        self._note(f"{step}: `{tool}`", reply, expected, began, before)
        return reply

    async def read(self, agent: Client, step: str, uri: str, expected: Expected = given) -> None:
        """Read a resource."""
        began, before = time.perf_counter(), self._cpu()
        try:
            reply = StoryAnswer(getattr((await agent.read_resource(uri)).contents[0], "text", ""))
        except MCPError as error:
            reply = StoryAnswer(str(error), failed=True)
        self._note(f"{step}: {uri}", reply, expected, began, before)

    async def prompt(self, agent: Client, name: str, **arguments: str) -> None:
        """Get a prompt."""
        began, before = time.perf_counter(), self._cpu()
        found = await agent.get_prompt(name, arguments)
        reply = StoryAnswer("\n".join(getattr(one.content, "text", "") for one in found.messages))
        self._note(f"Ann: prompt {name}", reply, lambda it: bool(it.text), began, before)

    def _note(
        self, step: str, answer: StoryAnswer, expected: Expected, began: float, before: float | None
    ) -> None:
        wall, now = (time.perf_counter() - began) * 1e3, self._cpu()
        cpu = None if now is None or before is None else now - before
        data = count_tokens(json.dumps(answer.data, ensure_ascii=False)) if answer.data else 0
        self.costs.append(Cost(step, count_tokens(answer.text), data, wall, cpu, expected(answer)))

    def _cpu(self) -> float | None:
        """Milliseconds of CPU that the daemon used; None if the system does not report it."""
        with suppress(OSError, ValueError, KeyError, IndexError):
            facts = json.loads((self.home / "daemon.json").read_text())
            words = Path(f"/proc/{facts['pid']}/stat").read_text().rpartition(")")[2].split()
            return (int(words[11]) + int(words[12])) * 1e3 / os.sysconf("SC_CLK_TCK")
        return None

    def settle(self) -> None:
        """Wait until the daemon rests."""
        last, end = self._cpu(), time.monotonic() + _SETTLED_SECONDS
        while last is not None and time.monotonic() < end:
            time.sleep(1)
            now = self._cpu()
            if now is None or now - last < 50:
                return
            last = now


def _said(printed: str) -> str:
    output = json.loads(printed).get("hookSpecificOutput", {}) if printed.strip() else {}
    return str(output.get("additionalContext") or output.get("permissionDecisionReason") or "")


def run(paths: Sequence[Path], out: TextIO = sys.stdout) -> bool:
    """Play the story in clones of two repositories and print what each step cost; whether all came out
    as they should. Raises `Unavailable` where a repository cannot be cloned.
    """
    with tempfile.TemporaryDirectory(prefix="contextd-story-") as folder:
        place = Path(folder)
        home = place / "home"
        home.mkdir(mode=0o700)
        (home / "config.yaml").write_text("policies:\n  hook: true\n", encoding="utf-8")
        roots = [cloned(path, place / side) for path, side in zip(paths, "ab", strict=True)]
        own = {"CONTEXTD_HOME": str(home), "HOME": folder, "GIT_CONFIG_GLOBAL": os.devnull}
        inherited_env = {
            k: v for k, v in os.environ.items() if not k.startswith(("CONTEXTD_", "CLAUDE"))
        }
        stage = StoryStage(home, {**inherited_env, **own})
        try:
            for root in roots:
                stage.run(root, "init")
            story_files.write(roots[0])
            stage.settle()
            asyncio.run(_told(stage, *roots))
        finally:
            with suppress(Unavailable):
                control("stop", home=home, timeout=30)
        _print(stage, paths, out)
    return all(cost.met for cost in stage.costs)


def _print(stage: StoryStage, paths: Sequence[Path], out: TextIO) -> None:
    names = " beside ".join(path.name for path in paths)
    print(f"\n## story: {names}\nhardware: {hardware()}\n", file=out)
    print("| step | tokens of the text | of the data | ms | CPU ms | as it should be |", file=out)
    print("|---|---|---|---|---|---|", file=out)
    for cost in stage.costs:
        print(cost.row(), file=out)
    text, data = (sum(getattr(cost, name) for cost in stage.costs) for name in ("text", "data"))
    calls = sorted(cost.wall for cost in stage.costs)
    print(
        f"\n{len(calls)} steps, {text:,} tokens of text ({data:,} of data beside it); median"
        f" {calls[len(calls) // 2]:.0f} ms, slowest {calls[-1]:.0f} ms;"
        f" {sum(not cost.met for cost in stage.costs)} came out otherwise than they should",
        file=out,
        flush=True,
    )


async def _told(stage: StoryStage, root: Path, other: Path) -> None:
    async with AsyncExitStack() as open_ones:

        async def agent(where: Path) -> Client:
            words = [*_COMMAND[1:], "mcp", "--profile", "full"]
            server = StdioServerParameters(
                command=_COMMAND[0], args=words, env=stage.environment, cwd=str(where)
            )
            return await open_ones.enter_async_context(Client(stdio_client(server)))

        ann, bob, eve = await agent(root), await agent(root), await agent(other)
        await _an_error_that_bob_knows(stage, ann, bob, eve, root, other)
        await _rules(stage, ann, eve, root, other)
        await _skills_and_agents(stage, ann, eve)
        await _folding(stage, ann, eve, root)
        await _consolidating(stage, ann, eve)
        await _promoting(stage, ann, eve)
        await _handing_over(stage, ann, eve, root, other)


async def _an_error_that_bob_knows(
    stage: StoryStage, ann: Client, bob: Client, eve: Client, root: Path, other: Path
) -> None:
    await stage.call(bob, "Bob", "session_start", task_description="Fix the flaky export")
    await stage.call(bob, "Bob", "remediation_record", **story_files.REMEDY)
    source = {"session_id": "ann-1", "source": "startup"}
    stage.hook(root, "Ann begins", "SessionStart", given, **source)
    await stage.call(ann, "Ann", "session_start", task_description=story_files.TASK)
    error = story_files.ERROR

    def solved(answer: StoryAnswer) -> bool:
        return story_files.SOLUTION in answer

    await stage.call(ann, "Ann", "remediation_search", solved, error=error, context="running tests")
    await stage.call(
        eve, "Eve", "remediation_search", lambda it: not solved(it) and given(it), error=error
    )
    failed = {"tool_name": "Bash", "tool_input": {"command": "make test"}, "error": error}
    for session, where, expected in (
        ("ann-1", root, lambda it: solved(it) and count_tokens(it.text) <= 200),
        ("ann-1", root, lambda it: not it.text),
        ("eve-1", other, lambda it: not solved(it)),
    ):
        who = "Eve meets it" if where is other else "Ann meets the error"
        stage.hook(where, who, "PostToolUseFailure", expected, session_id=session, **failed)
    await stage.call(ann, "Ann", "explain_injection")
    await stage.call(eve, "Eve", "explain_injection", lambda it: not solved(it))


async def _rules(stage: StoryStage, ann: Client, eve: Client, root: Path, other: Path) -> None:
    rule = story_files.RULE
    await stage.call(ann, "Ann", "standards_get", lambda it: "Errors" in it, language="python")
    await stage.call(eve, "Eve", "standards_get", lambda it: story_files.STANDARD not in it)
    wrong = {"action": "write src/export.py", "context": "def f():\n    dump_everything(1)\n"}
    await stage.call(
        ann, "Ann", "policy_check", lambda it: rule in it and bool(it.data.get("denied")), **wrong
    )
    await stage.call(ann, "Ann", "policy_check", lambda it: rule not in it, action="git status")
    await stage.call(eve, "Eve", "policy_check", lambda it: rule not in it, **wrong)
    content = {"content": "dump_everything(1)\n"}
    for where, session, expected in (
        (root, "ann-1", lambda it: rule in it),
        (other, "eve-1", lambda it: not it.text),
    ):
        use = {"tool_name": "Write", "tool_input": {"file_path": str(where / "x.py"), **content}}
        who = "Eve writes" if where is other else "Ann writes"
        stage.hook(where, who, "PreToolUse", expected, session_id=session, **use)


async def _skills_and_agents(stage: StoryStage, ann: Client, eve: Client) -> None:
    task = "a version is to be published"
    await stage.call(ann, "Ann", "skill_search", lambda it: "release" in it, task=task)
    await stage.call(ann, "Ann", "skill_get", lambda it: "changelog" in it, name="release")
    await stage.call(eve, "Eve", "skill_search", lambda it: "release" not in it, task=task)
    await stage.call(eve, "Eve", "skill_get", refused, name="release")
    asked = {"agent_name": "reviewer", "task": "Review the export"}
    await stage.call(ann, "Ann", "agent_invoke", lambda it: "changelog" in it, **asked)
    await stage.call(ann, "Ann, nested", "branch", refused, description="again", prompt="again")
    await stage.call(ann, "Ann", "return", message="The export is fine.")
    await stage.call(eve, "Eve", "agent_invoke", refused, **asked)


async def _folding(stage: StoryStage, ann: Client, eve: Client, root: Path) -> None:
    opened = await stage.call(
        ann, "Ann", "branch", description="find callers", prompt="Who exports?", budget=3_000
    )
    path = story_files.longest_source(root)
    await stage.call(ann, "Ann in it", "read_file", path=path, budget=2_000)
    await stage.call(ann, "Ann", "return", message="Two places export.", extract_memory=True)
    handle = str(opened.data.get("subtask_id", ""))
    await stage.call(ann, "Ann", "expand", lambda it: path in it, handle=handle)
    log = story_files.LOG
    digest = await stage.call(
        ann, "Ann", "digest", lambda it: story_files.FAILED in it and count_tokens(it.text) <= 800,
        paths=[log],
    )  # fmt: skip
    digest_handle = str(digest.data.get("handle", ""))
    part = f"{log}:{story_files.FAILED_AT}-{story_files.FAILED_AT + 5}"
    await stage.call(
        ann, "Ann", "expand", lambda it: story_files.FAILED in it, handle=digest_handle, range=part
    )
    await stage.call(eve, "Eve", "expand", refused, handle=digest_handle)
    folder = path.rpartition("/")[0] or "."
    await stage.call(ann, "Ann", "digest", query="where is it written", paths=[folder])
    await stage.call(ann, "Ann", "savings", lambda it: "digest" in it)


async def _consolidating(stage: StoryStage, ann: Client, eve: Client) -> None:
    ids: list[str] = []
    for title, content in story_files.SAME:
        memory = await stage.call(
            ann, "Ann", "memory_record", title=title, description="when an export is tested",
            content=content, outcome="success",
        )  # fmt: skip
        ids.append(str(memory.data.get("id", "")))
    status, dry = {"collection": "memories"}, {"collection": "memories", "dry_run": True}
    await stage.call(ann, "Ann", "consolidation_status", **status)
    await stage.call(ann, "Ann, dry", "consolidation_trigger", given, **dry)
    await stage.call(ann, "Ann", "consolidation_trigger", lambda it: ids[0][:8] in it, **status)
    await stage.call(eve, "Eve", "unmerge", refused, id=ids[0])
    await stage.call(ann, "Ann", "unmerge", given, id=ids[0])


async def _promoting(stage: StoryStage, ann: Client, eve: Client) -> None:
    memory = await stage.call(ann, "Ann", "memory_record", **story_files.WIDE)
    asked = {"query": "upload fails with 503"}

    def known(it: StoryAnswer) -> bool:
        return "backoff" in it

    await stage.call(eve, "Eve", "memory_search", lambda it: not known(it), **asked)
    whole = {
        "item_id": str(memory.data.get("id", "")), "item_type": "memory", "target_scope": "org",
        "generalize": True,
    }  # fmt: skip
    shown = await stage.call(ann, "Ann", "knowledge_promote", lambda it: "confirm" in it, **whole)
    await stage.call(ann, "Ann", "knowledge_promote", refused, **whole, confirm="wrong")
    confirm = str(shown.data.get("confirm", ""))
    await stage.call(ann, "Ann", "knowledge_promote", given, **whole, confirm=confirm)
    await stage.call(eve, "Eve", "memory_search", known, **asked)


async def _handing_over(
    stage: StoryStage, ann: Client, eve: Client, root: Path, other: Path
) -> None:
    await stage.call(
        ann, "Ann", "prompt_build", lambda it: count_tokens(it.text) <= 1_500, budget=1_500
    )
    mine, theirs = f"contextd://project/{root.name}", f"contextd://project/{other.name}"
    await stage.read(ann, "Ann", f"{mine}/briefing")
    await stage.read(ann, "Ann", f"{mine}/standards", lambda it: "Errors" in it)
    await stage.read(ann, "Ann", "contextd://org/local/policies")
    await stage.read(eve, "Eve", f"{theirs}/briefing", lambda it: story_files.SOLUTION not in it)
    await stage.read(eve, "Eve", f"{theirs}/standards", lambda it: story_files.STANDARD not in it)
    for name in ("handoff", "resume", "retrospective"):
        await stage.prompt(ann, name)
    await stage.call(ann, "Ann", "session_end", outcome="success")
