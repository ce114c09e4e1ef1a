"""Check an action against the policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import partial

from contextd.briefing.directive_lines import REST, directive_line, said, users_directives
from contextd.domain.applies_to import is_limited
from contextd.domain.limits import Text
from contextd.domain.notices import Notice
from contextd.domain.records import Record
from contextd.domain.result_display import text_form
from contextd.domain.trust import UNTRUSTED
from contextd.policies.actions import Action, is_diff, told
from contextd.policies.policy_log import CheckMade, note_check, past_checks
from contextd.policies.rule_check import ViolationView, violation_views
from contextd.policies.rule_file_sync import FILED
from contextd.policies.rule_folders import author_of
from contextd.policies.rules_in_force import (
    InForce,
    checked,
    in_force,
    with_root,
    without_new_files,
)
from contextd.policies.touched_paths import TouchedPaths, applies, is_beside, touched_by_text
from contextd.projects.project_model import unheeded
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import find_records
from contextd_common.dataclass import dataclass
from contextd_common.errors import TooLarge
from contextd_common.text.words import content_words

LARGEST = 8_000_000
"""Characters of an action: a longer diff is a vendored tree and should be checked in parts."""

_SUGGESTED = 3
_WARNED_OF = 5
_NAMED = 4
_ASKED = 1_200
_IN_WORDS = 5
"""Maximum policies in words that a check repeats."""
_STATED, _OF_FILES = 2, 5
"""Maximum directives of the user shown with an action: one shared word is a weak signal; and of those for its files."""

_NO_RULES = (
    "no rules in force, so nothing was checked; `contextd policies init` offers starter packs"
)


@dataclass(frozen=True, slots=True)
class PolicyCheck:
    """The violations of an action and possibly related rules. `compliant` is null where no pattern is broken but a
    policy in words is in force, which only the caller can judge: `in_words` has their texts, nearest first. `denied`
    says that a policy forbids the action. `stated` counts directives in plain words, which cannot be checked automatically. `problems`
    are rule files that are not in force because of mistakes.
    """

    compliant: bool | None
    violations: list[ViolationView]
    suggestions: list[str]
    denied: bool = False
    checked: int = 0
    problems: list[str] = field(default_factory=list[str])
    stated: int = 0
    in_words: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """One line per violation with the alternative, then possibly related rules."""
        rules = f"{self.checked} rule{'s' * (self.checked != 1)}"
        verdict = f"✓ no violation of {rules}" if self.checked else _NO_RULES
        if self.in_words and not self.checked:
            verdict = "nothing was checked: no rule has patterns"
        if self.stated and not self.checked:
            verdict = f"nothing was checked: no rule has patterns; rules in words: {self.stated} (`{REST}`)"
        lines = [] if self.violations else [verdict]
        lines += [f"- judge it yourself: {one}" for one in self.in_words]
        lines += [violation.as_text() for violation in self.violations]
        lines += [f"- may be related: {one}" for one in self.suggestions]
        return "\n".join(lines + [f"! {problem}" for problem in self.problems])


@operation("POST /api/policies/check", profile="standard")
def policy_check(runtime: Runtime, action: Text, context: str = "") -> PolicyCheck:
    """Check a command, a diff or a change against the policies before doing it. Violations are exact and name
    an alternative; suggestions are only similar.

    Args:
        action: The command, a unified diff, or what you are about to do and to which file.
        context: The new content of the file, or a diff for the action.
    """
    if len(action) + len(context) > LARGEST:
        size = len(action) + len(context)
        raise TooLarge(
            f"an action of {size:,} characters", f"at most {LARGEST:,}; check it in parts"
        )
    found = in_force(runtime)
    meant = with_root(told(action, context), runtime)
    broken = checked(runtime, meant, found=found)
    if not is_diff(action) and not is_diff(context):
        broken = without_new_files(runtime, broken)
    rules = sum(rule.checkable for rule in found.rules)
    note_check(runtime, _about(meant, action), rules, broken)
    violations = violation_views(broken, partial(author_of, runtime))
    runtime.trace.notices += [_warning(one) for one in violations[:_WARNED_OF]]
    named = {one.rule.record_id for one in broken}
    touched = _touched(runtime, meant, action)
    directives = [one for one in users_directives(runtime) if applies(one, touched)]
    in_words = _in_words(found, action)
    return PolicyCheck(
        compliant=False if violations else None if in_words else True,
        violations=violations,
        suggestions=[
            *_suggestions(runtime, meant, action, found, named, touched),
            *_stated(runtime, action, directives),
        ],
        stated=len(directives),
        in_words=in_words,
        denied=any(one.enforce == "deny" for one in violations),
        checked=rules,
        problems=[
            *map(str, found.problems),
            *((UNTRUSTED,) if unheeded(runtime) else ()),
        ],
    )


def _in_words(found: InForce, action: str) -> list[str]:
    """The policies without patterns, those that share the most words with an action first."""
    words = set(content_words(action[:_ASKED]))
    texts = [
        f"{one.fields.get('title', '')}: {one.fields.get('requirement', '')}".strip(": ")
        for one in found.bindings
        if one.kind == "policy"
        and one.fields.get("enforce") != "off"
        and (one.rule is None or not one.rule.checkable)
    ]
    shared = {text: len(words & set(content_words(text))) for text in texts}
    return sorted(shared, key=lambda text: -shared[text])[:_IN_WORDS]


def _stated(runtime: Runtime, action: str, directives: Sequence[Record]) -> list[str]:
    """The directives for the files of an action, and of the others those that share the most words with it."""
    of_files = [one for one in directives if is_limited(one)][:_OF_FILES]
    words = set(content_words(action[:_ASKED]))
    others = (one for one in directives if not is_limited(one))
    shared = [(len(words & set(content_words(said(one)))), one) for one in others]
    nearest = sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])[:_STATED]
    chosen = [*of_files, *(one for _, one in nearest)]
    runtime.trace.own_texts += [one.text for one in chosen]
    return [directive_line(one, runtime) for one in chosen]


def _touched(runtime: Runtime, meant: Action, action: str) -> TouchedPaths:
    """The files of an action, and what its description names."""
    changed = TouchedPaths(tuple(change.path for change in meant.files))
    described = touched_by_text(runtime, action) if not is_diff(action) else TouchedPaths()
    return changed.and_also(described)


def _warning(violation: ViolationView) -> Notice:
    """For clients that show people what their agent was told."""
    policy = {name: getattr(violation, name) for name in ("id", "severity", "enforce", "source")}
    facts = {"policy": {"title": violation.policy, **policy}, "violation": text_form(violation)}
    return Notice("policy_warning", text_form(violation), facts, answered=True)


def _about(meant: Action, action: str) -> str:
    """A one-line description of what was checked: the changed files or the command."""
    paths = [change.path for change in meant.files]
    if not paths or not (is_diff(action) or len(paths) > 1):
        return action
    named = ", ".join(paths[:_NAMED])
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return f"a change of {named}{more}"


@dataclass(frozen=True, slots=True)
class ChecksMade:
    """The latest checks, newest first, as far back as the project's usage log goes."""

    checks: list[CheckMade]

    def as_text(self) -> str:
        """A few lines per check."""
        return "\n".join(one.as_text() for one in self.checks) or "no recent checks"


