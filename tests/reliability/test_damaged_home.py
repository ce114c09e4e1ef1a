"""A home in which 0.1 let two projects steal each other's index: mended at the first start, and told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from contextd.app import Host, load_operations
from contextd.domain.access import OWNER
from contextd.domain.scope import Scope
from contextd.embedders import open_embedder
from contextd.runtime.runtime import Request, SystemClock
from contextd.runtime.settings import load_settings
from contextd.thin.home import LOCAL, database_path
from support.databases import open_database
from support.old_home import write_old_home

NAMES = ("alpha", "beta")


@dataclass
class Old:
    """The home, and where its projects are."""

    home: Path
    roots: dict[str, Path]
    host: Host

    def call(self, project: str, operation: str, **arguments: Any) -> Any:
        request = Request(surface="cli", caller=OWNER, cwd=str(self.roots[project]), client="cli")
        return self.host.call(operation, request, arguments).value

    def view(self, project: str) -> Any:
        return self.host.organisation(LOCAL).view(OWNER, [Scope(LOCAL, "default", project)])


def opened(home: Path, embedder: str = "none") -> Host:
    load_operations()
    settings = load_settings(home=home, flags={"embedder.name": embedder})
    host = Host(settings, open_embedder(embedder), clock=SystemClock(), work=False)
    host.organisation(LOCAL)
    return host


def rows(home: Path, sql: str) -> list[Any]:
    with open_database(database_path(home, LOCAL)) as connection:
        return connection.execute(sql).fetchall()


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Old]:
    roots = {name: tmp_path / name for name in NAMES}
    write_old_home(tmp_path / "home", roots)
    of = "SELECT scope, count(*) FROM docs WHERE kind = 'code' GROUP BY scope"
    damaged = {f"{LOCAL}/default/alpha": 1, f"{LOCAL}/default/beta": 1}
    assert dict(rows(tmp_path / "home", of)) == damaged, "there are two files in each project"
    host = opened(tmp_path / "home")
    yield Old(tmp_path / "home", roots, host)
    host.close()


def test_a_home_damaged_by_0_1_is_migrated_and_mended_at_the_first_start(old):
    assert (database_path(old.home, LOCAL).parent / "contextd.db.before-0008").is_file()
    old.host.work_off()
    for project in NAMES:
        assert old.call(project, "doctor")["ok"]
        shared = old.call(project, "codebase_search", query="retry upload of a tenant")
        assert shared["results"][0]["path"] == "retry.py"
        own = old.call(project, "codebase_search", query=f"{project} invoice")
        assert own["results"][0]["path"] == f"{project}.py"
        other = next(name for name in NAMES if name != project)
        strange = old.call(project, "codebase_search", query=f"{other}_invoice")
        assert f"{other}.py" not in [hit["path"] for hit in strange["results"]]
    request = Request(surface="cli", caller=OWNER, cwd=str(old.roots["alpha"]), client="cli")
    assert old.host.call("status", request, {}).value["problems"] == []
    stored = old.host.organisation(LOCAL)
    assert stored.mend() == 0, "every invariant is true"


def test_nothing_canonical_of_a_0_1_home_is_lost(old):
    old.host.work_off()
    for project in NAMES:
        view = old.view(project)
        [night] = view.records.get([f"{project}-0"])
        assert night.content == f"The {project} exports run at night"
        assert (night.usage_count, night.helpful, night.tags) == (3, 2, ("kept",))
        actions = [change.action for change in view.records.history(night.id)]
        assert actions[:2] == ["create", "update"]
        assert view.records.history(night.id)[0].after.content.endswith("it was said")
        session = view.sessions.get(f"session-{project}")
        [said] = view.sessions.events(session.id, types=("message",))
        assert f"{project} invoices must always carry a number" in said.text
        scopes = frozenset({Scope(LOCAL, "default", project)})
        [pair] = view.contradictions.find(scopes, states=("dismissed",))
        assert (pair.a, pair.b, pair.note) == (f"{project}-0", f"{project}-1", "no, they do not")
        summary = view.observations.summary(scopes)
        assert (summary.reads, summary.misses) == (4, 1)
        learned = [job for job in view.jobs.list() if job.name == "learn_session"]
        assert [job.state for job in learned] == ["done"], "what waited to be learned was learned"
        found = old.call(project, "search_contexts", query="exports at night")["entries"]
        assert [one["id"] for one in found] == [f"{project}-0"]


def test_what_was_said_in_a_session_of_0_1_is_still_found(old):
    old.host.work_off()
    for project in NAMES:
        found = old.call(project, "context_search", query="where does the printer stand")["results"]
        assert any(f"The printer of {project}" in hit["text"] for hit in found)
        other = next(name for name in NAMES if name != project)
        assert not any(f"printer of {other}" in hit["text"] for hit in found)


def test_the_owner_is_told_what_was_mended(old):
    before = old.call("alpha", "status")
    assert before["mended"] == []
    old.host.work_off()
    for project in NAMES:
        [line] = old.call(project, "status")["mended"]
        assert f"{LOCAL}/default/{project}: 2 pieces of code, 0 indexed" in line
        assert "records, " in line


def test_a_0_1_home_gets_vectors_for_everything_that_was_stolen(tmp_path):
    roots = {name: tmp_path / name for name in NAMES}
    write_old_home(tmp_path / "home", roots)
    host = opened(tmp_path / "home", "minilm")
    host.work_off()
    for project, root in roots.items():
        request = Request(surface="cli", caller=OWNER, cwd=str(root), client="cli")
        status = host.call("status", request, {}).value
        assert (status["pending"], status["percent"]) == (0, 100), project
        assert status["indexed"] >= 4
    host.close()
