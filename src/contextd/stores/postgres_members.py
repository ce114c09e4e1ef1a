"""Members of organisations in PostgreSQL."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

from contextd.domain.access import Assignment
from contextd.domain.members import AccessToken, Member, SignedIn
from contextd.domain.scope import Scope
from contextd.domain.time import from_micros, to_micros
from contextd.stores import codec
from contextd.stores.database import Connection, Database, fetch
from contextd.stores.postgres_errors import raising
from contextd.stores.postgres_pool import WAIT_SECONDS, DatabaseConnections
from contextd_common.errors import Conflict, NotFound

_LOCK = "members"
_ROLES = "SELECT member, scope, role FROM assignments ORDER BY member, scope, role"
_ADD = "INSERT INTO members (id, name, created_at) VALUES (?, ?, ?)"
_ASSIGN = "INSERT INTO assignments (member, scope, role) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_WITHDRAW = "DELETE FROM assignments WHERE member = ? AND scope = ? AND role = ? RETURNING role"
_TOKENS = """SELECT id, member, label, digest, once, limits, reads_only, created_at, expires_at, revoked_at FROM tokens
    WHERE ? IN ('', member) ORDER BY created_at DESC, id"""
_ADD_TOKEN = """INSERT INTO tokens (id, member, label, digest, once, limits, reads_only, created_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_REVOKE = "UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING id"
_REVOKE_ISSUED = """INSERT INTO revoked (id, until) VALUES (?, ?)
    ON CONFLICT (id) DO UPDATE SET until = excluded.until"""
_USE = """UPDATE tokens SET revoked_at = ? WHERE digest = ? AND once AND revoked_at IS NULL AND expires_at > ?
    RETURNING member"""


class PostgresMembers:
    """`MemberTable` of one organisation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Member]:
        """See `MemberTable.all`."""
        with self._database.snapshot():
            listed = self._database.rows("SELECT id, name, created_at FROM members ORDER BY name")
            given = self._database.rows(_ROLES)
        roles: dict[str, set[Assignment]] = {}
        for member, scope, role in given:
            roles.setdefault(member, set()).add(Assignment(codec.parse_scope(scope), role))
        return [
            Member(id=id, name=name, roles=frozenset(roles.get(id, ())), created_at=from_micros(at))
            for id, name, at in listed
        ]

    def add(self, member: Member) -> None:
        """See `MemberTable.add`."""
        with self._database.write(_LOCK) as connection:
            if fetch(connection, "SELECT id FROM members WHERE name = ?", (member.name,)):
                raise Conflict(f"{member.name!r} is a member already", "choose another name")
            connection.execute(_ADD, (member.id, member.name, to_micros(member.created_at)))
            for one in member.roles:
                connection.execute(_ASSIGN, (member.id, str(one.scope), one.role))

    def erase(self, member_id: str) -> bool:
        """See `MemberTable.erase`."""
        with self._database.write(_LOCK) as connection:
            connection.execute("DELETE FROM tokens WHERE member = ?", (member_id,))
            connection.execute("DELETE FROM assignments WHERE member = ?", (member_id,))
            statement = "DELETE FROM members WHERE id = ? RETURNING id"
            return bool(fetch(connection, statement, (member_id,)))

    def assign(self, member_id: str, assignment: Assignment) -> None:
        """See `MemberTable.assign`."""
        with self._database.write(_LOCK) as connection:
            _require(connection, member_id)
            connection.execute(_ASSIGN, (member_id, str(assignment.scope), assignment.role))

    def withdraw(self, member_id: str, assignment: Assignment) -> bool:
        """See `MemberTable.withdraw`."""
        with self._database.write(_LOCK) as connection:
            values = (member_id, str(assignment.scope), assignment.role)
            return bool(fetch(connection, _WITHDRAW, values))

    def tokens(self, member_id: str = "") -> list[AccessToken]:
        """See `MemberTable.tokens`."""
        return [_token(row) for row in self._database.rows(_TOKENS, (member_id,))]

    def add_token(self, token: AccessToken) -> None:
        """See `MemberTable.add_token`."""
        with self._database.write(_LOCK) as connection:
            _require(connection, token.member)
            _add(connection, token)

    def revoke(self, token_id: str) -> bool:
        """See `MemberTable.revoke`."""
        with self._database.write(_LOCK) as connection:
            return bool(fetch(connection, _REVOKE, (self._database.now(), token_id)))

    def exchange(self, digest: str, token: AccessToken) -> AccessToken | None:
        """See `MemberTable.exchange`."""
        with self._database.write(_LOCK) as connection:
            now = self._database.now()
            found = fetch(connection, _USE, (now, digest, now))
            if not found:
                return None
            stored = replace(token, member=str(found[0][0]))
            _add(connection, stored)
            return stored

    def revoke_issued(self, token_id: str, until: datetime) -> None:
        """See `MemberTable.revoke_issued`."""
        with self._database.write(_LOCK) as connection:
            now = self._database.now()
            connection.execute("DELETE FROM revoked WHERE until < ?", (now,))
            connection.execute(_REVOKE_ISSUED, (token_id, to_micros(until)))

    def now(self) -> datetime:
        """See `MemberTable.now`."""
        return from_micros(self._database.now())


class PostgresCredentials:
    """`Credentials` of a database."""

    def __init__(self, pool: DatabaseConnections) -> None:
        self._pool = pool

    def signed_in(self, organisation: str, digest: str) -> SignedIn | None:
        """See `Credentials.signed_in`."""
        statement = "SELECT member, limits, reads_only, roles FROM contextd.signed_in(%s, %s)"
        found = self._rows(statement, (organisation, digest))
        if not found:
            return None
        member, limits, reads_only, roles = found[0]
        given = (Assignment(codec.parse_scope(scope), role) for scope, role in json.loads(roles))
        return SignedIn(member, frozenset(given), _scopes(limits), bool(reads_only))

    def admits(self, organisation: str, token_id: str) -> bool:
        """See `Credentials.admits`."""
        found = self._rows("SELECT contextd.admits(%s, %s)", (organisation, token_id))
        return bool(found[0][0])

    def has_organisation(self, name: str) -> bool:
        """See `Credentials.has_organisation`."""
        return bool(self._rows("SELECT contextd.has_organisation(%s)", (name,))[0][0])

    def _rows(self, statement: str, values: tuple[str, ...]) -> list[Any]:
        with raising(), self._pool.connection() as connection:
            connection.silence = WAIT_SECONDS
            return connection.execute(statement.encode(), values).fetchall()


def _require(connection: Connection, member_id: str) -> None:
    if not fetch(connection, "SELECT id FROM members WHERE id = ?", (member_id,)):
        raise NotFound(f"no member {member_id!r}", "`GET /api/members` lists them")


def _add(connection: Connection, token: AccessToken) -> None:
    limits = codec.dumps(sorted(str(one) for one in token.limits))
    at, until = to_micros(token.created_at), to_micros(token.expires_at)
    row = (token.id, token.member, token.label, token.digest, token.once, limits, token.reads_only)
    connection.execute(_ADD_TOKEN, (*row, at, until))


def _token(row: tuple[Any, ...]) -> AccessToken:
    id, member, label, digest, once, limits, reads_only, created_at, expires_at, revoked_at = row
    return AccessToken(
        id=id,
        member=member,
        label=label,
        digest=digest,
        once=bool(once),
        limits=_scopes(limits),
        reads_only=bool(reads_only),
        created_at=from_micros(created_at),
        expires_at=from_micros(expires_at),
        revoked_at=None if revoked_at is None else from_micros(revoked_at),
    )


def _scopes(limits: str) -> frozenset[Scope]:
    return frozenset(map(codec.parse_scope, codec.loads(limits)))
