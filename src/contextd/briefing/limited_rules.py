"""Tell the rules for some files when the work touches one of them."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.briefing.directive_lines import directive_line, rest_line
from contextd.briefing.injected_records import held
from contextd.domain.applies_to import FIELD, is_limited
from contextd.domain.conditions import Compare, Not
from contextd.domain.directives import is_directive, is_users
from contextd.domain.kinds import KINDS
from contextd.domain.quoting import inline
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.knowledge.told_here import is_told_here
from contextd.policies.touched_paths import TouchedPaths, applies
from contextd.runtime.runtime import Runtime
from contextd_common.text.tokens import count_tokens

HEADER = "Rules for the files this touches (from contextd):"

ITS_FILES = "a rule for files that the work touches"
"""The reason that is stored with these rules."""

_TOKENS = 400
"""Tokens of these rules at once: some ten lines. An agent that reads more before an edit loses the edit."""

_MOST = 1_000
"""Rules for some files that are read; no project has that many."""

_KINDS = tuple(name for name, kind in KINDS.items() if FIELD in kind.fields)
_HAS_GLOBS = Not(Compare((FIELD,), "=", None))


def limited_rules(runtime: Runtime) -> list[Record]:
    """The directives in force for some files only, of people and agents, newest first."""
    if not runtime.settings.flag("injection.tier0"):
        return []
    now = runtime.clock.now()
    query = runtime.query(*_KINDS, valid_at=now, filter=_HAS_GLOBS, limit=_MOST)
    return [
        record
        for record in runtime.view.records.find(query).records
        if is_limited(record)
        and is_directive(record)
        and (record.trust in ("human", "agent") or is_users(record))
        and is_told_here(runtime, record)
    ]


def touched_rules(
    runtime: Runtime,
    session: Session | None,
    rules: Sequence[Record],
    touched: TouchedPaths,
    budget: int = _TOKENS,
) -> tuple[str, list[Record]]:
    """Those of the `rules` that apply to what is touched and that the agent's window does not contain, as text within
    `budget` tokens and as records; empty if there are none.
    """
    if not touched or budget <= 0:
        return "", []
    window = held(session) if session is not None else set[str]()
    due = [rule for rule in rules if rule.id not in window and applies(rule, touched)]
    most = min(budget, _TOKENS) - count_tokens(f"- {rest_line(99)}\n")
    lines, spent = [HEADER], count_tokens(HEADER)
    chosen: list[Record] = []
    for rule in due:
        line = "- " + inline(directive_line(rule, runtime, aged=False))
        cost = count_tokens(line + "\n")
        if spent + cost <= most:
            lines.append(line)
            chosen.append(rule)
            spent += cost
    left_out = len(due) - len(chosen)
    if chosen and left_out:
        lines.append(f"- {rest_line(left_out)}")
    return ("\n".join(lines), chosen) if chosen else ("", [])
