"""Inject a known fix when its error recurs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from contextd.briefing.conflicts import Odds, at_odds
from contextd.briefing.injected_records import held_records
from contextd.domain.confidence import FLOOR
from contextd.domain.quoting import inline_words
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.domain.time import age
from contextd.knowledge.citations import AnchorStanding
from contextd.knowledge.git_anchors import from_elsewhere, standings
from contextd.remedies.lookup import known_remedies
from contextd.runtime.runtime import Runtime
from contextd.sessions.outcome_signals import reports_failure
from contextd_common.text.tokens import count_tokens, trim_to_tokens
from contextd_common.text.words import one_line

HEADER = "Known Error (from contextd; a recorded fact, quoted with source and age):"

_READ = 40_000
"""Characters of an output that are read while a client waits (a tenth of a second): an error is at the
beginning or the end of a command's output.
"""

_PROBLEM, _TRIED = 200, 160


def remedy_for(
    runtime: Runtime, session: Session | None, output: str, *, quoted: bool = False
) -> tuple[str, list[Record]]:
    """The text with the fix of an error, and its record; empty unless this exact error is known, its fix is
    still in the code, and the session was not shown it for this error before. A mention in a briefing
    hours ago does not count.

    With `quoted`, the error may be in the middle of a prompt.
    """
    budget = runtime.settings.number("remedies.tokens")
    if budget <= 0 or not output.strip():
        return "", []
    ends = output if len(output) <= _READ else f"{output[: _READ // 2]}\n{output[-_READ // 2 :]}"
    found = known_remedies(runtime, ends, statuses=("active",), quoted=quoted)
    records = [one.record for one in found if _may_be_told(one.record, session)]
    standing = standings(runtime, records)
    remedy_ids = session.data.get(REMEDIED, ()) if session is not None else ()
    hidden = from_elsewhere(runtime, standing) | set(map(str, remedy_ids))
    fixes = [one for one in records if one.id not in hidden and not _is_reverted(standing, one)]
    odds = at_odds(runtime, fixes, held_records(runtime, session)) if fixes else Odds()
    for record in fixes:
        if record.id not in odds.outweighed:
            mark = odds.disputed.get(record.id, "")
            text = _told(runtime, record, standing.get(record.id), budget, mark)
            return (text, [record]) if text else ("", [])
    return "", []


def _is_reverted(standing: Mapping[str, AnchorStanding], record: Record) -> bool:
    stands = standing.get(record.id)
    return stands is not None and bool(stands.reverted)


REMEDIED = "remedied"
"""Session data: fixes that were shown when their error occurred."""


ITS_ERROR = "its error came up"
"""The reason for an injected fix."""


def remedied(session: Session, ids: Sequence[str]) -> dict[str, Any]:
    """Return the session data to store after these fixes were shown."""
    before = session.data.get(REMEDIED, ())
    return {REMEDIED: [*before, *ids]} if ids else {}


def tells_of_failure(output: str, failed: bool) -> bool:
    """Whether a tool's output is an error: by the client's own flag (`failed`), a shell's exit code, or a
    test run.
    """
    if failed or not output:
        return bool(output)
    code = _EXIT.search(output[:_HEAD])
    return bool(code and code[1] != "0") or reports_failure(output[-_READ:])


_HEAD = 400
_EXIT = re.compile(r"\b(?:exited with code|[Ee]xit [Cc]ode:?) (\d{1,3})\b")


def _may_be_told(record: Record, session: Session | None) -> bool:
    known = record.confidence >= FLOOR or record.trust == "human"
    return known and (session is None or record.session != session.id)


def _told(
    runtime: Runtime, record: Record, stands: AnchorStanding | None, budget: int, dispute: str
) -> str:
    """As much as fits: the fix comes before failed attempts."""
    data = record.data
    tried: Sequence[object] = data.get("tried") or ()
    marks = [f"remediation {record.id[:8]}", inline_words(str(record.source))]
    marks.append(age(record.updated_at, runtime.clock.now()))
    marks.append(times(record))
    marks += [f"commit {record.anchor.commit[:8]}"] if record.anchor.commit else []
    marks += [standing_note(record, stands), dispute]
    problem = one_line(str(data.get("problem") or record.title), _PROBLEM)
    head = f"{HEADER}\n- {inline_words(problem)}"
    tail = f"[{' · '.join(filter(None, marks))}]"
    spent = count_tokens(f"{head}\n{tail}\n")
    fix = trim_to_tokens(f"What ended it: {inline_words(str(data['solution']))}", budget - spent)
    if not fix:
        return ""
    spent += count_tokens(fix + "\n")
    more = (
        [f"Cause: {inline_words(one_line(str(data['root_cause']), _PROBLEM))}"]
        if data.get("root_cause")
        else []
    )
    more += [f"Did not help: {inline_words(one_line(str(one), _TRIED))}" for one in tried[-1:]]
    for line in more:
        cost = count_tokens(line + "\n")
        if spent + cost <= budget:
            fix, spent = f"{fix}\n{line}", spent + cost
    return f"{head}\n{fix}\n{tail}"


def times(record: Record) -> str:
    """How often the error occurred."""
    count = int(record.data.get("occurrence_count", 1))
    return f"met {count}×" if count > 1 else "met once"


def standing_note(record: Record, stands: AnchorStanding | None) -> str:
    """The state of the code a fix changed, in words; empty if it names no code or the state is unknown."""
    if stands is None:
        return ""
    return stands.note or ("its code stands as it was" if record.anchor.paths else "")
