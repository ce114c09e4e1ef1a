"""The files that work touches, and whether a rule applies to one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from contextd.domain.applies_to import ON_REQUEST, applies_to
from contextd.domain.records import Record
from contextd.policies.globs import matches, say_something_of
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

_READ, _MOST_PATHS = 8_000, 64
"""Characters of a text that are searched for paths, and paths of one text: a hook has a time limit."""

_TOKEN = re.compile(r"[^\s\"'`<>()|;,:=]+")
_QUOTED_NAME = re.compile(r"`([\w.-]+)`")
_NAMED = re.compile(r"[\w@+.-]*\.[A-Za-z]\w{0,9}")
"""A name with an ending, such as `main.go`."""

_PRODUCTS = frozenset(
    """node.js vue.js next.js nuxt.js react.js express.js three.js d3.js chart.js ember.js backbone.js angular.js
    solid.js alpine.js discord.js moment.js socket.io asp.net vb.net docs.rs""".split()
)
"""Names of products and pages that look like files, in lower case."""

_MOST_INDEXED = 50_000
"""Files of an index in which a file named without its folder is looked up; more would delay a prompt."""


@dataclass(frozen=True, slots=True)
class TouchedPaths:
    """Files and folders that work touches, relative to the project's root."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.folders)

    def and_also(self, other: TouchedPaths) -> TouchedPaths:
        """What either touches."""
        return TouchedPaths((*self.files, *other.files), (*self.folders, *other.folders))


NOTHING = TouchedPaths()


def applies(record: Record, touched: TouchedPaths) -> bool:
    """Whether a record applies to work that touches these files; one for every file always does."""
    globs = applies_to(record.data)
    return not globs or touches(globs, touched)


def is_beside(record: Record, touched: TouchedPaths) -> bool:
    """Whether a record is for other files than those that work is known to touch."""
    globs = applies_to(record.data)
    return bool(globs and touched) and globs != ON_REQUEST and not touches(globs, touched)


def touches(globs: Sequence[str], touched: TouchedPaths) -> bool:
    """Whether globs match one of the files, or name one of the folders."""
    return any(matches(globs, path) for path in touched.files) or any(
        say_something_of(globs, folder) for folder in touched.folders
    )


def touched_by_text(runtime: Runtime, text: str, *, folders: bool = True) -> TouchedPaths:
    """The files and, with `folders`, the folders that a text names."""
    files: dict[str, None] = {}
    named: dict[str, None] = {}
    for path, is_folder in _paths_in(runtime, text[:_READ]):
        if len(files) + len(named) >= _MOST_PATHS:
            break
        if not is_folder:
            files[path] = None
        if "/" in path or is_folder:
            named[path] = None
    return TouchedPaths(tuple(files), tuple(named) if folders else ())


def with_indexed(runtime: Runtime, touched: TouchedPaths) -> TouchedPaths:
    """The same with the files of the index that are meant: a prompt names a file without its folder."""
    found = _indexed(runtime, touched.files)
    return TouchedPaths(tuple(dict.fromkeys((*touched.files, *found))), touched.folders)


def touched_by_call(runtime: Runtime, files: Sequence[str], command: str = "") -> TouchedPaths:
    """The files in the project that a tool call names: these, and those in its command."""
    inside = (_inside(runtime, path) for path in files[:_MOST_PATHS])
    named = TouchedPaths(tuple(dict.fromkeys(path for path in inside if path)))
    return named.and_also(touched_by_text(runtime, command, folders=False)) if command else named


def _paths_in(runtime: Runtime, text: str) -> Iterator[tuple[str, bool]]:
    """Paths in a text, relative to the root, and whether each is certainly a folder."""
    for match in _TOKEN.finditer(text):
        token = match.group().replace("\\", "/").rstrip(".!?*").lstrip("@*")
        if token.startswith("//") or token.casefold() in _PRODUCTS:
            continue
        if not ("/" in token or _NAMED.fullmatch(token)):
            continue
        path = _inside(runtime, token)
        if path:
            yield path.rstrip("/"), path.endswith("/")
    for match in _QUOTED_NAME.finditer(text):
        name = match.group(1)
        if not _NAMED.fullmatch(name) and _is_folder(runtime, name):
            yield name, True


def _inside(runtime: Runtime, path: str) -> str:
    """A path relative to the root; empty outside it."""
    plain = path.replace("\\", "/").removeprefix("./")
    if runtime.checkout is None or not plain.startswith("/"):
        return "" if plain.startswith(("/", "~", "../")) else plain
    roots = {str(runtime.root), str(runtime.root.resolve())}
    return next((plain[len(one) + 1 :] for one in roots if plain.startswith(f"{one}/")), "")


def _is_folder(runtime: Runtime, name: str) -> bool:
    if runtime.checkout is None or name in (".", ".."):
        return False
    return Path(runtime.root, name).is_dir()


def _indexed(runtime: Runtime, paths: Sequence[str]) -> Iterator[str]:
    if not paths or runtime.project is None or runtime.view.files is None:
        return
    index = runtime.view.files.of(runtime.scope)
    if index.count() > _MOST_INDEXED:
        return
    endings = tuple(f"/{path}" for path in paths)
    yield from [path for path in index.stamps() if path.endswith(endings)][:_MOST_PATHS]
