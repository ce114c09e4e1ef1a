"""Correct similarities between texts in a language that the embedder hardly knows.

The shipped embedder was trained on English. It places any two Japanese sentences near each other, whatever they
say, so a threshold that separates English texts separates nothing there (ADR 62).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contextd.domain.records import Record
from contextd_common.dataclass import dataclass
from contextd_common.text.languages import languages_of

_BIAS: Mapping[str, Mapping[str, float]] = {
    "minilm-l6-v2-int8": {
        "de": 0.12, "fr": 0.22, "es": 0.24, "ja": 0.33, "zh": 0.32, "ko": 0.33, "it": 0.22, "pt": 0.22, "nl": 0.12,
        "ru": 0.38, "el": 0.5, "he": 0.5, "ar": 0.5, "hi": 0.5, "th": 0.5,
    }
}  # fmt: skip
"""By model and language: how much higher the similarity of unrelated sentences is than in English, where with
shared words 1 prompt in 100 reaches the threshold of a prompt's context. Measured on 60 questions, their answers and
300 other sentences a language; Korean, Italian, Portuguese and Dutch are taken from the nearest language. The last row
is from 12 unrelated sentences a language, whose mean cosine is 0.05 in English, 0.56 in Japanese, 0.63 in Russian and 0.72 to
0.75 in Arabic, Persian, Hindi and Greek: as far above Japanese as their means are.
"""

_WIDE = frozenset(("ja", "zh", "ko"))
_ONLY_WORDS = _WIDE | {"ru", "el", "he", "ar", "hi", "th"}
"""Languages whose texts are near each other whatever they say: without a shared word none is relevant."""

_OVERLAP = 0.6
"""What shared words add at most to relevance in such a language: they are the better signal."""

_FARTHER = 0.12
"""How much more relevance the best hit of a search needs in such a language: of ten questions on cooking and
travelling asked of 240 sentences on software, eight reached the threshold of English in German and in Spanish.
"""


@dataclass(frozen=True, slots=True)
class LanguageBias:
    """How similarities to a question are read, in a language that the embedder hardly knows."""

    spoken: Mapping[str, float]

    def of(self, text: str) -> float:
        """How much nearer the embedder places a text only because it is in the question's language."""
        languages = languages_of(text)
        if not _WIDE.isdisjoint(languages) and not _WIDE.isdisjoint(self.spoken):
            # A short Japanese text may have Chinese characters only.
            return max(self.spoken.values())
        return max((self.spoken[one] for one in languages if one in self.spoken), default=0.0)

    def relevance(self, text: str, cosine: float, share: float, overlap: float) -> float:
        """The relevance of a text that contains a `share` of the question's content words, which add at most
        `overlap` in English.
        """
        bias = self.of(text)
        if bias and not share and not _ONLY_WORDS.isdisjoint(self.spoken):
            return 0.0
        return cosine - bias + (_OVERLAP if bias else overlap) * share

    def searched(self, text: str, cosine: float, share: float, overlap: float) -> float:
        """The same for a search, whose thresholds are low."""
        relevance = self.relevance(text, cosine, share, overlap)
        return relevance - (_FARTHER if self.of(text) else 0.0)


def bias_of(model: str, question: str) -> LanguageBias | None:
    """How `model` misjudges texts in the language of a question; None for questions in English or in an unknown
    language, and for models that know more languages.
    """
    known = _BIAS.get(model)
    languages = languages_of(question)
    if known is None or "en" in languages:
        return None
    spoken = {one: known[one] for one in languages if one in known}
    return LanguageBias(spoken) if spoken else None


def without_bias(
    model: str, question: str, near: Sequence[tuple[Record, float]]
) -> list[tuple[Record, float]]:
    """Records and their similarities to a text, corrected for its language."""
    bias = bias_of(model, question)
    if bias is None:
        return list(near)
    return [(record, cosine - bias.of(record.text)) for record, cosine in near]
