"""Who may call what: every operation, every role, every surface, and ids that are none of theirs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from contextd.app import load_operations
from contextd.domain.query import Query
from contextd.domain.records import STATUSES
from contextd.invocation.invoke import PASSING_ON
from contextd.runtime.doors import Surface
from contextd.runtime.operation import OPERATIONS, PROJECT, Operation
from contextd.thin.home import LOCAL
from contextd_common.errors import ContextdError
from support.arguments import PLAIN, WORDS, arguments, id_arguments
from support.desks import Desk
from support.repositories import committed, written
from support.roles import MATRIX, RoleOrOwner
from support.verdicts import none_of, place

load_operations()

AT_HOME = [op for op in OPERATIONS.values() if "server" not in op.needs]
"""What a home offers."""

SURFACES: tuple[Surface, ...] = ("mcp", "rest", "cli", "hook")
SECRET = "xylograph"
"""What the owner knows and nobody else may."""

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
FILTERS = (("list_records", "session_id"),)
"""Arguments that narrow a list: what nobody has narrows it to nothing."""

NOBODYS = "00000000-0000-4000-8000-000000000000"
"""An id that nothing has."""


def verdict(desk: Desk, name: str, /, **given: Any) -> str:
    """How a call ends: `done`, or the code of its error."""
    try:
        desk.answer(name, **given)
    except ContextdError as error:
        return error.code
    return "done"


def every_role() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("role", MATRIX)


def granted(op: Operation, role: RoleOrOwner) -> bool:
    """Whether a role's row of the matrix has what an operation does in a project."""
    row = MATRIX[role]
    if op.audience == "person":
        return role == "owner"
    if op.audience == "owner" and "w" not in row["admin"]:
        return False
    verb = "r" if op.effect == "read" or op.name in PASSING_ON else "w"
    return verb in row["project"]


@pytest.fixture
def cheap(open_desk: Callable[..., Desk], tmp_path: Path) -> Desk:
    """A project without git, whose store is in memory: thousands of calls are made in it."""
    desk = open_desk(store_url="memory://", embedder_name="none")
    return desk.at(written(tmp_path / "plain", {".context/notes.md": "", "a.py": "a = 1\n"}))


@every_role()
def test_a_role_may_call_what_its_row_grants_and_nothing_else_on_any_surface(
    cheap: Desk, role: RoleOrOwner
) -> None:
    cheap("save_context", content=f"The {WORDS} opens at six.")
    known = cheap.by(role, cheap.scope.project)
    refused = {
        (surface, op.name)
        for surface in SURFACES
        for op in AT_HOME
        if verdict(known.on(surface).connected(surface), op.name, **arguments(op)) == "denied"
    }
    expected = {op.name for op in AT_HOME if not granted(op, role)}
    # Trusting a folder is the act of a person: an agent is refused whatever its role.
    owners = ("trust", "join_project", "part_project", "project_team")
    of_a_person = {(surface, name) for surface in ("mcp", "hook") for name in owners}
    assert refused == {(surface, name) for surface in SURFACES for name in expected} | of_a_person


@every_role()
def test_a_call_passed_on_may_do_what_the_role_may_do_itself(
    cheap: Desk, role: RoleOrOwner
) -> None:
    cheap("list_contexts")
    known = cheap.by(role, cheap.scope.project)
    for op in AT_HOME:
        if op.tool and op.name not in PASSING_ON:
            passed = verdict(known, "tool_call", name=op.name, arguments=arguments(op))
            assert (passed == "denied") is not granted(op, role), op.name


def test_who_may_only_read_gets_the_answers_the_owner_gets(desk: Desk) -> None:
    desk("codebase_index")
    desk("save_context", content="Parcels are labelled by the depot at six.")
    desk.host.work_off()
    viewer = desk.by("viewer").connected("viewer-1")
    for name, given in (
        ("recall_context", {"query": "who labels parcels"}),
        ("codebase_search", {"query": "refreshToken"}),
        ("read_file", {"path": "src/auth/token.ts"}),
        ("find_symbol", {"name": "AuthService"}),
    ):
        assert viewer(name, **given) == desk(name, **given)
    assert desk.sessions() == []


def test_who_may_only_read_changes_no_index_and_is_told_that_it_is_behind(desk: Desk) -> None:
    desk("codebase_index")
    (desk.root / "src/auth/otter.ts").write_text("export function otterTrot() { return 7; }\n")
    viewer = desk.by("viewer").connected("viewer-1")
    stamps = desk.view.files.of(desk.scope).stamps()
    found = viewer("codebase_search", query="otterTrot")
    assert "src/auth/otter.ts" not in [hit["path"] for hit in found["results"]]
    assert "1 files changed" in found["notice"]
    assert desk.view.files.of(desk.scope).stamps() == stamps
    assert desk("codebase_search", query="otterTrot")["results"][0]["path"] == "src/auth/otter.ts"


