"""Files as they are on disk now, with their facts from the last scan."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path

from tree_sitter import Node

from contextd_code.index.analyse import analyse, parse
from contextd_code.index.languages.language import Language, parsed
from contextd_code.index.resolve import Resolver
from contextd_code.tree.content import content_digest, decode, is_binary
from contextd_code.tree.paths import read_inside, relative_inside
from contextd_code.tree.walk import walk
from contextd_code.values.code_index import CodeIndex
from contextd_code.values.source import NOT_UNDERSTOOD, Import, SourceFile
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file's text, its UTF-8 bytes, and the facts extracted from exactly this content."""

    file: SourceFile
    text: str
    data: bytes
    changed: bool

    @property
    def unparsed(self) -> bool:
        """Whether the parser exceeded its limits on this file."""
        return self.file.error in NOT_UNDERSTOOD


@dataclass(slots=True)
class Sources:
    """The files of a project, each read once and cached during a query."""

    root: Path
    files: CodeIndex
    _stored: dict[str, SourceFile | None] = field(default_factory=dict)
    _current: dict[str, SourceText] = field(default_factory=dict)
    _trees: dict[str, Node] = field(default_factory=dict)
    _resolver: Resolver | None = None

    def tree(self, source: SourceText, language: Language) -> Node:
        """The root of the syntax tree of a file."""
        known = self._trees.get(source.file.path)
        if known is None:
            known = self._trees[source.file.path] = parsed(language, source.data).root_node
        return known

    def lookup(self, path: str) -> SourceFile | None:
        """The facts of a file, from its current content if that is newer than the scan."""
        if path in self._current:
            return self._current[path].file
        if path not in self._stored:
            self._stored[path] = next(iter(self.files.get([path])), None)
        return self._stored[path]

    def current(self, path: str) -> SourceText:
        """The current file, analysed again if it changed since the scan.

        Raises as `paths.inside` does, and `Invalid` for a binary file.
        """
        if path in self._current:
            return self._current[path]
        try:
            relative = relative_inside(self.root, path)
        except NotFound:
            # Only now are the names needed that it may be a misspelling of.
            relative = relative_inside(self.root, path, tuple(self.files.stamps()))
        data = read_inside(self.root, relative)
        if is_binary(data):
            raise Invalid(f"{relative!r} is a binary file", "only text can be read")
        text = decode(data)
        stored = self.lookup(relative)
        changed = stored is None or stored.digest != content_digest(data)
        file = self._analysed(relative, data, text, stored) if changed or not stored else stored
        source = SourceText(
            file, text, text.encode("utf-8", "replace"), changed and stored is not None
        )
        self._current[relative] = source
        return source

    def _analysed(self, path: str, data: bytes, text: str, stored: SourceFile | None) -> SourceFile:
        defect = stored.error if stored is not None and stored.error in NOT_UNDERSTOOD else ""
        file = analyse(path, data, len(data), 0, defect=defect)
        if not file.symbols and file.error and file.error not in ("syntax errors", defect):
            # Not in the index, but requested explicitly, so an outline is worth the
            # time.
            found = parse(path, text).outline if len(data) < 2_000_000 else None
            if found is not None:
                file = replace(file, symbols=found.symbols, imports=found.imports)
        targets: dict[tuple[str, tuple[tuple[str, str], ...]], list[Import]] = {}
        for one in stored.imports if stored is not None else ():
            targets.setdefault((one.specifier, one.names), []).append(one)
        known = all((one.specifier, one.names) in targets for one in file.imports)
        if known:
            # The imports did not change, so their targets are known.
            linked = tuple(
                replace(one, target=targets[one.specifier, one.names][0].target)
                for one in file.imports
            )
        else:
            linked = self._resolve(path, file)
        return replace(file, imports=linked)

    def _resolve(self, path: str, file: SourceFile) -> tuple[Import, ...]:
        if self._resolver is None:
            paths = list(self.files.stamps())
            if not paths:
                paths = [walked.path for walked in walk(self.root).files]
            self._resolver = Resolver(self.root, paths)
        return self._resolver.resolve(path, file.language, file.imports)
