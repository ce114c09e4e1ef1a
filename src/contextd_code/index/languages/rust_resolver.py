"""Resolve Rust paths to files of the project."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import field, replace

from contextd_code.index.languages import rust_paths
from contextd_code.index.languages.cargo import MANIFEST, Package, packages
from contextd_code.index.languages.language import ImportReach, Read, made_of, reader_of
from contextd_code.index.languages.rust_paths import (
    Segments,
    leaves,
    seen_from_file,
    statements,
)
from contextd_code.values.imports import said_words
from contextd_code.values.source import Import
from contextd_common.dataclass import dataclass

SETTINGS = (MANIFEST,)
_MODULE = re.compile(r'mod ([\w:]+)(?: "([^"]+)")?\Z')
_DEEPEST = 12
"""The most re-exports followed for a path."""


_Statement = tuple[str, Segments, str, tuple[str, ...], list[tuple[Segments, str]]]


def _statements_of(text: str) -> list[_Statement]:
    """The fields of the statements of a file, each with the names it binds."""
    return [
        (s.kind, s.nest, s.text, s.places, list(leaves(s.text)) if s.kind == "use" else [])
        for s in statements(text)
    ]


@dataclass(slots=True)
class _Module:
    """A module of a crate.

    `own` is the path of its file's outermost module: longer paths in the same file are inline
    modules. `uses` are the names it binds, `open` the paths of its globs.
    """

    file: str
    own: Segments
    uses: dict[str, Segments] = field(default_factory=dict)
    open: list[Segments] = field(default_factory=list)


@dataclass(slots=True)
class _Crate:
    """The tree of modules below one root file."""

    root: str
    package: Package | None
    modules: dict[Segments, _Module] = field(default_factory=dict)


Place = tuple[_Crate, Segments]
Reached = tuple[_Crate, Segments, Segments]


def reach(path: str) -> ImportReach | None:
    """See `Language.reach`."""
    return None if path.endswith(".rs") else ImportReach()


class RustResolver:
    """Follows `mod`, `#[path]`, `use` and paths through the modules of every crate, and between
    crates by the names in `Cargo.toml`.

    Re-exported modules are followed. An import of a re-exported item leads to the file that
    re-exports it.
    """

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self._paths = paths if isinstance(paths, Set) else frozenset(paths)
        self._read = read
        self._places: dict[str, list[Place]] = {}
        self._called: dict[str, set[str]] = {}
        self._crates: dict[str, _Crate] = {}
        self._passed_on: dict[tuple[str, Segments, str], Place | None] = {}
        found = packages(self._paths, read)
        self._libraries = frozenset(package.library for package in found)
        for package in found:
            for root in (package.library, *package.roots):
                if root and root not in self._crates:
                    self._grow(root, package)
        for path in sorted(self._paths):
            # A crate without a manifest is still a crate.
            named = posixpath.basename(path) in ("lib.rs", "main.rs")
            if named and path not in self._places:
                self._grow(path, None)

    def _grow(self, root: str, package: Package | None) -> None:
        crate = self._crates[root] = _Crate(root, package)
        waiting: list[tuple[Segments, str, str]] = [((), root, posixpath.dirname(root))]
        while waiting:
            at, file, folder = waiting.pop()
            if at in crate.modules or any(c is crate for c, _ in self._places.get(file, ())):
                continue
            crate.modules[at] = _Module(file, at)
            self._places.setdefault(file, []).append((crate, at))
            waiting += self._statements(crate, at, file, folder)

    def _statements(
        self, crate: _Crate, at: Segments, file: str, folder: str
    ) -> Iterator[tuple[Segments, str, str]]:
        """Add the modules of a file; yield (path, file, folder of its own modules) for those in
        other files.
        """
        try:
            reader = reader_of(__file__, rust_paths.__file__)
            statements_made = made_of(self._read, file, _statements_of, reader=reader)
        except OSError:
            return
        for kind, nest, text, places, bound in statements_made:
            here = (*at, *nest)
            module = crate.modules.get(here)
            if kind == "inline":
                crate.modules.setdefault((*here, text), _Module(file, at))
            elif kind == "file":
                for target, inner in self._files(file, folder, nest, text, places):
                    yield (*here, text), target, inner
            elif module is not None:
                for path, local in bound:
                    path = seen_from_file(path, nest)
                    if path[-1] == "*":
                        module.open.append(path[:-1])
                    else:
                        module.uses.setdefault(local, path)

    def _files(
        self, file: str, folder: str, nest: Segments, name: str, places: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        """The possible files of a `mod name;` in `file`, each with the folder of its own modules."""
        for place in places:
            start = posixpath.join(folder, *nest) if nest else posixpath.dirname(file)
            target = posixpath.normpath(posixpath.join(start, place))
            self._called.setdefault(target, set()).add(name)
            if target in self._paths:
                yield target, posixpath.dirname(target)
        inner = posixpath.join(folder, *nest, name)
        for target in (f"{inner}.rs", f"{inner}/mod.rs") if not places else ():
            if target in self._paths:
                yield target, inner
                return

    def reach(self, path: str) -> ImportReach:
        """See `ReachingResolver.reach`: a module, which `#[path]` may name differently than its
        file, determines its submodules; a library's root determines what other crates see.
        """
        folder, name = posixpath.split(path)
        stem = posixpath.basename(folder) if name == "mod.rs" else name.removesuffix(".rs")
        root = name == "lib.rs" or path in self._libraries
        names = " ".join((stem, *self._called.get(path, ())))
        return ImportReach(frozenset(said_words(names)), below=True, everywhere=root)

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        others = came | went | changed
        return not any(path.endswith((".rs", MANIFEST)) or path in self._called for path in others)

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with their targets. Idempotent."""
        places = self._places.get(path) or [self._alone(path)]
        found: dict[tuple[str, int, str], dict[tuple[str, str], None]] = {}
        for one in imports:
            for new in self._module_file(path, places, one) or self._paths_of(path, places, one):
                key = new.specifier, new.line, new.target
                found.setdefault(key, {}).update(dict.fromkeys(new.names))
        return tuple(
            Import(specifier=specifier, line=line, target=target, names=tuple(names))
            for (specifier, line, target), names in found.items()
        )

    def _alone(self, path: str) -> Place:
        """A module for a file that no crate reaches, so that its submodules can be found."""
        folder = posixpath.dirname(path)
        stem = posixpath.basename(path).removesuffix(".rs")
        beside = stem in ("mod", "lib", "main")
        for crate in self._crates.values():
            around = posixpath.dirname(crate.root)
            if not around or folder == around or folder.startswith(around + "/"):
                inner = tuple(filter(None, folder[len(around) :].split("/")))
                at = inner if beside else (*inner, stem)
                crate.modules.setdefault(at, _Module(path, at))
                self._places[path] = [(crate, at)]
                list(self._statements(crate, at, path, folder if beside else f"{folder}/{stem}"))
                return crate, at
        crate = _Crate(path, None, {(): _Module(path, ())})
        self._places[path] = [(crate, ())]
        return crate, ()

    def _module_file(self, path: str, places: Sequence[Place], one: Import) -> list[Import]:
        match = _MODULE.match(one.specifier)
        if match is None:
            return []
        names, place = tuple(match[1].split("::")), match[2]
        for crate, at in places:
            module = crate.modules.get((*at, *names))
            if module is not None and module.file != path and not place:
                return [replace(one, target=module.file)]
        folder = posixpath.dirname(path)
        stem = posixpath.basename(path).removesuffix(".rs")
        roots = {crate.root for crate, _ in places}
        if path not in roots and stem != "mod":
            folder = posixpath.join(folder, stem)
        chosen = (place,) if place else ()
        for target, _ in self._files(path, folder, names[:-1], names[-1], chosen):
            return [replace(one, target=target)]
        return [replace(one, target="")]

    def _paths_of(self, path: str, places: Sequence[Place], one: Import) -> list[Import]:
        start = tuple(one.specifier.split("::"))
        found: list[Import] = []
        for name, local in one.names:
            whole = name == "*"
            inner = () if whole else tuple(name.split(".")[-1:])
            new = None
            for place in places:
                new = self._one(place, start, inner, local, one)
                if new is not None and new.target != path:
                    break
            lost = new is None or new.target == path
            found.append(
                replace(one, target="", names=((name, local),)) if lost or not new else new
            )
        return found or [replace(one, target="")]

    def _one(
        self, place: Place, start: Segments, inner: Segments, local: str, one: Import
    ) -> Import | None:
        """The import of one path: of a whole module, or of an item that a module has."""
        reached = self._reach(place, (*start, *inner), 0)
        if reached is None:
            return None
        crate, at, rest = reached
        module = crate.modules[at]
        if not rest:
            names = (("*", local),) if local else ()
            specifier = "::".join((*start, *inner))
            return replace(one, specifier=specifier, target=module.file, names=names)
        around = at[len(module.own) :]
        return replace(one, target=module.file, names=((".".join((*around, rest[0])), local),))

    def _reach(self, place: Place, path: Segments, depth: int) -> Reached | None:
        """The deepest module on a path, and the rest of the path."""
        crate, at = place
        first = path[0]
        if first == "crate":
            return self._descend(crate, (), path[1:], depth)
        if first in ("self", "super"):
            while path and path[0] in ("self", "super"):
                if path[0] == "super" and not at:
                    return None
                at = at[:-1] if path[0] == "super" else at
                path = path[1:]
            return self._descend(crate, at, path, depth) if at in crate.modules else None
        if (*at, first) in crate.modules:
            return self._descend(crate, at, path, depth)
        module = crate.modules.get(at)
        bound = module.uses.get(first) if module is not None else None
        if bound is not None and bound[0] != first and depth < _DEEPEST:
            return self._reach(_seen(crate, at, bound), (*bound, *path[1:]), depth + 1)
        library = crate.package.crates.get(first, "") if crate.package is not None else ""
        other = self._crates.get(library)
        if other is not None:
            return self._descend(other, (), path[1:], depth)
        old = crate.package is not None and crate.package.old_paths
        if old and ((first,) in crate.modules or len(path) == 1):
            return self._descend(crate, (), path, depth)
        return None

    def _descend(self, crate: _Crate, at: Segments, rest: Segments, depth: int) -> Reached | None:
        while rest:
            if (*at, rest[0]) in crate.modules:
                at = (*at, rest[0])
            else:
                onward = self._passed(crate, at, rest[0], depth)
                if onward is None:
                    break
                crate, at = onward
            rest = rest[1:]
        return (crate, at, rest) if at in crate.modules else None

    def _passed(self, crate: _Crate, at: Segments, name: str, depth: int) -> Place | None:
        """The module that a module re-exports under a name.

        Items are not followed: an import of one leads to the file that re-exports it.
        """
        key = crate.root, at, name
        module = crate.modules.get(at)
        if key in self._passed_on or module is None or depth >= _DEEPEST:
            return self._passed_on.get(key)
        self._passed_on[key] = None
        known = [module.uses[name]] if name in module.uses else []
        for path in [*known, *((*path, name) for path in module.open)]:
            found = self._reach(_seen(crate, at, path), path, depth + 1)
            if found is not None and not found[2]:
                self._passed_on[key] = found[:2]
                break
        return self._passed_on[key]


def _seen(crate: _Crate, at: Segments, path: Segments) -> Place:
    """The module relative to which a path in a `use` is resolved: `self` is the file's own module."""
    return (crate, crate.modules[at].own) if path[0] in ("self", "super") else (crate, at)
