"""Add context to a prompt: the few records relevant to it, or nothing."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.briefing.briefing import quoted
from contextd.briefing.conflicts import Odds, at_odds
from contextd.briefing.dead_end_injection import FAILED_BEFORE, repeated_ways
from contextd.briefing.injected_records import held, held_records, holding
from contextd.briefing.limited_rules import ITS_FILES, limited_rules, touched_rules
from contextd.briefing.prompt_directives import needed_directives
from contextd.briefing.remedy_injection import ITS_ERROR, remedy_for
from contextd.briefing.session_outcome import SessionOutcome, outcomes, standing_matches
from contextd.domain.confidence import is_sure
from contextd.domain.kinds import EPISODE, kinds_that
from contextd.domain.language_bias import bias_of
from contextd.domain.query import Query
from contextd.domain.quoting import inline
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.knowledge.git_anchors import from_elsewhere, standings
from contextd.policies.touched_paths import (
    NOTHING,
    TouchedPaths,
    is_beside,
    touched_by_text,
    with_indexed,
)
from contextd.runtime.runtime import Runtime
from contextd.search.validity import validities
from contextd.sessions.briefing_lines import BEARING
from contextd_common.errors import Corrupt, Unavailable
from contextd_common.text.languages import languages_of
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import comparable_words, content_words, query_words, weight

HEADER = "Relevant Memory (from contextd; recorded facts, quoted with source and age):"

NEAR = 0.58
"""The lowest cosine at which a record is relevant to a prompt. Real prompts of three projects were replayed
against earlier sessions: 12 % reach it with an informative record.
"""

NEARER = 0.62
"""The same for a prompt within a session: earlier text is still in the window, so a merely relevant record
helped with one such prompt in six, but with the first prompt of a session in two.
"""

_BY_WORDS, _BY_WORDS_FIRST = 6, 30
"""The lowest rank by words at which a text is accepted: words that all prompts of a project share carry
little weight. Chosen on one project, measured on two others (docs/howto/measure-learning.md).
"""

_MOST_WORDS = 64

_ALIKE_WORDS = 0.15
"""The share of a prompt's content words that a text must contain too: by meaning alone, any two orders to
the same program look alike.
"""

_SUBJECT = 3
"""Content words of a prompt with a subject: `Continue: "Continue to iterate?"` is like every turn that it began."""

_ALIKE_TURN, _ALIKE_OUTCOME = 0.1, 0.2
"""The same for a turn, and for a turn together with how its session ended."""

_READ, _CANDIDATES = 1_200, 24
_SHORTEST = 20
"""Characters, an ideograph counting as two. A shorter prompt, such as `go on`, has no subject to search for."""


def bearing_on(
    runtime: Runtime, session: Session, prompt: str, unstripped: str
) -> tuple[str, dict[str, tuple[int, str]], list[Record]]:
    """Build the context for a prompt; return its text, the tier and reason of each record, and the records:
    first the fix of an error in the prompt, then the rules for files that it names, the directives it needs, the
    ways it brings up that failed before, and other relevant records.
    `unstripped` is the prompt with the text that editors and reminders add: it may contain an error.
    """
    fix, fixed = remedy_for(runtime, session, max(prompt, unstripped, key=len), quoted=True)
    spent, most = count_tokens(fix), runtime.settings.number("prompt.tokens")
    # Most prompts name no file, and most projects have no such rule: neither costs them a question to the store.
    named = touched_by_text(runtime, prompt)
    limited = limited_rules(runtime) if named else []
    touched = with_indexed(runtime, named) if limited else NOTHING
    own, of_files = touched_rules(runtime, session, limited, touched, most - spent)
    spent += count_tokens(own)
    window = holding(session, [record.id for record in of_files])
    rule, rules = needed_directives(runtime, window, prompt[:_READ], most - spent, touched=touched)
    spent += count_tokens(rule)
    quoted_records = [*fixed, *of_files, *rules]
    text, records = relevant(
        runtime, session, prompt, told_records=quoted_records, spent=spent, touched=touched
    )
    spent += count_tokens(text)
    known = f"{own}\n{rule}\n{text}"
    way, ways = repeated_ways(runtime, session, prompt, most - spent, known=known)
    why = {record.id: (BEARING, ITS_ERROR) for record in fixed}
    why |= {record.id: (BEARING, ITS_FILES) for record in of_files}
    why |= {record.id: (BEARING, "a rule relevant to the prompt") for record in rules}
    why |= {record.id: (BEARING, FAILED_BEFORE) for record in ways}
    why |= {record.id: (BEARING, "like the prompt") for record in records}
    return (
        "\n\n".join(filter(None, (fix, own, rule, way, text))),
        why,
        [*quoted_records, *ways, *records],
    )


def relevant(
    runtime: Runtime,
    session: Session,
    prompt: str,
    *,
    told_records: Sequence[Record] = (),
    spent: int = 0,
    touched: TouchedPaths = NOTHING,
) -> tuple[str, list[Record]]:
    """The text to add to a prompt, and its records; empty if nothing is certain, and without an embedder,
    because shared words alone do not make two tasks alike. `told_records` were added already, in `spent`
    tokens. Records for other files than the `touched` ones are left out.
    """
    budget = runtime.settings.number("prompt.tokens") - spent
    most = runtime.settings.number("injection.experiences")
    if budget <= 0 or most <= 0 or weight(prompt.strip()) < _SHORTEST:
        return "", []
    near = [one for one in _near(runtime, session, prompt[:_READ]) if not is_beside(one, touched)]
    valid = validities(runtime, near)
    # What the running session itself took back or settled stands in its window.
    records = [one for one in standing_matches(runtime, near, valid) if one.session != session.id]
    standing = standings(runtime, records)
    hidden = (
        from_elsewhere(runtime, standing) | held(session) | {record.id for record in told_records}
    )
    session_words = _said(runtime, session, records)
    pasted = set(content_words(prompt))
    records = [one for one in records if one.id not in hidden and not _is_in(one.text, pasted)]
    window = held_records(runtime, session) if records else []
    odds = at_odds(runtime, [*told_records, *records], window) if records else Odds()
    lines, spent = [HEADER], count_tokens(HEADER)
    chosen: list[Record] = []
    ended: set[str] = set()
    language = languages_of(prompt)[0]
    asked, most_outcomes = comparable_words(prompt[:_READ], language), _OUTCOMES
    for record in records:
        if record.id in odds.outweighed or len(chosen) >= most:
            continue
        if record.kind == EPISODE:
            if len(asked) < _SUBJECT:
                continue
            left = min(budget - spent, most_outcomes)
            for one in _outcomes(runtime, session, record, ended, left):
                text = f"{record.text} {one.text}"
                if _shared(asked, text, language) < _ALIKE_OUTCOME * len(asked):
                    continue
                line = f"- {inline(one.line(runtime))}"
                cost = count_tokens(line + "\n")
                if spent + cost <= budget and not _is_known(one.text, session_words, pasted):
                    lines.append(line)
                    chosen.append(one.record)
                    spent += cost
                    most_outcomes -= cost
            continue
        note = standing[record.id].note if record.id in standing else ""
        outdated = "" if valid[record.id].contradicts else valid[record.id].note
        marks = " · ".join(filter(None, (note, outdated, odds.disputed.get(record.id, ""))))
        line = f"- {inline(quoted(record, runtime, marks))}"
        cost = count_tokens(line + "\n")
        if spent + cost <= budget:
            lines.append(line)
            chosen.append(record)
            spent += cost
    return ("\n".join(lines), chosen) if chosen else ("", [])


def _said(runtime: Runtime, session: Session, records: Sequence[Record]) -> list[set[str]]:
    """The words of each text that was injected into the session and is still in the agent's window. Only turns among the
    records are compared with them.
    """
    word_sets: list[set[str]] = []
    if not session.tokens_served or not any(record.kind == EPISODE for record in records):
        return word_sets
    for event in runtime.view.sessions.events(session.id, types=("injection", "note")):
        if event.type == "injection":
            word_sets.append(set(content_words(event.text)))
        elif event.data.get("compact") or event.data.get("origin") == "summary":
            word_sets.clear()
    return word_sets


def _outcomes(
    runtime: Runtime, running: Session, matched: Record, ended: set[str], budget: int
) -> list[SessionOutcome]:
    """How the session of a turn ended, unless it stands in `ended`, where it is noted; nothing of the session
    `running`.
    """
    if matched.session in ended or budget <= _MARK:
        return []
    endings = outcomes(runtime, matched, budget - _MARK, running.id)
    found = [one for one in endings if one.record.session not in ended]
    ended |= {matched.session, *(one.record.session for one in found)}
    return found


_MARK, _OUTCOMES = 45, 190
"""Tokens of the source and age behind two outcomes, and of all outcomes of a prompt with them: with 145 for their
text, 11 of 13 decisions of past chats are whole, with 120 nine, with 180 eleven.
"""


def _is_known(text: str, session_words: list[set[str]], pasted: set[str]) -> bool:
    """Whether an outcome was quoted already, as a briefing quotes how its session ended, or stands in the prompt."""
    words = set(content_words(text))
    quoted = any(len(words & text_words) >= _QUOTED * len(words) for text_words in session_words)
    return quoted or _is_in(text, pasted)


def _is_in(text: str, words: set[str]) -> bool:
    """Whether a text says nothing beyond these words: a prompt may paste the plan that a record was made of."""
    return words.issuperset(content_words(text))


def _shared(asked: frozenset[str], text: str, language: str) -> int:
    """How many of a prompt's words a text has too."""
    return len(asked & comparable_words(text, language))


