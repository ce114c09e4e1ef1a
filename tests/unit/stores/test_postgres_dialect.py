"""The shared statements in PostgreSQL's words."""

import pytest

from contextd.stores.postgres_dialect import bound, restored, translated


@pytest.mark.parametrize(
    ("sqlite", "postgresql"),
    [
        (
            "SELECT 1 FROM jobs WHERE id = ?",
            "SELECT 1 FROM (SELECT * FROM jobs WHERE org = 7) jobs WHERE id = %s",
        ),
        (
            "SELECT d.no FROM docs d LEFT JOIN vectors v ON v.part = d.part WHERE d.part = :part",
            "SELECT d.no FROM (SELECT * FROM docs WHERE org = 7) d LEFT JOIN (SELECT * FROM vectors WHERE org = 7) v"
            " ON v.part = d.part WHERE d.part = %(part)s",
        ),
        (
            "SELECT seq FROM jobs WHERE lane = ? LIMIT 1 /* FOR UPDATE SKIP LOCKED */",
            "SELECT seq FROM (SELECT * FROM jobs WHERE org = 7) jobs WHERE lane = %s LIMIT 1 FOR UPDATE SKIP LOCKED",
        ),
        ("DELETE FROM calls WHERE at < ?", "DELETE FROM calls WHERE org = 7 AND  at < %s"),
        (
            "UPDATE jobs SET run_at = min(run_at, ?) WHERE id = ? OR scope = ? RETURNING id",
            "UPDATE jobs SET run_at = least(run_at, %s) WHERE org = 7 AND ( id = %s OR scope = %s) RETURNING id",
        ),
        (
            "UPDATE sessions SET events = (SELECT count(*) FROM events WHERE session = no) WHERE id = ?",
            "UPDATE sessions SET events = (SELECT count(*) FROM (SELECT * FROM events WHERE org = 7) events"
            " WHERE session = no) WHERE org = 7 AND ( id = %s)",
        ),
        (
            "INSERT INTO parts (scope, family) VALUES (?, ?) ON CONFLICT (scope, family) DO NOTHING",
            "INSERT INTO parts (scope, family) VALUES (%s, %s) ON CONFLICT (org, scope, family) DO NOTHING",
        ),
        (
            "SELECT id FROM records INDEXED BY records_used WHERE id IN (SELECT value FROM json_each(?))",
            "SELECT id FROM (SELECT * FROM records WHERE org = 7) records WHERE id = ANY (%s)",
        ),
        (
            "SELECT ifnull(sum(count), 0) FROM doc_counts WHERE part = ? AND json_extract(body, ?) + 0 > ?",
            "SELECT coalesce(sum(count), 0) FROM (SELECT * FROM doc_counts WHERE org = 7) doc_counts"
            " WHERE part = %s AND json_number(body, %s) > %s",
        ),
    ],
)
def test_every_table_is_limited_to_the_organisation_by_a_literal(sqlite, postgresql):
    assert translated(sqlite, 7).sql == postgresql


@pytest.mark.parametrize("sql", ["DELETE FROM records", "UPDATE records SET kind = ?"])
def test_a_change_of_every_row_is_no_statement(sql):
    with pytest.raises(ValueError, match="without WHERE"):
        translated(sql, 7)


def test_a_numbered_value_may_stand_twice():
    statement = translated("SELECT 1 FROM changes WHERE scope = ?1 AND id = ?2 AND scope <> ?1", 7)
    assert statement.sql.endswith("WHERE scope = %(_1)s AND id = %(_2)s AND scope <> %(_1)s")
    assert bound(statement, ("a", "b")) == {"_1": "a", "_2": "b"}


def test_a_list_of_values_is_looked_up_by_an_index():
    among = (
        "SELECT id FROM docs WHERE part = ? AND id IN (SELECT value FROM json_each(?)) AND no > ?"
    )
    statement = translated(among, 7)
    assert statement.sql.endswith("WHERE part = %s AND id = ANY (%s) AND no > %s")
    assert bound(statement, (1, '["a", "b\\u0000"]', 2)) == (1, ["a", "b\uf8f00"], 2)
    without = translated("DELETE FROM docs WHERE id NOT IN (SELECT value FROM json_each(?))", 7)
    assert without.sql.endswith("id NOT IN (SELECT value FROM json_each(%s))")


@pytest.mark.parametrize("text", ["a\0b", "\uf8f0", "\uf8f0\0\uf8f00", "\0\0", "0"])
def test_nul_is_stored_as_other_characters_and_comes_back(text):
    stored = bound(translated("SELECT ?", 7), (text, 1, None))
    assert "\0" not in stored[0]
    assert restored([stored]) == [(text, 1, None)]
