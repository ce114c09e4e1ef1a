"""The claims of a token that an issuer signed, checked as to type and size, and the roles they give."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from contextd.domain.access import ROLES, Assignment, Role
from contextd.domain.members import assignment
from contextd.domain.scope import Scope
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid

LONGEST_TOKEN = 8_192
"""Characters of a token. Issuers' tokens have one or two thousand."""

LONGEST_LIFE = 24 * 3_600
"""Seconds between now and the end of a token: one that lasts for years could only be revoked."""

_LONGEST_NAME, _MOST_NAMES = 255, 200


class BadClaims(ValueError):
    """Claims that give no role. The words are for the operator's log, never for a caller."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """Whom the claims name: an organisation, an opaque member and roles. `token_id` is the claim `jti`."""

    organisation: str
    member: str
    roles: frozenset[Assignment]
    token_id: str


def claimed(claims: Mapping[str, Any], now: float) -> Claimed:
    """Read `iss`, `sub`, `jti`, `org_id`, `role`, `team_ids`, `projects` and `exp`, whose signature, issuer, audience and times
    were checked. `now` is in seconds since the epoch. Raises `BadClaims`.
    """
    expires_at = claims.get("exp")
    if not isinstance(expires_at, int | float) or isinstance(expires_at, bool):
        raise BadClaims("exp is not a number")
    if expires_at - now > LONGEST_LIFE:
        raise BadClaims(f"exp is more than {LONGEST_LIFE // 3_600} hours away")
    issuer, subject = _text(claims, "iss"), _text(claims, "sub")
    organisation, role = _text(claims, "org_id"), _text(claims, "role")
    if role not in ROLES:
        raise BadClaims("role is unknown")
    digest = hashlib.sha256(f"{issuer}\0{subject}".encode()).hexdigest()
    try:
        scopes = _scopes(organisation, role, _texts(claims, "team_ids"), _texts(claims, "projects"))
        roles = frozenset(assignment(role, scope) for scope in scopes)
    except Invalid as error:
        raise BadClaims(error.message) from error
    return Claimed(organisation, f"subject-{digest[:16]}", roles, _text(claims, "jti"))


def _scopes(organisation: str, role: Role, teams: list[str], projects: list[str]) -> list[Scope]:
    """Where a role holds: in the organisation, in each team, or in each project, written as `team/project` or, with one
    team, by its name. A viewer sees the narrowest that is named.
    """
    if role == "org_admin":
        return [Scope(organisation)]
    if role in ("team_admin", "team_member"):
        if not teams:
            raise BadClaims(f"{role} names no team_ids")
        return [Scope(organisation, team) for team in teams]
    if projects:
        return [_project(organisation, teams, name) for name in projects]
    if role == "project_dev":
        raise BadClaims("project_dev names no projects")
    return [Scope(organisation, team) for team in teams] or [Scope(organisation)]


def _project(organisation: str, teams: list[str], name: str) -> Scope:
    team, separator, project = name.rpartition("/")
    if separator:
        if teams and team not in teams:
            raise BadClaims("projects names one outside of team_ids")
        return Scope(organisation, team, project)
    if len(teams) != 1:
        raise BadClaims("projects names one without its team")
    return Scope(organisation, teams[0], name)


def _text(claims: Mapping[str, Any], name: str) -> Any:
    found = claims.get(name)
    if not isinstance(found, str) or not 0 < len(found) <= _LONGEST_NAME:
        raise BadClaims(f"{name} is missing or no short text")
    return found


def _texts(claims: Mapping[str, Any], name: str) -> list[str]:
    found = claims.get(name, [])
    if not isinstance(found, list) or len(found) > _MOST_NAMES:
        raise BadClaims(f"{name} is no short list")
    if not all(isinstance(one, str) and 0 < len(one) <= _LONGEST_NAME for one in found):
        raise BadClaims(f"{name} has something else than short texts")
    return found
