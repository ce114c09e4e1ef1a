"""Read the arguments of a call by their names, other words and forms; the only place that does."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from contextd.domain.argument_forms import END, START, with_code_place, with_line_ends
from contextd.domain.argument_names import (
    argument_meant,
    arguments_meant,
    nearest_argument,
    snake,
)
from contextd.domain.kind_names import kind_meant
from contextd.domain.kinds import KINDS
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from contextd.runtime.operation import Operation

_GUARDS = ("dry_run", "if_match")
"""Arguments that keep a call from writing. An operation without them must not write as if they were absent."""


_PLACE = "project"
"""The argument that is never left out: the answer would be about another project."""


class CodePlace:
    """Marks an argument that takes `file:symbol` and `file:line`."""


@dataclass(slots=True)
class Given:
    """The arguments of a call: `values` by the names of the operation, and `spelled` as the caller named them.

    A `lenient` call runs without what is `unused`, and `remarks` say how something was read instead.
    """

    op: Operation
    lenient: bool
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    spelled: dict[str, str] = field(default_factory=dict[str, str])
    unused: list[str] = field(default_factory=list[str])
    remarks: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])

    @property
    def reads(self) -> bool:
        """Whether a wrong reading can do no harm: the answer says how the call was read."""
        return self.lenient and self.op.effect == "read"

    def put(self, known: str, name: str, value: Any) -> None:
        """Give the argument `known`, as its caller spelled it."""
        one = self.op.arguments.model_fields[known]
        fitting = self.op.nulls.get(known) if value is None else _fitting(known, value, one)
        if self.reads and _one_text(one) and isinstance(fitting, list) and fitting:
            self.remarks.append(f"of {name!r} only the first was used: call again for each")
            fitting = fitting[0]
        self.spelled[known] = name
        self.values[known] = fitting

    def withdraw(self, details: Sequence[Any]) -> bool:
        """Repair optional arguments that pydantic refused, or leave them out. Return whether any was.

        A number beyond its limits becomes the limit. A writing call leaves out only what another word gave,
        which may mean something else.
        """
        fields = self.op.arguments.model_fields
        wrong = {str(one["loc"][0]): one for one in details}
        mine = [
            one
            for one in wrong
            if one in self.spelled and (self.reads or snake(self.spelled[one]) != one)
        ]
        needed = any(fields[one].is_required() or one == _PLACE for one in wrong)
        if not self.lenient or not mine or needed:
            return False
        for one in mine:
            context = wrong[one].get("ctx") or {}
            bound = context.get("ge", context.get("le"))
            if self.reads and bound is not None:
                self.values[one] = bound
                self.remarks.append(f"{one} is {bound} at {'least' if 'ge' in context else 'most'}")
            else:
                self.unused.append(self.spelled.pop(one))
                del self.values[one]
        return True

    def unknown(self) -> list[str]:
        """The problems of this call, with every unused name as one of them."""
        fields = self.op.arguments.model_fields
        return [*self.problems, *(_unknown(name, fields) for name in self.unused)]

    def remark(self) -> str:
        """What the caller should know of the reading; empty if every argument was used as named."""
        parts = list(self.remarks)
        if self.unused:
            takes = ", ".join(self.op.arguments.model_fields) or "no arguments"
            names = ", ".join(map(repr, self.unused))
            parts.append(f"not used: {names}; {self.op.name} takes {takes}")
        return "; ".join(parts)


def read_given(op: Operation, raw: Mapping[str, Any], *, lenient: bool) -> Given:
    """The arguments of a call of `op`. A name of its own goes first, then its aliases, then the table.

    What the operation does not know is a problem, or left out if the call is lenient.
    """
    fields = op.arguments.model_fields
    named = _storable(raw)
    if any(isinstance(part, CodePlace) for one in fields.values() for part in one.metadata):
        named = with_code_place(named)
    if START in fields and END in fields:
        named = with_line_ends(named)
    call = Given(op, lenient)
    strange: dict[str, Any] = {}
    for name in sorted(named, key=lambda name: (name not in fields, "tool" not in name)):
        # A part of an answer that is sent back may resemble an argument.
        if name in op.ignores and name not in fields:
            continue
        meant = arguments_meant(name, fields, op.aliases)
        if lenient and meant and _is_prose(named[name], fields[meant[0]]):
            meant = arguments_meant(name, fields.keys() - {meant[0]})
        free = next((one for one in meant if one not in call.spelled), None)
        if free is not None:
            call.put(free, name, named[name])
        elif meant and _CALLED not in fields:
            _second(call, meant[0], name, named[name])
        else:
            strange[name] = named[name]
    _place(call, strange)
    return call


def _second(call: Given, known: str, name: str, value: Any) -> None:
    """Another word for an argument that has a value. A reading call goes by the first; a writing one would lose
    the second.
    """
    if call.lenient and _fitting(known, value, _field(call, known)) == call.values[known]:
        return
    if call.reads:
        call.unused.append(name)
        return
    both = f"{call.spelled[known]!r} and {name!r}"
    call.problems.append(f"{both} are the same argument: give only {known!r}")


def _field(call: Given, known: str) -> FieldInfo:
    return call.op.arguments.model_fields[known]


def _place(call: Given, strange: dict[str, Any]) -> None:
    """Find the use of each argument that the operation does not know."""
    op, fields = call.op, call.op.arguments.model_fields
    _hold(call, strange)
    missing = [one for one in fields if one not in call.values and _needed(call, one)]
    texts = [
        name
        for name, value in strange.items()
        if isinstance(value[0] if isinstance(value, list) and value else value, str) and value
    ]
    if call.lenient and len(missing) == 1 and len(texts) == 1:
        call.put(missing[0], texts[0], strange.pop(texts[0]))
        call.remarks.append(f"read {texts[0]!r} as {missing[0]!r}")
    for name in strange:
        guard = op.effect != "read" and argument_meant(name, _GUARDS)
        if call.lenient and not guard:
            call.unused.append(name)
        else:
            call.problems.append(_unknown(name, fields))


_CALLED, _FIELDS = "arguments", "fields"
"""The arguments that hold others: those of another tool, and the fields of a kind."""


def _needed(call: Given, known: str) -> bool:
    """Whether the call is nothing without this argument: a text may stand in for fields."""
    if known == "text":
        return _FIELDS in call.op.arguments.model_fields and not call.values.get(_FIELDS)
    return _field(call, known).is_required()


def _hold(call: Given, strange: dict[str, Any]) -> None:
    """Move what was given beside the argument that holds it: a tool's arguments, or fields that a kind has."""
    fields = call.op.arguments.model_fields
    holder = next((one for one in (_CALLED, _FIELDS) if one in fields), "")
    before = call.values.get(holder)
    if not holder or not (before is None or isinstance(before, Mapping)):
        return
    held = set(strange)
    if holder == _FIELDS:
        kind, _ = kind_meant(str(call.values.get("kind", "")), KINDS)
        held &= set(KINDS[kind].fields) if kind in KINDS else set()
    if held:
        call.values[holder] = {
            **{one: strange.pop(one) for one in [*strange] if one in held},
            **(before or {}),
        }


