"""The natural names of kinds are understood, and a wrong one is answered with those there are."""

from __future__ import annotations

import pytest

from contextd.domain.kind_names import ALIASES, kind_meant
from contextd.domain.kinds import KINDS
from contextd_common.errors import NotFound, closest
from support.desks import Desk

TEXT = "Amounts of money are stored in cents"


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_means_a_kind_with_fields_that_fit(alias: str) -> None:
    name, fields = ALIASES[alias]
    kind = KINDS[name]
    assert alias not in KINDS
    assert "remember" in kind.created_by
    assert all(value in kind.fields[field].values for field, value in fields.items())


def test_every_sort_of_a_discovery_is_its_own_name() -> None:
    for sort in KINDS["discovery"].sorts:
        assert ALIASES[sort] == ("discovery", {"type": sort})


@pytest.mark.parametrize(
    ("given", "kind", "sort"),
    [
        ("rule", "discovery", "rule"),
        ("Rules", "discovery", "rule"),
        ("decision", "discovery", "decision"),
        ("fact", "discovery", "fact"),
        ("note", "context", ""),
        ("TODO", "context", ""),
        ("anti-pattern", "anti_pattern", ""),
        ("Contexts", "context", ""),
    ],
)
def test_a_record_of_a_natural_name_is_kept_as_its_kind(
    words_only: Desk, given: str, kind: str, sort: str
) -> None:
    made = words_only("remember", kind=given, content=f"{TEXT} ({given})")
    record = words_only.as_owner("get_record", id=made["id"])
    assert record["record"]["kind"] == kind
    assert record["record"]["type"] == sort


def test_a_type_of_the_users_own_comes_before_an_alias(words_only: Desk) -> None:
    types = {"decision": {"fields": {"what": {"type": "string", "required": True}}}}
    words_only.as_owner("schema_put", types=types)
    made = words_only("remember", kind="decision", fields={"what": TEXT})
    record = words_only.as_owner("get_record", id=made["id"])
    assert (record["record"]["kind"], record["record"]["type"]) == ("context", "decision")


def test_an_unknown_kind_is_answered_with_all_kinds(words_only: Desk) -> None:
    with pytest.raises(NotFound) as caught:
        words_only("remember", kind="zzz", content=TEXT)
    assert caught.value.hint.startswith("kinds: context, memory, ")
    assert "did you mean" not in caught.value.hint


def test_only_what_is_close_is_suggested() -> None:
    assert closest("rule", list(KINDS)) == ""
    assert closest("polcy", list(KINDS)) == "policy"
    assert closest("pattern", list(KINDS)) == "anti_pattern"
    assert kind_meant("zzz", KINDS) == ("zzz", {})
