"""Where a call stands: which directories become projects, which are refused, and naming another."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contextd.app import load_operations
from contextd.projects.project_lookup import MOST_LOOSE
from contextd.runtime.doors import Surface
from contextd.runtime.operation import OPERATIONS, Operation
from contextd.thin.home import LOCAL
from contextd_common.errors import ContextdError, Invalid, NotFound
from support.arguments import arguments
from support.desks import Desk, Neighbour
from support.repositories import committed, git, written

load_operations()

NOTE = "Parcels leave the depot at six in the morning"
Place = Callable[[Path], Path]


def projects(desk: Desk) -> dict[str, tuple[str, ...]]:
    """The roots of every project but the neighbour's."""
    known = desk.host.organisation(LOCAL).directory.all()
    return {p.scope.project: p.roots for p in known if p.scope.project != "blog"}


def temporary(folder: Path) -> Path:
    return folder / "temporary"


def home(folder: Path) -> Path:
    return folder / "me"


def downloads(folder: Path) -> Path:
    return folder / "me" / "Downloads"


def repository_of_a_desktop(folder: Path) -> Path:
    return committed(folder / "me" / "Desktop", {"a.py": "a = 1\n"})


def loose(folder: Path) -> Path:
    return written(folder / "loose", {"a.py": "a = 1\n"})


