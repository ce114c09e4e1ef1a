"""Injected context in tiers: rules that always apply (tier 0), then records relevant to the task (tier 1).
The rest is available on request (tier 2): fixes by `remediation_search`, code, standards of repositories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contextd.domain.kinds import kinds_that
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.sessions import Event
from contextd.projects.model_facts import language_of_entry
from contextd.projects.project_model import project_model
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import FoundRecord
from contextd.sessions.briefing_lines import BEARING, Line
from contextd_common.text.tokens import count_tokens

RULES = ("policy", "coding_standard")
"""The kinds of records in tier 0."""

SAID_BY_A_PERSON = ("rule", "correction")
"""Types of records that state a user's directives or corrections."""

_RULES_READ = 1_000_000
"""More policies and standards than any home has: those that do not fit are counted."""

_SHARE = 0.4
"""The share of an explicitly requested budget that tier 0 may take: the thread of the work comes first, and
rules that displace it would not help an agent to continue.
"""

CERTAIN = 0.8
"""Warnings above this relevance are shown for a task (seed 003)."""

EXPERIENCES = frozenset({"memory", "anti_pattern", "remediation"})
"""Kinds of which a few help more than many: success fell from 49.7 to 44.4 % when the experiences shown
rose from one to four (ReasoningBank, arXiv 2509.25140).
"""

_ALSO = {
    "javascript": ("typescript",),
    "js": ("javascript", "typescript"),
    "ts": ("typescript",),
    "py": ("python",),
    "golang": ("go",),
    "c++": ("cpp",),
    "c#": ("csharp",),
}
"""The languages, as a scan names them, that a standard for a language of this name applies to."""


def rules_query(runtime: Runtime) -> Query:
    """The query for the rules that tier 0 is selected from."""
    kinds = (*RULES, "anti_pattern")
    return runtime.query(*kinds, valid_at=runtime.clock.now(), limit=_RULES_READ)


def always(runtime: Runtime, rules: Sequence[Record]) -> dict[str, str]:
    """Select the rules that every session here gets, by id, each with the reason; nearest first."""
    if not runtime.settings.flag("injection.tier0"):
        return {}
    spoken = _languages(runtime)
    reasons: dict[str, str] = {}
    for rule in sorted(rules, key=lambda r: (runtime.cascade.index(r.scope), -r.confidence, r.id)):
        if rule.kind == "policy" and rule.data.get("severity") == "critical":
            reasons[rule.id] = "a critical policy"
        elif rule.kind == "anti_pattern" and rule.data.get("severity") == "critical":
            reasons[rule.id] = "a critical anti-pattern"
        elif rule.kind == "coding_standard":
            language = str(rule.data.get("language") or "").casefold()
            if not language or {language, *_ALSO.get(language, ())} & spoken:
                reasons[rule.id] = f"a standard for {language}" if language else "a standard"
    return reasons


def _languages(runtime: Runtime) -> set[str]:
    """The project's languages in lower case."""
    model = project_model(runtime)
    return {language_of_entry(entry).casefold() for entry in (model.languages if model else ())}


def within(lines: Sequence[Line], tokens: int) -> list[Line]:
    """Keep as many lines, in order, as fit into the budget."""
    chosen: list[Line] = []
    for line in lines:
        cost = count_tokens(f"- {line.text}\n")
        if cost <= tokens:
            chosen.append(line)
            tokens -= cost
    return chosen


def tier_zero_tokens(runtime: Runtime, budget: int | None = None) -> int:
    """The budget of tier 0: its own, or its share of an explicitly requested `budget`."""
    most = runtime.settings.number("injection.tier0_tokens")
    return most if budget is None else min(most, round(_SHARE * budget))


def searched(runtime: Runtime) -> tuple[str, ...]:
    """The kinds that are searched with the task for tier 1."""
    return (*kinds_that("briefed"), "skill") if runtime.settings.flag("injection.tier1") else ()


def bearing(runtime: Runtime, found: Sequence[FoundRecord]) -> dict[str, str]:
    """Select which search results for a task are shown, by id, each with the reason: as many experiences as
    the settings allow, and only warnings above the relevance threshold.
    """
    most = runtime.settings.number("injection.experiences")
    reasons: dict[str, str] = {}
    for hit in found:
        record = hit.record
        if record.kind == "anti_pattern" and hit.score <= CERTAIN:
            continue
        if record.kind in EXPERIENCES:
            if most <= 0:
                continue
            most -= 1
        reasons[record.id] = f"like the task: {hit.why}"
    return reasons


def skill_line(record: Record) -> str:
    """A skill as one line: its purpose, and the command that loads it."""
    name = record.data.get("name") or record.title
    trigger = record.data.get("trigger") or record.content
    return f"Skill {name}: {trigger} (skill_get)"


def tiers_of(why: Mapping[str, tuple[int, str]]) -> dict[str, list[object]]:
    """Tier and reason by record, in the form an event stores."""
    return {id: [tier, reason] for id, (tier, reason) in why.items()}


def reasons_of(stored: object) -> dict[str, tuple[int, str]]:
    """Parse the result of `tiers_of`."""
    entries = stored.items() if isinstance(stored, Mapping) else ()
    return {str(id): (int(tier), str(reason)) for id, (tier, reason) in entries}


def reasons_in(event: Event) -> dict[str, tuple[int, str]]:
    """Tier and reason of each record in an injection. Old events have no reason."""
    known = reasons_of(event.data.get("why"))
    record_ids = map(str, event.data.get("records", ()))
    return {id: known.get(id, (BEARING, "not recorded")) for id in record_ids}