_QUOTED = 0.6
"""An outcome is a repeat if one text contains this share of its words."""


def _near(runtime: Runtime, session: Session, prompt: str) -> list[Record]:
    """Records with nearly the same meaning as the prompt, nearest first."""
    embedder = runtime.embedder
    kinds = tuple(dict.fromkeys((*kinds_that("recalled"), *kinds_that("briefed"))))
    now = runtime.clock.now()
    query: Query = runtime.query(*kinds, valid_at=now)
    if not embedder.model:
        return []
    first = not session.task
    bar, rank = (NEAR, _BY_WORDS_FIRST) if first else (NEARER, _BY_WORDS)
    bias = bias_of(embedder.model, prompt)
    try:
        vector = embedder.embed([prompt])[0]
        close = runtime.view.alike(
            query_words(prompt)[:_MOST_WORDS],
            vector,
            embedder.model,
            query,
            by_words=rank,
            by_meaning=_CANDIDATES,
            least=bar if bias is None else min(bar, _LEAST_ELSEWHERE),
        )
    except (Unavailable, Corrupt):
        return []
    language = languages_of(prompt)[0]
    asked = comparable_words(prompt, language)

    def bears(record: Record, cosine: float) -> bool:
        shared = _shared(asked, record.text, language)
        if shared < (_ALIKE_TURN if record.kind == EPISODE else _ALIKE_WORDS) * len(asked):
            return False
        share = shared / (len(asked) + 1)
        return bias is None or bias.relevance(record.text, cosine, share, 0.0) >= bar

    return [
        record
        for record, cosine in close
        if record.session != session.id and _may_be_told(runtime, record) and bears(record, cosine)
    ]


_LEAST_ELSEWHERE = 0.45
"""The lowest cosine at which such a record is read."""


def _may_be_told(runtime: Runtime, record: Record) -> bool:
    return record.kind == EPISODE or is_sure(record, runtime.clock.now())
