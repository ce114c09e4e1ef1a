"""Storage of code indexes. A store for a team has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from contextd.domain.code_places import IndexedCheckout
from contextd.domain.scope import Scope
from contextd_code.values.definition_queries import Defining, Naming
from contextd_code.values.imports import Importing
from contextd_code.values.source import (
    Chunk,
    FileChanges,
    FileWeight,
    Import,
    KeptReading,
    SourceFile,
)


class Files(Protocol):
    """The code index of each project: of the view's checkout, or else of the checkout indexed last. Other
    checkouts are not visible.
    """

    def get(self, scope: Scope, paths: Sequence[str]) -> list[SourceFile]:
        """The files with these paths, in this order; skips unknown paths."""
        ...

    def all(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """Every file of the project by path, without chunk texts; only `paths` if given."""
        ...

    def linked(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """Every file of the project that defines, imports or re-exports something, by path, without
        chunks. Costs half of `all`, less if most files are data. Only `paths` if given.
        """
        ...

    def linking(self, scope: Scope) -> list[str]:
        """The paths that `linked` returns."""
        ...

    def imports(
        self, scope: Scope, paths: Sequence[str]
    ) -> list[tuple[str, str, tuple[Import, ...]]]:
        """The path, language and imports of these files, by path, cheaper than `all`; skips unknown paths."""
        ...

    def importing(self, scope: Scope, asked: Importing) -> set[str]:
        """The paths of files selected by their imports, possibly with false positives, but never a file
        that has no imports and none of the words. Cost is proportional to the result.
        """
        ...

    def defining(self, scope: Scope, asked: Defining) -> list[tuple[str, float]]:
        """The path and `FileWeight.top` of files selected by their definitions, possibly with false
        positives. Cost is proportional to the result.
        """
        ...

    def naming(self, scope: Scope, asked: Naming) -> set[str]:
        """The paths of files selected by what they may use, possibly with false positives. Cost is
        proportional to the result.
        """
        ...

    def names(self, scope: Scope, prefix: str, limit: int) -> list[str]:
        """Definition names with this prefix, case-folded, in order, at most `limit`; may include deleted
        ones and those of other checkouts.
        """
        ...

    def weights(self, scope: Scope, paths: Sequence[str]) -> dict[str, FileWeight]:
        """The stored importance of these files; skips files without one."""
        ...

    def weighed(self, scope: Scope) -> int:
        """The version of the files at which weights were stored; 0 if never."""
        ...

    def stamps(
        self, scope: Scope, paths: Sequence[str] | None = None
    ) -> dict[str, tuple[int, int, str]]:
        """(size, mtime_ns, digest) of all or these files, to decide what to scan again."""
        ...

    def changes(self, scope: Scope, since: int) -> FileChanges:
        """The files written and removed since a version, 0 for all. Cost is proportional to the result."""
        ...

    def count(self, scope: Scope) -> int:
        """The number of indexed files."""
        ...

    def errors(self, scope: Scope) -> list[tuple[str, str]]:
        """The path and `SourceFile.error` of every file with an error, by path. Cost is proportional to
        the result.
        """
        ...

    def calling(self, scope: Scope, reader: str) -> dict[str, tuple[str, str]]:
        """Path → digest and `FileCalls.names` of every file whose current content this reader has analysed
        for calls.
        """
        ...

    def calls(
        self, scope: Scope, reader: str, paths: Sequence[str]
    ) -> dict[str, tuple[str, tuple[Any, ...]]]:
        """Path → digest and `FileCalls.facts` of those of these files whose current content this reader
        has analysed for calls.
        """
        ...

    def readings(self, scope: Scope, reader: str) -> list[KeptReading]:
        """A reader's cached results for files whose content is unchanged."""
        ...

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """The chunks with these ids, in this order; skips unknown ids."""
        ...

    def holding(self, scope: Scope, ids: Sequence[str]) -> list[SourceFile]:
        """The files of any checkout with these chunks, one per content."""
        ...

    def checkouts(self, scope: Scope) -> list[IndexedCheckout]:
        """The indexed checkouts of the project, the one indexed last at the end."""
        ...
