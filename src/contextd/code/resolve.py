"""Where imports lead, whatever the language."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from contextd.code.content import decode
from contextd.code.languages.language import Resolver as LanguageResolver
from contextd.code.languages.table import BY_NAME
from contextd.code.paths import read_inside
from contextd.domain.code import Import
from contextd.domain.errors import ContextdError

_LARGEST_SETTING = 2_000_000


class Resolver:
    """Resolves imports among `paths`, the walked files of `root`. A family of languages is only
    set up when a file of it is asked for.
    """

    def __init__(self, root: Path, paths: Collection[str]) -> None:
        self._root = root
        self._paths = frozenset(paths)
        self._by_family: dict[str, LanguageResolver] = {}

    def resolve(self, path: str, language: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports of the file `path` with their targets, empty outside the project."""
        row = BY_NAME.get(language)
        if row is None or not imports:
            return tuple(imports)
        resolver = self._by_family.get(row.family)
        if resolver is None:
            resolver = self._by_family[row.family] = row.resolver(self._paths, self._read)
        return resolver.resolve(path, imports)

    def _read(self, path: str) -> str:
        try:
            return decode(read_inside(self._root, path, limit=_LARGEST_SETTING))
        except ContextdError as error:
            raise OSError(error.message) from None
