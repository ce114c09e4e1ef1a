"""Show results: every text in them is quoted unless its field is marked otherwise.

An operation returns a dataclass whose fields hold other people's text: titles, paths, tags, names, reasons.
Its `as_text()` joins them. It is called on a copy in which each text is quoted, so an `as_text()` cannot
forget to quote. A field with text laid out by contextd is `RENDERED`, a whole file or log is a `DOCUMENT`,
and text that a terminal writes to a file is `RAW`.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_type_hints

from contextd.domain.details import TextForm
from contextd.domain.quoting import fenced, harmless, quotation, settled
from contextd.domain.records import ShownId

_FORMS = {"rendered": harmless, "document": fenced, "raw": str}


def text_form(result: Any, longer: Mapping[str, str] | None = None) -> str:
    """What `as_text()` of a result says, with every text in it quoted. `longer` are ids that are shown by more
    than their usual beginning.
    """
    form = _Quoting(longer) if longer else quotation
    return settled(str(_shown(result, form).as_text()))


class _Quoting:
    """Quotes a text, and marks an id with the beginning it is shown by."""

    def __init__(self, longer: Mapping[str, str]) -> None:
        self._longer = longer

    def __call__(self, text: str) -> str:
        whole = text.partition(".")[0]
        return ShownId(text, self._longer[whole]) if whole in self._longer else quotation(text)


def shown(value: Any) -> Any:
    """A copy of a result with each text quoted; the result itself if nothing changes."""
    return _shown(value, quotation)


def _shown(value: Any, form: Any) -> Any:
    if isinstance(value, str):
        return form(value)
    if is_dataclass(value) and not isinstance(value, type):
        return _copied(value, form)
    if isinstance(value, Mapping):
        return {_shown(key, form): _shown(inner, form) for key, inner in value.items()}
    if isinstance(value, list | set | frozenset):
        return type(value)(_shown(inner, form) for inner in value)
    if isinstance(value, tuple):
        parts = [_shown(inner, form) for inner in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _copied(value: Any, quoting: Any) -> Any:
    made = value
    for name, form in _fields(value.__class__):
        before = getattr(value, name)
        after = _shown(before, quoting if form is quotation else form)
        # An id that is marked equals the one before.
        if after != before or quoting is not quotation:
            made = copy(value) if made is value else made
            object.__setattr__(made, name, after)
    return made


@cache
def _fields(row: type) -> tuple[tuple[str, Any], ...]:
    """The fields of a class and how each is shown."""
    hints = get_type_hints(row, include_extras=True)
    return tuple((one.name, _form(hints[one.name])) for one in fields(row))


def _form(hint: Any) -> Any:
    marks = [mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, TextForm)]
    return _FORMS[marks[0].form] if marks else quotation
