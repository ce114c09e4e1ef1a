"""Resolve C# namespaces to files, through the types that a file uses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace

from contextd_code.index.languages.language import Read
from contextd_code.index.languages.namespaces import Namespaces, declared
from contextd_code.values.source import Import

_ATTRIBUTE = "Attribute"


def defines(text: str) -> Iterator[tuple[str, ...]]:
    """As `declared`, with attributes also under their short names."""
    for one in declared(text):
        yield one
        if one[-1].endswith(_ATTRIBUTE):
            yield (*one[:-1], one[-1].removesuffix(_ATTRIBUTE))


class CsharpResolver:
    """Resolves an import of a namespace, which spans many files.

    It becomes one import per file of the namespace that defines a type used by the importing file,
    if only one file can be meant.
    """

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self._table = Namespaces(paths, read, (".cs",))

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        self._table.follow(came, went, changed)
        return True

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with their targets. Idempotent."""
        named = [one for one in imports if any(a != b for a, b in one.names)]
        plain = [one for one in imports if one not in named]
        opened = {one.specifier: one.line for one in reversed(plain) if one.specifier}
        line = min((one.line for one in plain if not one.specifier), default=1)
        left = dict.fromkeys(name for one in plain for name, _ in one.names)
        own = [space for whole in self._table.of(path) or [""] for space in _outwards(whole)]
        found = [self._named(path, one, own) for one in named]
        with_file = set()
        # Inside `namespace A.B`, `using C` may open `A.B.C` or `A.C`.
        relative = {f"{whole}.{one}": one for one in opened for whole in own if whole}
        for space in dict.fromkeys([*own, *reversed(opened), *relative, *self._table.opened]):
            known = space in opened or space in own
            written = space if known else relative.get(space, space)
            for target, names in self._taken(space, left).items():
                with_file.add(written)
                if target != path:
                    using = opened.get(written)
                    found.append(
                        Import(
                            specifier="" if using is None else written,
                            line=line if using is None else using,
                            target=target,
                            names=tuple((name, name) for name in sorted(names)),
                        )
                    )
        found += [
            Import(specifier=space, line=at)
            for space, at in opened.items()
            if space not in with_file
        ]
        if left:
            found.append(Import(specifier="", line=line, names=tuple((n, n) for n in sorted(left))))
        return tuple(sorted(found, key=lambda one: (one.line, one.specifier, one.target)))

    def _taken(self, space: str, left: dict[str, None]) -> dict[str, list[str]]:
        """The names in `left` that a namespace defines, by file. Removes them from `left`, also those that several
        files define: an outer namespace does not get them.
        """
        by_file: dict[str, list[str]] = {}
        for name in tuple(left):
            inner, _, last = f"{space}.{name}".strip(".").rpartition(".")
            # `[Route]` may name the type `RouteAttribute`.
            target = self._table.file(inner, last) or self._table.file(inner, last + _ATTRIBUTE)
            if target:
                by_file.setdefault(target, []).append(name)
            if target or self._table.defines(inner, last):
                del left[name]
        return by_file

    def _named(self, path: str, one: Import, own: Sequence[str]) -> Import:
        """An alias, or a static import of a type; a name inside one of the file's own namespaces comes first."""
        inside = (f"{space}.{one.specifier}".strip(".").rpartition(".") for space in own)
        near = next(
            (file for space, _, name in inside if (file := self._table.file(space, name))), ""
        )
        target = near or self._table.qualified(one.specifier)[0]
        return replace(one, target=target if target != path else "")


def _outwards(space: str) -> Iterator[str]:
    """A namespace, its parents, and the global one."""
    while space:
        yield space
        space = space.rpartition(".")[0]
    yield ""
