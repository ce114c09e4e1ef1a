"""The store of a team in PostgreSQL: the tables of many organisations, without code indexes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from contextd.domain.access import Grant
from contextd.domain.checkout_keys import CheckoutKey
from contextd.ports.knowledge import Scrub
from contextd.ports.upkeep import Clock
from contextd.runtime.kept_memory import Kept
from contextd.stores.postgres_connection import UPKEEP, PostgresDatabase
from contextd.stores.postgres_errors import raising
from contextd.stores.postgres_members import PostgresMembers
from contextd.stores.postgres_migrate import require_migrated, require_usable
from contextd.stores.postgres_pool import WatchedConnection, connection_options
from contextd.stores.postgres_server import PostgresServer
from contextd.stores.postgres_signals import PostgresSignals
from contextd.stores.postgres_upkeep import PostgresUpkeep
from contextd.stores.postgres_view import PostgresView
from contextd.stores.sql_directory import SqlDirectory
from contextd.stores.sql_index import IndexCaches
from contextd.stores.sql_jobs import SqlQueue, due_by_place
from contextd.stores.sql_replicas import SqlReplicas

if TYPE_CHECKING:
    from contextd.stores.database import Database
    from contextd.stores.word_tables import WordTables


class PostgresStore:
    """A `Store` of one organisation."""

    def __init__(
        self,
        server: PostgresServer,
        organisation: str,
        clock: Clock,
        scrub: Scrub,
        *,
        owns_server: bool,
    ) -> None:
        self._scrub = scrub
        self._server, self._owns_server = server, owns_server
        number = _number_of(server.url, organisation)
        self.database = PostgresDatabase(server.pool, number, clock)
        server.opened(organisation, number)
        self._caches = IndexCaches(self.database, _words)
        self.directory = SqlDirectory(self.database, scrub)
        self.queue = PostgresQueue(self.database, scrub)
        self.replicas = SqlReplicas(self.database)
        self.members = PostgresMembers(self.database)
        self.signals = PostgresSignals(server.signals, number)
        self.upkeep = PostgresUpkeep(self.database.unhurried(), scrub)

    def view(self, grant: Grant, code: CheckoutKey | None = None) -> PostgresView:
        """See `Store.view`."""
        return PostgresView(self.database, grant, self._caches, self._scrub)

    def kept(self) -> Iterator[Kept]:
        """See `Keeper.kept`: the index in memory."""
        return self._caches.kept()

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a write, where embedding and disk reads are forbidden."""
        return self.database.writing

    def close(self) -> None:
        """See `Store.close`."""
        self.signals.close()
        if self._owns_server:
            self._server.close()


class PostgresQueue(SqlQueue):
    """A queue that notes, for all replicas, when its next work is due."""

    def expect(self, place: str) -> None:
        """See `Queue.expect`. The order counts: a job that is committed after the notes were dropped adds its own."""
        with self._database.write() as connection:
            connection.execute("SELECT contextd.forget_due(?)", (place,))
            for where, at in due_by_place(self._database, place).items():
                connection.execute("SELECT contextd.note_due(?, ?)", (where, at))


def open_postgres(
    url: str,
    organisation: str,
    clock: Clock,
    scrub: Scrub,
    backups: Path | None = None,
    fresh: bool = False,
    shared: PostgresServer | None = None,
) -> PostgresStore:
    """The store of an organisation at `postgresql://user@host/database`, which `contextd store migrate` prepared. It
    uses the connections of `shared`, or its own.
    """
    server = shared or PostgresServer(url)
    try:
        return PostgresStore(server, organisation, clock, scrub, owns_server=shared is None)
    except BaseException:
        if shared is None:
            server.close()
        raise


def _number_of(url: str, organisation: str) -> int:
    """The number of an organisation; a new one gets its partitions."""
    with raising(), WatchedConnection.connect(url, **connection_options()) as connection:
        require_usable(connection)
        require_migrated(connection)
        connection.silence = UPKEEP.silence
        row = connection.execute(
            "SELECT contextd.open_organisation(%s)", (organisation,)
        ).fetchone()
        assert row is not None
        return int(row[0])


def _words(database: Database) -> WordTables:
    from contextd.stores.postgres_words import PostgresWords  # noqa: PLC0415 - numpy: 0.13 s

    return PostgresWords(database)
