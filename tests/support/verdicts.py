"""How a rule fails: with a file, and with what to do there.

`none_of` is for places that break a rule, `agrees` for a table that lists what the code has. A test that asserts
anything else has a message, or names by `act` the file where its failures are mended. `tests/rules/test_rules_teach.py`
checks this.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

OPERATION = "{op.run.__code__.co_filename}:{op.run.__code__.co_firstlineno}"
"""The place of an operation, for `act` on a test with the parameter `op`."""


def none_of(found: Mapping[str, object] | Iterable[object], do: str) -> None:
    """Fail with each place that breaks a rule, and with what to `do` there.

    A mapping has paths with their faults; any other iterable has lines, each with its place.
    """
    __tracebackhide__ = True
    if isinstance(found, Mapping):
        found = [f"{path}: {_text(fault)}" for path, fault in found.items()]
    lines = [str(one) for one in found]
    assert not lines, "\n".join([*lines, f"→ {do}"])


def agrees(found: Iterable[object], listed: Iterable[object], table: str, do: str = "") -> None:
    """Fail unless a table, named as `NAME in PATH`, lists exactly what was found. `do` is what a new entry needs."""
    __tracebackhide__ = True
    there, known = list(found), list(listed)
    needs = f": {do}" if do else ""
    lines = [f"add {_text(one)} to {table}{needs}" for one in there if one not in known]
    lines += [f"take {_text(one)} out of {table}: it is gone" for one in known if one not in there]
    assert not lines, "\n".join(lines)


def place(defined: Any) -> str:
    """The path and line of a function, or the path of a class."""
    code = getattr(defined, "__code__", None)
    file = code.co_filename if code else sys.modules[defined.__module__].__file__
    line = f":{code.co_firstlineno}" if code else ""
    return f"{file}{line}".removeprefix(f"{ROOT}/")


def act(file: str, do: str) -> pytest.MarkDecorator:
    """End every failure of a test with a file and with what to `do` in it. Both may use the test's parameters, as in
    `{kind.name}`.
    """
    return pytest.mark.act(file, do)


of_this_rule = pytest.mark.act("", "the rule does not see what it should: mend it here")
"""For a test of a rule itself."""


def note_act(item: pytest.Item, error: Exception) -> None:
    """Add what the test's `act` says to its failure."""
    mark = item.get_closest_marker("act")
    if mark is None:
        return
    given = item.callspec.params if hasattr(item, "callspec") else {}
    file, do = (text.format(**given) for text in mark.args)
    at = (file or str(item.path)).removeprefix(f"{ROOT}/")
    error.add_note(f"→ {at}: {do}")


def _text(value: object) -> str:
    """A fault in words; a number in a list, or before a fault, is a line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{_line(key)}: {_text(inner)}" for key, inner in value.items())
    if isinstance(value, set | frozenset):
        return ", ".join(sorted(map(_text, value)))
    if isinstance(value, list | tuple):
        return ", ".join(_text(_line(one)) for one in value)
    return str(value)


def _line(value: object) -> object:
    return f"line {value}" if isinstance(value, int) else value
