"""What the imports of a file say, by which those that a change elsewhere concerns are found."""

from __future__ import annotations

import re
from collections.abc import Iterable

from contextd.domain.code import Import
from contextd.domain.dataclass import dataclass

_WORD = re.compile(r"\w+")


def said_words(text: str) -> list[str]:
    """The words of a path or a specifier, the same for `UserList`, `user_list` and `userlist`."""
    return _WORD.findall(text.replace("_", "").lower())


def import_words(imports: Iterable[Import]) -> frozenset[str]:
    """The words of what imports name: of their specifiers, and of the names they ask for."""
    texts: list[str] = []
    for one in imports:
        texts.append(one.specifier)
        texts += [name for name, _ in one.names]
    return frozenset(said_words(" ".join(texts)))


def has_wordless(imports: Iterable[Import]) -> bool:
    """Whether one of them says no word, like `..`."""
    return any(not said_words(one.specifier) for one in imports)


@dataclass(frozen=True, slots=True, kw_only=True)
class Importing:
    """Files asked for by their imports: those that say one of `words`, lead to one of `targets`, or have one
    without a word where `wordless`; and those with imports in one of `folders`, or anywhere `below` some.
    """

    words: frozenset[str] = frozenset()
    targets: frozenset[str] = frozenset()
    wordless: bool = False
    folders: frozenset[str] = frozenset()
    below: frozenset[str] = frozenset()
