"""Build the briefing of a project or a task from everything contextd knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from contextd.awareness.gap_inputs import LATEST, OBSERVED, missed_gaps
from contextd.briefing.conflicts import pack_agreeing
from contextd.briefing.context_file import LATELY, changes_since, thread_to_continue, with_work
from contextd.briefing.directive_lines import (
    ToldDirectives,
    lines_tokens,
    told_directives,
    without_told,
)
from contextd.briefing.ended_lines import ended_lines
from contextd.briefing.injection_tiers import (
    RULES,
    SAID_BY_A_PERSON,
    bearing,
    rules_query,
    searched,
    skill_line,
    tier_zero_tokens,
)
from contextd.briefing.muting import fresh, rested, told_before
from contextd.briefing.recent_files import files_line, recent_files
from contextd.claims.contradiction_test import conflict
from contextd.domain.applies_to import is_limited, limit_in_words
from contextd.domain.confidence import confidence_at, is_sure
from contextd.domain.context_items import Serving
from contextd.domain.kind import Field
from contextd.domain.kinds import kinds_that
from contextd.domain.quoting import inline, inline_words
from contextd.domain.recent_activity import Lately
from contextd.domain.records import Record, headed, said_at, short_id
from contextd.domain.sessions import Session
from contextd.domain.time import age, parse_instant
from contextd.knowledge.git_anchors import from_elsewhere, standings
from contextd.knowledge.record_views import label
from contextd.knowledge.told_here import is_told_here
from contextd.learning.corroboration import TOLD_IN
from contextd.person.person import BRIEFED, is_personal, personal, personal_query
from contextd.policies.rule_file_sync import file_of
from contextd.policies.rule_folders import author_of
from contextd.policies.touched_paths import TouchedPaths, is_beside, touched_by_text
from contextd.projects.checkout_shape import follow_shape
from contextd.projects.project_model import described
from contextd.projects.project_news import take_news
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd.search.find_records import find_records
from contextd.search.state_events import ended_states
from contextd.sessions.briefing_lines import BEARING, Line, PackedBriefing, Section
from contextd.sessions.injection_use import told_lines
from contextd.sessions.thread import Thread, lines_of
from contextd.sessions.time_sense import hint, present
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import content_words, one_line

_CANDIDATES = 60
"""The latest records considered for a briefing: more would never fit."""

_FOUND = 8
_LONGEST = 300
_REPEATED = 0.7
"""A record is a repeat if earlier lines contain this share of its words or more."""

_ASKED = 3

CONTINUING, UNASKED = 330, 100
"""Token budgets of a briefing that continues work: in all, so that half of them take 300 at most, and for knowledge
unrelated to the task. Of 195 such lines in real sessions 12 helped; the last message of the previous session helped in
16 of 32.
"""

_THREAD_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class EarlierWork:
    """Earlier work as a caller of `brief` has read it: the result of `read_lately`, and the outside changes
    since the previous session, None if not read. `since` replaces the time since that session, for a caller
    that fills it in when the briefing is shown.
    """

    lately: Lately
    changed: Sequence[str] | None = None
    since: str = ""


def brief(
    runtime: Runtime,
    *,
    budget: int,
    task: str = "",
    session: Session | None = None,
    earlier: EarlierWork | None = None,
    all_branches: bool = False,
    capped: bool = False,
) -> PackedBriefing:
    """Build and pack a briefing; the records it quotes count as handed out and used. Records known only
    on an unmerged branch are left out, unless `all_branches` is set. `earlier` is earlier work,
    if the caller has read it already.

    Directives that always apply have a budget of their own, unless `budget` is `capped`. If work is
    continued, its thread comes first and the rest is limited to `CONTINUING` tokens, little of it for
    knowledge unrelated to the task.
    """
    earlier = earlier or EarlierWork(read_lately(runtime))
    lately, changed = earlier.lately, earlier.changed
    sessions = with_work(lately.sessions[:LATELY], runtime.clock.now())
    last = next((s for s in sessions if session is None or s.id != session.id), None)
    if changed is None:
        changed = changes_since(runtime, last)
    thread = thread_to_continue(runtime, sessions, session)
    budget = min(budget, CONTINUING) if thread else budget
    touched = touched_by_text(runtime, task)
    directives = told_directives(
        runtime,
        tier_zero_tokens(runtime, budget if capped else None),
        work=" ".join((task, *_about(thread))),
        lately=lately,
        aged=True,
        touched=touched,
    )
    records, weights, why = _candidates(runtime, lately.records, task, touched)
    earlier_sessions = told_before(lately.sessions, session)
    tired = rested(records, earlier_sessions, task)
    records = {id: r for id, r in records.items() if id not in tired}
    about_person = max(BRIEFED // 2, BRIEFED - lines_tokens(directives.personal))
    person = personal(runtime, min(about_person, budget // 4), lately.person, directives.records)
    of_person = Section("The person", [*directives.personal, *person.lines])
    told_ids = {line.id for line in (*of_person.lines, *directives.lines)}
    records = {id: r for id, r in records.items() if id not in told_ids}
    knowledge = _knowledge(
        runtime, records, weights, why, directives.texts, all_branches=all_branches
    )
    ended = Section("Rules the user ended", ended_lines(runtime, lately.sessions, session))
    facts = _Facts(
        of_person, directives, ended, knowledge, lately, sessions, last, changed, earlier.since
    )
    if thread is None:
        sections = _beginning(runtime, facts)
    else:
        sections = _going_on(runtime, facts, thread, task, budget, earlier_sessions)
    every = person.records | dict(directives.records) | records
    own = lines_tokens((*directives.lines, *directives.personal))
    room = budget if capped or not own else budget + own + _HEADING
    packed = pack_agreeing(runtime, [s for s in sections if s.lines], every, room)
    quoted_records = [every[id] for id in packed.ids]
    runtime.trace.own_texts += [record.text for record in quoted_records]
    return replace(packed, changes=tuple(changed))


@dataclass(frozen=True, slots=True)
class _Facts:
    """The data that both kinds of briefing are built from."""

    of_person: Section
    directives: ToldDirectives
    ended: Section
    knowledge: Sequence[Section]
    lately: Lately
    sessions: Sequence[Session]
    last: Session | None
    changed: Sequence[str]
    since: str


def _beginning(runtime: Runtime, facts: _Facts) -> list[Section]:
    """The sections of a briefing for new work."""
    before = _before(runtime, facts.last, facts.since)
    return [
        facts.of_person,
        *_project(runtime, asked=not facts.since),
        facts.ended,
        Section("Always", facts.directives.lines),
        Section("Before", _once(before, facts.directives)),
        *facts.knowledge,
        Section("Changed outside since then", _changes(facts.changed)),
        Section("Not known yet", _gaps(runtime, facts.lately)),
    ]


def _going_on(
    runtime: Runtime,
    facts: _Facts,
    thread: Thread,
    task: str,
    budget: int,
    earlier_sessions: Sequence[Session],
) -> list[Section]:
    """The sections of a briefing for continued work."""
    files = files_line(recent_files(runtime, facts.sessions))
    standing = _standing(runtime, thread, facts.last, budget, facts.since, files)
    news = _news(_foreign(facts.changed, thread), facts.sessions)
    moved = [] if facts.since else [Line(text, weight=9.0) for text in take_news(runtime)]
    return [
        facts.of_person,
        Section("Project", moved),
        Section(
            "Where the work stands", fresh(_once(standing, facts.directives), earlier_sessions)
        ),
        facts.ended,
        Section("Always", facts.directives.lines),
        Section("Types", _types(runtime)),
        *_little(facts.knowledge, 0 if task.strip() else UNASKED),
        Section("True, and worth telling? (settle_candidates)", _to_settle(runtime, task)),
        Section("Changed outside since then", fresh(_changes(news)[:3], earlier_sessions)),
    ]


def _project(runtime: Runtime, *, asked: bool) -> list[Section]:
    # A prepared briefing is read later, when the model may be up to date again.
    behind = follow_shape(runtime) if asked else ""
    news = take_news(runtime) if asked else []
    lines = [*news, *described(runtime), *filter(None, [behind])]
    about = [Line(text, weight=9.0 - i) for i, text in enumerate(lines)]
    return [Section("Project", [*about, *_types(runtime)])]


_HEADING = 8
"""Tokens of the heading above the directives."""


def _about(thread: Thread | None) -> Sequence[str]:
    """The subject of the continued work."""
    return () if thread is None else (*thread.asked, thread.said, *thread.open, *thread.files)


def _once(lines: Sequence[Line], directives: ToldDirectives) -> list[Line]:
    """The lines without the directives that have a section of their own."""
    texts = directives.texts
    rest = [replace(line, text=without_told(line.text, texts)) for line in lines]
    return [line for line in rest if line.text]


def _standing(
    runtime: Runtime, thread: Thread, last: Session | None, budget: int, since: str, files: str
) -> list[Line]:
    """The thread in lines, with the highest weight, after a line on the elapsed time; then the recent files."""
    when, now = parse_instant(thread.at), runtime.clock.now().astimezone()
    lines: list[str] = []
    if since:
        lines.append(since)
    elif now - when > _AT_ONCE:
        branch = f" on {thread.branch}" if thread.branch else ""
        client = f" with {last.client}" if last and last.client else ""
        head = f"Now {present(now)}; last worked here {age(when, now)}{branch}{client}"
        lines.append(f"{head}. {hint(now - when, now)}")
    else:
        lines.append(f"Now {present(now)}")
    rest = replace(thread, files=()) if files else thread
    lines += lines_of(rest, round(_THREAD_SHARE * budget) - count_tokens(f"- {files}\n"))
    lines += [files] if files else []
    return [Line(text, weight=40.0 - place) for place, text in enumerate(lines)]


def _types(runtime: Runtime) -> list[Line]:
    line = types_line(runtime)
    return [Line(line, weight=1.2)] if line else []


def types_line(runtime: Runtime) -> str:
    """The user's own types in one line, for an agent to save under; empty if none is declared."""
    types = schema_of(runtime).types.values()
    named = [f"{one.name} ({', '.join(_required(one.fields))})" for one in types]
    listing = "; ".join(named[:_TYPES_NAMED])
    return f"Types of entries here, as the kind of remember: {listing}" if listing else ""


