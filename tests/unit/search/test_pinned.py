"""Numbers and orders that other tests would not miss: each is what its reason says."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.domain.access import AREAS
from contextd.domain.query import Match
from contextd.domain.scope import Scope
from contextd.runtime.settings import load_settings
from contextd.search.rank_fusion import fuse_ranks
from support.roles import MATRIX, caller_with

SHOP = Scope("local", "default", "shop")


@pytest.mark.parametrize("role", MATRIX)
@pytest.mark.parametrize("scope", [Scope("local"), Scope("local", "default"), SHOP], ids=str)
def test_a_grant_is_what_the_caller_may_in_each_cell_and_nothing_else(role, scope):
    caller = caller_with(role, projects=("shop",))
    grant = caller.grant([scope])
    for area in AREAS:
        for verb in ("read", "write"):
            assert grant.may(verb, scope, area) == caller.may(verb, scope, area), (verb, area)


def test_a_flag_goes_before_the_environment_and_that_before_a_file(tmp_path: Path, monkeypatch):
    (tmp_path / "config.yaml").write_text("briefing:\n  tokens: 111\n")
    assert load_settings(home=tmp_path).number("briefing.tokens") == 111
    monkeypatch.setenv("CONTEXTD_BRIEFING_TOKENS", "222")
    assert load_settings(home=tmp_path).number("briefing.tokens") == 222
    flagged = load_settings(home=tmp_path, flags={"briefing.tokens": 333})
    assert flagged.number("briefing.tokens") == 333


def test_being_first_in_one_list_outweighs_being_fourteenth_in_both():
    """With the customary 60 instead of 10, every document that is in both lists would lead."""
    words = [match("first"), *(match(f"w{n}") for n in range(12)), match("both")]
    dense = [*(match(f"d{n}") for n in range(13)), match("both")]
    ranked = fuse_ranks({"lexical": words, "dense": dense}, {"lexical": 1.0, "dense": 1.0}, 50)
    ids = [candidate.id for candidate in ranked]
    assert ids.index("first") < ids.index("both") < ids.index("w11")


def match(id: str) -> Match:
    return Match(id=id, kind="memory", score=1.0)
