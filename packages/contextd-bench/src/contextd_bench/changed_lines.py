"""Pairs of statements that a project's developers wrote about one subject, labelled by rule.

Updates, of which the newer one replaces the older one:

- *rewritten*: a commit replaces one line of the documentation by one other, and only a number, a code name or a
  negation differs.
- *released*: two releases of a change log each give one number for the same subject.
- *withdrawn*: a change log adds something, and a later release removes or renames the thing of that code name.

Compatible pairs both hold: two lines of one file today, or two entries of one release, with half of the shorter
one's words in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

from contextd_code.git.external_history import ask_named, named_git_dir
from contextd_common.errors import NotFound
from contextd_common.text.words import content_words

Sort = Literal["rewritten", "released", "withdrawn", "compatible"]

PER_SORT = 4
"""Pairs of each sort that a repository gives at most, so that none dominates."""

_SECONDS, _COMMITS, _FILES = 240.0, 4_000, 60
_SHORTEST, _LONGEST, _SHORT = 5, 40, 16
_SAME_SUBJECT, _HALF, _LEAST_SHARED = 0.75, 0.5, 3

_DOCUMENT = re.compile(r"\.(?:md|mdx|markdown|rst)$", re.I)
_LOG = re.compile(r"(?:^|/)(?:change(?:s|log)|history|news|release[-_]?notes)(?:[\w.-]*)?$", re.I)
_RELEASE = re.compile(
    r"^(?:#{1,3}\s+|\*\*)?\W{0,3}(?:[A-Za-z][\w-]*\s+)?v?(?P<version>\d+\.\d+(?:\.\d+)*)\b"
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+(?=\S)")
_MARK = re.compile(r"^\s*(?:[-*+>]|\d+\.|#{1,6})\s+")
_REFERENCE = re.compile(
    r"\(?\[[^\]]*\]\([^)]*/\d+\)\)?|\(?\[?(?:#|GH-|PR #)\d+\]?\)?|:\w+:`~?(\w[^`<]*)[^`]*`|https?://\S+|\(?\bby @[\w-]+\)?|\(?@[\w-]+\)?"
    r"|\(\[?[0-9a-f]{7,40}\]?[^)]*\)"
)
_LEFT = re.compile(
    r"(?:\s+(?:in|see|by|closes|\(|\)|\(\[\]\[\]\)|\(pull))+\W*$|\s*\(\[\]\[\]\)$", re.I
)
"""Brackets and words that remain at the end of an entry once its reference is removed."""

_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_BOLD = re.compile(r"\*\*|__|<[^>]+>")
_NUMBER = re.compile(r"(?<![\w.-])v?\d+(?:\.\d+)*(?![\w-])")
_WORD = re.compile(r"`[^`]*`|[\w.+#@/:=<>~^%-]+")
_NEGATION = frozenset("not no never don't doesn't cannot can't isn't aren't without longer".split())
_CODE = re.compile(r"`([^`\s]{4,})`")
_ADDED = re.compile(
    r"^(?:\w+: )?(?:(?:added?|introduced?)(?: an?| the| new| support for| option| flag| method)*|new(?: \w+){0,2}|support) `",
    re.I,
)
_REMOVED = re.compile(
    r"^(?:\w+: )?(?:remove|drop|dropp|delete|rename)e?d?(?: the| support for| deprecated| unused| \w+ option| option| flag| method)* `",
    re.I,
)
_FIXED = re.compile(r"\b(?:fix(?:e[sd])?|corrected|bug|dev|ci|tests?|docs?)\b", re.I)
_ADDITIVE = re.compile(r"\b(?:drop|remove|add|support for)", re.I)
_SPELLING = 0.8
"""Similarity of two code names from which on the difference is a mistake in spelling."""
_CHANGE = frozenset(
    content_words(
        "bump bumped increase increased raise raised raises update updated updates upgrade upgraded change changed changes require required"
        " requires now new set lower lowered decrease decreased reduce reduced drop dropped version from"
    )
)
_GIVEN = re.compile(
    r"\b(?:minimum|maximum|default|limit|timeout|msrv|at least|requires?|min|max)\b"
    r"|\b(?:bump|upgrade|update|increase|raise|lower|reduce)[sd]?\b.*\bto\b",
    re.I,
)
_FROM = re.compile(r"\bfrom\b.*\bto\b", re.I)
_VOLATILE = re.compile(
    r"copyright|\b(?:19|20)\d\d-\d\d|badge|sha256|\bcommit\b|^\||[{}=;]\s|\w\(\w|::.*::", re.I
)
_TRANSLATION = ":(exclude,glob)**/[a-z][a-z]-[A-Z]*/**"


@dataclass(frozen=True, slots=True)
class StatedPair:
    """Two statements, the older one first. Of compatible ones none is older."""

    sort: Sort
    older: str
    newer: str


class _Entry(NamedTuple):
    version: tuple[int, ...]
    text: str


def read_pairs(repository: Path) -> list[StatedPair]:
    """The pairs of a repository, at most `PER_SORT` of each sort. Raises `NotFound` if it is none."""
    git_dir = named_git_dir(repository)
    if git_dir is None:
        raise NotFound(f"{repository} is no git repository", "give the path of one with history")
    listed = (
        ask_named(git_dir, "ls-tree", "-r", "--name-only", "HEAD", timeout=_SECONDS) or ""
    ).splitlines()
    documents = [path for path in listed if _DOCUMENT.search(path)]
    logs = [path for path in documents if _LOG.search(path)]
    read = {path: _lines(git_dir, path) for path in [*logs, *documents[:_FILES]]}
    entries = [list(_entries(read[path])) for path in logs]
    found: dict[Sort, list[StatedPair]] = {
        "rewritten": list(_rewritten(git_dir)),
        "released": [pair for each in entries for pair in _released(each)],
        "withdrawn": [pair for each in entries for pair in _withdrawn(each)],
        "compatible": [
            *(
                pair
                for path in documents[:_FILES]
                if path not in logs
                for pair in _beside(read[path])
            ),
            *(pair for each in entries for pair in _in_one_release(each)),
        ],
    }
    return [pair for pairs in found.values() for pair in _some(pairs)]


def _some(pairs: Sequence[StatedPair]) -> list[StatedPair]:
    """A choice that does not depend on what the pairs say; no statement twice, also with other numbers."""
    ordered = sorted(
        set(pairs), key=lambda pair: sha256(f"{pair.older}\n{pair.newer}".encode()).digest()
    )
    chosen: list[StatedPair] = []
    used: set[str] = set()
    for pair in ordered:
        templates = {re.sub(r"[\d.]+", "0", one) for one in (pair.older, pair.newer)}
        if not used & templates:
            chosen.append(pair)
            used |= templates
    return chosen[:PER_SORT]


def _lines(git_dir: Path, path: str) -> list[str]:
    return (ask_named(git_dir, "show", f"HEAD:{path}", timeout=_SECONDS) or "").splitlines()


def _plain(line: str) -> str:
    """A line as a statement: without its mark, references and emphasis."""
    text = _LINK.sub(r"\1", _REFERENCE.sub(r"\1", _MARK.sub("", line)))
    plain = " ".join(_BOLD.sub("", text).split()).strip(" -–:;,")
    return _LEFT.sub("", plain)


def _is_statement(text: str) -> bool:
    return (
        _SHORTEST <= len(_WORD.findall(text)) <= _LONGEST
        and text[0].isalpha() | (text[0] == "`")
        and not _VOLATILE.search(text)
        and not text.endswith("?")
        and text.isascii()
    )


def _rewritten(git_dir: Path) -> Iterator[StatedPair]:
    log = ask_named(
        git_dir, "log", f"-{_COMMITS}", "--no-merges", "--diff-filter=M", "-p", "-U0", "--format=", "--no-color",
        "--", "*.md", "*.rst", _TRANSLATION, ":(exclude,icase)*change*", ":(exclude,icase)*release*", ":(exclude,icase)*history*",
        timeout=_SECONDS,
    )  # fmt: skip
    hunk: list[str] = []
    for line in [*(log or "").splitlines(), "@@"]:
        if line.startswith(("@@", "diff ")):
            if [one[0] for one in hunk] == ["-", "+"]:
                older, newer = (_plain(one[1:]) for one in hunk)
                if all(
                    _is_statement(one) and _is_whole(one) for one in (older, newer)
                ) and _one_value(older, newer):
                    yield StatedPair("rewritten", older, newer)
            hunk = []
        elif line.startswith(("-", "+")) and not line.startswith(("---", "+++")):
            hunk.append(line)


def _is_whole(text: str) -> bool:
    """Whether a line is a sentence and no part of a wrapped one."""
    return text[-1] in ".)" and (text[0].isupper() or text[0] == "`")


def _one_value(older: str, newer: str) -> bool:
    """Whether only a number, a code name or a negation differs."""
    one, other = _WORD.findall(older), _WORD.findall(newer)
    codes = SequenceMatcher(a=one, b=other, autojunk=False).get_opcodes()
    spans = [(one[a:b], other[c:d]) for tag, a, b, c, d in codes if tag != "equal"]
    if len(spans) != 1:
        return False
    [(here, there)] = spans
    if len(here) > 3 or len(there) > 3 or len(one) - len(here) < 4:
        return False
    if not here or not there:
        return bool(_NEGATION & {word.casefold() for word in (*here, *there)})
    numbers = [_NUMBER.findall(" ".join(span)) for span in (here, there)]
    if all(numbers):
        return numbers[0] != numbers[1]
    code = [len(span) == 1 and span[0].startswith("`") for span in (here, there)]
    return all(code) and not _is_misspelt(here[0].casefold(), there[0].casefold())


def _is_misspelt(one: str, other: str) -> bool:
    same = re.sub(r"\W", "", one) == re.sub(r"\W", "", other)
    return same or SequenceMatcher(a=one, b=other).ratio() >= _SPELLING


def _entries(lines: Sequence[str]) -> Iterator[_Entry]:
    version: tuple[int, ...] = ()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        heading = _RELEASE.match(line)
        if heading and (line.startswith(("#", "**")) or re.match(r"^([=\-~^*])\1{2,}\s*$", after)):
            version = tuple(int(part) for part in heading["version"].split("."))
        elif version and _ITEM.match(line):
            text = _plain(line)
            if _is_statement(text):
                yield _Entry(version, text)


def _released(entries: Sequence[_Entry]) -> Iterator[StatedPair]:
    given = [
        (one, numbers[-1], _subject(one.text))
        for one in entries
        if 1 <= len(numbers := _NUMBER.findall(one.text)) <= (2 if _FROM.search(one.text) else 1)
        and _GIVEN.search(one.text)
        and not _ADDITIVE.search(one.text)
    ]
    for (one, a, about), (other, b, also) in combinations(given, 2):
        if one.version == other.version or a.lstrip("v") == b.lstrip("v") or not about & also:
            continue
        if len(about & also) >= _SAME_SUBJECT * len(about | also):
            older, newer = sorted((one, other))
            yield StatedPair("released", older.text, newer.text)


def _subject(text: str) -> frozenset[str]:
    return frozenset(content_words(_NUMBER.sub(" ", text))) - _CHANGE


def _withdrawn(entries: Sequence[_Entry]) -> Iterator[StatedPair]:
    named = [
        (one, names[0])
        for one in entries
        if (names := _short_names(one)) and not _FIXED.search(one.text)
    ]
    for one, name in named:
        for other, also in named:
            later = name == also and one.version < other.version
            if later and _ADDED.match(one.text) and _REMOVED.match(other.text):
                yield StatedPair("withdrawn", one.text, other.text)


def _short_names(entry: _Entry) -> list[str]:
    text = entry.text.replace("``", "`")
    return _CODE.findall(text) if len(_WORD.findall(text)) <= _SHORT else []


def _beside(lines: Sequence[str]) -> Iterator[StatedPair]:
    plain = [_plain(line) for line in lines]
    yield from _alike([text for text in plain if text and _is_statement(text) and _is_whole(text)])


def _in_one_release(entries: Sequence[_Entry]) -> Iterator[StatedPair]:
    by_version: dict[tuple[int, ...], list[str]] = {}
    for one in entries:
        by_version.setdefault(one.version, []).append(one.text)
    for texts in by_version.values():
        yield from _alike(texts)


def _alike(texts: Sequence[str]) -> Iterator[StatedPair]:
    outlined = [(text, frozenset(content_words(text))) for text in dict.fromkeys(texts)]
    for (one, here), (other, there) in combinations(outlined[:400], 2):
        shared = len(here & there)
        if shared >= _LEAST_SHARED and shared >= _HALF * min(len(here), len(there)):
            yield StatedPair("compatible", one, other)