def _unknown(name: str, fields: Mapping[str, FieldInfo]) -> str:
    near = nearest_argument(name, fields)
    hint = f"did you mean {near!r}?" if near else f"it takes {', '.join(fields) or 'none'}"
    return f"unknown argument {name!r} ({hint})"


_DEEPEST = 100
"""Levels of an argument. What is read of it is read by functions that call themselves, and Python allows 1,000."""


def check_given(raw: Mapping[str, Any], *, replaces: bool) -> str:
    """Check what no operation can take, before anything else reads it: data that is nested too deep, and halves
    of surrogate pairs unless the call `replaces` them. Raises `Invalid` with the argument's name.

    Returns the name of the first argument with a character that is replaced, such as NUL; otherwise nothing.
    """
    replaced = ""
    waiting: list[tuple[str, Any, int]] = [(name, name, 1) for name in raw]
    waiting += [(name, value, 1) for name, value in raw.items()]
    while waiting:
        name, value, depth = waiting.pop()
        if depth > _DEEPEST:
            shown = _UNSTORABLE.sub("\ufffd", name)
            hint = "send flatter data, or the data as one text"
            raise Invalid(f"{shown!r} is nested deeper than {_DEEPEST} levels", hint)
        if isinstance(value, str):
            if value.isascii() and "\0" not in value:
                continue
            found = _UNSTORABLE.search(value)
            if found and not replaces and (half := _HALF.search(value)):
                raise _not_unicode(name, half)
            replaced = replaced or (name if found else "")
        elif isinstance(value, Mapping):
            waiting += [(name, key, depth) for key in value]
            waiting += [(name, part, depth + 1) for part in value.values()]
        elif isinstance(value, list):
            waiting += [(name, part, depth + 1) for part in value]
    return _UNSTORABLE.sub("\ufffd", replaced)


