"""What is asked, as the words that a text may share with it."""

from __future__ import annotations

from contextd.domain.words import content_words
from contextd.search.hits import Candidate, Texted
from contextd.search.reading import Read, Said, read, read_said

OVERLAP = 0.3
"""What shared words add to relevance at most."""

MOST_WORDS = 64
"""Words of a question beyond these are not asked for."""

Pair = tuple[Candidate, Texted]
"""A candidate with what stands behind it."""


class Asked:
    """The content words of a question, and which of them a text shares. What is said is compared several
    times in a search and read once.
    """

    def __init__(self, question: str, reading: Read = read, saying: Said = read_said) -> None:
        self.words = frozenset(content_words(question)[:MOST_WORDS])
        self.count = len(self.words)
        self._reading, self._saying = reading, saying
        self._shared: dict[str, set[str]] = {}
        self._shared_by: dict[int, set[str]] = {}

    def shared_with(self, text: str) -> set[str]:
        """Those of the words that are in a text."""
        shared = self._shared.get(text)
        if shared is None:
            counts = self._reading(text).counts
            shared = self._shared[text] = {word for word in self.words if word in counts}
        return shared

    def shared_by(self, content: Texted) -> set[str]:
        """Those of the words that are in what is said, by a record with its labels. It is asked for contents
        of one search, which outlive this.
        """
        shared = self._shared_by.get(id(content))
        if shared is None:
            counts = self._saying(content).counts
            shared = self._shared_by[id(content)] = {word for word in self.words if word in counts}
        return shared
