"""Check an action against rules. All findings are exact matches of a path, a pattern, a name or a secret;
similar meaning is no violation.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from contextd.policies.actions import Action, FileChange, Line
from contextd.policies.licences import is_refused, licences_in
from contextd.policies.packages import PackageName, packages_in, packages_installed_by
from contextd.policies.patterns import LONGEST_LINE, Pattern, may_match
from contextd.policies.rules import SEVERITIES, PolicyRule
from contextd.redaction.cutting import beginning, ending
from contextd.redaction.redact import redact
from contextd_code.index.shell_commands import shell_text
from contextd_common.dataclass import dataclass

MOST_PER_RULE = 5
"""Maximum reported places per rule and file; more add no information."""

_SHOWN = 160
"""Characters of a line that are shown."""

_WORD = re.compile(r"\w+")

LicenceOf = Callable[[PackageName], str]
"""The licence of a package as known on this machine; empty if unknown."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that an action breaks, where, and what breaks it. `path` is empty for a command."""

    rule: PolicyRule
    what: str
    path: str = ""
    line: int = 0
    excerpt: str = ""

    @property
    def place(self) -> str:
        """The location in editor syntax."""
        return f"{self.path}:{self.line}" if self.line else self.path or "the command"


def check(
    rules: Sequence[PolicyRule],
    action: Action,
    *,
    licence_of: LicenceOf = lambda _: "",
    key: bytes = b"",
) -> list[Violation]:
    """The violations of an action, most severe first. `key` keys the placeholders for secrets in excerpts."""
    at_work = [rule for rule in rules if rule.checkable]
    found: list[Violation] = []
    for change in action.files:
        about = [rule for rule in at_work if rule.about(change.path, change.change)]
        if about:
            found += _in_file(about, change, licence_of)
    runs = [(command, shell_text(command).lines) for command in action.commands]
    for rule in at_work:
        found += _in_commands(rule, runs, licence_of)
    found += _in_words(at_work, action)
    found.sort(key=lambda one: (_rank(one.rule), one.path, one.line))
    return [_without_secrets(one, key) for one in found]


def _rank(rule: PolicyRule) -> int:
    return SEVERITIES.index(rule.severity) if rule.severity in SEVERITIES else len(SEVERITIES)


def _in_file(
    rules: Sequence[PolicyRule], change: FileChange, licence_of: LicenceOf
) -> list[Violation]:
    found: list[Violation] = []
    path = change.path
    packages = list(packages_in(change)) if any(r.dependencies or r.licences for r in rules) else []
    licences = list(licences_in(change)) if any(r.licences for r in rules) else []
    secrets = _secrets(change.added) if any(rule.secrets for rule in rules) else []
    for rule in rules:
        if rule.forbids_change:
            verb = {"create": "adds", "edit": "changes", "delete": "removes"}[change.change]
            found.append(Violation(rule, f"{verb} {path}", path))
            continue
        mine = [Violation(rule, *one) for one in _matches(rule.patterns, change.added, path)]
        mine += [Violation(rule, *one) for one in _lost(rule, change)]
        mine += [
            Violation(rule, f"brings in {package.name}", path, package.line)
            for package in packages
            if rule.dependencies and rule.dependencies.search(package.name)
        ]
        if rule.licences is not None:
            mine += _licensed(rule, rule.licences, path, licences, packages, licence_of)
        if rule.secrets:
            mine += [
                Violation(rule, f"holds a secret ({kind})", path, line) for kind, line in secrets
            ]
        found += mine[:MOST_PER_RULE]
    return found


def _matches(
    patterns: Sequence[Pattern], lines: Sequence[Line], path: str
) -> Iterator[tuple[str, str, int, str]]:
    if not (patterns and lines):
        return
    every = "\n".join(line[:LONGEST_LINE] for _, line in lines)
    likely = [pattern for pattern in patterns if may_match(pattern, every)]
    for number, line in lines if likely else ():
        text = line[:LONGEST_LINE]
        for pattern in likely:
            if match := pattern.search(text):
                shown = ending(text, len(text) - max(0, match.start() - 40))
                shown = beginning(shown.strip(), _SHOWN)
                yield f"adds {_cut(match.group() or shown)!r}", path, number, shown
                break


