"""Resolve Ruby's `require` and constants to files of the project."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace

from contextd_code.index.languages.language import Read
from contextd_code.values.source import Import

_ENDINGS = (".rb", ".rake", ".gemspec")
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class RubyResolver:
    """Resolves `require` through the load path, and constants by Zeitwerk's rules.

    The load path is `lib/` of the project and of each gem in it, `app/`, `test/` and `spec/`.
    `Admin::UserList` is `admin/user_list.rb` below a folder of `app/`, its `concerns/`, or `lib/`.
    """

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self._files = {p for p in paths if p.endswith(_ENDINGS)}
        loads: set[str] = {""}
        homes: set[str] = set()
        for folder in {posixpath.dirname(path) for path in self._files}:
            for places, found in zip((loads, homes), _places(folder), strict=True):
                places |= found
        self._loads = sorted(loads, key=lambda folder: (folder.count("/"), folder))
        self._homes = sorted(homes, key=lambda folder: (-len(folder), folder))

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        new = {path for path in came if path.endswith(_ENDINGS)}
        for path in new:
            loads, homes = _places(posixpath.dirname(path))
            if not (loads.issubset(self._loads) and homes.issubset(self._homes)):
                return False
        # A folder without files counts as missing.
        self._files -= went
        self._files |= new
        return True

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with their targets."""
        return tuple(self._resolve(path, one) for one in imports)

    def _resolve(self, path: str, one: Import) -> Import:
        specifier = one.specifier
        if specifier.startswith("."):
            found = self._spelled(
                posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))
            )
        elif one.names and one.names[0][0] != "*":
            found = self._constant(path, specifier)
        else:
            found = next(
                (
                    f
                    for folder in self._near(path)
                    if (f := self._spelled(_join(folder, specifier)))
                ),
                "",
            )
        return replace(one, target=found if found != path else "")

    def _spelled(self, path: str) -> str:
        return next((p for p in (f"{path}.rb", path) if p in self._files), "")

    def _near(self, path: str) -> Iterator[str]:
        """The load path, the folders of the part of the project around `path` first."""
        yield from sorted(self._loads, key=lambda folder: not _inside(path, folder))

    def _constant(self, path: str, name: str) -> str:
        whole = name.startswith("::")
        parts = name.lstrip(":").split("::")
        if "_" in parts[-1] and parts[-1].isupper():
            # `CONTENT_TYPE` is a value; the file `content_type.rb` defines `ContentType`.
            parts.pop()
        if not parts:
            return ""
        wanted = "/".join(map(_snake, parts))
        for around in [""] if whole else self._nesting(path):
            choice = _join(around, wanted) + ".rb"
            found = {f for home in self._homes if (f := _join(home, choice)) in self._files}
            own = {f for f in found if self._part(f) == self._part(path)}
            found = own or found
            if found:
                return found.pop() if len(found) == 1 else ""
        return ""

    def _nesting(self, path: str) -> list[str]:
        """The namespaces around the constants of a file, innermost first, according to its path."""
        home = next((h for h in self._homes if path.startswith(h + "/")), None)
        if home is None:
            return [""]
        inner = path[len(home) + 1 :].removesuffix(".rb")
        found = []
        while inner:
            found.append(inner)
            inner = posixpath.dirname(inner)
        return [*found, ""]

    def _part(self, path: str) -> str:
        """The folder with the `app/` or `lib/` of a file: an engine, a gem, the project."""
        return re.split(r"(?:^|/)(?:app|lib|spec|test)/", path, maxsplit=1)[0]


def _places(folder: str) -> tuple[set[str], set[str]]:
    """The folders inside and around this one that `require` searches, and those with constants."""
    loads: set[str] = set()
    homes: set[str] = set()
    parts = folder.split("/")
    for i, part in enumerate(parts):
        here = "/".join(parts[: i + 1])
        if part in ("lib", "spec", "test", "app"):
            loads.add(here)
        if part == "lib":
            homes.add(here)
        if part == "app" and i + 1 < len(parts):
            homes.add("/".join(parts[: i + 2]))
            if "concerns" in parts[i + 2 :]:
                homes.add("/".join(parts[: i + 2]) + "/concerns")
    return loads, homes


def _inside(path: str, folder: str) -> bool:
    around = posixpath.dirname(folder)
    return not around or path.startswith(around + "/")


def _join(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder else path


def _snake(name: str) -> str:
    return _HUMP.sub("_", name).lower()
