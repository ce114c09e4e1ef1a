"""Editing TOML as text: comments, order and layout stay."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable
from typing import Any

from contextd.clients.json_config import KeyPath
from contextd_common.errors import Invalid
from contextd_common.text.syntax_errors import toml_problem


def read(text: str) -> dict[str, Any]:
    """The value of a TOML text. Raises `Invalid` with the position of the error."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Invalid(
            f"not valid TOML: {toml_problem(error)}", "correct it and try again"
        ) from error


def put(text: str, place: KeyPath, value: Any) -> str:
    """`text` with `value` at `place`; missing parent tables are created."""

    def set_in(holder: Any, fresh: Callable[[], Any]) -> None:
        for step in place[:-1]:
            if step not in holder:
                holder[step] = fresh()
            holder = holder[step]
        holder[place[-1]] = copy.deepcopy(value)

    return _edited(text, place, set_in)


def copied(text: str, place: KeyPath, other: str, other_place: KeyPath) -> str:
    """`text` with the value at `place` written as at a place of another text, with its comments."""
    # 40 ms to import, see below.
    import tomlkit  # noqa: PLC0415

    value: Any = tomlkit.parse(other.replace("\r\n", "\n"))
    for step in other_place:
        value = value[step]
    return put(text, place, value)


def remove(text: str, place: KeyPath) -> str:
    """`text` without the value at `place`."""

    def take_from(holder: Any, fresh: Callable[[], Any]) -> None:
        del fresh
        for step in place[:-1]:
            holder = holder[step]
        del holder[place[-1]]

    made = _edited(text, place, take_from)
    # The table was set off by an empty line.
    for line in ("\r\n", "\n"):
        if made.endswith(line * 2) and not text.endswith(line * 2):
            return made.removesuffix(line)
    return made


def _edited(text: str, place: KeyPath, edit: Callable[[Any, Callable[[], Any]], None]) -> str:
    # 40 ms to import, which the hooks' daemon need not pay.
    import tomlkit  # noqa: PLC0415
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    wanted = read(text)
    # Lines of two sorts in one file would show up as a change of every one of them.
    windows = "\r\n" in text and text.count("\n") == text.count("\r\n")
    plain = text.replace("\r\n", "\n") if windows else text
    plain += "\n" if plain and not plain.endswith("\n") else ""
    try:
        edit(wanted, dict)
        document = tomlkit.parse(plain)
        edit(_Table(document), lambda: tomlkit.table(is_super_table=True))
        made = tomlkit.dumps(document)
        made = made.replace("\n", "\r\n") if windows else made
        right = tomllib.loads(made) == wanted
    except (TOMLKitError, tomllib.TOMLDecodeError, ValueError, TypeError, KeyError) as error:
        raise _refused(place) from error
    if not right:
        raise _refused(place)
    return made


class _Table:
    """A table of a document that is being edited; an inline table gets an inline table."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __contains__(self, name: object) -> bool:
        return name in self._table

    def __getitem__(self, name: str) -> _Table:
        return _Table(self._table[name])

    def __setitem__(self, name: str, value: Any) -> None:
        from tomlkit import inline_table  # noqa: PLC0415
        from tomlkit.items import InlineTable  # noqa: PLC0415

        if isinstance(self._table, InlineTable) and isinstance(value, dict):
            line = inline_table()
            line.update(value)
            value = line
        self._table[name] = value

    def __delitem__(self, name: str) -> None:
        del self._table[name]


def _refused(place: KeyPath) -> Invalid:
    where = ".".join(map(str, place))
    return Invalid(
        f"{where} could not be changed without touching more of the file",
        "write that part as plain tables and try again",
    )
