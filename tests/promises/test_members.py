"""Members of organisations, and what their tokens sign in."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contextd.domain.access import Assignment
from contextd.domain.members import (
    AccessToken,
    Member,
    SignedIn,
    digest_of,
    new_secret,
    organisation_of,
)
from contextd.domain.scope import Scope
from contextd.ports.members import Credentials, MemberTable
from contextd.stores import open_shared
from contextd_common.errors import Conflict, NotFound
from support import postgres_server
from support.stores import Whole, address, opened

pytestmark = pytest.mark.long

WEB = Assignment(Scope("acme", "web"), "team_member")
SHOP = Assignment(Scope("acme", "web", "shop"), "viewer")
NOW = datetime.now(UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Whole]:
    whole = Whole(opened(address("postgresql", tmp_path)))
    yield whole
    whole.close()


@pytest.fixture
def members(store: Whole) -> MemberTable:
    found = store.store.members
    assert found is not None
    return found


@pytest.fixture
def organisation(store: Whole) -> str:
    return postgres_server.name_of(store.store.database.org)  # type: ignore[attr-defined]


@pytest.fixture
def credentials() -> Iterator[Credentials]:
    database = open_shared(postgres_server.url())
    assert database is not None
    database.check()
    yield database.credentials
    database.close()


def token(secret: str, member: str = "member-1", **fields: object) -> AccessToken:
    given = {
        "id": f"id-{digest_of(secret)[:8]}",
        "member": member,
        "label": "laptop",
        "digest": digest_of(secret),
        "created_at": NOW,
        "expires_at": NOW + timedelta(days=1),
        **fields,
    }
    return AccessToken(**given)  # type: ignore[arg-type]


def added(members: MemberTable, *roles: Assignment, id: str = "member-1") -> Member:
    member = Member(id=id, name=f"ada {id}", roles=frozenset(roles), created_at=NOW)
    members.add(member)
    return member


def test_a_member_has_the_roles_that_were_given_and_not_taken_back(members: MemberTable) -> None:
    member = added(members, WEB)
    assert members.all() == [member]
    members.assign(member.id, SHOP)
    members.assign(member.id, SHOP)
    assert members.all()[0].roles == {WEB, SHOP}
    assert members.withdraw(member.id, WEB)
    assert not members.withdraw(member.id, WEB)
    assert members.all()[0].roles == {SHOP}
    with pytest.raises(NotFound):
        members.assign("member-2", SHOP)


def test_no_two_members_have_one_name(members: MemberTable) -> None:
    added(members)
    with pytest.raises(Conflict):
        members.add(Member(id="member-2", name="ada member-1"))
    assert [one.id for one in members.all()] == ["member-1"]


def test_a_token_signs_its_member_in_with_the_roles_of_now(
    members: MemberTable, organisation: str, credentials: Credentials
) -> None:
    added(members, WEB)
    secret = new_secret(organisation)
    limits = frozenset({Scope("acme", "web", "shop")})
    members.add_token(token(secret, limits=limits, reads_only=True))
    assert organisation_of(secret) == organisation
    found = credentials.signed_in(organisation, digest_of(secret))
    assert found == SignedIn("member-1", frozenset({WEB}), limits, reads_only=True)
    members.assign("member-1", SHOP)
    members.withdraw("member-1", WEB)
    found = credentials.signed_in(organisation, digest_of(secret))
    assert found is not None
    assert found.roles == {SHOP}


def test_what_is_revoked_expired_erased_or_of_another_organisation_signs_no_one_in(
    members: MemberTable, organisation: str, credentials: Credentials, tmp_path: Path
) -> None:
    added(members, WEB)
    added(members, WEB, id="member-2")
    secrets = [new_secret(organisation) for _ in range(5)]
    valid, revoked, expired, code, erased = secrets
    for one in (valid, revoked):
        members.add_token(token(one))
    members.add_token(token(expired, expires_at=NOW - timedelta(seconds=1)))
    members.add_token(token(code, once=True))
    members.add_token(token(erased, "member-2"))
    assert members.revoke(token(revoked).id)
    assert not members.revoke(token(revoked).id)
    assert members.erase("member-2")
    assert not members.erase("member-2")
    known = [one for one in secrets if credentials.signed_in(organisation, digest_of(one))]
    assert known == [valid]
    other = Whole(opened(address("postgresql", tmp_path)))
    elsewhere = postgres_server.name_of(other.store.database.org)  # type: ignore[attr-defined]
    assert credentials.signed_in(elsewhere, digest_of(valid)) is None
    assert credentials.signed_in("no-such-organisation", digest_of(valid)) is None
    assert other.store.members is not None
    assert other.store.members.all() == []
    assert other.store.members.tokens() == []
    other.close()
    assert credentials.has_organisation(elsewhere)
    assert not credentials.has_organisation("no-such-organisation")


def test_a_token_of_the_issuer_is_admitted_until_it_is_revoked_in_its_organisation(
    members: MemberTable, organisation: str, credentials: Credentials, tmp_path: Path
) -> None:
    other = Whole(opened(address("postgresql", tmp_path)))
    elsewhere = postgres_server.name_of(other.store.database.org)  # type: ignore[attr-defined]
    assert credentials.admits(organisation, "jti-1")
    members.revoke_issued("jti-1", NOW + timedelta(hours=1))
    members.revoke_issued("jti-1", NOW + timedelta(hours=2))
    assert not credentials.admits(organisation, "jti-1")
    assert credentials.admits(organisation, "jti-2")
    assert credentials.admits(elsewhere, "jti-1")
    assert not credentials.admits("no-such-organisation", "jti-1")
    # What has expired needs no row any more.
    members.revoke_issued("jti-3", NOW - timedelta(hours=1))
    members.revoke_issued("jti-4", NOW + timedelta(hours=1))
    assert credentials.admits(organisation, "jti-3")
    assert not credentials.admits(organisation, "jti-1")
    other.close()


def test_tokens_are_listed_by_member_latest_first_without_their_secrets(
    members: MemberTable, organisation: str
) -> None:
    added(members)
    added(members, id="member-2")
    first, second = new_secret(organisation), new_secret(organisation)
    members.add_token(token(first))
    members.add_token(token(second, created_at=NOW + timedelta(seconds=1)))
    members.add_token(token(new_secret(organisation), "member-2"))
    listed = members.tokens("member-1")
    assert [one.digest for one in listed] == [digest_of(second), digest_of(first)]
    assert len(members.tokens()) == 3
    assert first not in repr(members.tokens())
    with pytest.raises(NotFound):
        members.add_token(token(new_secret(organisation), "member-3"))


def test_a_code_becomes_one_token_however_many_try_at_once(
    members: MemberTable, organisation: str, credentials: Credentials
) -> None:
    added(members, WEB)
    code = new_secret(organisation)
    members.add_token(token(code, once=True))
    wanted = [new_secret(organisation) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda one: members.exchange(digest_of(code), token(one, "")), wanted))
    assert sum(one is not None for one in made) == 1
    assert [one.member for one in made if one is not None] == ["member-1"]
    signed = [one for one in wanted if credentials.signed_in(organisation, digest_of(one))]
    assert len(signed) == 1


def test_a_code_that_is_expired_or_a_token_is_exchanged_for_nothing(
    members: MemberTable, organisation: str
) -> None:
    added(members, WEB)
    expired, plain = new_secret(organisation), new_secret(organisation)
    members.add_token(token(expired, once=True, expires_at=NOW - timedelta(seconds=1)))
    members.add_token(token(plain))
    fresh = token(new_secret(organisation), "")
    for digest in (digest_of(expired), digest_of(plain), digest_of("unknown")):
        assert members.exchange(digest, fresh) is None
    assert len(members.tokens()) == 2
    assert abs(members.now() - datetime.now(UTC)) < timedelta(minutes=1)
