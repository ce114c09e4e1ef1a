"""Words of import statements, used to find the files that a change may affect."""

from __future__ import annotations

import re
from collections.abc import Iterable

from contextd_code.values.source import Import
from contextd_common.dataclass import dataclass

_WORD = re.compile(r"\w+")


def said_words(text: str) -> list[str]:
    """The words of a path or a specifier; equal for `UserList`, `user_list` and `userlist`."""
    return _WORD.findall(text.replace("_", "").lower())


def import_words(imports: Iterable[Import]) -> frozenset[str]:
    """The words in the specifiers and imported names of these imports."""
    texts: list[str] = []
    for one in imports:
        texts.append(one.specifier)
        texts += [name for name, _ in one.names]
    return frozenset(said_words(" ".join(texts)))


def has_wordless(imports: Iterable[Import]) -> bool:
    """Whether one of the specifiers contains no word, like `..`."""
    return any(not said_words(one.specifier) for one in imports)


@dataclass(frozen=True, slots=True, kw_only=True)
class Importing:
    """Select files by their imports: a specifier has one of `words`, the target is one of `targets`, or
    (with `wordless`) a specifier has no word; also files with imports directly in one of `folders` or
    anywhere `below` one.
    """

    words: frozenset[str] = frozenset()
    targets: frozenset[str] = frozenset()
    wordless: bool = False
    folders: frozenset[str] = frozenset()
    below: frozenset[str] = frozenset()
