"""A code index in memory, for programs without a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contextd_code.index.scan import ScanReport
from contextd_code.values.definition_queries import Defining, Naming, folded_names
from contextd_code.values.imports import Importing, has_wordless, import_words
from contextd_code.values.source import FileChanges, FileWeight, Import, KeptReading, SourceFile


class MemoryIndex:
    """A `CodeIndex` of one directory. Keeps what a scan found, without the texts of files."""

    owner = ""

    def __init__(self) -> None:
        self._files: dict[str, SourceFile] = {}
        self._written: dict[str, int] = {}
        self._version = 0
        self._removed_at = 0
        self._weights: dict[str, FileWeight] = {}
        self._weighed = 0

    def take(self, report: ScanReport) -> None:
        """Put and remove what a scan found."""
        self._version += 1
        for file in report.changed:
            self._files[file.path] = replace(file, chunks=())
            self._written[file.path] = self._version
        for path in report.removed:
            self._removed_at = self._version
            self._files.pop(path, None)
            self._written.pop(path, None)
        for one in report.stamps:
            file = self._files[one.path]
            self._files[one.path] = replace(file, size=one.size, mtime_ns=one.mtime_ns)

    def weigh(self, weights: Sequence[FileWeight]) -> None:
        """Replace the weights of the files."""
        self._weights = {one.path: one for one in weights}
        self._weighed = self._version

    def get(self, paths: Sequence[str]) -> list[SourceFile]:
        """As `CodeIndex.get`."""
        return [self._files[path] for path in paths if path in self._files]

    def all(self, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """As `CodeIndex.all`."""
        wanted = self._files if paths is None else self._files.keys() & set(paths)
        return [self._files[path] for path in sorted(wanted)]

    def linked(self, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """As `CodeIndex.linked`."""
        return [file for file in self.all(paths) if file.symbols or file.imports or file.exports]

    def linking(self) -> list[str]:
        """As `CodeIndex.linking`."""
        return [file.path for file in self.linked()]

    def imports(self, paths: Sequence[str]) -> list[tuple[str, str, tuple[Import, ...]]]:
        """As `CodeIndex.imports`."""
        return [(file.path, file.language, file.imports) for file in self.all(paths)]

    def importing(self, asked: Importing) -> set[str]:
        """As `CodeIndex.importing`."""
        return {file.path for file in self.all() if file.imports and _imports(file, asked)}

    def defining(self, asked: Defining) -> list[tuple[str, float]]:
        """As `CodeIndex.defining`."""
        found = [file.path for file in self.all() if asked.is_of(file)]
        known = self._weights
        return [(path, known[path].top if path in known else 0.0) for path in found]

    def naming(self, asked: Naming) -> set[str]:
        """As `CodeIndex.naming`."""
        return {file.path for file in self.all() if asked.is_of(file)}

    def names(self, prefix: str, limit: int) -> list[str]:
        """As `CodeIndex.names`."""
        names = {name for file in self._files.values() for name in folded_names(file)}
        return sorted(name for name in names if name.startswith(prefix))[:limit]

    def weights(self, paths: Sequence[str]) -> dict[str, FileWeight]:
        """As `CodeIndex.weights`."""
        return {path: self._weights[path] for path in paths if path in self._weights}

    def weighed(self) -> int:
        """As `CodeIndex.weighed`."""
        return self._weighed

    def stamps(self, paths: Sequence[str] | None = None) -> dict[str, tuple[int, int, str]]:
        """As `CodeIndex.stamps`."""
        return {one.path: (one.size, one.mtime_ns, one.digest) for one in self.all(paths)}

    def changes(self, since: int) -> FileChanges:
        """As `CodeIndex.changes`."""
        put = tuple(sorted(path for path, at in self._written.items() if at > since))
        return FileChanges(self._version, put, self._removed_at > since)

    def count(self) -> int:
        """As `CodeIndex.count`."""
        return len(self._files)

    def errors(self) -> list[tuple[str, str]]:
        """As `CodeIndex.errors`."""
        return [(file.path, file.error) for file in self.all() if file.error]

    def calling(self, reader: str) -> dict[str, tuple[str, str]]:
        """As `CodeIndex.calling`: empty, as the call graph keeps the facts itself."""
        return {}

    def calls(self, reader: str, paths: Sequence[str]) -> dict[str, tuple[str, tuple[Any, ...]]]:
        """As `CodeIndex.calls`: empty, as the call graph keeps the facts itself."""
        return {}

    def readings(self, reader: str) -> list[KeptReading]:
        """As `CodeIndex.readings`: empty, they are made again."""
        return []


def _imports(file: SourceFile, asked: Importing) -> bool:
    if asked.wordless and has_wordless(file.imports):
        return True
    if not asked.words.isdisjoint(import_words(file.imports)):
        return True
    if any(one.target in asked.targets for one in file.imports):
        return True
    folder = file.path.rpartition("/")[0]
    return folder in asked.folders or any(
        not below or f"{folder}/".startswith(f"{below}/") for below in asked.below
    )
