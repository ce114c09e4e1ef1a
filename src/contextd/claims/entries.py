"""What a typed entry is about, what it states, and what merely describes it.

The schema may say which fields identify an entry. Where it does not, their names tell: a `name` or a
`symptom` says which thing is meant, a `rule` or a `what` is a sentence that holds or does not, a
`domain` or an `area` bounds where it does, a `value` is what is said of the thing named. All other
fields describe: counters, states, dates and owners, which change while the entry stays the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from contextd.domain.dataclass import dataclass
from contextd.domain.words import STOP_WORDS, words

NAMES = frozenset(
    """key name id identifier slug setting option parameter variable title term question symptom trigger
    problem task proposal step version summary endpoint route command event""".split()
)
"""Fields that name one thing."""

PLACES = frozenset(
    """domain area topic subject service module component applies_to appliesto scope project environment
    team platform language category""".split()
)
"""Fields that bound where something holds; where nothing else names an entry, they do."""

SAYINGS = frozenset(
    """what rule decision convention preference policy guideline principle promise statement fact
    requirement constraint instruction practice lesson insight""".split()
)
"""Fields that hold a sentence which is true or not."""

VALUES = frozenset("value answer meaning default on enabled port limit url timeout".split())
"""Fields that say what holds of the thing named."""

ASIDE = frozenset(
    """why reason reasons rationale alternatives notes note description link source tags contexttype
    bubbleid context example""".split()
)
"""Fields that may differ without anything to tell."""

_LABELS = frozenset({"domain", "category", "topic", "subject"})
_SHORT = 3
"""Words; a rule of fewer needs its domain to be understood: "pnpm" for "package manager"."""


class DeclaredField(Protocol):
    """What a schema says of a field, as far as it matters here."""

    @property
    def identifies(self) -> bool:
        """Whether the field says which thing an entry is about."""
        ...


class DeclaredType(Protocol):
    """A type of a schema, as far as it matters here."""

    @property
    def fields(self) -> Mapping[str, DeclaredField]:
        """Its fields by name."""
        ...


@dataclass(frozen=True, slots=True)
class EntryParts:
    """The fields of an entry by what they are for, each in comparable form; `sure` when its schema
    says what identifies it.
    """

    names: Mapping[str, str]
    places: Mapping[str, str]
    sayings: Mapping[str, str]
    rest: Mapping[str, Any]
    sure: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """What the entry states, as sentences that stand for themselves."""
        where = " ".join(f"for {value}" for value in self.bounds.values())
        found = tuple(f"{text.rstrip(' .')} {where}".strip() for text in self.sayings.values())
        if found or len(self.names) != 1 or not isinstance(self.rest.get("value"), str):
            return found
        return (f"The {next(iter(self.names.values()))} is {self.rest['value']}",)

    @property
    def bounds(self) -> Mapping[str, str]:
        """Its places without mere labels."""
        return {name: v for name, v in self.places.items() if name.lower() not in _LABELS}

    @property
    def stated(self) -> tuple[str, ...]:
        """The sentences alone."""
        return tuple(self.sayings.values())

    @property
    def labelled(self) -> tuple[str, ...]:
        """The sentences that are too short to say what they are about, with what it is."""
        labels = [v for name, v in self.places.items() if name.lower() in _LABELS]
        short = (text for text in self.sayings.values() if len(text.split()) <= _SHORT)
        return tuple(f"{text} for {label}" for text in short for label in labels[:1])

    def keys(self, type: str) -> Iterator[str]:
        """Equal for entries of one type that name the same thing."""
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
    """The fields that name an entry which states nothing."""
    plain = [name for name, value in fields.items() if isinstance(value, str)]
    for known in (NAMES, PLACES - {"environment", "project", "team"}):
        found = {name for name in plain if name.lower() in known}
        if found:
            return found
    return set(plain[:1])


def words_of(value: object) -> str:
    """A value as it is compared: its words without stop words, whatever their case and form."""
    if isinstance(value, list | tuple):
        return ", ".join(sorted(map(words_of, value)))
    found = words(str(value))
    return " ".join([word for word in found if word not in STOP_WORDS] or found) or str(value)
