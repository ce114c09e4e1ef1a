"""A home made before observations had scopes keeps its log and its totals."""

from __future__ import annotations

import pytest
from shop_notes import SHOP, at, view_of

from contextd.domain.usage import ObservationSummary
from contextd.runtime.runtime import SystemClock
from contextd.stores.connection import Database
from contextd.stores.migrate import migrate, migrations
from support.stores import opened

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
    database.close()
    store = opened(at(tmp_path))
    log, shop = view_of(store).observations, frozenset({SHOP})
    summary = log.summary(shop)
    if owner:
        assert (summary.reads, summary.misses) == (41, 3)
        assert summary.missed_queries == {"how to deploy": 3}
        assert (summary.read_frequency, summary.agent_frequency) == ({"memory": 41}, {"one": 44})
        assert summary.last_activity is not None
    else:
        assert summary == ObservationSummary()
    assert len(log.recent(shop)) == (2 if owner else 0)
    store.close()
    kept = Database(tmp_path / "contextd.db", SystemClock())
    whose = f"acme/web/{owner}" if owner else ""
    assert kept.rows("SELECT scope, reads, misses, logged FROM observation_scopes") == [
        (whose, 41, 3, 2)
    ]
    assert kept.value("SELECT count(*) FROM observations WHERE scope = ?", (whose,)) == 2
    assert kept.rows("SELECT scope, query, count FROM missed_queries") == [
        (whose, "how to deploy", 3)
    ]
    kept.close()
