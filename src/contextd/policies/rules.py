"""A rule: what a policy, an anti-pattern or a repository standard forbids, compiled for checking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from contextd.domain.applies_to import applies_to
from contextd.policies.actions import CHANGES_OF, ChangeOf
from contextd.policies.globs import matches
from contextd.policies.patterns import Pattern, glob_pattern, name_pattern, pattern_of
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, nearest

Enforce = Literal["warn", "deny", "off"]

SEVERITIES = ("critical", "high", "error", "medium", "warning", "low", "info")
"""Severities of policies and anti-patterns, most severe first."""

LISTS = ("commands", "patterns", "keeps")
"""Fields with patterns."""

GLOBS = ("paths", "except_paths")
"""Fields with path globs."""

NAMES = ("dependencies", "licences")
"""Fields with names, in which `*` matches anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRule:
    """The compiled rule of a record or file. `source` is where it is written, `record_id` its record,
    empty if none. A rule without patterns forbids any change of its files. `applies_to` are globs of files that
    it is limited to besides.
    """

    title: str
    requirement: str
    source: str
    kind: str = "policy"
    record_id: str = ""
    scope: str = ""
    severity: str = "medium"
    enforce: Enforce = "warn"
    way_out: str = ""
    paths: Pattern | None = None
    except_paths: Pattern | None = None
    applies_to: tuple[str, ...] = ()
    changes: frozenset[ChangeOf] = frozenset(CHANGES_OF)
    commands: Sequence[Pattern] = ()
    patterns: Sequence[Pattern] = ()
    keeps: Sequence[Pattern] = ()
    dependencies: Pattern | None = None
    licences: Pattern | None = None
    secrets: bool = False

    @property
    def checkable(self) -> bool:
        """Whether it can be checked automatically."""
        return self.enforce != "off" and bool(self.commands or self._looks or self.paths)

    @property
    def _looks(self) -> bool:
        looked_for = (self.patterns, self.keeps, self.dependencies, self.licences, self.secrets)
        return any(bool(one) for one in looked_for)

    @property
    def forbids_change(self) -> bool:
        """Whether it forbids any change of its files."""
        return self.paths is not None and not self._looks and not self.commands

    def about(self, path: str, change: ChangeOf) -> bool:
        """Whether it applies to this change of this file."""
        if change not in self.changes or (self.paths and not self.paths.search(path)):
            return False
        if self.applies_to and not matches(self.applies_to, path):
            return False
        return not (self.except_paths and self.except_paths.search(path))


def policy_rule(
    fields: Mapping[str, Any], *, source: str, record_id: str = "", scope: str = ""
) -> PolicyRule:
    """The rule of a policy's fields. Raises one `Invalid` that names every wrong field."""
    problems = problems_in(fields)
    if problems:
        message = "; ".join(f"{name}: {error.message}" for name, error in problems)
        raise Invalid(message, problems[0][1].hint)
    given = fields.get
    globs = {name: glob_pattern(fields[name]) for name in GLOBS if fields.get(name)}
    names = {name: name_pattern(fields[name]) for name in NAMES if fields.get(name)}
    return PolicyRule(
        title=str(given("title") or given("requirement", "")),
        requirement=str(given("requirement", "")),
        source=source,
        record_id=record_id,
        scope=scope,
        severity=given("severity", "medium"),
        enforce=given("enforce", "warn"),
        way_out=str(given("way_out", "")),
        paths=globs.get("paths"),
        except_paths=globs.get("except_paths"),
        changes=frozenset(given("changes") or CHANGES_OF),
        commands=[pattern_of(one) for one in given("commands") or ()],
        patterns=[pattern_of(one) for one in given("patterns") or ()],
        keeps=[pattern_of(one) for one in given("keeps") or ()],
        dependencies=names.get("dependencies"),
        licences=names.get("licences"),
        secrets=bool(given("secrets")),
    )


def problems_in(fields: Mapping[str, Any]) -> list[tuple[str, Invalid]]:
    """Every field of a policy that cannot be checked, and why; list items as `name.place`."""
    found: list[tuple[str, Invalid]] = []
    makers: list[tuple[str, Callable[[str], object]]] = [(name, pattern_of) for name in LISTS]
    makers += [(name, lambda glob: glob_pattern([glob])) for name in GLOBS]
    makers += [(name, lambda one: name_pattern([one])) for name in NAMES]
    makers.append(("changes", _change))
    for name, make in makers:
        for place, one in enumerate(fields.get(name) or ()):
            try:
                make(one)
            except Invalid as error:
                found.append((f"{name}.{place}", error))
    return found


def _change(word: str) -> None:
    if word not in CHANGES_OF:
        known = ", ".join(CHANGES_OF)
        raise Invalid(
            f"{word!r} is not a kind of change", nearest(word, CHANGES_OF) or f"one of {known}"
        )


def anti_pattern_rule(
    title: str, fields: Mapping[str, Any], *, record_id: str, scope: str
) -> PolicyRule | None:
    """The rule of an anti-pattern whose `detection` is a pattern; None otherwise."""
    detection = str(fields.get("detection") or "")
    try:
        pattern = pattern_of(detection)
    except Invalid:
        return None
    return PolicyRule(
        title=title,
        requirement=str(fields.get("why_bad") or fields.get("what_happened") or title),
        source=f"anti-pattern {record_id[:8]}",
        kind="anti_pattern",
        record_id=record_id,
        scope=scope,
        severity=str(fields.get("severity") or "warning"),
        way_out=str(fields.get("instead") or ""),
        applies_to=applies_to(fields),
        # A command is no file.
        commands=[] if applies_to(fields) else [pattern],
        patterns=[pattern],
    )


def layout_rule(
    fields: Mapping[str, Any], *, source: str, record_id: str = "", scope: str = ""
) -> PolicyRule | None:
    """The rule of a repository standard with forbidden folders; None without any."""
    forbidden = [f"/{str(one).strip('/')}/" for one in fields.get("forbidden_dirs") or ()]
    if not forbidden:
        return None
    return PolicyRule(
        title=str(fields.get("title") or fields.get("standard") or "Repository layout"),
        requirement="forbidden folder: " + ", ".join(one.strip("/") + "/" for one in forbidden),
        source=source,
        kind="repo_standard",
        record_id=record_id,
        scope=scope,
        way_out=str(fields.get("rationale") or ""),
        paths=glob_pattern(forbidden),
        changes=frozenset(("create",)),
    )
