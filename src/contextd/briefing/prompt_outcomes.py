"""How the sessions that a prompt resembles ended, as lines of its context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contextd.briefing.bearing_entries import BearingTest
from contextd.briefing.late_memory import UNSEEN
from contextd.briefing.session_outcome import SessionOutcome, outcomes
from contextd.domain.problem_words import has_a_problem
from contextd.domain.quoting import inline
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.runtime.runtime import Runtime
from contextd_common.text.languages import languages_of
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import comparable_words, content_words

_SUBJECT = 3
"""Content words of a prompt with a subject: `Continue: "Continue to iterate?"` is like every turn that it began."""

_ALIKE_OUTCOME = 0.2
"""The share of a prompt's content words that a turn has together with how its session ended."""

_MARK, _OUTCOMES = 45, 190
"""Tokens of the source and age behind two outcomes, and of all outcomes of a prompt with them: with 145 for their
text, 11 of 13 decisions of past chats are whole, with 120 nine, with 180 eleven.
"""

_READ, _PASTED = 1_200, 4_000
"""Characters of a prompt that are compared, and those in which a problem is looked for: an error stands deep in a log."""

_MOST_SESSIONS = 4
"""Past sessions that are read for one prompt: each costs up to a tenth of a second, and a hook has one."""


class PromptOutcomes:
    """The outcomes of past sessions that are added to one prompt, each session once and all within a budget. `whole` is the
    prompt with its pasted output.
    """

    def __init__(self, runtime: Runtime, session: Session, prompt: str, whole: str) -> None:
        self._runtime, self._session, self._prompt = runtime, session, prompt
        self._whole = whole
        self._language = languages_of(prompt)[0]
        self._asked = comparable_words(prompt[:_READ], self._language)
        self._asks = has_a_problem(whole[:_PASTED])
        self._left = _OUTCOMES
        self._ended: set[str] = set()
        self._read = 0
        self._test: BearingTest | None = None

    def lines(self, matched: Record, budget: int) -> Iterator[tuple[str, Record, int]]:
        """The lines for the session of the turn `matched`, at most `budget` tokens: their text, record and tokens.
        Nothing of a session that was told already, or of the running one, and nothing for an order of new work.
        """
        if len(self._asked) < _SUBJECT or not self._asks:
            return
        for one in self._outcomes(matched, min(budget, self._left)):
            words = comparable_words(f"{matched.text} {one.text}", self._language)
            if len(self._asked & words) < _ALIKE_OUTCOME * len(self._asked):
                continue
            line = f"- {inline(one.line(self._runtime))}"
            cost = count_tokens(line + "\n")
            if cost <= budget:
                budget -= cost
                self._left -= cost
                yield line, one.record, cost

    def _outcomes(self, matched: Record, budget: int) -> Sequence[SessionOutcome]:
        """How the session of a turn ended, unless that stands in the context already."""
        is_read = matched.session in self._ended or self._read >= _MOST_SESSIONS
        if is_read or budget <= _MARK:
            return []
        if self._test is None:
            window = _window(self._runtime, self._session)
            self._test = BearingTest(
                self._runtime, self._session, self._prompt, window, self._whole
            )
        self._read += 1
        endings = outcomes(
            self._runtime, matched, budget - _MARK, self._session.id, self._test.passing
        )
        found = [one for one in endings if one.record.session not in self._ended]
        self._ended |= {matched.session, *(one.record.session for one in found)}
        return found


def _window(runtime: Runtime, session: Session) -> list[set[str]]:
    """The words of each text that was injected into the session and is still in the agent's window."""
    found: list[set[str]] = []
    if not session.tokens_served:
        return found
    unseen = set(session.data.get(UNSEEN, ()))
    for event in runtime.view.sessions.events(session.id, types=("injection", "note")):
        if event.type == "injection" and event.key not in unseen:
            found.append(set(content_words(event.text)))
        elif event.data.get("compact") or event.data.get("origin") == "summary":
            found.clear()
    return found
