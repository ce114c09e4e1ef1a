"""A home from before the first release opens with everything in it; older ones are refused and kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import pytest

from contextd.app import Host, load_operations
from contextd.domain.access import OWNER
from contextd.domain.scope import Scope
from contextd.embedders import open_embedder
from contextd.runtime.doors import HomeDoor
from contextd.runtime.runtime import Request, SystemClock
from contextd.runtime.settings import load_settings
from contextd.stores.connection import SqliteDatabase
from contextd.stores.migrate import migrate, migrations, schema_of
from contextd.thin.home import LOCAL, database_path
from contextd_common.errors import Unavailable
from support.databases import open_database
from support.old_home import write_old_home
from support.repositories import git
from support.stores import opened

NAMES = ("shop", "blog")
NIGHT = "Exports run at night because the tax service is slow by day"


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


def host_of(home: Path, embedder: str = "none") -> Host:
    load_operations()
    settings = load_settings(home=home, flags={"embedder.name": embedder})
    host = Host(
        settings, open_embedder(embedder), door=HomeDoor(), clock=SystemClock(), duties="none"
    )
    host.organisation(LOCAL)
    return host


def schema(path: Path) -> list[Any]:
    """What every table and index is, apart from how its SQL is laid out and the lexicons of parts."""
    with open_database(path) as connection:
        rows = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
        ).fetchall()
    plain = {name: "".join(re.sub(r"[\"']", "", sql).split()) for name, sql in rows}
    return sorted(
        (name, sql)
        for name, sql in plain.items()
        if not name.startswith(("lexicon_", "vocabulary_", "sqlite_"))
    )


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Old]:
    roots = {name: tmp_path / name for name in NAMES}
    write_old_home(tmp_path / "home", roots)
    host = host_of(tmp_path / "home")
    yield Old(tmp_path / "home", roots, host)
    host.close()


def test_its_schema_becomes_that_of_a_new_home_and_its_old_state_is_kept(old, tmp_path):
    path = database_path(old.home, LOCAL)
    with open_database(path.with_name("contextd.db.before-0018")) as kept:
        assert kept.execute("PRAGMA user_version").fetchall() == [(17,)]
    fresh = SqliteDatabase(tmp_path / "fresh.db", SystemClock())
    migrate(fresh, migrations())
    fresh.close()
    assert schema(path) == schema(tmp_path / "fresh.db")


def test_nothing_canonical_is_lost(old):
    old.host.work_off()
    [night] = [one for one in old.view("shop").records.get(recorded(old)) if one.content == NIGHT]
    actions = [change.action for change in old.view("shop").records.history(night.id)]
    assert actions[0] == "create"
    [session] = sessions(old)
    said = [one.text for one in old.view("shop").sessions.events(session, types=("query",))]
    assert any("The printer of the shop stands in the cellar" in text for text in said)
    rules = old.call("shop", "context_search", query="invoices must carry a number")["results"]
    assert any("invoices must always carry a number" in hit["text"] for hit in rules)
    printer = old.call("shop", "context_search", query="where does the printer stand")["results"]
    assert any("The printer of the shop" in hit["text"] for hit in printer)


def test_each_project_finds_its_own_code_and_notes_and_not_the_other_ones(old):
    old.host.work_off()
    shop = old.call("shop", "codebase_search", query="retry upload of a tenant")["results"]
    assert shop[0]["path"] == "retry.py"
    blog = old.call("blog", "codebase_search", query="title of a post")["results"]
    assert [hit["path"] for hit in blog] == ["post.py"]
    users = old.call("shop", "find_references", name="retry_upload")
    assert "invoice.py" in str(users)
    for project in NAMES:
        assert old.call(project, "doctor")["ok"]
        other = old.call(project, "search_contexts", query="exports at night")["entries"]
        assert bool(other) == (project == "shop")


def test_an_index_that_lost_a_part_is_mended_and_the_owner_is_told(tmp_path):
    roots = {name: tmp_path / name for name in NAMES}
    write_old_home(tmp_path / "home", roots)
    with open_database(database_path(tmp_path / "home", LOCAL)) as connection:
        connection.execute("DELETE FROM docs WHERE kind = 'code'")
    host = host_of(tmp_path / "home")
    old = Old(tmp_path / "home", roots, host)
    assert old.call("shop", "status")["mended"] == []
    host.work_off()
    for project in NAMES:
        [line] = old.call(project, "status")["mended"]
        assert f"{LOCAL}/default/{project}: " in line
    hits = old.call("blog", "codebase_search", query="title of a post")["results"]
    assert [hit["path"] for hit in hits] == ["post.py"]
    assert host.organisation(LOCAL).mend() == 0, "every invariant is true"
    host.close()


def test_projects_of_an_old_home_are_still_found_and_gain_sightings(old):
    organisation = old.host.organisation(LOCAL)
    before = {one.scope: one for one in organisation.directory.all()}
    assert {one.sightings for one in before.values()} == {()}
    git(old.roots["shop"], "remote", "add", "origin", "https://example.org/shop.git")
    for project in NAMES:
        old.call(project, "list_contexts")
    after = {one.scope: one for one in organisation.directory.all()}
    assert after.keys() == before.keys()
    assert [len(after[scope].sightings) for scope in before] == [0, 1]


@pytest.mark.parametrize("version", [1, 7, 16])
def test_a_home_that_is_older_is_refused_and_kept(tmp_path, version):
    path = tmp_path / "contextd.db"
    connection = apsw.Connection(str(path))
    connection.execute(f"CREATE TABLE records (id TEXT); PRAGMA user_version = {version}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(Unavailable, match=f"schema {version}") as refusal:
        opened(f"sqlite://{path}")
    assert "schema 17" in refusal.value.hint
    assert path.read_bytes() == before


def test_the_first_schema_has_its_number(tmp_path):
    database = SqliteDatabase(tmp_path / "contextd.db", SystemClock())
    migrate(database, migrations())
    assert database.value("PRAGMA user_version") == schema_of(migrations()) >= 18
    database.close()


def recorded(old: Old) -> list[str]:
    with open_database(database_path(old.home, LOCAL)) as connection:
        return [id for (id,) in connection.execute("SELECT id FROM records")]


def sessions(old: Old) -> list[str]:
    with open_database(database_path(old.home, LOCAL)) as connection:
        asked = "SELECT id FROM sessions WHERE scope LIKE '%/shop' AND client = 'claude-code'"
        return [id for (id,) in connection.execute(asked)]