@every_role()
def test_a_directory_becomes_a_project_only_for_who_may_write_in_it(
    cheap: Desk, role: RoleOrOwner, tmp_path: Path
) -> None:
    desks = [
        cheap.at(committed(tmp_path / f"{name}-{surface}", {"a.py": f"# {name}-{surface}"}))
        .by(role, f"shop-{surface}", team=team)
        .on(surface)
        for surface in SURFACES
        for name, team in (("shop", "default"), ("garden", "default"), ("farm", "elsewhere"))
    ]
    reads = [op for op in AT_HOME if op.tool and op.effect == "read"]
    for desk in desks:
        # Each of them asks git: the most are tried where most roles are refused.
        for op in reads if desk.root.name == "garden-mcp" else reads[:1]:
            verdict(desk, op.name, **arguments(op))
    known = {p.scope for p in cheap.host.organisation(LOCAL).directory.all()}
    made = {desk.root.name for desk in desks} & {scope.project for scope in known}
    ours = {f"shop-{surface}" for surface in SURFACES}
    anywhere = role in ("owner", "org_admin")
    expected = {desk.root.name for desk in desks} if anywhere else ours
    assert made == (expected if "w" in MATRIX[role]["project"] else set())


@dataclass(frozen=True)
class Owned:
    """What the owner has in a project, and the desk it was made from."""

    desk: Desk
    ids: dict[str, str]


@pytest.fixture
def owned(words_only: Desk) -> Owned:
    """A project with something of everything that has an id."""
    desk = words_only
    bubble = desk("create_bubble", name=f"vault {SECRET}")["id"]
    says = f"The vault door always opens with the number {SECRET}"
    note = desk("save_context", content=says, bubble_id=bubble)["id"]
    desk("save_context", content=says.replace("always", "never"))
    memory = desk(
        "memory_record",
        title=f"Vault {SECRET}",
        description="vault door",
        content=f"Turn the vault door's wheel {SECRET} times.",
        outcome="success",
    )["id"]
    agent = desk.connected("owner-1")
    session = agent("session_start", task_description=f"open the vault door {SECRET}")["session_id"]
    agent("session_log", session_id=session, role="user", text=f"The vault door is {SECRET}.")
    point = agent("session_checkpoint", summary=f"vault door {SECRET} open", session_id=session)
    folded = agent("digest", text=f"The vault door is {SECRET}.\n" * 400)
    subtask = agent("branch", description=f"try {SECRET}", prompt=f"Try the vault door {SECRET}.")
    memories = written(
        desk.root.parent / "memories", {"vault.md": f"# Vault\n\nThe vault {SECRET} has a lock.\n"}
    )
    imported = desk.as_owner("import", path=str(memories), format="basic-memory", here=True)
    assert imported["new"]
    [brought] = desk.as_owner("list_imports")["imports"]
    desk.host.flush()
    [pair] = desk("list_contradictions")["contradictions"]
    return Owned(
        desk,
        {
            "bubble": bubble,
            "context": note,
            "memory": memory,
            "session": session,
            "checkpoint": point["checkpoint_id"],
            "contradiction": pair["id"],
            "digest": folded["handle"],
            "subtask": subtask["subtask_id"],
            "import": brought["id"],
            "job": desk.failed_job("find_contradictions", f"vault door {SECRET}"),
        },
    )


def strangers(owned: Owned, root: Path) -> Iterator[Desk]:
    """Callers who may work in another project and not in the owner's."""
    elsewhere = owned.desk.at(root)
    elsewhere("list_contexts")
    for role in ("team_admin", "team_member", "project_dev", "viewer"):
        yield elsewhere.by(role, elsewhere.scope.project)
    yield elsewhere.by("org_admin", org="elsewhere")


def outcome(desk: Desk, op: Operation, name: str, id: str) -> Any:
    """What a call that is given an id answers, without the id."""
    try:
        told: Any = desk(op.name, **arguments(op, **{name: id}))
    except ContextdError as error:
        told = error.as_dict()
    text = UUID.sub("ID", json.dumps(told))
    # Of the id of a pair, an error names one half.
    for part in (id, *(half for half in id.split("+") if len(half) >= min(PREFIXES))):
        text = text.replace(part, "ID")
    return json.loads(text)


def nobodys(id: str) -> str:
    """An id of the same form that nothing has."""
    if id.startswith("d-"):
        return "d-" + "0" * (len(id) - 2)
    return UUID.sub(NOBODYS, id) if UUID.search(id) else re.sub("[0-9a-f]", "0", id)


PREFIXES = (4, 8, 12)
"""Lengths of the beginnings of ids that are tried, beside the whole ids."""


def test_every_text_argument_of_an_operation_is_tried_as_an_id_or_known_to_be_none() -> None:
    unclassified = {
        f"{place(op.run)}: {name} of {op.name}"
        for op in OPERATIONS.values()
        for name, field in op.arguments.model_fields.items()
        if name not in id_arguments(op)
        and name not in PLAIN
        and re.search("str|Any", str(field.annotation))
    }
    none_of(
        sorted(unclassified),
        "add the argument to PLAIN in tests/support/arguments.py, or to HANDLES there if it holds an id",
    )


