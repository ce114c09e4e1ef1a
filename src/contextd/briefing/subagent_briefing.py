"""The briefing of a new sub-agent: where it is, and the rules relevant to its task."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.briefing.briefing import quoted
from contextd.briefing.directive_lines import directive_line, ranked_directives, rest_line
from contextd.briefing.injection_tiers import SAID_BY_A_PERSON, searched, within
from contextd.domain.directives import is_directive
from contextd.domain.kinds import kinds_that
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.policies.touched_paths import TouchedPaths, is_beside, touched_by_text
from contextd.projects.project_model import described
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import find_records
from contextd.sessions.briefing_lines import Line
from contextd_common.errors import Corrupt, Unavailable
from contextd_common.text.words import content_words

TOLD_TOKENS = 150
"""Tokens injected into a sub-agent's window, which is opened for one question and then closed."""

_FOUND, _READ = 8, 1_200
_HEADER = "From contextd (recorded facts, quoted with source and age):"


def note_for(runtime: Runtime, session: Session, prompt: str) -> tuple[str, list[Record]]:
    """The note for a sub-agent and the rules quoted in it. `prompt` is its task, if the client reports it;
    otherwise the last prompt of the session's user is used. Empty if there is nothing to show.
    """
    asked = (prompt or _asked_last(runtime, session))[:_READ]
    touched = touched_by_text(runtime, asked)
    in_force = ranked_directives(runtime, touched)
    rules = _rules(runtime, asked, in_force, touched)
    lines = [Line(_HEADER), *map(Line, described(runtime)[:1])]
    lines += [Line(_quoted(rule, runtime), rule.id) for rule in rules]
    note_lines = within(lines, TOLD_TOKENS)
    ids = {line.id for line in note_lines if line.id}
    left_out = sum(rule.id not in ids for rule in in_force)
    note_lines += [Line(rest_line(left_out))] if left_out else []
    if not ids:
        # Its environment shows it where it is.
        return "", []
    text = "\n".join([note_lines[0].text, *(f"- {line.text}" for line in note_lines[1:])])
    return text, [rule for rule in rules if rule.id in ids]


def _asked_last(runtime: Runtime, session: Session) -> str:
    asked = runtime.view.sessions.events(session.id, types=("query",))
    return asked[-1].text if asked else session.task


def _rules(
    runtime: Runtime, asked: str, in_force: Sequence[Record], touched: TouchedPaths
) -> list[Record]:
    """The rules relevant to the task first, then those that always apply."""
    rules = {rule.id: rule for rule in in_force}
    words = set(content_words(asked))
    near = {id: rule for id, rule in rules.items() if words & set(content_words(rule.text))}
    bearing = _bearing(runtime, asked)
    bearing = {id: one for id, one in bearing.items() if not is_beside(one, touched)}
    return list({**near, **bearing, **rules}.values())


def _quoted(rule: Record, runtime: Runtime) -> str:
    return directive_line(rule, runtime) if is_directive(rule) else quoted(rule, runtime)


def _bearing(runtime: Runtime, asked: str) -> dict[str, Record]:
    """Recorded statements about what must be so, if they are related to the task."""
    kinds = searched(runtime)
    if not asked.strip() or not kinds:
        return {}
    try:
        found = find_records(
            runtime, asked, kinds, limit=_FOUND, handed_out=False, statuses=("active",)
        )
    except (Unavailable, Corrupt):
        return {}
    return {hit.record.id: hit.record for hit in found.hits if _is_rule(hit.record)}


def _is_rule(record: Record) -> bool:
    return record.kind in kinds_that("binding") or record.data.get("type") in SAID_BY_A_PERSON
