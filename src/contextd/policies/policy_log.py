"""Recent policy checks and violations, as entries of the usage log."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, field

from contextd.domain.time import iso
from contextd.domain.usage import Observation
from contextd.policies.rule_check import Violation, ViolationView, violation_views
from contextd.redaction.cutting import beginning
from contextd.redaction.redact import redact_whole
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

CHECKED = "policy_check"
"""The operation name of a check in the usage log."""

_CHECKS = 30
_LOOKED_THROUGH = 1_000
"""Log entries that are searched for checks: all that a project stores."""

_VIOLATIONS = 10
"""Violations stored per check: a diff with more has to be checked again anyway."""

_LONGEST, _LONGEST_FIELD = 160, 300
_READ = 4_000
"""Characters of a text that are examined before it is shortened."""


@dataclass(frozen=True, slots=True)
class CheckMade:
    """A past check: when, by whom, of what, against how many rules, and the violations; `more` counts those
    beyond the listed ones.
    """

    at: str
    by: str
    about: str
    checked: int
    denied: bool
    violations: list[ViolationView] = field(default_factory=list[ViolationView])
    more: int = 0

    def as_text(self) -> str:
        """A line, and one per violation."""
        found = len(self.violations) + self.more
        verdict = "kept" if not found else f"{found} violation{'s' * (found != 1)}"
        lines = [f"{self.at} {self.by}: {self.about} ({verdict})"]
        return "\n".join([*lines, *(f"  {one.as_text()}" for one in self.violations)])


def note_check(
    runtime: Runtime, about: str, checked: int, broken: Sequence[Violation], *, by: str = ""
) -> None:
    """Log a check; secrets in `about` are redacted."""
    if runtime.project is None:
        return
    summary = {
        "by": by or runtime.client or runtime.surface,
        "checked": checked,
        "denied": any(one.rule.enforce == "deny" for one in broken),
        "violations": [_shortened(runtime, view) for view in violation_views(broken[:_VIOLATIONS])],
        "more": max(0, len(broken) - _VIOLATIONS),
    }
    line = " ".join(beginning(about, _READ).split()).encode("utf-8", "replace").decode()
    runtime.sinks.observe(
        Observation(
            at=runtime.clock.now(),
            action="read",
            operation=CHECKED,
            type="policy",
            record_ids=tuple({one.rule.record_id: None for one in broken if one.rule.record_id}),
            query=f"{_safe(runtime, line)[:_LONGEST]}\n{json.dumps(summary)}",
            agent=runtime.client,
            scope=runtime.scope,
        )
    )


def past_checks(runtime: Runtime) -> list[CheckMade]:
    """The checks of the project, latest first, as far back as the usage log goes."""
    runtime.sinks.settle()
    return list(_checks_among(runtime))[:_CHECKS]


def _checks_among(runtime: Runtime) -> Iterator[CheckMade]:
    for seen in runtime.view.observations.recent(frozenset({runtime.scope}), _LOOKED_THROUGH):
        about, _, summary = seen.query.partition("\n")
        if seen.operation != CHECKED or not summary:
            continue
        try:
            found = json.loads(summary)
            broken = [ViolationView(**one) for one in found.pop("violations")]
            yield CheckMade(iso(seen.at), about=about, violations=broken, **found)
        except (ValueError, TypeError, KeyError):
            # Written by another version, or cut inside a secret: only the fact of the check remains.
            yield CheckMade(iso(seen.at), seen.agent, about, 0, denied=False)


def _shortened(runtime: Runtime, view: ViolationView) -> dict[str, object]:
    return {
        name: _safe(runtime, value)[:_LONGEST_FIELD] if isinstance(value, str) else value
        for name, value in asdict(view).items()
    }


def _safe(runtime: Runtime, text: str) -> str:
    """Redact a text before shortening it, since half a secret is not recognised."""
    return redact_whole(beginning(text, _READ), runtime.redaction_key)