_TYPES_NAMED = 6


def _required(fields: Mapping[str, Field]) -> list[str]:
    return [name for name, field in fields.items() if field.required] or list(fields)[:2]


def _little(sections: Sequence[Section], tokens: int) -> list[Section]:
    """Keep the heaviest knowledge lines within this token budget; all lines if it is 0."""
    if not tokens:
        return list(sections)
    heaviest = sorted(
        (line for section in sections for line in section.lines), key=lambda line: -line.weight
    )
    chosen: set[str] = set()
    for line in heaviest:
        tokens -= count_tokens(f"- {line.text}\n")
        if tokens < 0:
            break
        chosen.add(line.id)
    return [Section(s.title, [line for line in s.lines if line.id in chosen]) for s in sections]


_AT_ONCE = timedelta(minutes=30)
"""Below this gap, the time of the last session is not shown: the user still remembers it."""

TOLD = "told_changes"
"""Session data: the outside changes that the session was shown."""


def told_by(packed: PackedBriefing) -> dict[str, Any]:
    """Return the session data to store for a briefing that was shown."""
    return {TOLD: list(packed.changes), **told_lines(packed.text)}


def _news(changed: Sequence[str], sessions: Sequence[Session]) -> list[str]:
    """The changes that were not shown at the start of both of the last two sessions."""
    before = [set(map(str, one.data.get(TOLD, ()))) for one in sessions[:_TWICE]]
    stale = set.intersection(*before) if len(before) == _TWICE else set[str]()
    return [text for text in changed if text not in stale]


