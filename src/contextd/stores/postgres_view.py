"""A view of a PostgreSQL store."""

from __future__ import annotations

from typing import Any

from contextd.domain.changes import Put, Removal
from contextd.domain.records import Change
from contextd.stores import codec, rules
from contextd.stores.database import Connection, later
from contextd.stores.packing import pack
from contextd.stores.postgres_words import PostgresIndexWriter
from contextd.stores.sql_conditions import placeholders
from contextd.stores.sql_index_writing import IndexWriter
from contextd.stores.sql_records import change_of, to_row
from contextd.stores.sql_view import Prepared, SqlView

_ADD = f"SELECT seq, same FROM add_record({placeholders(range(21))})"


class PostgresView(SqlView):
    """A `View` of a PostgreSQL store, which has no code indexes: code stays on the machine of its checkout."""

    def index_writer(self, connection: Connection) -> IndexWriter:
        """See `SqlView.index_writer`."""
        return PostgresIndexWriter(connection)

    def _write_record(
        self,
        connection: Connection,
        ready: Prepared,
        change: Put | Removal,
        snapshot: codec.Json,
        now: int,
        changed: list[Change],
    ) -> None:
        """See `SqlView._write_record`. A new record is one statement, whose answer is not waited for."""
        record = change.record
        if isinstance(change, Removal) or record.version or change.undoes is not None:
            super()._write_record(connection, ready, change, snapshot, now, changed)
            return
        why = (ready.changes.actor, change.action, change.reason)
        after = codec.dumps(snapshot)

        def added(rows: list[Any]) -> None:
            if not rows:
                raise rules.changed_meanwhile(record)
            [(seq, same)] = rows
            if same is not None:
                raise rules.already_there(same)
            changed.append(change_of((seq, record.id, now, *why, None, after, None)))

        values = (change.alone, now, *why, pack(after))
        later(connection, _ADD, (*values, *to_row(record, snapshot, 1)), added)