def _not_unicode(name: str, half: re.Match[str]) -> Invalid:
    shown = _UNSTORABLE.sub("\ufffd", name)
    return Invalid(
        f"{shown!r} has half of a surrogate pair at character {half.start()}, so it is no Unicode text",
        "leave that character out, or replace it with U+FFFD, and send it again",
    )


def _storable(value: Any) -> Any:
    """The value with U+FFFD in place of what no store can hold: NUL, and half of a surrogate pair."""
    if isinstance(value, str):
        return value if value.isascii() and "\0" not in value else _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {_storable(key): _storable(part) for key, part in value.items()}
    return [_storable(part) for part in value] if isinstance(value, list) else value


_HALF = re.compile("[\ud800-\udfff]")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def _fitting(name: str, value: Any, field: FieldInfo) -> Any:
    """`value` in the form its argument takes: a list of one text for a text (of several, and of
    messages, where it is stored), a text for a list of texts (tags
    may have commas between them), and JSON for an object or list.
    """
    if isinstance(value, list) and _one_text(field):
        inner = [_inner_text(one) for one in value]
        texts = [one for one in inner if isinstance(one, str)]
        if texts and texts == inner and (name == "text" or not texts[1:]):
            return "\n".join(texts)
    if not isinstance(value, str) or _takes(field.annotation, str):
        return value
    if value.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    if not _takes_texts(field.annotation):
        return value
    parts = value.split(",") if name == "tags" else [value]
    return [part.strip() for part in parts if part.strip()]


def _inner_text(value: Any) -> Any:
    """The text of a message or of a file's description, else the value."""
    return value.get("content", value.get("path")) if isinstance(value, Mapping) else value


def _one_text(field: FieldInfo) -> bool:
    """Whether an argument takes a text and no list."""
    return _takes(field.annotation, str) and not _takes(field.annotation, list)


def _is_prose(value: Any, field: FieldInfo) -> bool:
    """Whether a text was given where only an object is taken."""
    return (
        isinstance(value, str)
        and value.lstrip()[:1] != "{"
        and _takes(field.annotation, dict)
        and not _takes(field.annotation, str)
    )


def _takes(annotation: Any, kind: type) -> bool:
    """Whether an annotated argument takes a value of this type."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _takes(get_args(annotation)[0], kind)
    if origin in (Union, UnionType):
        return any(_takes(one, kind) for one in get_args(annotation))
    return annotation is kind or origin is kind


def _takes_texts(annotation: Any) -> bool:
    """Whether an annotated argument takes a list of texts but not a single text."""
    if get_origin(annotation) is Annotated:
        return _takes_texts(get_args(annotation)[0])
    if get_origin(annotation) is list:
        items = get_args(annotation)[0]
        return items is str or (get_origin(items) is Annotated and get_args(items)[0] is str)
    kinds = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else ()
    return str not in kinds and any(map(_takes_texts, kinds))
