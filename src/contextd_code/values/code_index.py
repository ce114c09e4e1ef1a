"""What the code package needs of an index: reading what a scan found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from contextd_code.values.definition_queries import Defining, Naming
from contextd_code.values.imports import Importing
from contextd_code.values.source import FileChanges, FileWeight, Import, KeptReading, SourceFile


class CodeIndex(Protocol):
    """The files of one checkout, as a scan found them."""

    @property
    def owner(self) -> str:
        """A prefix of the ids of its chunks, so that equal files of two owners have different ones."""
        ...

    def get(self, paths: Sequence[str]) -> list[SourceFile]:
        """The files with these paths, in this order; skips unknown paths."""
        ...

    def all(self, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """Every file by path, without chunk texts; only `paths` if given."""
        ...

    def linked(self, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """Every file that defines, imports or re-exports something, by path, without
        chunks. Costs half of `all`, less if most files are data. Only `paths` if given.
        """
        ...

    def linking(self) -> list[str]:
        """The paths that `linked` returns."""
        ...

    def imports(self, paths: Sequence[str]) -> list[tuple[str, str, tuple[Import, ...]]]:
        """The path, language and imports of these files, by path, cheaper than `all`; skips unknown paths."""
        ...

    def importing(self, asked: Importing) -> set[str]:
        """The paths of files selected by their imports, possibly with false positives, but never a file
        that has no imports and none of the words. Cost is proportional to the result.
        """
        ...

    def defining(self, asked: Defining) -> list[tuple[str, float]]:
        """The path and `FileWeight.top` of files selected by their definitions, possibly with false
        positives. Cost is proportional to the result.
        """
        ...

    def naming(self, asked: Naming) -> set[str]:
        """The paths of files selected by what they may use, possibly with false positives. Cost is
        proportional to the result.
        """
        ...

    def names(self, prefix: str, limit: int) -> list[str]:
        """Definition names with this prefix, case-folded, in order, at most `limit`; may include deleted
        ones and those of other checkouts.
        """
        ...

    def weights(self, paths: Sequence[str]) -> dict[str, FileWeight]:
        """The stored importance of these files; skips files without one."""
        ...

    def weighed(self) -> int:
        """The version of the files at which weights were stored; 0 if never."""
        ...

    def stamps(self, paths: Sequence[str] | None = None) -> dict[str, tuple[int, int, str]]:
        """(size, mtime_ns, digest) of all or these files, to decide what to scan again."""
        ...

    def changes(self, since: int) -> FileChanges:
        """The files written and removed since a version, 0 for all. Cost is proportional to the result."""
        ...

    def count(self) -> int:
        """The number of indexed files."""
        ...

    def errors(self) -> list[tuple[str, str]]:
        """The path and `SourceFile.error` of every file with an error, by path. Cost is proportional to
        the result.
        """
        ...

    def calling(self, reader: str) -> dict[str, tuple[str, str]]:
        """Path → digest and `FileCalls.names` of every file whose current content this reader has analysed
        for calls.
        """
        ...

    def calls(self, reader: str, paths: Sequence[str]) -> dict[str, tuple[str, tuple[Any, ...]]]:
        """Path → digest and `FileCalls.facts` of those of these files whose current content this reader
        has analysed for calls.
        """
        ...

    def readings(self, reader: str) -> list[KeptReading]:
        """A reader's cached results for files whose content is unchanged."""
        ...
