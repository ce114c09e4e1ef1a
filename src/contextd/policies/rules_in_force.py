"""The rules in force for a call: those in files of its checkout, and records without a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from contextd.domain.problems import FileProblem
from contextd.domain.records import Record
from contextd.policies.actions import Action
from contextd.policies.licences import licence_in
from contextd.policies.rule_check import Violation, check
from contextd.policies.rule_file_sync import FILED, file_of
from contextd.policies.rule_folders import RuleFolder, files_of, rule_folders
from contextd.policies.rules import PolicyRule, anti_pattern_rule, layout_rule, policy_rule
from contextd.policies.yaml_folder import ReadFile
from contextd.runtime.runtime import Runtime
from contextd_code.git.git_queries import ask
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid

_GIT_SECONDS = 0.5
"""Timeout for asking git whether a file was committed, while an agent waits."""

_MOST = 1_000
"""Maximum records read; no project has that many rules."""


@dataclass(frozen=True, slots=True)
class InForce:
    """What applies to a call: the rules, their records and files, and files ignored because of mistakes.
    `bindings` also has those that cannot be checked, with their `fields`.
    """

    rules: list[PolicyRule]
    problems: list[FileProblem]
    bindings: list[Binding]


@dataclass(frozen=True, slots=True)
class Binding:
    """A policy or standard in force: its fields, where it is written, and its record if any."""

    kind: str
    fields: Mapping[str, Any]
    source: str
    scope: str
    depth: int
    """Levels above the project; the nearest have 0."""
    record: Record | None = None
    rule: PolicyRule | None = None


def in_force(runtime: Runtime, *kinds: str) -> InForce:
    """The rules in force for a call, of these kinds or all."""
    wanted = kinds or (*FILED, "anti_pattern")
    records = _records(runtime, wanted)
    by_file = {(file_of(record), record.kind): record for record in records if file_of(record)}
    bindings: list[Binding] = []
    problems: list[FileProblem] = []
    looked_in: set[str] = set()
    broken: set[str] = set()
    for place in rule_folders(runtime):
        looked_in.add(place.folder.shown)
        for file in files_of(runtime, place):
            problems += file.problems
            if not file.sound:
                broken.add(file.shown)
            elif file.kind in wanted:
                bindings.append(
                    _of_file(runtime, place, file, by_file.get((file.shown, file.kind)))
                )
    for record in records:
        shown = file_of(record)
        # A file that exists is its own source, and a deleted one no longer counts; one with mistakes applies
        # in its last valid state.
        if not shown or shown in broken or shown.rpartition("/")[0] not in looked_in:
            bindings.append(_of_record(runtime, record))
    bindings = _once(sorted(bindings, key=lambda one: (one.depth, one.source)))
    return InForce([one.rule for one in bindings if one.rule], problems, bindings)


def _once(bindings: list[Binding]) -> list[Binding]:
    """Bindings, nearest first, without exact duplicates of nearer ones."""
    found: dict[tuple[str, str], list[Binding]] = {}
    for one in bindings:
        alike = found.setdefault((one.kind, str(one.fields.get("title"))), [])
        if all(dict(one.fields) != dict(other.fields) for other in alike):
            alike.append(one)
    return sorted(
        (one for alike in found.values() for one in alike), key=lambda one: (one.depth, one.source)
    )


def checked(runtime: Runtime, action: Action, *, found: InForce | None = None) -> list[Violation]:
    """The violations of an action against the rules in force."""
    found = found or in_force(runtime)
    root = runtime.checkout.root if runtime.checkout else None
    return check(
        found.rules,
        action,
        licence_of=licence_in(root) if root else lambda _: "",
        key=runtime.redaction_key,
    )


def without_new_files(runtime: Runtime, broken: list[Violation]) -> list[Violation]:
    """The violations without changes of a file that was never committed: it is still being written."""
    if runtime.checkout is None:
        return broken
    known: dict[str, bool] = {}
    left = []
    for one in broken:
        only_later = "create" not in one.rule.changes and one.path
        if only_later and one.path not in known:
            answer = ask(runtime.root, "cat-file", "-e", f"HEAD:{one.path}", timeout=_GIT_SECONDS)
            known[one.path] = answer is not None
        if not only_later or known[one.path]:
            left.append(one)
    return left


def _records(runtime: Runtime, kinds: tuple[str, ...]) -> list[Record]:
    if runtime.project is None:
        return []
    query = runtime.query(*kinds, valid_at=runtime.clock.now(), limit=_MOST)
    return runtime.view.records.find(query).records


def _depth(runtime: Runtime, scope: Any) -> int:
    if scope is None:
        return 0
    cascade = runtime.project.cascade if runtime.project else ()
    return cascade.index(scope) if scope in cascade else len(cascade)


def _of_file(runtime: Runtime, place: RuleFolder, file: ReadFile, record: Record | None) -> Binding:
    scope = str(place.scope or "")
    rule = _rule(file.kind, file.fields, file.shown, record.id if record else "", scope)
    depth = _depth(runtime, place.scope)
    return Binding(file.kind, file.fields, file.shown, scope, depth, record, rule)


def _of_record(runtime: Runtime, record: Record) -> Binding:
    fields = {"title": record.title, **record.data}
    source = file_of(record) or f"{record.kind} {record.id[:8]}"
    rule = _rule(record.kind, fields, source, record.id, str(record.scope))
    depth = _depth(runtime, record.scope)
    return Binding(record.kind, fields, source, str(record.scope), depth, record, rule)


def _rule(
    kind: str, fields: Mapping[str, Any], source: str, record_id: str, scope: str
) -> PolicyRule | None:
    title = str(fields.get("title") or "")
    if kind == "anti_pattern":
        return anti_pattern_rule(title, fields, record_id=record_id, scope=scope)
    if kind == "repo_standard":
        return layout_rule(fields, source=source, record_id=record_id, scope=scope)
    if kind != "policy":
        return None
    try:
        return policy_rule(fields, source=source, record_id=record_id, scope=scope)
    except Invalid:
        # A record written before its patterns were checked applies in words only.
        return None


def with_root(action: Action, runtime: Runtime) -> Action:
    """An action with paths relative to the root of the checkout, without files outside it."""
    if runtime.checkout is None:
        return action
    return replace(action, files=tuple(_inside(action, runtime)))


def _inside(action: Action, runtime: Runtime) -> Iterator[Any]:
    roots = {str(runtime.root), str(runtime.root.resolve())}
    for change in action.files:
        path = change.path.replace("\\", "/")
        if not path.startswith("/"):
            yield replace(change, path=path.removeprefix("./"))
            continue
        inner = next((path[len(r) + 1 :] for r in roots if path.startswith(r + "/")), None)
        if inner:
            yield replace(change, path=inner)
