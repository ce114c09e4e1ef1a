"""The code index of one project, as the code package reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.domain.scope import Scope
from contextd.ports.code import Files
from contextd_code.dataclass import dataclass
from contextd_code.values.definition_queries import Defining, Naming
from contextd_code.values.imports import Importing
from contextd_code.values.source import FileChanges, FileWeight, Import, KeptReading, SourceFile


@dataclass(frozen=True, slots=True)
class ProjectIndex:
    """A `CodeIndex` over what a store has of one project."""

    files: Files
    scope: Scope

    @property
    def owner(self) -> str:
        """The project."""
        return str(self.scope)

    def get(self, paths: Sequence[str]) -> list[SourceFile]:
        """As `CodeIndex.get`."""
        return self.files.get(self.scope, paths)

    def all(self, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """As `CodeIndex.all`."""
        return self.files.all(self.scope, paths)

    def linked(self, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """As `CodeIndex.linked`."""
        return self.files.linked(self.scope, paths)

    def linking(self) -> list[str]:
        """As `CodeIndex.linking`."""
        return self.files.linking(self.scope)

    def imports(self, paths: Sequence[str]) -> list[tuple[str, str, tuple[Import, ...]]]:
        """As `CodeIndex.imports`."""
        return self.files.imports(self.scope, paths)

    def importing(self, asked: Importing) -> set[str]:
        """As `CodeIndex.importing`."""
        return self.files.importing(self.scope, asked)

    def defining(self, asked: Defining) -> list[tuple[str, float]]:
        """As `CodeIndex.defining`."""
        return self.files.defining(self.scope, asked)

    def naming(self, asked: Naming) -> set[str]:
        """As `CodeIndex.naming`."""
        return self.files.naming(self.scope, asked)

    def names(self, prefix: str, limit: int) -> list[str]:
        """As `CodeIndex.names`."""
        return self.files.names(self.scope, prefix, limit)

    def weights(self, paths: Sequence[str]) -> dict[str, FileWeight]:
        """As `CodeIndex.weights`."""
        return self.files.weights(self.scope, paths)

    def weighed(self) -> int:
        """As `CodeIndex.weighed`."""
        return self.files.weighed(self.scope)

    def stamps(self, paths: Sequence[str] | None = None) -> dict[str, tuple[int, int, str]]:
        """As `CodeIndex.stamps`."""
        return self.files.stamps(self.scope, paths)

    def changes(self, since: int) -> FileChanges:
        """As `CodeIndex.changes`."""
        return self.files.changes(self.scope, since)

    def count(self) -> int:
        """As `CodeIndex.count`."""
        return self.files.count(self.scope)

    def errors(self) -> list[tuple[str, str]]:
        """As `CodeIndex.errors`."""
        return self.files.errors(self.scope)

    def calling(self, reader: str) -> dict[str, tuple[str, str]]:
        """As `CodeIndex.calling`."""
        return self.files.calling(self.scope, reader)

    def calls(self, reader: str, paths: Sequence[str]) -> dict[str, tuple[str, tuple[Any, ...]]]:
        """As `CodeIndex.calls`."""
        return self.files.calls(self.scope, reader, paths)

    def readings(self, reader: str) -> list[KeptReading]:
        """As `CodeIndex.readings`."""
        return self.files.readings(self.scope, reader)
