"""The table of kinds holds together, and a kind says everything wrong with its data at once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sources import place_of

from contextd.domain.kind import Field, Kind
from contextd.domain.kinds import KINDS, kind_named
from contextd_common.errors import Invalid, NotFound
from support.verdicts import act

the_check = act(
    "src/contextd/domain/kind.py",
    "`Kind.check` no longer names every wrong field, with what is allowed",
)
unhurried = settings(deadline=None)

GOOD: dict[str, Any] = {
    "string": "text", "string[]": ["a", "b"], "number": 1.5, "boolean": True, "enum": None,
}  # fmt: skip
WRONG: dict[str, Any] = {
    "string": 5, "string[]": ["a", 1], "number": True, "boolean": "yes", "enum": "nothing like it",
}  # fmt: skip


def good(spec: Field) -> Any:
    return spec.values[0] if spec.type == "enum" else GOOD[spec.type]


@pytest.mark.parametrize("kind", list(KINDS.values()), ids=lambda kind: kind.name)
def test_a_row_says_what_it_is_and_filters_by_fields_it_has(kind: Kind) -> None:
    row = place_of(f'"{kind.name}",', "src/contextd/domain") + f": the row {kind.name!r}"
    assert KINDS[kind.name] is kind, f"{row} stands twice: rename one"
    assert kind.description.endswith("."), f"{row}: end its description with a full stop"
    assert set(kind.facets) <= set(kind.fields), f"{row}: `facets` names a field it does not have"
    assert kind.weight > 0, f"{row}: give it a positive weight"
    for name, spec in kind.fields.items():
        assert (spec.type == "enum") is bool(spec.values), f"{row}: only an enum has values: {name}"
        allowed = spec.default is None or spec.type != "enum" or spec.default in spec.values
        assert allowed, f"{row}: the default of {name} is none of its values"


@the_check
@pytest.mark.parametrize("kind", list(KINDS.values()), ids=lambda kind: kind.name)
def test_good_data_passes_unchanged(kind: Kind) -> None:
    data = {name: good(spec) for name, spec in kind.fields.items()}
    assert kind.check(data) == data


@the_check
@pytest.mark.parametrize("kind", list(KINDS.values()), ids=lambda kind: kind.name)
def test_every_wrong_field_is_named_at_once(kind: Kind) -> None:
    data = {name: WRONG[spec.type] for name, spec in kind.fields.items()}
    if not kind.open:
        data["no_such_field"] = 1
    with pytest.raises(Invalid) as refused:
        kind.check(data)
    assert set(refused.value.details["fields"]) == set(data)
    for name in data:
        assert name in refused.value.message
    assert refused.value.hint


@the_check
@pytest.mark.parametrize("kind", list(KINDS.values()), ids=lambda kind: kind.name)
def test_missing_fields_of_a_kind_are_named_or_filled_with_defaults(kind: Kind) -> None:
    required = {name for name, spec in kind.fields.items() if spec.required}
    if required:
        with pytest.raises(Invalid) as refused:
            kind.check({})
        assert set(refused.value.details["fields"]) == required
    given_only = {name: good(kind.fields[name]) for name in required}
    filled = kind.check(given_only)
    expected = {
        name: spec.default for name, spec in kind.fields.items() if spec.default is not None
    }
    assert filled == {**expected, **given_only}


@the_check
@unhurried
@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=4))
def test_an_open_kind_keeps_further_fields_as_they_are(data: dict[str, Any]) -> None:
    assert Kind("note", "notes", "A note.", open=True).check(data) == data


@act("src/contextd/domain/kinds.py", "`kind_named` no longer names the nearest kind")
def test_an_unknown_kind_is_refused_with_the_nearest() -> None:
    assert kind_named("memory") is KINDS["memory"]
    with pytest.raises(NotFound) as refused:
        kind_named("memroy")
    assert "memory" in refused.value.hint
