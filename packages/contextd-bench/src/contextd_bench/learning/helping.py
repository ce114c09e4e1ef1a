"""Decide whether an injected line helped its session: by label, or by proxy."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from contextd_bench.learning.recordings import Recording
from contextd_common.text.words import content_words

LABELS = "helpful-dev.jsonl"
VERDICTS = ("helps", "topic", "not")

_SHARED = 2
_RARE = 0.1
"""A term is rare that at most this share of a project's sessions uses, or two of them."""

_NOTE = re.compile(r"\s*\[[^\[\]]*\s·\s[^\[\]]*\]\s*$")
_PATH = re.compile(r"[\w@+-][\w./@+-]*\.[A-Za-z]\w{0,7}\b")
_INTRODUCES = re.compile(r"^```|^[^-*].*:$|:\*\*$")
_SHORTEST_TERM = 4


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line of a text. `key` is the same for lines that say the same to the same session, whatever
    their marks and order; `number` is the prompt it came with, -1 for the start.
    """

    project: str
    session: str
    number: int
    section: str
    text: str

    @property
    def key(self) -> str:
        """The key of the line in label files."""
        place = f"{self.session}#{self.number}" if self.number >= 0 else self.session
        return key_of(self.project, place, self.text)


def key_of(project: str, session: str, text: str) -> str:
    """A digest of a statement in its place."""
    wording = " ".join(sorted(set(content_words(text))))
    whole = f"{project}\n{session}\n{wording}"
    return hashlib.blake2b(whole.encode("utf-8", "replace"), digest_size=12).hexdigest()


def shown_lines(
    project: str, session: str, number: int, text: str, root: Path | None = None
) -> list[ShownLine]:
    """The lines of a text with content, without headings and introductions."""
    found: list[ShownLine] = []
    section, place = "", f"{root}/" if root else "\0"
    for raw in text.replace(place, "").splitlines():
        line = raw.strip()
        if line.startswith("#"):
            section = line.lstrip("# ")
        elif line and not _INTRODUCES.search(line):
            statement = _NOTE.sub("", line.lstrip("-*• ").strip())
            if content_words(statement) and not statement.startswith(
                "Project briefing from contextd"
            ):
                found.append(ShownLine(project, session, number, section, statement))
    return found


@dataclass(slots=True)
class Vocabulary:
    """Which terms are rare in a project. Made from all of its recordings."""

    sessions: int = 0
    counts: Counter[str] = field(default_factory=Counter[str])
    _known: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    def add(self, one: Recording) -> None:
        """Add the words of a recording."""
        self.sessions += 1
        self.counts.update(_terms_of(_spoken(one)))

    def terms(self, text: str) -> frozenset[str]:
        """The terms of a text; each text is looked at once."""
        if text not in self._known:
            self._known[text] = _terms_of(text)
        return self._known[text]

    def rare(self, text: str) -> set[str]:
        """The rare terms of a text."""
        most = max(2.0, _RARE * self.sessions)
        return {term for term in _terms_of(text) if self.counts[term] <= most}

    def rarest(self, text: str, count: int) -> list[str]:
        """The rarest of the content words of a text, in its order."""
        words = [word for word in _WORD.findall(text) if len(word) >= _SHORTEST_TERM]
        words = [word for word in dict.fromkeys(words) if content_words(word)]
        best = sorted(words, key=lambda word: self._count(word))[:count]
        return [word for word in words if word in best]

    def _count(self, word: str) -> float:
        counts = [self.counts[term] for term in _terms_of(word)]
        return min(counts) if counts else float("inf")


_WORD = re.compile(r"[^\W_][\w.-]*[^\W_]|[^\W_]")


def guessed(line: ShownLine, one: Recording, words: Vocabulary) -> bool:
    """The automatic proxy: the session writes to a file the line names, or its prompts and answers
    share two rare terms with it. Of a session only what came after the line counts, and of the
    prompt it came with nothing.
    """
    later = one.exchanges[max(0, line.number) :]
    named = {PurePosixPath(path).name for path in _PATH.findall(line.text)}
    edited = {PurePosixPath(path).name for each in later for path in each.edited}
    if named & edited:
        return True
    own = words.rare(line.text)
    if line.number >= 0 and later:
        own -= words.terms(later[0].prompt)
    prompts = [each.prompt for each in (later[1:] if line.number >= 0 else later)]
    answers = [text for each in later for text in each.answers]
    session_terms = set[str]().union(*map(words.terms, (*prompts, *answers)))
    return len(own & session_terms) >= _SHARED


def read_labels(folder: Path | None, name: str = LABELS) -> dict[str, str]:
    """Verdicts by key; of several on one line the last."""
    return {row["key"]: row["label"] for row in read_rows(folder, name)}


def read_rows(folder: Path | None, name: str) -> Iterator[Mapping[str, str]]:
    """The rows of a file of labels; none when it is not there."""
    path = folder / name if folder is not None else None
    if path is not None and path.is_file():
        for line in path.read_text("utf-8").splitlines():
            if line.strip():
                yield json.loads(line)


def vocabulary(recordings: Iterable[Recording]) -> Vocabulary:
    """The vocabulary of these recordings."""
    words = Vocabulary()
    for one in recordings:
        words.add(one)
    return words


def _spoken(one: Recording) -> str:
    texts = [text for each in one.exchanges for text in (each.prompt, *each.answers)]
    return "\n".join(texts)


def _terms_of(text: str) -> frozenset[str]:
    return frozenset(
        word for word in content_words(text) if len(word) >= _SHORTEST_TERM or not word.isascii()
    )
