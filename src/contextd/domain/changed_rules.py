"""Which rule in force a sentence may end or change, where its words do not decide that (`endings` holds those that do).

The rule is found by the words that both share, which is nearly always right; whether it ends is the agent's to say, who
has read the conversation. A needless question costs some 60 tokens, a wrong ending a rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from math import sqrt

from contextd.domain.change_words import ENDS
from contextd.domain.directive_words import FOR_NOW
from contextd.domain.directives import sentences, span_of
from contextd.domain.endings import ASKS, compared_language, restates, same_word, subject_words
from contextd_common.dataclass import dataclass

_LEAST = 0.25
"""Least score of a rule in question. With fourteen rules in force it selects a rule for 2 % of 993 real prompts, none of which was
about that rule as far as they were read, and the right rule for 73 and 77 % of the English endings and replacements in
`contextd bench languages`. A list of words of change besides `ENDS` found 85 % of the rows it was made with and half of the
others, so there is none.
"""

_SURE = 1.35
"""Factor for a sentence with words of an ending."""

_LONGEST = 300
"""Characters of a sentence that changes a rule; a longer one tells a story."""


@dataclass(frozen=True, slots=True)
class InQuestion:
    """A rule that a sentence may end or change."""

    id: str
    sentence: str
    score: float


class ComparedRules:
    """The texts of rules in force by id, and their subject words, extracted once for each language."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self._words: dict[str, tuple[Mapping[str, frozenset[str]], Counter[str]]] = {}

    def words(self, language: str) -> tuple[Mapping[str, frozenset[str]], Counter[str]]:
        """The words that name the subject of each rule, by id, and how many rules have each word."""
        if language not in self._words:
            words = {id: subject_words(text, language) for id, text in self.texts.items()}
            self._words[language] = words, Counter(word for some in words.values() for word in some)
        return self._words[language]


def rule_in_question(
    text: str, rules: ComparedRules, among: Container[str] | None = None
) -> InQuestion | None:
    """The rule that a message most likely ends or changes, None if no rule is likely. `among` limits the choice to these ids."""
    parts = list(sentences(text))
    found: list[InQuestion] = []
    for place, sentence in enumerate(parts):
        weight = _weight(sentence)
        if not weight or ASKS.search(sentence):
            continue
        least = 1 if weight > 1 else _SHARED
        # `That rule about tabs? Gone.` names the rule a sentence before.
        units = (sentence, f"{parts[place - 1]} {sentence}") if place else (sentence,)
        for unit in units:
            scores = _scores(unit, rules, least)
            found += [
                InQuestion(id, sentence, weight * score)
                for id, score in scores.items()
                if among is None or id in among
            ]
    best = max(found, key=lambda one: one.score, default=None)
    if best is None or best.score < _LEAST:
        return None
    return None if _is_said_again(best.sentence, rules.texts[best.id]) else best


def _is_said_again(sentence: str, rule: str) -> bool:
    """Whether a sentence says what a rule says, and no more."""
    if ENDS.search(sentence) or not restates(sentence, rule):
        return False
    language = compared_language(sentence)
    mine, theirs = (subject_words(text, language) for text in (sentence, rule))
    new = [word for word in mine if same_word(word, theirs) is None]
    return len(new) <= _NEW * len(mine)


_NEW = 0.2
"""The largest share of new words in a sentence that says a rule again."""

_SHARED = 2
"""Least number of words that a rule must share with a sentence that has no words of an ending."""


def _weight(sentence: str) -> float:
    """How much a sentence may change a rule; 0 for one that is for now, for a branch, or a story."""
    if len(sentence) > _LONGEST or FOR_NOW.search(sentence) or span_of(sentence) == "branch":
        return 0.0
    return _SURE if ENDS.search(sentence) else 1.0


def _scores(text: str, rules: ComparedRules, least: int) -> dict[str, float]:
    """How much each rule shares with a text, if it shares at least this many words: the geometric mean of the shares of both,
    where a word of the rule counts less the more rules have it.
    """
    language = compared_language(text)
    words, having = rules.words(language)
    mine = subject_words(text, language)
    scores: dict[str, float] = {}
    for id, theirs in words.items():
        shared = [word for word in theirs if same_word(word, mine) is not None]
        if len(shared) >= least:
            rare = sum(1 / having[word] for word in shared)
            every = sum(1 / having[word] for word in theirs)
            scores[id] = sqrt(rare / every * min(1.0, len(shared) / len(mine)))
    return scores
