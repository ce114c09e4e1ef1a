"""Which module of the project a learning belongs to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from contextd.domain.words import STOP_WORDS, words
from contextd.sessions.extract import Finding

NEAR_ENOUGH = 0.45

Section = Literal["pattern", "rule", "issue"]
_SECTIONS: dict[str, Section] = {"pattern": "pattern", "rule": "rule", "issue": "issue"}
_EVERYWHERE = frozenset(
    "src lib app apps packages main index test tests init core common shared utils py ts js".split()
)


@dataclass(frozen=True, slots=True)
class Place:
    """A module as far as mapping needs it: its files or folders, relative to the root."""

    name: str
    paths: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """An entry for one module's patterns, business rules or common issues."""

    module: str
    section: Section
    text: str
    solution: str = ""
    session_id: str = ""
    discovered_at: datetime | None = None


def additions(
    findings: Sequence[Finding],
    places: Sequence[Place],
    *,
    session_id: str,
    now: datetime,
    similarity: Callable[[str, str], float] | None = None,
) -> list[Addition]:
    """What the findings add to which module. Decisions add nothing, nor does what fits nowhere.

    `similarity` is asked last, for the cosine of a finding and a module's description.
    """
    added: list[Addition] = []
    for finding in findings:
        section = _SECTIONS.get(finding.type)
        module = module_of(finding, places, similarity) if section else ""
        if section is None or not module:
            continue
        issue = section == "issue"
        entry = Addition(
            module=module,
            section=section,
            text=finding.content,
            solution=finding.solution if issue else "",
            session_id=session_id if issue else "",
            discovered_at=now if issue else None,
        )
        if entry not in added:
            added.append(entry)
    return added


def module_of(
    finding: Finding,
    places: Sequence[Place],
    similarity: Callable[[str, str], float] | None = None,
) -> str:
    """The module of a finding: by the file it is about, else by words, else by meaning, else the
    only one there is; empty when none fits.
    """
    by_path = max(places, key=lambda place: _nearness(finding.file, place), default=None)
    if finding.file and by_path and _nearness(finding.file, by_path) > 0:
        return by_path.name
    said = _telling(f"{finding.content} {finding.sentence}")
    by_words = max(places, key=lambda place: _shared(said, place), default=None)
    if by_words and _shared(said, by_words) >= 2:
        return by_words.name
    if similarity is not None and places:
        near = [(similarity(finding.content, _about(place)), place.name) for place in places]
        best = max(near, key=lambda pair: pair[0])
        if best[0] >= NEAR_ENOUGH:
            return best[1]
    return places[0].name if len(places) == 1 else ""


def _about(place: Place) -> str:
    return f"{place.name.replace('-', ' ')}. {place.description}"


def _nearness(file: str, place: Place) -> float:
    """How much of a file's path leads to the module; more than its folder when it is a key file."""
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


def _shared(said: set[str], place: Place) -> int:
    """Words in common: the module's own name counts double."""
    named = _telling(place.name)
    described = _telling(" ".join((place.description, *place.paths))) - named
    return 2 * len(said & named) + len(said & described)
