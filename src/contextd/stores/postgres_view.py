"""A view of a PostgreSQL store."""

from __future__ import annotations

from contextd.stores.database import Connection
from contextd.stores.postgres_words import PostgresIndexWriter
from contextd.stores.sql_index_writing import IndexWriter
from contextd.stores.sql_view import SqlView


class PostgresView(SqlView):
    """A `View` of a PostgreSQL store, which has no code indexes: code stays on the machine of its checkout."""

    def index_writer(self, connection: Connection) -> IndexWriter:
        """See `SqlView.index_writer`."""
        return PostgresIndexWriter(connection)