@operation("GET /api/policies/checks", audience="owner")
def policy_checks(runtime: Runtime) -> ChecksMade:
    """List the latest policy checks of this project and their findings."""
    return ChecksMade(past_checks(runtime))


def _suggestions(
    runtime: Runtime,
    meant: Action,
    action: str,
    found: InForce,
    broken: Sequence[str] | set[str],
    touched: TouchedPaths,
) -> list[str]:
    """Policies and standards with similar meaning; only hints."""
    if runtime.project is None or not found.bindings:
        return []
    asked = action
    if meant.files and not meant.commands and not meant.statement:
        lines = [change.path for change in meant.files[:10]]
        lines += [line.strip() for change in meant.files[:10] for _, line in change.added[:20]]
        asked = "\n".join(lines)
    result = find_records(
        runtime,
        asked[:_ASKED],
        (*FILED, "anti_pattern"),
        limit=_SUGGESTED + len(broken),
        handed_out=False,
        strict=True,
        statuses=("active",),
    )
    told_of = [
        hit.record
        for hit in result.hits
        if hit.record.id not in broken and not is_beside(hit.record, touched)
    ]
    runtime.trace.own_texts += [record.text for record in told_of[:_SUGGESTED]]
    return [
        f"{record.title}: {' '.join(record.content.split())[:200]} [{record.kind} {record.id[:8]}]"
        for record in told_of[:_SUGGESTED]
    ]