_TWICE = 2


def _foreign(changed: Sequence[str], thread: Thread) -> list[str]:
    """Changes that are not commits of the thread itself."""
    own = [words.split()[0][:7] for words in thread.done if words]
    return [text for text in changed if not any(len(sha) == 7 and sha in text for sha in own)]


def read_lately(runtime: Runtime) -> Lately:
    """Read what a briefing starts with: the latest sessions, usage, the latest records of the kinds that are
    briefed or answer a question, the rules, and the records about the person.
    """
    kinds = dict.fromkeys((*kinds_that("briefed"), *kinds_that("entry")))
    query = runtime.query(*kinds, valid_at=runtime.clock.now(), limit=LATEST)
    return runtime.view.lately(
        query,
        rules_query(runtime),
        personal_query(runtime),
        runtime.own_scopes,
        sessions=TOLD_IN,
        observations=OBSERVED,
    )


def brief_or_nothing(runtime: Runtime, **options: Any) -> PackedBriefing:
    """A briefing for a hook: an error returns an empty one, because a hook must never block the client."""
    try:
        return brief(runtime, **options)
    except ContextdError as error:
        return PackedBriefing(f"contextd has no briefing: {inline(error.message)}", 0)


def quoted(record: Record, runtime: Runtime, stale: str = "") -> str:
    """Format a record for a briefing: text, then kind, id, source, age, confidence, and the state of the
    code it cites.
    """
    text = " ".join(titled(record).split())
    solution = " ".join(str(record.data.get("solution") or "").split())
    if solution and solution not in text:
        text += f" (fix: {solution})"
    text = inline_words(one_line(text, _LONGEST))
    since, sure = runtime.ago(record.created_at), confidence_at(record, runtime.clock.now())
    kind = label(record.kind, dict(record.data))
    note = "".join(f" · {one}" for one in (limit_in_words(record), stale) if one)
    by = author_of(runtime, file_of(record))
    source = f"{record.source}, last changed by {by}" if by else str(record.source)
    facts = f"{inline_words(kind)} {short_id(record.id)} · {inline_words(source)}"
    return f"{text} [{facts} · {since} · {sure:.2f}{note}]"


