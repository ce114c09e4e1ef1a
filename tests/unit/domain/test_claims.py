"""What the claims of an issuer's token give, and which of them give nothing."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.domain.access import Assignment, Caller
from contextd.domain.claims import LONGEST_LIFE, BadClaims, claimed
from contextd.domain.scope import Scope

NOW = 1_800_000_000.0
GIVEN: dict[str, Any] = {
    "iss": "https://id.example.com",
    "sub": "ada@example.com",
    "jti": "token-1",
    "exp": NOW + 3_600,
    "org_id": "acme",
    "role": "viewer",
}


def roles(**claims: Any) -> set[tuple[str, str]]:
    found = claimed({**GIVEN, **claims}, NOW).roles
    return {(one.role, str(one.scope)) for one in found}


def test_each_role_holds_where_the_claims_say() -> None:
    assert roles(role="org_admin", team_ids=["web"]) == {("org_admin", "acme")}
    for role in ("team_admin", "team_member"):
        expected = {(role, "acme/web"), (role, "acme/data")}
        assert roles(role=role, team_ids=["web", "data"]) == expected
    assert roles(role="project_dev", team_ids=["web"], projects=["shop"]) == {
        ("project_dev", "acme/web/shop")
    }
    assert roles(role="project_dev", projects=["web/shop", "data/lake"]) == {
        ("project_dev", "acme/web/shop"),
        ("project_dev", "acme/data/lake"),
    }
    assert roles() == {("viewer", "acme")}
    assert roles(team_ids=["web"]) == {("viewer", "acme/web")}
    assert roles(team_ids=["web"], projects=["shop"]) == {("viewer", "acme/web/shop")}


def test_a_subject_is_an_opaque_member_of_its_issuer() -> None:
    one, again = claimed(GIVEN, NOW), claimed({**GIVEN, "jti": "token-2"}, NOW)
    assert one.member == again.member
    assert "ada" not in one.member
    assert (one.organisation, one.token_id) == ("acme", "token-1")
    for other in ({"sub": "eve@example.com"}, {"iss": "https://id.example.org"}):
        assert claimed({**GIVEN, **other}, NOW).member != one.member
    caller = Caller(one.member, one.organisation, one.roles)
    assert caller.may("read", Scope("acme", "web", "shop"))
    assert not caller.may("write", Scope("acme", "web", "shop"))
    assert one.roles == {Assignment(Scope("acme"), "viewer")}


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": None},
        {"exp": "1900000000"},
        {"exp": True},
        {"exp": NOW + LONGEST_LIFE + 1},
        {"sub": ""},
        {"sub": ["ada"]},
        {"sub": "a" * 256},
        {"jti": None},
        {"jti": 7},
        {"org_id": ["acme"]},
        {"org_id": "acme/web"},
        {"org_id": "Acme"},
        {"org_id": ""},
        {"role": ["org_admin"]},
        {"role": "owner"},
        {"role": "ORG_ADMIN"},
        {"role": None},
        {"role": "team_admin"},
        {"role": "team_member", "team_ids": []},
        {"role": "team_member", "team_ids": "web"},
        {"role": "team_member", "team_ids": ["web", 7]},
        {"role": "team_member", "team_ids": [""]},
        {"role": "team_member", "team_ids": ["web/shop"]},
        {"role": "team_member", "team_ids": ["web"] * 201},
        {"role": "project_dev"},
        {"role": "project_dev", "team_ids": ["web"]},
        {"role": "project_dev", "projects": ["shop"]},
        {"role": "project_dev", "team_ids": ["web", "data"], "projects": ["shop"]},
        {"role": "project_dev", "team_ids": ["web"], "projects": ["data/lake"]},
        {"role": "project_dev", "projects": ["other/web/shop"]},
        {"role": "project_dev", "projects": ["/shop"]},
        {"role": "viewer", "projects": {"shop": 1}},
    ],
    ids=repr,
)
def test_other_claims_give_nothing(claims: dict[str, Any]) -> None:
    with pytest.raises(BadClaims):
        claimed({**GIVEN, **claims}, NOW)


def test_an_administrator_of_an_organisation_is_never_one_of_a_team() -> None:
    assert roles(role="org_admin", team_ids=["web"], projects=["web/shop"]) == {
        ("org_admin", "acme")
    }
