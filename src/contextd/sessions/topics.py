"""Extract what a session was about, in a few words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from contextd_common.text.languages import function_words
from contextd_common.text.words import STOP_WORDS, weight

MOST_TOPICS = 6

_FENCE = re.compile(r"```.*?(?:```|\Z)|https?://\S+", re.S)
_WORD = re.compile(r"[^\W\d_][\w+#]*(?:[-'][\w+#]+)*")
_BREAK = re.compile(r"[.,;:!?()\[\]{}\"“”`<>|\n/\\=@]|\s[-–—]\s")
_LONGEST_TEXT = 4_000
_VAGUE = frozenset(
    """add added adding actually already also another anything apply ask available back bad better
    bit break bring build call called change changed changes check clean code come cool correct
    could create created currently different done don't doesn't easy either else ensure error
    example exist existing expect fail failing fails feel figure file files find first fix fixed
    fixing folder follow following get getting give go goes going good got great hello help hey hi
    i'd i'll i'm i've idea implement issue it's keep kind know last later let let's like line lines
    little look looking looks lot made make makes making many maybe mean might missing move much
    must need needs never new next nice nothing now ok okay old one ones open part perfect please
    pretty problem properly put quick really remove right run running same say see seem seems send
    set several shall show side since small someone something soon sorry still stop sure take tell
    test tests thank thanks that's thing things think though time today tomorrow tried try trying
    turn two understand update updated use used user uses using using want wants way well went
    whole without won't work working works would wrong write wrong yeah yep yes yet you're always
    every instead rather somehow anymore across around away behind exactly maybe simply
    start started three lose loses losing took live lives answer answers slowly""".split()
)


def topics(texts: Iterable[str], limit: int = MOST_TOPICS) -> tuple[str, ...]:
    """Up to `limit` short topics of the requests, the most informative first.

    Runs of content words are scored by word frequency and co-occurrence (RAKE, Rose et al. 2010). The result
    is deterministic.
    """
    phrases = [phrase for text in texts for phrase in _phrases(text)]
    times: Counter[str] = Counter()
    company: Counter[str] = Counter()
    for phrase in phrases:
        for word in phrase:
            times[word] += 1
            company[word] += len(phrase)
    seen = Counter(phrases)
    scored = sorted(
        seen,
        key=lambda p: -sum((company[w] + times[w]) / 2 for w in p) / len(p) ** 0.5 * seen[p] ** 0.5,
    )
    chosen: list[tuple[str, ...]] = []
    for phrase in scored:
        covered = {word for topic in chosen for word in topic}
        if len(set(phrase) - covered) > len(phrase) / 2:
            chosen.append(phrase)
        if len(chosen) == limit:
            break
    return tuple(" ".join(phrase) for phrase in chosen)


def _phrases(text: str) -> list[tuple[str, ...]]:
    found = []
    idle = STOP_WORDS | function_words(text) | _VAGUE
    for piece in _BREAK.split(_FENCE.sub("\n", text[:_LONGEST_TEXT])):
        run: list[str] = []
        for word in (*_WORD.findall(piece.casefold()), "the"):
            if word in idle or weight(word) < 3 or len(word) > 30:
                if run:
                    found.append(tuple(run[:3]))
                run = []
            else:
                run.append(word)
    return found
