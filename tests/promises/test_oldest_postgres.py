"""PostgreSQL 15, the oldest that contextd runs on: a few promises that touch every statement, TLS, and a standby."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd.stores import migrate_store, open_store
from contextd.stores.postgres_migrate import migrate_postgres
from contextd_common.errors import Unavailable
from promises import test_moving, test_postgres_migrations
from promises.test_histories import bounded, compare, steps
from support import oldest_postgres, postgres_server
from support.oldest_postgres import OldestPostgres
from support.stores import plain

pytestmark = pytest.mark.long


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> OldestPostgres:
    """The server that `address("postgresql", …)` names meanwhile."""
    found = oldest_postgres.server()
    migrate_postgres(found.url)
    monkeypatch.setattr(postgres_server, "url", lambda: found.url)
    return found


@bounded(5)
@given(history=st.lists(steps, min_size=5, max_size=25))
def test_any_history_ends_as_in_the_reference(server, history):
    compare("postgresql", history)


def test_a_home_moves_there_and_back_and_answers_as_before(server, tmp_path):
    test_moving.test_a_home_moves_to_postgresql_and_back_and_answers_as_before(tmp_path)


def test_of_two_that_migrate_at_once_one_waits_for_the_other(server):
    test_postgres_migrations.test_of_two_that_migrate_at_once_one_waits_for_the_other()


@pytest.mark.parametrize(
    ("host", "parameters", "words", "hint"),
    [
        ("127.0.0.1", "sslmode=verify-full&sslrootcert={mine}", "another host", "name the host"),
        ("localhost", "sslmode=verify-full&sslrootcert={other}", "does not verify", "sslrootcert="),
        ("localhost", "sslmode=verify-full&sslrootcert=/nowhere", "authority", "sslrootcert="),
    ],
)
def test_a_server_whose_certificate_does_not_verify_gets_no_call(
    server, tmp_path, host, parameters, words, hint
):
    other = tmp_path / "other"
    oldest_postgres.certify(other, tmp_path / "key")
    files = {"mine": server.certificate, "other": other}
    at = f"@{host}:{server.port}/postgres?{parameters.format(**files)}"
    with pytest.raises(Unavailable, match=words) as refusal:
        open_store(f"postgresql://postgres:geheim{at}", "acme", scrub=plain)
    assert hint in refusal.value.hint
    assert "geheim" not in str(refusal.value.as_dict())


def test_a_server_whose_certificate_verifies_is_used(server):
    at = f"localhost:{server.port}/postgres?sslmode=verify-full&sslrootcert={server.certificate}"
    store = open_store(f"postgresql://postgres@{at}", "acme", scrub=plain)
    assert store.upkeep.check() == []
    store.close()


def test_a_standby_names_the_primary_server_as_the_way_out(server):
    server.stop()
    server.start(standby=True)
    for act in (migrate_store, lambda url: open_store(url, "acme", scrub=plain)):
        with pytest.raises(Unavailable, match="standby in recovery") as refusal:
            act(server.url)
        assert "primary server" in refusal.value.hint
    server.stop()
    server.start()