def heap(folder: Path) -> Path:
    """More files than a folder without git may have."""
    root = folder / "heap"
    for part in range(200):
        (root / str(part)).mkdir(parents=True)
        for number in range(MOST_LOOSE // 200 + 1):
            os.close(os.open(f"{root}/{part}/{number}", os.O_CREAT))
    return root


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a home and a folder for temporary files in it."""
    (tmp_path / "temporary").mkdir()
    (tmp_path / "me" / "Downloads").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        (temporary, "the folder of temporary files"),
        (downloads, "your Downloads folder"),
        (repository_of_a_desktop, "your Desktop folder"),
        (heap, "more than 20,000 files and is not a git"),
    ],
)
def test_a_folder_that_is_nobodys_project_is_refused_with_the_reason_and_the_command(
    words_only: Desk, around: Path, place: Place, reason: str
) -> None:
    there = words_only.at(place(around))
    with pytest.raises(NotFound) as agent:
        there("codebase_index")
    assert f"contextd init {there.root}" in agent.value.message + agent.value.hint
    told = there("context_search", query="where do invoices go")["notice"]
    assert told.startswith(
        "no text has these words; searched by words only: there is no embedder; "
    )
    assert "searched without a project: " in told
    assert f"contextd init {there.root}" in told
    assert f"contextd init {there.root}" in there("save_context", content=NOTE)["note"]
    with pytest.raises(Invalid, match=reason) as owner:
        there.as_owner("init")
    assert "contextd init" in owner.value.hint
    assert "--anyway" in owner.value.hint
    assert projects(words_only) == {}
    assert not (there.root / ".context").exists()


def test_a_home_folder_is_refused_with_the_reason_and_the_command(
    words_only: Desk, around: Path
) -> None:
    there = words_only.at(home(around))
    for call in (
        lambda: there("codebase_index"),
        lambda: there.as_owner("init"),
        lambda: there.as_owner("init", anyway=True),
    ):
        with pytest.raises(NotFound, match="is your home folder") as refused:
            call()
        assert "`contextd init`" in refused.value.message + refused.value.hint
    assert projects(words_only) == {}


@pytest.mark.parametrize("place", [temporary, downloads, repository_of_a_desktop])
def test_an_owner_may_make_it_one_anyway(words_only: Desk, around: Path, place: Place) -> None:
    there = words_only.at(place(around))
    there.as_owner("init", anyway=True)
    assert [str(there.root)] == [root for roots in projects(words_only).values() for root in roots]
    there("save_context", content=NOTE)


def test_a_loose_folder_is_a_project_once_somebody_asked_and_at_once(
    words_only: Desk, around: Path
) -> None:
    there = words_only.at(loose(around))
    with pytest.raises(NotFound, match="was not initialised"):
        there("codebase_index")
    there.as_owner("init")
    there("save_context", content=NOTE)
    assert list(projects(words_only)) == ["loose"]


def test_a_folder_with_a_context_folder_was_asked_for(words_only: Desk, around: Path) -> None:
    there = words_only.at(loose(around))
    (there.root / ".context").mkdir()
    there("save_context", content=NOTE)
    assert list(projects(words_only)) == ["loose"]


def test_the_first_call_of_an_agent_makes_a_repository_a_project(desk: Desk) -> None:
    assert projects(desk) == {}
    desk("list_contexts")
    assert projects(desk) == {"shop": (str(desk.root),)}


def test_no_look_of_an_owner_makes_anything_a_project(words_only: Desk) -> None:
    surfaces: tuple[Surface, ...] = ("cli", "web", "rest")
    looks = [o for o in OPERATIONS.values() if o.effect == "read" and o.audience != "agent"]
    assert {"status", "show", "doctor", "list_projects"} <= {op.name for op in looks}
    for op in looks:
        for surface in surfaces:
            assert words_of(words_only.on(surface), op)
            assert projects(words_only) == {}, op.name
    assert not (words_only.root / ".context").exists()


def test_who_may_only_read_makes_nothing_a_project(words_only: Desk) -> None:
    viewer = words_only.by("viewer")
    for name in ("list_contexts", "context_search", "briefing_get", "project_overview"):
        assert words_of(viewer, OPERATIONS[name])
        assert projects(words_only) == {}, name
    words_only("briefing_get")
    assert list(projects(words_only)) == ["shop"]


def test_the_end_of_a_connection_makes_nothing_a_project(words_only: Desk) -> None:
    words_only.connected("one")("connection_closed")
    assert projects(words_only) == {}


def test_a_repository_in_a_repository_is_a_project_of_its_own(desk: Desk, tmp_path: Path) -> None:
    outer = desk.at(committed(tmp_path / "outer", {"outer.py": "def walrus():\n    return 1\n"}))
    inner = desk.at(
        committed(outer.root / "lib" / "inner", {"inner.py": "def lemur():\n    ...\n"})
    )
    inner.root.joinpath("deep").mkdir()
    outer("save_context", content="The outer one is released on Mondays")
    inner.at(inner.root / "deep")("save_context", content="The inner one is released on Fridays")
    assert set(projects(desk)) == {"outer", "inner"}
    for here, day in ((outer, "Mondays"), (inner, "Fridays")):
        assert [day in e["content"] for e in here("list_contexts")["entries"]] == [True]
        here.as_owner("init")
    assert paths(inner, "lemur") == ["inner.py"]
    assert paths(outer, "walrus") == ["outer.py"]
    assert "lib/inner/inner.py" not in paths(outer, "lemur")


def paths(desk: Desk, query: str) -> list[str]:
    return [hit["path"] for hit in desk("codebase_search", query=query)["results"]]


def test_a_submodule_is_a_project_of_its_own(words_only: Desk, tmp_path: Path) -> None:
    library = committed(tmp_path / "library", {"a.py": "a = 1\n"})
    outer = committed(tmp_path / "outer", {"outer.py": "b = 1\n"})
    allowed = ("-c", "protocol.file.allow=always")
    git(outer, *allowed, "submodule", "add", "-q", str(library), "vendored")
    words_only.at(outer)("list_contexts")
    words_only.at(outer / "vendored")("list_contexts")
    words_only.at(library)("list_contexts")
    assert projects(words_only) == {
        "outer": (str(outer),),
        "vendored": (str(outer / "vendored"), str(library)),
    }


def test_a_folder_of_a_repository_and_another_work_tree_are_the_same_project(
    words_only: Desk, tmp_path: Path
) -> None:
    git(words_only.root, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "feature"))
    for root in (words_only.root / "src" / "auth", tmp_path / "feature"):
        words_only.at(root)("list_contexts")
    assert projects(words_only) == {"shop": (str(words_only.root), str(tmp_path / "feature"))}


@pytest.fixture
def garden(desk: Desk, tmp_path: Path) -> Desk:
    """A second project of the owner's, with something in it."""
    here = desk.at(committed(tmp_path / "garden", {"garden.py": "def vault_door():\n    ...\n"}))
    here.as_owner("init")
    here("save_context", content="The vault door of the garden is green")
    here.host.work_off()
    return here


def test_a_call_that_names_a_project_works_in_that_one(desk: Desk, garden: Desk) -> None:
    named = {"project": "garden"}
    agent = desk.connected("one")
    agent("list_contexts")
    saved = agent("save_context", content=NOTE, **named)["id"]
    assert (
        agent("codebase_search", query="vault door", **named)["results"][0]["path"] == "garden.py"
    )
    assert "vault_door" in agent("read_file", path="garden.py", **named)["content"]
    started = agent("session_start", task_description="weeding", **named)["session_id"]
    agent("session_log", session_id=started, role="user", text="Weed the beds.", **named)
    assert garden.record(saved).scope == garden.scope
    assert [session.id for session in garden.sessions()] == [started]
    assert desk("list_contexts")["entries"] == []
    [own] = desk.sessions()
    assert own.scope == desk.scope
    assert own.tool_calls == 1


def acts(op: Operation) -> bool:
    return op.where != "anywhere" and "upkeep" not in op.needs and op.audience != "system"


def test_no_operation_that_names_another_project_touches_the_one_it_is_called_from(
    desk: Desk, garden: Desk
) -> None:
    desk("codebase_index")
    desk("save_context", content="The vault door of the shop is red")
    before = picture(desk)
    for op in filter(acts, OPERATIONS.values()):
        told = words_of(desk, op, project="garden")
        assert "door of the shop" not in told, op.name
        if op.effect == "read":
            assert told == words_of(garden, op), op.name
    desk.host.work_off()
    assert picture(desk) == before
    assert "garden" in desk.as_owner("status", project="garden")["project"]


def words_of(desk: Desk, op: Operation, **more: Any) -> str:
    try:
        answer = desk.answer(op.name, **arguments(op), **more)
    except ContextdError as error:
        return str(error.as_dict())
    return answer.text


def picture(desk: Desk) -> Any:
    desk.host.work_off()
    scope, view = desk.scope, desk.view
    found = view.records.find(desk.runtime().query(level="project"))
    files = {
        p: p.read_text() for p in desk.root.rglob("*") if p.is_file() and ".git" not in p.parts
    }
    return found.records, desk.sessions(), view.files.of(scope).stamps(), view.jobs.list(), files


def test_a_project_nobody_knows_is_not_guessed_at(desk: Desk, garden: Desk) -> None:
    with pytest.raises(NotFound) as refused:
        desk("save_context", content=NOTE, project="gardn")
    assert "garden" in refused.value.hint
    assert desk("list_contexts")["entries"] == []


def test_a_project_can_be_named_by_its_folder(desk: Desk, garden: Desk, tmp_path: Path) -> None:
    garden("save_context", content=NOTE)
    found = desk("list_contexts", project=str(garden.root))["entries"]
    assert NOTE in [entry["content"] for entry in found]
    beside = tmp_path / "beside"
    git(garden.root, "worktree", "add", "-q", str(beside))
    garden.at(beside)("list_contexts")
    (beside / "only_here.py").write_text("here = 1\n")
    assert "here" in garden("read_file", path="only_here.py", project=str(beside))["content"]
    with pytest.raises(NotFound):
        desk("list_contexts", project=str(tmp_path / "nobody"))


def test_an_agent_that_stands_in_the_home_is_in_nobodys_project(
    desk: Desk, garden: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "me").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    garden("save_context", content=NOTE)
    nowhere = desk.at(tmp_path / "me")
    assert NOTE not in str(nowhere("context_search", query="parcels depot"))
    assert NOTE in str(nowhere("context_search", query="parcels depot", project=str(garden.root)))


def test_a_call_that_stands_elsewhere_leaves_its_conversation_and_settings_behind(
    words_only: Desk, neighbour: Neighbour
):
    words_only.configure("briefing:\n  tokens: 60\n")
    here = replace(words_only.connected("c").runtime(), session="mine")
    there = here.at("blog")
    assert (there.scope, there.root) == (neighbour.scope, neighbour.root)
    assert (there.session, there.connection) == ("", "")
    assert there.settings.number("briefing.tokens") == 500
    assert not any(cell.scope == here.scope for cell in there.view.grant.read)
    again = here.at(here.scope.project)
    assert (again.session, again.connection) == ("mine", "c")
    assert again.settings.number("briefing.tokens") == 60
