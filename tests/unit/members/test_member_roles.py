"""Members, roles and tokens, as an administrator and a member of a server use them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contextd.app import Host
from contextd_common.errors import Conflict, ContextdError, Denied, Invalid, NotFound
from support.team_servers import Team, server, team

pytestmark = pytest.mark.long

SECRET = "The vault opens at six."


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with server(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def acme(host: Host) -> Iterator[Team]:
    with team(host) as made:
        yield made


def test_the_first_administrator_adds_members_who_exchange_their_code_once(acme: Team) -> None:
    invited = acme("add_member", name="Grace", role="team_member", scope=f"{acme.name}/web")
    assert invited["member"]["roles"] == [{"role": "team_member", "scope": f"{acme.name}/web"}]
    token = acme.host.exchange_code(invited["code"], "laptop")
    assert token != invited["code"]
    with pytest.raises(Denied, match="unknown, used or expired"):
        acme.host.exchange_code(invited["code"], "laptop")
    with pytest.raises(Denied):
        acme.host.door.caller("rest", invited["code"])
    listed = acme("list_members")
    assert [one["name"] for one in listed["members"]] == ["Grace", "ada"]
    assert token not in str(listed)
    states = [one["state"] for one in acme("list_tokens", everywhere=True)["tokens"]]
    assert sorted(states) == ["used", "used", "valid", "valid"]


def test_a_code_of_no_organisation_makes_none(acme: Team) -> None:
    for code in ("", "ctxd_", "ctxd_never-made_abc", "ctxd_local_abc", "ctxd_../x_abc", "Bearer"):
        with pytest.raises(Denied, match="unknown, used or expired"):
            acme.host.exchange_code(code, "laptop")
    with pytest.raises(Denied):
        acme.host.door.caller("rest", "ctxd_never-made_abc")
    made = acme.host._database.credentials  # type: ignore[union-attr]
    assert not made.has_organisation("never-made")


def test_a_role_begins_and_ends_with_the_next_call(acme: Team) -> None:
    acme("add_project", name="Shop", team="web")
    grace = acme.member("Grace", "viewer", f"{acme.name}/web/shop")
    assert acme.verdict("remember", grace, project="shop", text=SECRET) == "denied"
    id = acme.id_of("Grace")
    shown = acme("grant_role", id=id, role="project_dev", scope=f"{acme.name}/web/shop")
    assert {role["role"] for role in shown["members"][0]["roles"]} == {"viewer", "project_dev"}
    assert acme.verdict("remember", grace, project="shop", text=SECRET) == "done"
    shown = acme("withdraw_role", id=id, role="project_dev", scope=f"{acme.name}/web/shop")
    assert {role["role"] for role in shown["members"][0]["roles"]} == {"viewer"}
    assert acme.verdict("remember", grace, project="shop", text=SECRET) == "denied"
    assert acme.verdict("list_members", grace) == "denied"


@pytest.mark.parametrize(
    ("role", "scope"),
    [
        ("org_admin", "/web"),
        ("org_admin", "/web/shop"),
        ("team_admin", ""),
        ("team_member", "/web/shop"),
        ("project_dev", "/web"),
    ],
)
def test_a_role_is_given_only_where_its_row_reaches_no_further(
    acme: Team, role: str, scope: str
) -> None:
    with pytest.raises(Invalid, match="not a role in"):
        acme("add_member", name="Grace", role=role, scope=f"{acme.name}{scope}" if scope else "")
    assert [one["name"] for one in acme("list_members")["members"]] == ["ada"]
    with pytest.raises(Denied, match="not in"):
        acme("add_member", name="Grace", role="viewer", scope="other/web")


def test_the_last_administrator_stays(acme: Team) -> None:
    ada = acme.id_of("ada")
    for call in (("erase_member", {}), ("withdraw_role", {"role": "org_admin"})):
        with pytest.raises(Conflict, match="last administrator"):
            acme(call[0], id=ada, **call[1])
    grace = acme.member("Grace", "org_admin")
    left = acme("erase_member", grace, id=ada)
    assert [one["name"] for one in left["members"]] == ["Grace"]
    with pytest.raises(Denied, match="unknown, expired or revoked"):
        acme("list_members")


def test_a_token_narrows_and_never_widens(acme: Team) -> None:
    web, shop = f"{acme.name}/web", f"{acme.name}/web/shop"
    for name in ("Shop", "Blog"):
        acme("add_project", name=name, team="web")
    grace = acme.member("Grace", "team_member", web)
    narrow = acme("create_token", grace, title="ci", scopes=[shop])["token"]
    assert acme.verdict("remember", narrow, project="shop", text=SECRET) == "done"
    assert acme.verdict("remember", narrow, project="blog", text=SECRET) == "not_found"
    assert acme.verdict("context_search", narrow, project="blog", query="vault") == "not_found"
    with pytest.raises(Denied, match="does not reach"):
        acme("create_token", narrow, title="wider", scopes=[f"{acme.name}/web/blog"])
    inherited = acme("create_token", narrow, title="same")
    assert inherited["about"]["scopes"] == [shop]
    reading = acme("create_token", grace, title="reader", reads_only=True)["token"]
    assert acme.verdict("context_search", reading, project="shop", query="vault") == "done"
    assert acme.verdict("remember", reading, project="shop", text=SECRET) == "denied"
    assert acme.verdict("create_token", reading, title="longer") == "denied"
    # An administrator's token that is narrowed administers no more.
    low = acme("create_token", title="narrow", scopes=[shop])["token"]
    assert acme.verdict("add_member", low, name="Eve", role="org_admin") == "denied"
    # A wider wish of a member gives what the member may, not what the token says.
    wish = acme("create_token", grace, title="all", scopes=[acme.name])["token"]
    assert acme.verdict("list_members", wish) == "denied"


def test_tokens_are_made_listed_and_revoked_by_their_member_or_an_administrator(acme: Team) -> None:
    grace = acme.member("Grace", "viewer")
    made = acme("create_token", grace, title="laptop", days=1)
    mine = acme("list_tokens", grace)["tokens"]
    assert [(one["label"], one["state"]) for one in mine] == [
        ("laptop", "valid"),
        ("test", "valid"),
        ("invitation", "used"),
    ]
    assert made["token"] not in str(mine)
    assert acme.verdict("list_tokens", grace, everywhere=True) == "denied"
    others = acme("list_tokens")["tokens"]
    admins = next(one["id"] for one in others if one["state"] == "valid")
    with pytest.raises(NotFound):
        acme("revoke_token", grace, id=admins)
    left = acme("revoke_token", grace, id=made["about"]["id"])["tokens"]
    assert {one["label"]: one["state"] for one in left}["laptop"] == "revoked"
    with pytest.raises(Denied, match="unknown, expired or revoked"):
        acme("list_tokens", made["token"])
    builder = acme("create_token", title="build", member_id=acme.id_of("Grace"))["token"]
    assert acme.verdict("list_members", builder) == "denied"
    assert acme.verdict("create_token", grace, title="x", member_id=acme.id_of("ada")) == "denied"


def test_a_token_of_the_issuer_is_revoked_by_an_administrator(acme: Team) -> None:
    credentials = acme.host._database.credentials  # type: ignore[union-attr]
    assert credentials.admits(acme.name, "token-1")
    grace = acme.member("Grace", "viewer")
    assert acme.verdict("revoke_issued_token", grace, id="token-1") == "denied"
    assert credentials.admits(acme.name, "token-1")
    assert acme("revoke_issued_token", id="token-1")["id"] == "token-1"
    assert not credentials.admits(acme.name, "token-1")


def test_a_project_is_added_once_and_shared_in_its_team(acme: Team) -> None:
    added = acme("add_project", name="Web Shop", team="web")
    assert added["scope"] == f"{acme.name}/web/web-shop"
    assert acme("add_project", name="Web Shop", team="web") == added
    grace = acme.member("Grace", "team_member", f"{acme.name}/web")
    eve = acme.member("Eve", "team_member", f"{acme.name}/data")
    acme("remember", grace, project="web-shop", text=SECRET)
    found = acme("context_search", project="web-shop", query="vault")
    assert [one["text"] for one in found["results"]] == [SECRET]
    with pytest.raises(NotFound) as unknown:
        acme("context_search", eve, project="web-shop", query="vault")
    with pytest.raises(NotFound) as never:
        acme("context_search", eve, project="web-shed", query="vault")
    assert unknown.value.hint == never.value.hint
    assert acme.verdict("add_project", eve, name="mine", team="data") == "denied"


def test_members_of_two_organisations_meet_nowhere(host: Host) -> None:
    with team(host) as acme, team(host) as rival:
        for one in (acme, rival):
            one("add_project", name="Shop", team="web")
        acme("remember", project="shop", text=SECRET)
        assert rival("context_search", project="shop", query="vault")["results"] == []
        assert rival.verdict("list_tokens", acme.admin) == "done"
        names = [one["organisation"] for one in (acme("list_members"), rival("list_members"))]
        assert names == [acme.name, rival.name]
        for project in (f"{acme.name}/web/shop", acme.name):
            assert rival.verdict("context_search", project=project, query="vault") == "not_found"
        with pytest.raises(ContextdError):
            rival("grant_role", id=acme.id_of("ada"), role="viewer")


def test_an_organisation_is_made_once_and_never_that_of_a_person(acme: Team) -> None:
    with pytest.raises(Conflict, match="has members already"):
        acme.host.add_organisation(acme.name, "eve")
    for name in ("local", "Not A Slug"):
        with pytest.raises(Invalid):
            acme.host.add_organisation(name, "eve")
