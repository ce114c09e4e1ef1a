"""Sort the fields of a typed entry: its subject, its statements, and mere description.

The schema may mark identifying fields. Otherwise field names decide: a `name` or a `symptom` identifies the
subject, a `rule` or a `what` is a true or false sentence, a `domain` or an `area` limits its scope, a `value`
is a statement about the subject. All other fields describe: counters, states, dates and owners, which may
change while the entry stays the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from contextd_common.dataclass import dataclass
from contextd_common.text.words import STOP_WORDS, words

NAMES = frozenset(
    """key name id identifier slug setting option parameter variable title term question symptom trigger
    problem task proposal step version summary endpoint route command event""".split()
)
"""Fields that name the subject."""

PLACES = frozenset(
    """domain area topic subject service module component applies_to appliesto scope project environment
    team platform language category""".split()
)
"""Fields that limit the scope; without other identifying fields, they identify the entry."""

SAYINGS = frozenset(
    """what rule decision convention preference policy guideline principle promise statement fact
    requirement constraint instruction practice lesson insight""".split()
)
"""Fields with a sentence that is true or false."""

VALUES = frozenset("value answer meaning default on enabled port limit url timeout".split())
"""Fields with a value of the subject."""

ASIDE = frozenset(
    """why reason reasons rationale alternatives notes note description link source tags contexttype
    bubbleid context example""".split()
)
"""Fields whose differences are ignored."""

_LABELS = frozenset({"domain", "category", "topic", "subject"})
_SHORT = 3
"""Words; a shorter rule needs its domain to be understood: "pnpm" for "package manager"."""


class DeclaredField(Protocol):
    """The properties of a schema field that matter here."""

    @property
    def identifies(self) -> bool:
        """Whether the field identifies the entry."""
        ...


class DeclaredType(Protocol):
    """The properties of a schema type that matter here."""

    @property
    def fields(self) -> Mapping[str, DeclaredField]:
        """Its fields by name."""
        ...


@dataclass(frozen=True, slots=True)
class EntryParts:
    """The fields of an entry by role, each normalised for comparison; `sure` when the schema marks what
    identifies it.
    """

    names: Mapping[str, str]
    places: Mapping[str, str]
    sayings: Mapping[str, str]
    rest: Mapping[str, Any]
    sure: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The statements of the entry, as complete sentences."""
        where = " ".join(f"for {value}" for value in self.bounds.values())
        found = tuple(f"{text.rstrip(' .')} {where}".strip() for text in self.sayings.values())
        if found or len(self.names) != 1 or not isinstance(self.rest.get("value"), str):
            return found
        return (f"The {next(iter(self.names.values()))} is {self.rest['value']}",)

    @property
    def bounds(self) -> Mapping[str, str]:
        """Its scope without mere labels."""
        return {name: v for name, v in self.places.items() if name.lower() not in _LABELS}

    @property
    def stated(self) -> tuple[str, ...]:
        """The sentences alone."""
        return tuple(self.sayings.values())

    @property
    def labelled(self) -> tuple[str, ...]:
        """Sentences too short to name their subject, completed with it."""
        labels = [v for name, v in self.places.items() if name.lower() in _LABELS]
        short = (text for text in self.sayings.values() if len(text.split()) <= _SHORT)
        return tuple(f"{text} for {label}" for text in short for label in labels[:1])

    def keys(self, type: str) -> Iterator[str]:
        """A key that is equal for entries of one type with the same subject."""
        yield from (f"{type} {name}={words_of(value)}" for name, value in self.names.items())


def parts_of(fields: Mapping[str, Any], declared: DeclaredType | None) -> EntryParts:
    """The fields of an entry sorted by what they are for."""
    given = {name: value for name, value in fields.items() if value not in (None, "", [], ())}
    flagged = {n for n, field in declared.fields.items() if field.identifies} if declared else set()
    says = {
        name: value
        for name, value in given.items()
        if isinstance(value, str) and name.lower() in SAYINGS and name not in flagged
    }
    named = {n for n in given if n in flagged} or (set() if says else _naming(given))
    places = {
        name: str(value)
        for name, value in given.items()
        if isinstance(value, str) and name not in named and name not in says
        and name.lower() in (PLACES | NAMES if says else PLACES)
    }  # fmt: skip
    rest = {n: v for n, v in given.items() if n not in named and n not in says and n not in places}
    names = {name: str(given[name]) for name in given if name in named}
    return EntryParts(names, places, says, rest, bool(flagged))


def _naming(fields: Mapping[str, Any]) -> set[str]:
    """The identifying fields of an entry that states nothing."""
    plain = [name for name, value in fields.items() if isinstance(value, str)]
    for known in (NAMES, PLACES - {"environment", "project", "team"}):
        found = {name for name in plain if name.lower() in known}
        if found:
            return found
    return set(plain[:1])


def words_of(value: object) -> str:
    """A value normalised for comparison: its stems without stop words, in lower case."""
    if isinstance(value, list | tuple):
        return ", ".join(sorted(map(words_of, value)))
    found = words(str(value))
    return " ".join([word for word in found if word not in STOP_WORDS] or found) or str(value)
