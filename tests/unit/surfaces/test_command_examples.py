"""Every example of help runs as it is written, on a project that has what the examples name."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click
import pytest

from contextd.__main__ import commands
from contextd.domain.records import Record
from contextd.surfaces.cli.commands import CallCommand
from contextd.surfaces.cli.main import DONE, main
from contextd.surfaces.cli.operations import OperationCommand
from contextd.surfaces.cli.output import OF_A_PERSON
from contextd.surfaces.cli.samples import ID
from contextd.surfaces.cli.signatures import signatures_of_table
from contextd.surfaces.cli.terminal import ERR, NotHere, Terminal, attached
from support.desks import Desk
from support.repositories import committed
from support.tool_calls import LOG, settled

Made = Callable[[Desk, dict[str, str]], str]


def _gone(desk: Desk, ids: dict[str, str]) -> str:
    desk.as_owner("delete_record", id=ids["gone"])
    return ids["gone"]


def _merged(desk: Desk, ids: dict[str, str]) -> str:
    desk.as_owner("consolidation_trigger", collection="remediations")
    merged = desk.as_owner("list_records", kind="remediation", status="merged")["records"]
    return str(merged[0]["id"])


def _pair(desk: Desk, ids: dict[str, str]) -> str:
    desk.as_owner("compare_records")
    desk.host.work_off()
    ids["pair"] = str(desk("list_contradictions")["contradictions"][0]["id"])
    return ids["pair"]


def _settled_pair(desk: Desk, ids: dict[str, str]) -> str:
    return ids["pair"]


def _gap(desk: Desk, ids: dict[str, str]) -> str:
    return next(str(gap["id"]) for gap in desk("get_gaps")["gaps"] if gap["kind"] == "missed")


def _dismissed(desk: Desk, ids: dict[str, str]) -> str:
    desk.host.work_off()
    desk("recall_context", query="how tall is the tower of the harbour")
    said = desk.answer("dismiss_gap", id=_gap(desk, ids)).text
    return said.partition("reopen-gap ")[2].partition("`")[0]


def _session(desk: Desk, ids: dict[str, str]) -> str:
    return str(desk("session_start", task_description="round the invoices")["session_id"])


def _point(desk: Desk, ids: dict[str, str]) -> str:
    return str(desk("session_checkpoint", summary="the parser is done")["checkpoint_id"])


def _edited(desk: Desk, ids: dict[str, str]) -> str:
    desk.as_owner("edit_record", id=ids["note"], title="Deploys")
    return ids["note"]


def _subtask(desk: Desk, ids: dict[str, str]) -> str:
    opened = desk.on("cli")("branch", description="look around", prompt="Who renews tokens?")
    return str(opened["subtask_id"])


def _proposal(desk: Desk, ids: dict[str, str]) -> str:
    wiki = desk.at(committed(desk.root.parent / "wiki", {"a.py": "x = 1\n"}))
    wiki.as_owner("init")
    for place in (desk, wiki):
        place("save_context", content="Never commit generated files")
    desk.work_on("propose_for_person")
    [proposal] = desk.as_owner("user_profile")["proposals"]
    return str(proposal["record"]["id"])


def _failed(desk: Desk, ids: dict[str, str]) -> str:
    desk.host.work_off()
    return desk.failed_job("learn_session", "no transcript")


def _policy(desk: Desk, ids: dict[str, str]) -> str:
    record = Record(
        kind="policy", scope=desk.scope, title="Tea", content="Tea: pour it slowly",
        data={"requirement": "Pour tea slowly"}, trust="human",
    )  # fmt: skip
    desk.put(record, "create")
    return record.id


IDS: dict[str, Made] = {
    "forget": lambda desk, ids: ids["note"],
    "records get": lambda desk, ids: ids["note"],
    "records edit": lambda desk, ids: ids["note"],
    "records history": lambda desk, ids: ids["note"],
    "records restore": _gone,
    "records undo": _edited,
    "records feedback": lambda desk, ids: ids["memory"],
    "records settle": lambda desk, ids: ids["candidate"],
    "records place-in-model": lambda desk, ids: ids["memory"],
    "records get-bubble": lambda desk, ids: ids["bubble"],
    "records update-bubble": lambda desk, ids: ids["bubble"],
    "records delete-bubble": lambda desk, ids: ids["empty"],
    "records promote": lambda desk, ids: ids["memory"],
    "records unmerge": _merged,
    "records resolve-contradiction": _pair,
    "records reopen-contradiction": _settled_pair,
    "records report-usefulness": lambda desk, ids: ids["note"],
    "records person-accept": _proposal,
    "projects dismiss-gap": _gap,
    "projects reopen-gap": _dismissed,
    "policies write": _policy,
    "sessions expand": lambda desk, ids: desk("digest", text=LOG, budget=200)["handle"],
    "sessions timeline": _session,
    "sessions log": _session,
    "sessions end": _session,
    "sessions return": _subtask,
    "sessions explain": _session,
    "sessions resume": _point,
    "daemon retry-job": _failed,
}
"""Which id each example is about."""


def operation_commands() -> dict[str, OperationCommand]:
    """Every command of an operation by its words, those of `dev call` aside."""
    found: dict[str, OperationCommand] = {}

    def walk(context: click.Context) -> None:
        group = context.command
        assert isinstance(group, click.Group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            below = click.Context(command, info_name=name, parent=context)
            if isinstance(command, OperationCommand):
                found[below.command_path.removeprefix("contextd ")] = command
            elif isinstance(command, click.Group) and not isinstance(command, CallCommand):
                walk(below)

    root = commands()
    walk(click.Context(root, info_name="contextd"))
    return found


@pytest.fixture
def typed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[int, str]]:
    """Run a line for a terminal in the desk's project; its code and what stood on stderr."""
    for name in ("stdout", "stderr"):
        # Put back afterwards: a daemon keeps its streams routed.
        monkeypatch.setattr(sys, name, getattr(sys, name))

    def ask(name: str, arguments: Mapping[str, Any], project: str) -> Any:
        given = {**({"project": project} if project else {}), **arguments}
        return desk.host.call(name, desk.on("cli").request(), given)

    def run(line: str) -> tuple[int, str]:
        words = shlex.split(line)
        terminal = Terminal(str(desk.root), 80, frozenset(), ask)
        with attached(terminal):
            code = main(
                words[1:], load=int, standalone=_never, extras={}, operations=signatures_of_table
            )
        return code, "".join(text for number, text in terminal.printed if number == ERR)

    return run


def _never(*, fresh: bool = False) -> Any:
    pytest.fail("a contextd was opened")


def test_the_example_of_every_operation_runs(
    desk: Desk, typed: Callable[[str], tuple[int, str]]
) -> None:
    ids = settled(desk)
    wrong = {}
    listed = operation_commands()
    for words, command in listed.items():
        line = command.example()
        assert line.startswith(f"contextd {words}")
        if command.op.name in OF_A_PERSON:
            # The daemon cannot see who typed it: `tests/e2e/test_commands_in_daemon.py`.
            with pytest.raises(NotHere):
                typed(line)
            continue
        if ID in line:
            line = line.replace(ID, IDS[words](desk, ids))
        code, said = typed(line)
        if code != DONE:
            wrong[line] = said
    assert "\n".join(f"{line}: {said}" for line, said in wrong.items()) == ""
    assert set(IDS) <= set(listed)
