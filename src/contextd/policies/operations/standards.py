"""Standards for code and for the layout of the repository."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import field
from typing import Literal

from contextd.briefing.directive_lines import directive_line, ranked_directives
from contextd.domain.applies_to import applies_to, in_words
from contextd.policies.rules_in_force import Binding, in_force
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import hand_out_whole
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class StandardView:
    """A standard. `applies_to` are the globs of its files, all without any. For repository standards, `missing` are
    required folders that do not exist, and `misplaced` forbidden ones that do.
    """

    id: str
    type: Literal["coding", "repo"]
    title: str
    rule: str
    scope: str
    source: str
    language: str = ""
    category: str = ""
    severity: str = ""
    good_example: str = ""
    bad_example: str = ""
    rationale: str = ""
    linter: str = ""
    required_dirs: list[str] = field(default_factory=list[str])
    forbidden_dirs: list[str] = field(default_factory=list[str])
    missing: list[str] = field(default_factory=list[str])
    misplaced: list[str] = field(default_factory=list[str])
    applies_to: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The rule, then its examples and the findings in the tree, one line each."""
        limit = in_words(self.applies_to)
        about = ", ".join(filter(None, (self.language, self.category, self.severity, limit)))
        lines = [f"- {self.title}" + (f" ({about})" if about else "") + f": {self.rule}"]
        lines += [f"  good: {_line(self.good_example)}"] if self.good_example else []
        lines += [f"  bad: {_line(self.bad_example)}"] if self.bad_example else []
        lines += [f"  why: {self.rationale}"] if self.rationale else []
        lines += [f"  ✗ missing: {', '.join(self.missing)}"] if self.missing else []
        lines += [f"  ✗ forbidden: {', '.join(self.misplaced)}"] if self.misplaced else []
        return "\n".join(lines)


def _line(example: str) -> str:
    return " ⏎ ".join(line.strip() for line in example.strip().splitlines())


@dataclass(frozen=True, slots=True)
class Standards:
    """The standards in force, nearest first; `problems` are files with mistakes. `rules` are the other
    directives in force: critical policies and the user's rules, most important first.
    """

    standards: list[StandardView]
    problems: list[str]
    rules: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """A few lines per standard."""
        lines = [f"- {rule}" for rule in self.rules]
        lines += [one.as_text() for one in self.standards]
        lines = lines or ["no standards yet: write .context/standards/NAME.yaml"]
        return "\n".join(lines + [f"! {problem}" for problem in self.problems])


@operation("GET /api/standards", profile="standard")
def standards_get(
    runtime: Runtime,
    type: Literal["all", "both", "coding", "repo"] = "all",
    language: str = "",
    category: str = "",
) -> Standards:
    """Get the rules in force here, and the standards for code and repository layout with examples, nearest
    first (project, team, organisation).

    Args:
        type: Standards for code, for repositories, both, or all with the rules.
        language: Only standards for this language and for all languages.
        category: Only standards of this category.
    """
    kinds = {"coding": ("coding_standard",), "repo": ("repo_standard",)}.get(
        type, ("coding_standard", "repo_standard")
    )
    found = in_force(runtime, *kinds)
    chosen: dict[tuple[str, str, str], Binding] = {}
    for one in found.bindings:
        spoken = str(one.fields.get("language") or "").casefold()
        if language and spoken not in ("", "any", language.strip().casefold()):
            continue
        sort = str(one.fields.get("category") or one.fields.get("type") or "")
        if category and sort.casefold() != category.strip().casefold():
            continue
        title = str(one.fields.get("title") or one.source).casefold()
        chosen.setdefault((one.kind, spoken, title), one)
    records = [one.record for one in chosen.values() if one.record is not None]
    hand_out_whole(runtime, records)
    runtime.trace.own_texts += [record.text for record in records]
    runtime.trace.read([record.id for record in records], type="standard")
    views = [_view(runtime, one) for one in chosen.values()]
    rules = _rules(runtime, {record.id for record in records}) if type == "all" else []
    return Standards(views, [str(problem) for problem in found.problems], rules)


def _rules(runtime: Runtime, listed_ids: Container[str]) -> list[str]:
    """The directives in force that are not among the standards."""
    rules = [one for one in ranked_directives(runtime) if one.id not in listed_ids]
    hand_out_whole(runtime, rules)
    runtime.trace.own_texts += [rule.text for rule in rules]
    runtime.trace.read([rule.id for rule in rules], type="policy")
    return [directive_line(rule, runtime) for rule in rules]


def _view(runtime: Runtime, one: Binding) -> StandardView:
    def text(name: str) -> str:
        return str(one.fields.get(name) or "")

    required = [str(path) for path in one.fields.get("required_dirs") or ()]
    forbidden = [str(path) for path in one.fields.get("forbidden_dirs") or ()]
    root = runtime.checkout.root if runtime.checkout else None
    here = {path for path in (*required, *forbidden) if root and (root / path.strip("/")).is_dir()}
    record_says = one.record.content if one.record else ""
    return StandardView(
        id=one.record.id if one.record else "",
        type="coding" if one.kind == "coding_standard" else "repo",
        title=text("title"),
        rule=text("rule") or text("standard") or record_says,
        scope=one.scope,
        source=one.source,
        language=text("language"),
        category=text("category") or text("type"),
        severity=text("severity"),
        good_example=text("good_example"),
        bad_example=text("bad_example"),
        rationale=text("rationale"),
        linter=text("linter"),
        required_dirs=required,
        forbidden_dirs=forbidden,
        missing=[path for path in required if path not in here] if root else [],
        misplaced=[path for path in forbidden if path in here],
        applies_to=list(applies_to(one.fields)),
    )
