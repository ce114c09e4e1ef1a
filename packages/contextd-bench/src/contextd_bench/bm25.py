"""The baseline: plain BM25 over stemmed words, independent of contextd's tokenizer and index."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log

import Stemmer

from contextd_common.text.words import STOP_WORDS

K1, B = 1.2, 0.75
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


class PlainBM25:
    """Okapi BM25 (Robertson et al. 1994; Lucene's idf) over identifier parts, stemmed, without
    stop words.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        counts = [Counter(self._words(text)) for text in texts]
        self._lengths = [sum(count.values()) for count in counts]
        self._mean = sum(self._lengths) / max(1, len(counts)) or 1.0
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, count in enumerate(counts):
            for word, frequency in count.items():
                self._postings[word].append((place, frequency))

    def _words(self, text: str) -> list[str]:
        parts = [part.lower() for part in _PART.findall(text)]
        return list(self._stemmer.stemWords([part for part in parts if part not in STOP_WORDS]))

    def ranking(self, question: str, limit: int) -> list[int]:
        """Indices of the best texts, best first; only texts that share a word."""
        scores: dict[int, float] = defaultdict(float)
        total = len(self._lengths)
        for word in dict.fromkeys(self._words(question)):
            found = self._postings.get(word, [])
            idf = log(1 + (total - len(found) + 0.5) / (len(found) + 0.5))
            for place, frequency in found:
                norm = K1 * (1 - B + B * self._lengths[place] / self._mean)
                scores[place] += idf * frequency * (K1 + 1) / (frequency + norm)
        return sorted(scores, key=lambda place: (-scores[place], place))[:limit]
