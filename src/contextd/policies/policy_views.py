"""Views of violations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contextd.policies.rule_check import Violation
from contextd_code.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ViolationView:
    """A violation: what breaks which rule, where, and the alternative. `source` is where the rule is
    written, `author` who last changed that file.
    """

    policy: str
    id: str
    kind: str
    severity: str
    enforce: str
    requirement: str
    what: str
    path: str
    line: int
    excerpt: str
    way_out: str
    source: str
    author: str = ""

    @property
    def place(self) -> str:
        """The location in editor syntax."""
        return f"{self.path}:{self.line}" if self.line else self.path or "the command"

    def as_text(self) -> str:
        """One line with all of it."""
        by = f", last changed by {self.author}" if self.author else ""
        away = f" Instead: {self.way_out}" if self.way_out else ""
        return (
            f"✗ {self.place}: {self.what} ({self.severity}, {self.enforce}; {self.policy}:"
            f" {self.requirement}).{away} [{self.source}{by}]"
        )


def violation_views(
    violations: Sequence[Violation], author: Callable[[str], str] = lambda _: ""
) -> list[ViolationView]:
    """Convert violations for an answer. `author` returns who last changed a rule's file."""
    return [
        ViolationView(
            policy=one.rule.title,
            id=one.rule.record_id,
            kind=one.rule.kind,
            severity=one.rule.severity,
            enforce=one.rule.enforce,
            requirement=one.rule.requirement,
            what=one.what,
            path=one.path,
            line=one.line,
            excerpt=one.excerpt,
            way_out=one.rule.way_out,
            source=one.rule.source,
            author=author(one.rule.source),
        )
        for one in violations
    ]
