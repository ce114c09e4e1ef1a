"""A query as the words that a text may share with it."""

from __future__ import annotations

from collections.abc import Mapping

from contextd.search.abbreviations import other_forms, without_parts
from contextd.search.hits import Candidate, Texted
from contextd.search.word_counts import Read, Said, read, read_said
from contextd_common.text.words import content_words

OVERLAP = 0.3
"""Maximum that shared words add to relevance."""

MOST_WORDS = 64
"""Maximum words of a query that are used."""

Pair = tuple[Candidate, Texted]
"""A candidate with its content."""


class Asked:
    """The content words of a query, and which of them a text shares. Texts compared several times in a
    search are parsed once.
    """

    def __init__(self, question: str, reading: Read = read, saying: Said = read_said) -> None:
        self.words = frozenset(without_parts(content_words(question)[:MOST_WORDS]))
        self.count = len(self.words)
        self._reading, self._saying = reading, saying
        self._forms = other_forms(self.words)
        self._shared: dict[str, set[str]] = {}
        self._shared_by: dict[int, set[str]] = {}

    def shared_with(self, text: str) -> set[str]:
        """The query words in a text."""
        shared = self._shared.get(text)
        if shared is None:
            shared = self._shared[text] = self._found_in(self._reading(text).counts)
        return shared

    def shared_by(self, content: Texted) -> set[str]:
        """The query words in a content, for a record including its labels. Contents must outlive the search."""
        shared = self._shared_by.get(id(content))
        if shared is None:
            shared = self._shared_by[id(content)] = self._found_in(self._saying(content).counts)
        return shared

    def _found_in(self, counts: Mapping[str, int]) -> set[str]:
        found = {word for word in self.words if word in counts}
        if self._forms:
            found |= {word for word, form in self._forms.items() if counts.keys() >= form}
        return found