def test_a_handle_of_another_project_is_unknown_to_the_same_owner_elsewhere(
    owned: Owned, tmp_path: Path
) -> None:
    """All of them are the owner's own, who may do everything in both projects."""
    ids = [id[:length] for id in owned.ids.values() for length in (*PREFIXES, len(id))]
    before = picture(owned.desk)
    root = committed(tmp_path / "garden", {"a.py": "a = 1\n"})
    inside = owned.desk.at(root).connected("owner-2")
    inside("session_start", task_description="weed the beds")
    # As the owner's own conversation, which has a session in the other project.
    for desk in (inside, owned.desk.at(root).connected("owner-1"), owned.desk.nowhere()):
        for op in AT_HOME:
            if not desk.root.parts and "upkeep" in op.needs:
                # In no project these look after the whole store, of every project.
                continue
            for name in id_arguments(op):
                unknown = {id: outcome(desk, op, name, id) for id in {*map(nobodys, ids)}}
                for id in ids:
                    found = outcome(desk, op, name, id)
                    assert SECRET not in json.dumps(found), (op.name, name)
                    assert found == unknown[nobodys(id)], (op.name, name, id)
    assert picture(owned.desk) == before
    assert SECRET in json.dumps(owned.desk("expand", handle=owned.ids["digest"]))


def test_whatever_speaks_of_an_id_is_named_like_one() -> None:
    unnamed = [
        (op.name, name)
        for op in AT_HOME
        for name, about in op.about.items()
        if re.search(r"\b(?<!Process )ids?\b", about, re.IGNORECASE)
        and name not in id_arguments(op)
    ]
    assert unnamed == []


def test_an_id_of_another_project_is_as_unknown_as_one_nobody_has(
    owned: Owned, tmp_path: Path
) -> None:
    before = picture(owned.desk)
    ids = [*owned.ids.values(), *(id[:8] for id in owned.ids.values())]
    for stranger in strangers(owned, committed(tmp_path / "garden", {"a.py": "a = 1\n"})):
        for op in AT_HOME:
            for name in id_arguments(op):
                unknown = {id: outcome(stranger, op, name, id) for id in {*map(nobodys, ids)}}
                for id in ids:
                    told = outcome(stranger, op, name, id)
                    assert told == unknown[nobodys(id)], (op.name, name)
                codes = {answer.get("code") for answer in unknown.values()}
                if not granted(op, stranger.caller.name):
                    assert codes == {"denied"}, (op.name, name)
                elif (op.name, name) in FILTERS:
                    assert codes == {None}, (op.name, name)
                else:
                    assert "not_found" in codes, (op.name, name)
                    assert codes <= {"not_found", "invalid"}, (op.name, name)
    assert picture(owned.desk) == before


def test_who_may_not_see_a_project_learns_nothing_of_it_through_any_operation(
    owned: Owned, tmp_path: Path
) -> None:
    owner = owned.desk
    reads = [op for op in AT_HOME if op.effect == "read"]
    assert sum(SECRET in words_of(owner, op) for op in reads) > 10, "there is much to be seen"
    before = picture(owner)
    for stranger in strangers(owned, committed(tmp_path / "garden", {"a.py": "a = 1\n"})):
        # In its own project, as if it were the owner's conversation, and in the owner's checkout.
        for desk in (stranger, stranger.connected("owner-1"), stranger.at(owner.root)):
            for op in AT_HOME:
                told = words_of(desk, op)
                assert SECRET not in told, (desk.caller.name, op.name)
    assert picture(owner) == before


def test_a_project_that_one_may_not_see_is_as_unknown_as_one_nobody_has(
    owned: Owned, tmp_path: Path
) -> None:
    owner, before = owned.desk, picture(owned.desk)
    for stranger in strangers(owned, committed(tmp_path / "garden", {"a.py": "a = 1\n"})):
        for op in AT_HOME:
            if op.where == "anywhere":
                continue
            nothing = outcome(stranger, op, PROJECT, NOBODYS)
            owners = op.audience == "owner" and not admin(stranger)
            code = "denied" if owners or op.audience == "person" else "not_found"
            assert nothing["code"] == code, op.name
            for name in (str(owner.scope), owner.scope.project):
                assert outcome(stranger, op, PROJECT, name) == nothing, (op.name, name)
    assert picture(owner) == before


def admin(desk: Desk) -> bool:
    return desk.caller.may_administer()


def words_of(desk: Desk, op: Operation) -> str:
    """All that a call tells its caller."""
    try:
        answer = desk.answer(op.name, **arguments(op))
    except ContextdError as error:
        return json.dumps(error.as_dict())
    return json.dumps(answer.value) + answer.text


def picture(desk: Desk) -> Any:
    desk.host.flush()
    everything = Query(scopes=frozenset({desk.scope}), statuses=STATUSES, limit=1_000)
    view, sessions = desk.view, desk.sessions()
    return (
        view.records.find(everything).records,
        sessions,
        [(view.sessions.events(one.id), view.sessions.items(one.id)) for one in sessions],
        view.jobs.list(),
        view.contradictions.find(frozenset({desk.scope})),
    )
