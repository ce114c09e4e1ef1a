"""Dataclasses whose methods are made on demand: in every respect as the standard library's."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any

import pytest
from pydantic import TypeAdapter

from contextd_common import dataclass as ours


def shapes(dataclass: Callable[..., Any]) -> dict[str, Any]:
    """Classes of every sort there is in contextd."""

    @dataclass
    class Plain:
        a: int
        b: str = "b"
        c: list[int] = field(default_factory=list)

    @dataclass(frozen=True, slots=True)
    class Frozen:
        """One that cannot be changed."""

        a: int
        b: tuple[int, ...] = (1,)
        hidden: int = field(default=3, repr=False, compare=False)

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Named:
        a: int
        b: dict[str, int] = field(default_factory=dict, hash=False)

    @dataclass(slots=True)
    class Checked:
        a: int
        twice: int = field(init=False)
        noted: list[int] = field(default_factory=list, init=False)

        def __post_init__(self) -> None:
            self.twice = self.a * 2

    @dataclass(slots=True, eq=False)
    class Itself:
        a: int

    @dataclass(frozen=True, slots=True, order=True)
    class Ranked:
        a: int
        b: int = 0

    @dataclass(frozen=True, slots=True)
    class Own:
        a: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

    @dataclass(frozen=True, slots=True)
    class Child(Frozen):
        z: int = 9

    found = (Plain, Frozen, Named, Checked, Itself, Ranked, Own, Child)
    return {one.__name__: one for one in found}


OURS, THEIRS = shapes(ours.dataclass), shapes(dataclasses.dataclass)


def outcome(do: Callable[[], Any]) -> Any:
    """What it gives, or the sort of its error."""
    try:
        return do()
    except Exception as error:
        return type(error)


def seen(made: Any) -> dict[str, Any]:
    """What somebody outside can tell of a class."""
    one, same, other = made(a=1), made(a=1), made(a=2)
    by_value = made.__eq__ is not object.__eq__
    return {
        "text": repr(one) if by_value else "",
        "equal": (one == same, one == other, one == 1, one != same, one == one),
        "hash": outcome(lambda: hash(one)) if by_value else "",
        "set": outcome(lambda: setattr(one, "a", 2)),
        "set unknown": isinstance(outcome(lambda: setattr(one, "unknown", 2)), type),
        "delete": outcome(lambda: delattr(same, "a")),
        "nothing given": outcome(made),
        "too many given": outcome(lambda: dataclasses.asdict(made(1, 2, 3, 4))),
        "by place": outcome(lambda: made(1).a),
        "unknown given": outcome(lambda: made(a=1, q=1)),
        "less": outcome(lambda: made(a=1) < other),
        "not less": outcome(lambda: made(a=1) >= other),
        "values": dataclasses.asdict(other),
        "replaced": dataclasses.asdict(dataclasses.replace(other, a=5)),
        "fields": [(f.name, f.init, f.kw_only) for f in dataclasses.fields(made)],
        "match": made.__match_args__,
        "slots": (hasattr(other, "__dict__"), getattr(made, "__slots__", None)),
        "copied": dataclasses.asdict(copy.deepcopy(other)),
        "read": outcome(lambda: TypeAdapter(made).validate_python({"a": "7", "twice": 1}).a),
        "written": TypeAdapter(made).dump_python(other),
        "schema": TypeAdapter(made).json_schema()["properties"],
    }


@pytest.mark.parametrize("name", OURS)
def test_it_is_as_the_standard_librarys(name: str) -> None:
    assert seen(OURS[name]) == seen(THEIRS[name])


def test_each_dataclass_instance_gets_its_own_value_from_a_default_factory() -> None:
    plain = OURS["Plain"]
    plain(1).c.append(1)
    assert plain(1).c == []


@ours.dataclass(frozen=True, slots=True)
class Kept:
    """One that can be found by its name."""

    a: int
    b: str = "b"


def test_a_frozen_one_with_slots_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Kept(1))) == Kept(1, "b")


def test_a_method_is_compiled_once_and_its_error_names_it() -> None:
    made = shapes(ours.dataclass)["Frozen"]
    first = made.__init__
    made(1)
    assert made.__init__ is not first
    assert made.__init__.__code__.co_varnames == ("self", "a", "b", "hidden")
    with pytest.raises(TypeError, match=r"Frozen\.__init__"):
        made()
