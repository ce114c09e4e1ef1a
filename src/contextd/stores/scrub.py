"""Redact everything that enters a store, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from contextd.domain.projects import Project
from contextd.domain.records import Clean
from contextd.domain.scope import Scope
from contextd.ports.knowledge import Scrub

T = TypeVar("T")

NOT_TEXT = frozenset(
    "id kind scope digest status trust unique_key lane place state canonical_id record_id session"
    " version a b forget agree".split()
)
"""Fields with identifiers and fixed values instead of text: redacting them would break references."""

_NUMBERS = frozenset(("int", "float", "bool", "datetime", "int | None", "datetime | None"))
_BETWEEN = "\n\n"


def scrubbed(value: T, scrub: Scrub) -> T:
    """The value with every text redacted, including field names. `Clean` text was redacted before."""
    # Usually there are no secrets, and one check of all distinct texts together costs a tenth of separate
    # ones.
    texts = _BETWEEN.join(dict.fromkeys(_texts(value)))
    return value if scrub(texts) == texts else _deep(value, scrub)


def labels_scrubbed(project: Project, scrub: Scrub) -> Project:
    """The project with redacted labels; its paths are unchanged."""
    aliases = tuple(map(scrub, project.aliases))
    return replace(project, name=scrub(project.name), aliases=aliases)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if type(value) is not Clean:
            yield value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _texts(name)
            yield from _texts(part)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _texts(part)
    elif is_dataclass(value) and not isinstance(value, Scope):
        for name in _text_fields(value.__class__):
            yield from _texts(getattr(value, name))


@cache
def _text_fields(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a dataclass that can hold text."""
    return tuple(
        field.name
        for field in fields(kind)
        if field.name not in NOT_TEXT and field.type not in _NUMBERS
    )


def _deep(value: Any, scrub: Scrub) -> Any:
    if isinstance(value, str):
        return value if type(value) is Clean else scrub(value)
    if isinstance(value, Mapping):
        return {_deep(name, scrub): _deep(part, scrub) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(_deep(part, scrub) for part in value)
    if is_dataclass(value) and not isinstance(value, Scope | type):
        names = _text_fields(type(value))
        return replace(value, **{name: _deep(getattr(value, name), scrub) for name in names})
    return value
