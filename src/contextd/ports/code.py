"""What contextd keeps of the code of a checkout. A store for a team has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from contextd.domain.code import (
    Chunk,
    FileChanges,
    FileWeight,
    Import,
    IndexedCheckout,
    KeptReading,
    SourceFile,
)
from contextd.domain.defining import Defining, Naming
from contextd.domain.imports import Importing
from contextd.domain.scope import Scope


class Files(Protocol):
    """The derived code model of each project: of the checkout the view stands in, and of the checkout
    indexed last where it stands in none of that project. What other checkouts have is not seen.
    """

    def get(self, scope: Scope, paths: Sequence[str]) -> list[SourceFile]:
        """What is known of these files, in this order; unknown paths are left out."""
        ...

    def all(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """Every file of the project by path, without the text of its chunks; of `paths` only, when
        they are given.
        """
        ...

    def linked(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """Every file of the project that defines, imports or passes on something, by path, without its
        chunks: half of what `all` costs, and less where most files are data. Of `paths` only, when they
        are given.
        """
        ...

    def linking(self, scope: Scope) -> list[str]:
        """The paths of what `linked` gives."""
        ...

    def imports(
        self, scope: Scope, paths: Sequence[str]
    ) -> list[tuple[str, str, tuple[Import, ...]]]:
        """The path, language and imports of these files, by path, at a part of what `all` costs; unknown
        paths are left out.
        """
        ...

    def importing(self, scope: Scope, asked: Importing) -> set[str]:
        """The paths of the files that are asked for by their imports, and perhaps of some more; none of one
        without imports that says none of the words. At the cost of what is found, not of what is known.
        """
        ...

    def defining(self, scope: Scope, asked: Defining) -> list[tuple[str, float]]:
        """The files that are asked for by what they define, and perhaps some more: path and
        `FileWeight.top`. At the cost of what is found, not of what is known.
        """
        ...

    def naming(self, scope: Scope, asked: Naming) -> set[str]:
        """The paths of the files that are asked for by what they may use, and perhaps of some more. At the
        cost of what is found.
        """
        ...

    def names(self, scope: Scope, prefix: str, limit: int) -> list[str]:
        """Names of definitions that begin so, without their case, in order, `limit` at most; perhaps some that
        are gone, or that only another checkout of the project has.
        """
        ...

    def weights(self, scope: Scope, paths: Sequence[str]) -> dict[str, FileWeight]:
        """How much these files mattered when it was last told; those of which it was not told are left out."""
        ...

    def weighed(self, scope: Scope) -> int:
        """The version of the files as of which that was; 0 when it was never told."""
        ...

    def stamps(
        self, scope: Scope, paths: Sequence[str] | None = None
    ) -> dict[str, tuple[int, int, str]]:
        """(size, mtime_ns, digest) of every file, or of these: the gate of a re-scan."""
        ...

    def changes(self, scope: Scope, since: int) -> FileChanges:
        """What was written and removed since a version, 0 for all there is, at the cost of that."""
        ...

    def count(self, scope: Scope) -> int:
        """How many files are known."""
        ...

    def errors(self, scope: Scope) -> list[tuple[str, str]]:
        """The path and `SourceFile.error` of every file that has one, by path. Costs what they are."""
        ...

    def calling(self, scope: Scope, reader: str) -> dict[str, tuple[str, str]]:
        """Path → digest and `FileCalls.names` of every file whose calls this reader read from the content
        that is known.
        """
        ...

    def calls(
        self, scope: Scope, reader: str, paths: Sequence[str]
    ) -> dict[str, tuple[str, tuple[Any, ...]]]:
        """Path → digest and `FileCalls.facts` of those of these files whose calls this reader read from
        the content that is known.
        """
        ...

    def readings(self, scope: Scope, reader: str) -> list[KeptReading]:
        """What a reader made of the files that are known with the content it made it of."""
        ...

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """The chunks with these ids, in this order; unknown ids are left out."""
        ...

    def holding(self, scope: Scope, ids: Sequence[str]) -> list[SourceFile]:
        """The files of any checkout that hold the chunks with these ids, one for each content."""
        ...

    def checkouts(self, scope: Scope) -> list[IndexedCheckout]:
        """The checkouts of the project that have an index, the one indexed last at the end."""
        ...
