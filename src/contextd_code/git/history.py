"""Per-file facts from the commits of a checkout: why each file was changed, and how recently."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import log, sqrt
from pathlib import Path

from contextd_code.git import git_queries as git
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, Unavailable
from contextd_common.text.words import content_words

COMMITS = 2_000
"""The most commits read, newest first."""

MOST_FILES = 20
"""A commit that changed more files than this is not about specific ones."""

FLOOR, VOTERS = 0.1, 20
"""The least similarity of a matching subject, and the most subjects that count."""

FADING = 0.9
"""The weight of a change one commit later. Of 0.9, 0.97, 0.99 and 0.995 the first found most on 27 histories."""

_PER_COMMIT, _PER_FILE = 1_500, 110
"""Bytes of a commit with its subject and their words, estimated, and of each of its files."""


@dataclass(frozen=True)
class CommitLog:
    """The ancestors of `head`, newest first, each with its files."""

    head: str
    commits: tuple[git.Commit, ...]

    @cached_property
    def weight(self) -> int:
        """Its estimated bytes, with the words of the subjects."""
        return sum(_PER_COMMIT + _PER_FILE * len(commit.files) for commit in self.commits)

    def alike(self, question: str) -> dict[str, tuple[float, str]]:
        """Path → how much the commits whose subjects resemble `question` support the file, from 0 to 1, and the
        most similar subject.

        Similarity is the Jaccard coefficient of the content words, each weighted by its idf among the subjects.
        A commit's score is divided by the root of the number of its files.
        """
        asked = content_words(question)
        whole = sum(self._weight(word) for word in asked)
        shared: dict[int, float] = {}
        for word in asked:
            for place in self._holders.get(word, ()):
                shared[place] = shared.get(place, 0.0) + self._weight(word)
        near = sorted(
            ((weight / (whole + self._sums[p] - weight), p) for p, weight in shared.items()),
            key=lambda pair: (-pair[0], pair[1]),
        )
        found: dict[str, tuple[float, str]] = {}
        for likeness, place in [one for one in near if one[0] > FLOOR][:VOTERS]:
            commit = self.commits[place]
            share = (likeness - FLOOR) / (1 - FLOOR) / sqrt(len(commit.files))
            for path in commit.files:
                before, subject = found.get(path, (0.0, commit.subject))
                found[path] = min(1.0, before + share), subject
        return found

    @cached_property
    def recent(self) -> Mapping[str, float]:
        """Path → how much the file changed recently: each change counts 0.9 to the power of the number of
        commits after it, divided by the root of the number of files in its commit.
        """
        found: dict[str, float] = {}
        for age, commit in enumerate(self.commits):
            for path in commit.files:
                found[path] = found.get(path, 0.0) + FADING**age / sqrt(len(commit.files))
        return found

    def _weight(self, word: str) -> float:
        having = len(self._holders.get(word, ()))
        return log(1 + (len(self.commits) - having + 0.5) / (having + 0.5))

    @cached_property
    def _words(self) -> Sequence[Sequence[str]]:
        return [content_words(commit.subject) for commit in self.commits]

    @cached_property
    def _holders(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for place, words in enumerate(self._words):
            for word in words:
                found.setdefault(word, []).append(place)
        return found

    @cached_property
    def _sums(self) -> Sequence[float]:
        return [sum(map(self._weight, words)) for words in self._words]


NOTHING = CommitLog("", ())
"""The facts of a checkout that was not read yet."""


def past(root: Path, known: CommitLog, *, patience: float) -> CommitLog | None:
    """The history of a checkout; `known` is the previous result, read again only from there on. None when git
    did not answer within `patience` seconds, or fails.
    """
    try:
        head = git.head(root)
        if known.head == head:
            return known
        return CommitLog(head, _read(root, head, known, patience))
    except (Unavailable, Invalid):
        return None


def unknowable(root: Path) -> CommitLog:
    """An empty history, for one that cannot be read in a reasonable time until the next commit."""
    try:
        return CommitLog(git.head(root), ())
    except (Unavailable, Invalid):
        return NOTHING


def _read(root: Path, head: str, known: CommitLog, patience: float) -> tuple[git.Commit, ...]:
    if not head:
        return ()
    since = known.head if known.commits and git.is_ancestor(root, known.head, head) else ""
    started = git.start_log(root, since, None, COMMITS)
    code, out, _ = started.collect(patience)
    new = tuple(_telling(git.read_log(out))) if code == 0 else ()
    return (*new, *(known.commits if since else ()))[:COMMITS]


def _telling(commits: Iterable[git.Commit]) -> Iterable[git.Commit]:
    return (commit for commit in commits if 1 <= len(commit.files) <= MOST_FILES)
