"""What was checked against the policies lately, and what of it broke which rule."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import field
from datetime import datetime

from contextd.domain.dataclass import dataclass
from contextd.governance.policies.checking import Violation
from contextd.governance.redact import redact
from contextd.runtime import Runtime
from contextd.steps.policy_views import ViolationView, violation_views

_SCOPES, _CHECKS = 64, 30
_VIOLATIONS = 10
"""Violations that are kept of one check: a diff that breaks more is to be checked again anyway."""

_LONGEST = 160


@dataclass(frozen=True, slots=True)
class PastCheck:
    """A check that was made: when, by whom, of what, against how many rules, and what was broken."""

    at: datetime
    by: str
    about: str
    checked: int
    denied: bool
    violations: list[ViolationView] = field(default_factory=list[ViolationView])
    more: int = 0


def note_check(
    runtime: Runtime, about: str, checked: int, broken: Sequence[Violation], *, by: str = ""
) -> None:
    """Remember a check for who looks at the project. Nothing secret of `about` is kept."""
    if runtime.project is None:
        return
    line = " ".join(about.split())[:_LONGEST]
    past = PastCheck(
        at=runtime.clock.now(),
        by=by or runtime.client or runtime.surface,
        about=redact(line, runtime.redaction_key).text,
        checked=checked,
        denied=any(one.rule.enforce == "deny" for one in broken),
        violations=violation_views(broken[:_VIOLATIONS]),
        more=max(0, len(broken) - _VIOLATIONS),
    )
    _log(runtime).append(past)


def past_checks(runtime: Runtime) -> list[PastCheck]:
    """The checks made in the project since this process started, latest first."""
    return list(reversed(_log(runtime)))


def _log(runtime: Runtime) -> deque[PastCheck]:
    cache = runtime.organisation.caches.of("policy checks", _SCOPES)
    log: deque[PastCheck] = cache.made(str(runtime.scope), lambda: deque(maxlen=_CHECKS))
    return log