def quoted_in(ids: Sequence[str], tokens: int) -> list[Serving]:
    """The records quoted in a text of `tokens` tokens, each with its share."""
    return [Serving("discovery", id, round(tokens / len(ids))) for id in ids]


def titled(record: Record) -> str:
    """Title and content, without repeating what the title takes from the content."""
    start = record.title.rstrip("… ").casefold()
    if not start or record.content.casefold().startswith(start):
        return record.content
    return headed(record.title, record.content)


def _candidates(
    runtime: Runtime, latest: Sequence[Record], task: str, touched: TouchedPaths
) -> tuple[dict[str, Record], dict[str, float], dict[str, str]]:
    """Candidate records by id, with weight and reason: those found for the task come first. Those for other
    files than the `touched` ones are left out.
    """
    kinds = searched(runtime)
    # Rules that always apply are in tier 0; other rules and warnings are shown if the task finds them.
    shown = {*kinds_that("briefed")} - {*RULES, "anti_pattern"} if kinds else set[str]()
    known = [
        r for r in latest if r.kind in shown and not is_limited(r) and is_told_here(runtime, r)
    ]
    briefed = [r for r in known if _is_sure(runtime, r) and not is_personal(r)]
    briefed = briefed[:_CANDIDATES]
    records = {record.id: record for record in briefed}
    weights = {record.id: _weight(runtime, record) for record in briefed}
    why: dict[str, str] = {}
    if task.strip() and kinds:
        found = find_records(
            runtime, task, kinds, limit=_FOUND, handed_out=False, statuses=("active",)
        )
        hits = [
            h
            for h in found.hits
            if not is_beside(h.record, touched) and is_told_here(runtime, h.record)
        ]
        why = bearing(runtime, hits)
        by_id = {hit.record.id: hit.record for hit in found.hits}
        for rank, id in enumerate(why):
            records[id] = by_id[id]
            weights[id] = 5.0 - rank * 0.2 + weights.get(id, 0.5)
    return records, weights, why


def _is_sure(runtime: Runtime, record: Record) -> bool:
    """Whether a record is sure enough to be injected; noise has lost confidence."""
    return is_sure(record, runtime.clock.now())


_SETTLED_AT_ONCE = 3


def _to_settle(runtime: Runtime, task: str) -> list[Line]:
    """Candidates related to the task, for the agent to settle; empty if it has no tool for that."""
    if not task.strip() or runtime.surface not in ("mcp", "rest"):
        return []
    found = find_records(
        runtime,
        task,
        kinds_that("briefed"),
        limit=_SETTLED_AT_ONCE,
        strict=True,
        handed_out=False,
        statuses=("candidate",),
    )
    return [Line(quoted(hit.record, runtime), weight=1.0) for hit in found.hits]


