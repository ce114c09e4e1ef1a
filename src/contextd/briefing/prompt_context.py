"""Add context to a prompt: the few records relevant to it, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contextd.briefing.briefing import quoted
from contextd.briefing.conflicts import Odds, at_odds
from contextd.briefing.dead_end_injection import FAILED_BEFORE, repeated_ways
from contextd.briefing.injected_records import held, held_records, holding
from contextd.briefing.limited_rules import ITS_FILES, limited_rules, touched_rules
from contextd.briefing.prompt_directives import needed_directives
from contextd.briefing.prompt_outcomes import PromptOutcomes
from contextd.briefing.remedy_injection import ITS_ERROR, remedy_for
from contextd.briefing.session_outcome import standing_matches
from contextd.domain.confidence import is_sure
from contextd.domain.kinds import EPISODE, kinds_that
from contextd.domain.language_bias import bias_of
from contextd.domain.query import Query
from contextd.domain.quoting import inline
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.domain.speech import without_output
from contextd.domain.validity import Validity
from contextd.knowledge.citations import AnchorStanding
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
from contextd_common.dataclass import dataclass
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

_ALIKE_TURN = 0.1
"""The same for a turn."""

_READ, _CANDIDATES = 1_200, 24
_SUBJECT = 3
"""Least number of content words of a prompt without its pasted output. A pasted log resembles every other log of the program: of ten
prompts with one, none was helped by records that resembled it. Fixes for an error in a log are found by its signature.
"""
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
    because shared words alone do not make two tasks alike. Pasted output is no part of the task. `told_records` were added
    already, in `spent` tokens. Records for other files than the `touched` ones are left out.
    """
    budget = runtime.settings.number("prompt.tokens") - spent
    most = runtime.settings.number("injection.experiences")
    if budget <= 0 or most <= 0 or weight(prompt.strip()) < _SHORTEST:
        return "", []
    asked = without_output(prompt)
    if len(content_words(asked)) < _SUBJECT:
        return "", []
    matches = _matches(runtime, session, asked, prompt, told_records, touched)
    outcomes = PromptOutcomes(runtime, session, asked, prompt)
    lines, spent = [HEADER], count_tokens(HEADER)
    chosen: list[Record] = []
    for record in matches.records:
        if len(chosen) >= most:
            break
        if record.kind == EPISODE:
            added = list(outcomes.lines(record, budget - spent))
        else:
            line = f"- {inline(quoted(record, runtime, matches.marks(record)))}"
            added = [(line, record, count_tokens(line + "\n"))]
        for line, one, cost in added:
            if spent + cost <= budget:
                lines.append(line)
                chosen.append(one)
                spent += cost
    return ("\n".join(lines), chosen) if chosen else ("", [])


@dataclass(frozen=True, slots=True)
class _Matches:
    """The records relevant to a prompt that the agent may be told, nearest first, and their state."""

    records: Sequence[Record]
    standing: Mapping[str, AnchorStanding]
    valid: Mapping[str, Validity]
    odds: Odds

    def marks(self, record: Record) -> str:
        """What must be said beside a record: that its code changed, that it is outdated or disputed."""
        note = self.standing[record.id].note if record.id in self.standing else ""
        valid = self.valid[record.id]
        outdated = "" if valid.contradicts else valid.note
        return " · ".join(filter(None, (note, outdated, self.odds.disputed.get(record.id, ""))))


def _matches(
    runtime: Runtime,
    session: Session,
    asked: str,
    prompt: str,
    told_records: Sequence[Record],
    touched: TouchedPaths,
) -> _Matches:
    near = [one for one in _near(runtime, session, asked[:_READ]) if not is_beside(one, touched)]
    valid = validities(runtime, near)
    # What the running session itself took back or settled stands in its window.
    records = [one for one in standing_matches(runtime, near, valid) if one.session != session.id]
    standing = standings(runtime, records)
    hidden = (
        from_elsewhere(runtime, standing) | held(session) | {record.id for record in told_records}
    )
    pasted = set(content_words(prompt))
    records = [one for one in records if one.id not in hidden and not _is_in(one.text, pasted)]
    window = held_records(runtime, session) if records else []
    odds = at_odds(runtime, [*told_records, *records], window) if records else Odds()
    standing_records = [one for one in records if one.id not in odds.outweighed]
    return _Matches(standing_records, standing, valid, odds)


def _is_in(text: str, words: set[str]) -> bool:
    """Whether a text says nothing beyond these words: a prompt may paste the plan that a record was made of."""
    return words.issuperset(content_words(text))


def _shared(asked: frozenset[str], text: str, language: str) -> int:
    """How many of a prompt's words a text has too."""
    return len(asked & comparable_words(text, language))


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