def _cut(text: str) -> str:
    return text if len(text) <= 60 else beginning(text, 59) + "…"


def _lost(rule: PolicyRule, change: FileChange) -> Iterator[tuple[str, str, int, str]]:
    """Protected lines that are removed. If the pattern has a group, only those whose group text appears in
    no new line: a name may be written differently.
    """
    if not (rule.keeps and change.removed):
        return
    back = {_kept(rule.keeps, line) for _, line in change.added}
    back |= {word for _, line in change.added for word in _WORD.findall(line[:LONGEST_LINE])}
    for number, line in change.removed:
        what = _kept(rule.keeps, line)
        if what is not None and what not in back:
            yield f"takes out {_cut(what)!r}", change.path, number, beginning(line.strip(), _SHOWN)


def _kept(patterns: Sequence[Pattern], line: str) -> str | None:
    """The protected text of a line, by the first matching pattern."""
    for pattern in patterns:
        if match := pattern.search(line[:LONGEST_LINE]):
            return (match.group(1) if pattern.groups else "") or line.strip()
    return None


def _licensed(
    rule: PolicyRule,
    refused: Pattern,
    path: str,
    licences: Sequence[tuple[str, int]],
    packages: Sequence[PackageName],
    licence_of: LicenceOf,
) -> list[Violation]:
    def refuses(name: str) -> bool:
        return refused.search(name) is not None

    found = [
        Violation(rule, f"is under {name}", path, line)
        for name, line in licences
        if is_refused(name, refuses)
    ]
    for package in packages:
        licence = licence_of(package)
        if licence and is_refused(licence, refuses):
            what = f"adds {package.name}, licensed under {licence}"
            found.append(Violation(rule, what, path, package.line))
    return found


def _in_commands(
    rule: PolicyRule, runs: Sequence[tuple[str, Sequence[str]]], licence_of: LicenceOf
) -> list[Violation]:
    found: list[Violation] = []
    for command, lines in runs:
        for line in lines:
            for pattern in rule.commands:
                if match := pattern.search(line[:LONGEST_LINE]):
                    what = f"runs {_cut(match.group() or line)!r}"
                    found.append(Violation(rule, what, excerpt=beginning(line.strip(), _SHOWN)))
                    break
        installed = (
            list(packages_installed_by(command)) if rule.dependencies or rule.licences else []
        )
        found += [
            Violation(rule, f"brings in {package.name}")
            for package in installed
            if rule.dependencies and rule.dependencies.search(package.name)
        ]
        if rule.licences is not None:
            found += _licensed(rule, rule.licences, "", (), installed, licence_of)
        if rule.secrets and not rule.paths:
            found += [
                Violation(rule, f"holds a secret ({one.type})") for one in redact(command).findings
            ]
    return found[:MOST_PER_RULE]


def _in_words(rules: Sequence[PolicyRule], action: Action) -> list[Violation]:
    """Violations in a statement that names no file: only rules without paths can match."""
    if not action.statement:
        return []
    lines = tuple(enumerate(action.statement.splitlines(), 1))
    found: list[Violation] = []
    secrets = _secrets(lines) if any(rule.secrets for rule in rules) else []
    for rule in rules:
        if rule.paths is not None:
            continue
        patterns = (*rule.patterns, *rule.commands)
        mine = [Violation(rule, *one) for one in _matches(patterns, lines, "the action")]
        if rule.secrets:
            mine += [
                Violation(rule, f"holds a secret ({kind})", "the action", n) for kind, n in secrets
            ]
        found += mine[:MOST_PER_RULE]
    return found


def _secrets(lines: Sequence[Line]) -> list[tuple[str, int]]:
    """(description, line) for each secret in these lines; a secret may span several lines."""
    texts = [line for _, line in lines]
    found = redact("\n".join(texts)).findings
    if not found:
        return []
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    return [(one.type, lines[bisect_right(starts, one.start) - 1][0]) for one in found]


def _without_secrets(violation: Violation, key: bytes) -> Violation:
    what, excerpt = (redact(text, key).text for text in (violation.what, violation.excerpt))
    if (what, excerpt) == (violation.what, violation.excerpt):
        return violation
    return Violation(violation.rule, what, violation.path, violation.line, excerpt)


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