def _before(runtime: Runtime, last: Session | None, since: str) -> list[Line]:
    now = since or f"Now {present(runtime.clock.now().astimezone())}"
    if last is None:
        return [Line(now, weight=6.0), Line("No earlier session is recorded.", weight=1.0)]
    end = last.ended_at or last.last_seen_at
    minutes = max(0, round((end - last.started_at) / timedelta(minutes=1)))
    client = last.client or "unknown client"
    when = "" if since else f" {age(end, runtime.clock.now())}"
    session = f"Last session{when} ({minutes} min, {client})"
    about = last.task or ", ".join(last.topics[:4])
    lines = [Line(f"{session}: {about}" if about else session, weight=6.0)]
    lines.append(Line(now, weight=6.0))
    if last.outcome:
        lines.append(Line(f"It ended as {last.outcome}.", weight=3.0))
    files = [f.path for f in sorted(last.files, key=lambda f: -f.count)][:5]
    if files:
        lines.append(Line("Files worked on: " + ", ".join(files), weight=3.5))
    return lines


def _knowledge(
    runtime: Runtime,
    records: Mapping[str, Record],
    weights: Mapping[str, float],
    why: Mapping[str, str],
    told_texts: Sequence[str],
    *,
    all_branches: bool,
) -> list[Section]:
    standing = standings(runtime, records.values())
    hidden = set[str]() if all_branches else from_elsewhere(runtime, standing)
    over = ended_states(runtime, records.values())
    hidden |= {id for id, ended in over.items() if ended.replaced}
    shown = [record for record in records.values() if record.id not in hidden]
    sections: dict[str, list[Line]] = {"Respect": [], "Learned": []}
    statements = [(set(content_words(text)), text) for text in told_texts]
    for record in sorted(shown, key=lambda r: (-weights[r.id], r.id)):
        if _repeats(record, statements):
            continue
        title = "Respect" if _is_binding(record) else "Learned"
        notes = (found[record.id].note for found in (standing, over) if record.id in found)
        note = " · ".join(filter(None, notes))
        text = skill_line(record) if record.kind == "skill" else quoted(record, runtime, note)
        reason = why.get(record.id, _STANDS)
        sections[title].append(Line(text, record.id, weights[record.id], BEARING, reason))
    return [Section(title, lines) for title, lines in sections.items()]


_STANDS = "recent and high-confidence"


def _repeats(record: Record, told_texts: list[tuple[set[str], str]]) -> bool:
    """Whether earlier lines already contain most of a record's words, without negating them. If not, its
    words are added to them.
    """
    words = set(content_words(record.content))
    for before, text in told_texts:
        mostly = words and len(words & before) >= _REPEATED * len(words)
        if mostly and not conflict(record.content, text):
            return True
    told_texts.append((words, record.content))
    return False


def _is_binding(record: Record) -> bool:
    return (
        record.kind in kinds_that("binding")
        or (record.trust in ("human", "agent") and record.data.get("type") == "decision")
        or record.data.get("type") in SAID_BY_A_PERSON
        or record.data.get("outcome") == "failure"
    )


_ASKED_TO_HOLD = 1.5
"""More than a fresh note by a person outweighs a rule derived from what the user said (3.1 to 2.1): fifteen
notes of one day do not displace the rule.
"""


def _weight(runtime: Runtime, record: Record) -> float:
    days = (runtime.clock.now() - said_at(record)) / timedelta(days=1)
    weight = 2.0 * confidence_at(record, runtime.clock.now()) + max(0.0, 1.0 - days / 30)
    if record.kind == "policy" and record.data.get("severity") == "critical":
        weight += 5.0
    if record.data.get("type") in SAID_BY_A_PERSON:
        weight += _ASKED_TO_HOLD
    if record.trust == "human":
        weight += 0.5
    return weight + 0.1 * min(5, record.helpful - record.unhelpful)


def _changes(changed: Sequence[str]) -> list[Line]:
    return [Line(text, weight=2.5 - i * 0.2) for i, text in enumerate(changed)]


def _gaps(runtime: Runtime, lately: Lately) -> list[Line]:
    return [Line(gap.description, weight=1.5) for gap in missed_gaps(runtime, lately)[:_ASKED]]
