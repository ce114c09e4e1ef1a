"""Every role, verb and row of the permission matrix, as it was first drawn."""

from __future__ import annotations

from itertools import product

import pytest

from contextd.domain.access import ROLES, Assignment, Caller, Grant, Verb
from contextd.domain.kind import Area
from contextd.domain.kinds import KINDS
from contextd.domain.scope import PERSON, Scope
from contextd_common.errors import Denied
from support.roles import MATRIX, caller_with
from support.verdicts import act, agrees

ROWS = ("org", "team", "project", "policies", "skills")
DRAWN: dict[str, tuple[str, ...]] = {
    #               org   team  project policies skills and agents
    "org_admin":   ("rw", "rw", "rw", "rw", "rw"),
    "team_admin":  ("r",  "rw", "rw", "r",  "rw"),
    "team_member": ("r",  "r",  "rw", "r",  "r"),
    "project_dev": ("",   "",   "rw", "r",  "r"),
    "viewer":      ("r",  "r",  "r",  "r",  "r"),
}  # fmt: skip

ORG, TEAM, PROJECT = Scope("acme"), Scope("acme", "web"), Scope("acme", "web", "shop")
VERBS: tuple[Verb, ...] = ("read", "write")

pytestmark = act(
    "src/contextd/domain/access.py",
    "`ROLES` and `Caller` allow something else than `DRAWN` in tests/rules/test_access_matrix.py: "
    "decide which of them is right",
)


def caller(role: str) -> Caller:
    return caller_with(role, "acme", ("web",), ("shop",))  # type: ignore[arg-type]


def place(row: str) -> tuple[Scope, Area]:
    scopes = {"org": ORG, "team": TEAM, "project": PROJECT}
    if row in scopes:
        return scopes[row], "knowledge"
    return PROJECT, row  # type: ignore[return-value]


@pytest.mark.parametrize(("role", "row", "verb"), list(product(DRAWN, ROWS, VERBS)))
def test_a_role_may_do_what_the_matrix_says(role: str, row: str, verb: Verb) -> None:
    scope, area = place(row)
    drawn = verb[0] in DRAWN[role][ROWS.index(row)]
    assert caller(role).may(verb, scope, area) is drawn
    if drawn:
        caller(role).require(verb, scope, area)
    else:
        with pytest.raises(Denied) as denied:
            caller(role).require(verb, scope, area)
        assert denied.value.hint


def test_the_table_has_the_drawn_roles() -> None:
    here = "tests/rules/test_access_matrix.py"
    agrees(ROLES, DRAWN, f"DRAWN in {here}", "what it may do in each of ROWS")
    agrees({row for rows in ROLES.values() for row in rows}, [*ROWS, "admin"], f"ROWS in {here}")


@pytest.mark.parametrize(("role", "row", "verb"), list(product(DRAWN, ROWS, VERBS)))
def test_no_role_reaches_another_organisation(role: str, row: str, verb: Verb) -> None:
    scope, area = place(row)
    elsewhere = Scope("other", scope.team, scope.project)
    assert not caller(role).may(verb, elsewhere, area)


@pytest.mark.parametrize("role", ["team_admin", "team_member", "viewer"])
def test_a_team_role_reaches_no_other_team_and_no_other_project(role: str) -> None:
    for verb in VERBS:
        assert not caller(role).may(verb, Scope("acme", "data"))
        assert not caller(role).may(verb, Scope("acme", "data", "shop"))
        assert not caller(role).may(verb, Scope("acme", "web", "blog"))


def test_a_project_developer_reaches_named_projects_only() -> None:
    assert caller("project_dev").may("write", PROJECT)
    assert not caller("project_dev").may("read", Scope("acme", "web", "blog"))


def test_the_owner_of_a_local_store_may_do_everything() -> None:
    owner = caller_with("owner")
    for row, verb in product(ROWS, VERBS):
        assert owner.may(verb, *place(row))
    assert owner.may_administer()


def test_only_owner_and_organisation_administrators_administer() -> None:
    assert [role for role in MATRIX if caller_with(role).may_administer()] == ["owner", "org_admin"]
    of_a_team = Assignment(TEAM, "org_admin")
    assert not Caller("x", "acme", frozenset({of_a_team})).may_administer()


def test_one_caller_has_other_rights_in_another_team() -> None:
    both = {Assignment(TEAM, "team_admin"), Assignment(Scope("acme", "core"), "viewer")}
    known = Caller("ada", "acme", frozenset(both))
    for scope in (TEAM, PROJECT):
        assert known.may("write", scope)
    for scope in (Scope("acme", "core"), Scope("acme", "core", "shop")):
        assert known.may("read", scope)
        assert not known.may("write", scope)
    assert not known.may("read", Scope("acme", "data"))
    with pytest.raises(Denied, match=r"ada \(team_admin, viewer\) may not write"):
        known.require("write", Scope("acme", "core", "shop"))


@act(
    "src/contextd/domain/kinds.py",
    "the `area` of a kind is knowledge, policies or skills; a new one needs a row of "
    "src/contextd/domain/access.py and of tests/rules/test_access_matrix.py",
)
def test_every_kind_belongs_to_a_row_of_the_matrix() -> None:
    assert {kind.area for kind in KINDS.values()} == {"knowledge", "policies", "skills"}
    assert KINDS["policy"].area == "policies"
    assert KINDS["skill"].area == KINDS["agent"].area == "skills"


def test_a_project_of_the_same_name_in_another_team_is_another_project() -> None:
    other = Scope("acme", "core")
    for role in ("project_dev", "team_member", "team_admin", "viewer"):
        known = caller(role)
        for scope in (other, Scope("acme", "core", "shop")):
            for area in ("knowledge", "policies", "skills"):
                assert not known.may("read", scope, area), (role, scope)  # type: ignore[arg-type]
                assert not known.may("write", scope, area), (role, scope)  # type: ignore[arg-type]
        assert known.grant([other, Scope("acme", "core", "shop")]) == Grant()


def test_nobody_but_the_owner_is_let_into_the_life_of_a_person() -> None:
    for role in DRAWN:
        local = caller_with(role, projects=("shop",))  # type: ignore[arg-type]
        assert not local.may("read", PERSON)
        assert not local.may("write", PERSON)


def test_no_role_of_one_organisation_reaches_another_one() -> None:
    for role in DRAWN:
        for scope in (Scope("rival"), Scope("rival", "web"), Scope("rival", "web", "shop")):
            assert caller(role).grant([scope]) == Grant()
