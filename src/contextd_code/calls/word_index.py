"""Index of the words in files' call facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock

from contextd_code.calls.stored_facts import BASE, FIELD, MEMBER


class WordIndex:
    """The words of files, from `kept.words_in`. Successive graphs of one checkout share it, so that only
    changed files are read again.
    """

    def __init__(self) -> None:
        self._words: dict[str, tuple[str, Sequence[str]]] = {}
        self._paths: dict[str, set[str]] = {}
        # Two concurrent queries may have read the same file.
        self._writing = Lock()

    def put(self, path: str, digest: str, words: Iterable[str]) -> None:
        """Add a file's words."""
        own = tuple(words)
        with self._writing:
            if self.holds(path, digest):
                return
            self._forget(path)
            for word in own:
                self._paths.setdefault(word, set()).add(path)
            self._words[path] = digest, own

    def drop(self, path: str) -> None:
        """Remove a file."""
        with self._writing:
            self._forget(path)

    def _forget(self, path: str) -> None:
        for word in self._words.pop(path, ("", ()))[1]:
            self._paths[word].discard(path)

    def holds(self, path: str, digest: str) -> bool:
        """Whether the words of a file with this digest are known."""
        known = self._words.get(path)
        return known is not None and known[0] == digest

    def paths(self) -> list[str]:
        """The indexed files."""
        return list(self._words)

    @property
    def size(self) -> int:
        """The number of indexed files."""
        return len(self._words)

    def naming(self, name: str) -> set[str]:
        """The files with a site that ends in a name, or a type that extends it."""
        return {
            path for mark in ("", MEMBER, BASE) for path in list(self._paths.get(mark + name, ()))
        }

    def building(self, name: str) -> set[str]:
        """The files with a type that extends one of this name."""
        return set(self._paths.get(BASE + name, ()))

    def filling(self, name: str) -> set[str]:
        """The files that assign a function to a field of this name."""
        return set(self._paths.get(FIELD + name, ()))

    def has_member(self, path: str, name: str) -> bool:
        """Whether a file has the name after a dot."""
        return path in self._paths.get(MEMBER + name, ())
