"""A home made before observations had scopes keeps its log and its totals."""

from __future__ import annotations

import pytest

from contextd.domain.scope import Scope
from contextd.runtime import SystemClock
from contextd.stores.connection import Database
from contextd.stores.migrate import migrate, migrations
from contextd.stores.sqlite_usage import SqliteObservations

BEFORE = 5
OLD = """
INSERT INTO observations (at, action, operation, type, record_ids, query, agent)
VALUES (1000000, 'read', 'recall', 'memory', '["a"]', '', 'one'),
       (2000000, 'miss', 'recall', 'memory', '[]', 'how to deploy', 'one');
UPDATE observation_totals SET reads = 41, misses = 3, last_activity = 2000000, kept = 2;
INSERT INTO observation_types VALUES ('reads', 'memory', 41), ('agents', 'one', 44);
INSERT INTO missed_queries VALUES ('how to deploy', 3, 3);
"""
PROJECT = "INSERT INTO projects VALUES ('{0}', 'acme/web/{0}', '{0}', '[]', '[]', 0);"


@pytest.mark.parametrize(("names", "owner"), [(["shop"], "shop"), ([], ""), (["shop", "blog"], "")])
def test_totals_of_before_belong_to_the_only_project_or_to_none(tmp_path, names, owner):
    database = Database(tmp_path / "contextd.db", SystemClock())
    migrate(database, migrations()[:BEFORE])
    with database.write() as connection:
        connection.execute(OLD + "".join(PROJECT.format(name) for name in names))
    migrate(database, migrations())
    log = SqliteObservations(database)
    told = log.summary()
    assert (told.reads, told.misses, told.missed_queries) == (41, 3, {"how to deploy": 3})
    assert (told.read_frequency, told.agent_frequency) == ({"memory": 41}, {"one": 44})
    shop = frozenset([Scope("acme", "web", "shop")])
    assert log.summary(scopes=shop) == (told if owner else type(told)())
    assert len(log.recent(scopes=shop)) == (2 if owner else 0)
    assert len(log.recent()) == 2
    database.close()
