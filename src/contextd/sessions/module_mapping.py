"""Map a learned text to a module of the project."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contextd_common.dataclass import dataclass
from contextd_common.text.words import STOP_WORDS, words

NEAR_ENOUGH = 0.45

_EVERYWHERE = frozenset(
    "src lib app apps packages main index test tests init core common shared utils py ts js".split()
)


@dataclass(frozen=True, slots=True)
class Place:
    """A module for this mapping: its files or folders, relative to the root."""

    name: str
    paths: tuple[str, ...] = ()
    description: str = ""


def module_of(
    text: str,
    file: str,
    places: Sequence[Place],
    similarity: Callable[[str, str], float] | None = None,
) -> str:
    """The module that a text is about: by a file it mentions, else by words, else by meaning, else the
    only module; empty if none fits.
    """
    by_path = max(places, key=lambda place: _nearness(file, place), default=None)
    if file and by_path and _nearness(file, by_path) > 0:
        return by_path.name
    terms = _telling(text)
    by_words = max(places, key=lambda place: _shared(terms, place), default=None)
    if by_words and _shared(terms, by_words) >= 2:
        return by_words.name
    if similarity is not None and places:
        near = [(similarity(text, _about(place)), place.name) for place in places]
        best = max(near, key=lambda pair: pair[0])
        if best[0] >= NEAR_ENOUGH:
            return best[1]
    return places[0].name if len(places) == 1 else ""


def _about(place: Place) -> str:
    return f"{place.name.replace('-', ' ')}. {place.description}"


def _nearness(file: str, place: Place) -> float:
    """How much of a file's path matches the module; key files score higher than its folder."""
    best = 0.0
    folders = file.split("/")[:-1]
    for path in place.paths:
        path = path.strip("/")
        if path == file:
            return 100.0
        if path and file.startswith(path + "/"):
            best = max(best, 10.0 + path.count("/"))
        others = path.split("/")[:-1]
        common = 0
        while common < min(len(folders), len(others)) and folders[common] == others[common]:
            common += 1
        telling = [part for part in folders[:common] if part not in _EVERYWHERE]
        if telling and common == len(others):
            best = max(best, float(common))
    if place.name.casefold() in (part.casefold() for part in folders):
        best = max(best, 5.0)
    return best


def _telling(text: str) -> set[str]:
    return {word for word in words(text) if word not in STOP_WORDS and word not in _EVERYWHERE}


def _shared(words: set[str], place: Place) -> int:
    """The number of shared words; the module's own name counts double."""
    named = _telling(place.name)
    described = _telling(" ".join((place.description, *place.paths))) - named
    return 2 * len(words & named) + len(words & described)
