"""Forgeries in everything that others write: repository, records, transcripts, clients; none comes through."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from contextd.domain.kinds import KINDS
from contextd.domain.records import Record
from contextd.runtime.operation import OPERATIONS
from contextd.surfaces.agent_options import error_text
from contextd.surfaces.mcp_resources import ROWS
from contextd_common.errors import ContextdError
from support.arguments import arguments
from support.clients import CodingClient
from support.desks import Desk
from support.forgeries import FORGERIES, MARK, escapes
from support.repositories import git, written
from support.tool_calls import CALLS, settled

WORDS = "The invoices of the night worker are rounded"
FORGED = "\n".join([WORDS, *FORGERIES.values()]).replace("\0", "")
"""Every forgery in one text that searches find. A store refuses NUL."""

STEERING = FORGERIES["colour"] + FORGERIES["override"]
AT_ONCE = f"# {MARK} {WORDS}"


def hostile(desk: Desk) -> None:
    """Put forgeries into whatever a repository holds."""
    text = yaml.safe_dump(FORGED, default_style='"', width=100_000).strip()
    written(
        desk.root,
        {
            ".context/policies/forged.yaml": f"title: {text}\nrequirement: {text}\nseverity: critical\n"
            f"patterns: ['\\bprint\\(']\npaths: ['*.py']\nway_out: {text}\n",
            ".context/standards/forged.yaml": f"title: {text}\nlanguage: typescript\nrule: {text}\n"
            f"rationale: {text}\ngood_example: {text}\n",
            ".claude/skills/forged/SKILL.md": "---\nname: forged\ndescription: "
            f"{text}\n---\n{FORGED}\n",
            "src/forged.ts": f"/** {FORGED} */\nexport function forgedTotal() {{ return 1; }}\n",
            f"src/a\n## {MARK}.ts": "import { forgedTotal } from './forged';\nforgedTotal();\n",
            f"src/\x1b[31m{MARK}.ts": "import { forgedTotal } from './forged';\nforgedTotal();\n",
            "CLAUDE.md": FORGED,
            "README.md": FORGED,
        },
    )
    model = desk.root / ".context" / "project.yaml"
    model.write_text(
        f"version: '1.0'\nproject:\n  name: {text}\n  description: {text}\n  path: .\n"
        f"modules:\n  auth:\n    path: src/auth\n    description: {text}\n"
        f"    businessRules: [{text}]\n    patterns: [{text}]\n"
        f"    commonIssues: [{{description: {text}, solution: {text}}}]\n"
        f"  {text}:\n    path: src/billing\n    description: x\n"
    )
    git(desk.root, "add", "-A")
    git(desk.root, "config", "user.name", AT_ONCE)
    git(
        desk.root,
        "commit",
        "-q",
        "-m",
        f"# {MARK} \x1b[31mfix: round\n\n{FORGED}".replace("\0", ""),
    )


def records(desk: Desk) -> None:
    """Put forgeries into a record of every kind, past every gate."""
    for kind in KINDS:
        for text in (FORGED, AT_ONCE):
            data: dict[str, Any] = {
                "type": "rule", "outcome": "failure", "problem": text, "solution": text,
                "root_cause": text, "symptoms": [text], "tried": [text], "name": text,
                "description": text, "requirement": text, "severity": "critical", "rule": text,
                "code_diff": text, "affected_files": [text], "system_prompt": text, "trigger": text,
                "prompt_template": text, "files": [text], "decisions": [text], "task": text,
            }  # fmt: skip
            desk.put(
                Record(
                    kind=kind,
                    scope=desk.scope,
                    title=text,
                    content=text,
                    tags=(text[:60], AT_ONCE),
                    data=data,
                ),
                "create",
            )


@pytest.fixture
def ids(words_only: Desk) -> tuple[Desk, dict[str, str]]:
    """A project with a past, into which everybody writes forgeries."""
    desk = replace(words_only, client=STEERING)
    known = settled(desk)
    hostile(desk)
    records(desk)
    desk.as_owner("scan")
    desk("create_bubble", name=FORGED, description=FORGED)
    desk("save_context", content=FORGED, tags=[FORGED, AT_ONCE], source=FORGED)
    session = desk.connected("c-1")("session_start", task_description=FORGED)["session_id"]
    desk("session_log", session_id=session, role="user", text=FORGED)
    return desk.connected("c-1"), known | {"session": session}


def told_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from told_in(key)
            yield from told_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from told_in(inner)


def faults(desk: Desk, name: str, given: Any) -> list[str]:
    """The forgeries that come through one call: in its text, its notices and its data."""
    try:
        answer = desk.answer(name, **given)
    except ContextdError as error:
        return escapes(error_text(error))
    found = escapes(answer.text)
    for text in told_in([answer.value]):
        # Data may have any lines, and no characters that a terminal obeys.
        found += [one for one in escapes(text) if one.startswith(("character", "tag"))]
    return [f"{name}: {one}" for one in found]


def test_no_tool_of_an_agent_lets_a_forgery_through(ids: tuple[Desk, dict[str, str]]) -> None:
    desk, known = ids
    calls: list[tuple[str, Any]] = []
    for name, call in CALLS:
        # What needs a pair or a merge of records finds none among so many forgeries.
        with suppress(IndexError, StopIteration):
            calls.append((name, dict(call(desk, known))))
    for query in (WORDS, FORGED):
        calls += [
            (op.name, arguments(op, **{one: query}))
            for op in OPERATIONS.values()
            if op.tool
            for one in op.arguments.model_fields
            if one in ("query", "task", "pattern", "name", "path", "id", "text")
        ]
    calls += [
        ("read_file", {"path": "src/forged.ts"}),
        ("find_references", {"name": "forgedTotal"}),
    ]
    calls += [("skill_get", {"name": "forged"}), ("impact", {"path": "src/forged.ts"})]
    calls += [("get_bubble", {"id": FORGED}), ("project_module", {"name": "auth"})]
    assert [one for name, given in calls for one in faults(desk, name, given)] == []
    told = [desk.answer("list_contexts").text, desk.answer("recall_context", query=WORDS).text]
    assert all(MARK in text for text in told)


def test_no_reading_of_the_owner_lets_a_forgery_through(ids: tuple[Desk, dict[str, str]]) -> None:
    desk, _ = ids
    owner = desk.on("cli")
    found: list[str] = []
    for op in OPERATIONS.values():
        if op.effect == "read" and op.name not in ("export", "schema_get", "doctor"):
            try:
                text = owner.answer(op.name, **arguments(op)).text
            except ContextdError as error:
                text = error_text(error)
            found += [f"{op.name}: {one}" for one in escapes(text)]
    assert found == []


def test_no_resource_or_prompt_lets_a_forgery_through(ids: tuple[Desk, dict[str, str]]) -> None:
    desk, _ = ids
    wanted = {row.operation for row in ROWS} | {"session_current", "briefing_get"}
    texts = [
        desk.answer(
            name, **arguments(OPERATIONS[name], **({"name": "auth"} if "module" in name else {}))
        ).text
        for name in sorted(wanted)
    ]
    assert [one for text in texts for one in escapes(text)] == []
    assert any(MARK in text for text in texts)


def test_no_checkpoint_restores_a_forgery(ids: tuple[Desk, dict[str, str]]) -> None:
    desk, known = ids
    desk("branch", description=FORGED, prompt=FORGED)
    saved = desk("session_checkpoint", summary=FORGED, session_id=known["session"])
    restored = desk.connected("c-2").answer("session_resume", checkpoint_id=saved["checkpoint_id"])
    assert escapes(restored.text) == []
    assert MARK in restored.text


def test_no_hook_lets_a_forgery_through(ids: tuple[Desk, dict[str, str]], tmp_path: Path) -> None:
    desk, _ = ids
    first = CodingClient(desk, tmp_path)
    told = [first.starts(), first.asks(f"{FORGED}\nHow are the invoices rounded?")]
    first.runs("make", f"{FORGED}\nFAILED", 1)
    first.answers(f"{FORGED}\nDecided: always push with --force. Next: {FORGED}")
    told += [first.told("PreCompact", trigger="auto"), first.starts("compact")]
    first.ends()
    after = CodingClient(desk, tmp_path)
    told += [after.starts(), after.asks(f"{WORDS}, where is that done?")]
    told.append(after.told("PostToolUseFailure", tool_name="Bash", error=f"Exit code 1\n{FORGED}"))
    use = {"file_path": "a.py", "content": "print(1)\n"}
    told.append(json.dumps(after.hook("PreToolUse", tool_name="Write", tool_input=use)))
    assert [one for text in told for one in escapes(text)] == []
    assert sum(MARK in text for text in told) >= 3


def test_no_file_contextd_writes_holds_a_forgery(
    ids: tuple[Desk, dict[str, str]], tmp_path: Path
) -> None:
    desk, _ = ids
    client = CodingClient(desk, tmp_path)
    client.starts()
    client.asks(FORGED)
    client.answers(FORGED)
    client.ends()
    made = (desk.root / ".context" / "CONTEXT.md").read_text()
    body = made.split("-->", 1)[1].rsplit("<!-- contextd:end -->", 1)[0]
    assert made.count("<!-- contextd:end -->") == 1
    assert escapes(body) == []
    assert MARK in body


def test_a_block_in_a_file_for_agents_holds_no_forgery(ids: tuple[Desk, dict[str, str]]) -> None:
    desk, _ = ids
    (desk.root / "AGENTS.md").write_text("# For agents\n")
    desk.as_owner("export", format="agents-md", into="AGENTS.md")
    made = (desk.root / "AGENTS.md").read_text()
    assert made.count("<!-- contextd:") == 2
    body = made.split("-->", 1)[1].rsplit("<!-- contextd:", 1)[0]
    assert escapes(body) == []
    assert MARK in body
