"""A view of a SQLite store: with the code indexes of checkouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import apsw

from contextd.domain.access import Grant
from contextd.domain.changes import CodeChange
from contextd.domain.checkout_keys import CheckoutKey
from contextd.domain.documents import code_documents
from contextd.domain.query import Document
from contextd.ports.knowledge import Scrub
from contextd.stores.checkouts import Checkouts
from contextd.stores.connection import SqliteDatabase
from contextd.stores.database import Connection
from contextd.stores.sql_index import IndexCaches
from contextd.stores.sql_index_writing import IndexWriter
from contextd.stores.sql_view import SqlView
from contextd.stores.sqlite_code_writing import CodeRows, code_rows, write_code
from contextd.stores.sqlite_files import SqliteFiles
from contextd.stores.sqlite_index_writing import SqliteIndexWriter


class SqliteView(SqlView):
    """A `View` of a SQLite store."""

    def __init__(
        self,
        database: SqliteDatabase,
        grant: Grant,
        caches: IndexCaches,
        scrub: Scrub,
        code: CheckoutKey | None = None,
    ) -> None:
        checkouts = Checkouts(database, code)
        super().__init__(database, grant, caches, scrub, checkouts)
        self._code = code
        self.files = SqliteFiles(database, self._granted, checkouts)

    def index_writer(self, connection: Connection) -> IndexWriter:
        """See `SqlView.index_writer`."""
        return SqliteIndexWriter(connection)

    def _code_rows(self, code: CodeChange) -> tuple[CodeRows, list[Document]]:
        files = (file for file in code.put if file.path not in code.same_text)
        found = [code_documents(code.scope, file, code.same_chunks) for file in files]
        return code_rows(code), [document for documents in found for document in documents]

    def _write_code(self, connection: Connection, code: CodeRows, now: int) -> Sequence[str]:
        return write_code(cast(apsw.Connection, connection), code, self._code, now)
