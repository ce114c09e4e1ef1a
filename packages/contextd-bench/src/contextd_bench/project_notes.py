"""What a repository's developers wrote, as notes with questions that some of them answer.

Three sorts, each with what real people wrote on both sides:

- *commits*: the notes are messages of commits, the question is a later commit that names some of them by
  their hash as what it follows. It is asked by its subject, and by all of its message; hashes, quoted
  subjects and trailers are cut out, and only commits before it are known.
- *changes*: the notes are entries of a change log, the question is the subject of a commit about the same
  numbered issue. Logs that repeat the subjects are left out.
- *headings*: the notes are sections of the documentation, the question is a heading that asks one. No note
  has its own heading, only those above it.

Commits are asked about as work goes on; changes and headings today, about whatever time. An entry is as old as
the commit about it or about the entry above it, a section as old as the last change of its file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from contextd_code.git.external_history import ask_named, contents_named, named_git_dir
from contextd_common.errors import NotFound
from contextd_common.text.words import content_words

COMMITS, MESSAGES, CHANGES, HEADINGS = "commits", "messages", "changes", "headings"
"""The sorts; `MESSAGES` are the questions of `COMMITS` in many words."""

NOTES, QUESTIONS = 1_500, 60
"""The newest notes that are known, and the newest questions that are asked, of each sort."""

FEWEST = 10
"""Questions below which a sort is not asked of a repository."""

LONGEST = 2_000
"""Characters of a note."""

_ASKED_AT_LENGTH = 1_200
_LOGGED, _DOCUMENTS, _GIT_SECONDS = 20_000, 1_000, 120.0
_FEWEST_WORDS, _SHORTEST, _REPEATED, _ABOUT_ONE, _ENGLISH = 3, 80, 0.5, 3, 0.95

_HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
_QUOTED = re.compile(r"\(\s*[\"'“].{3,200}?[\"'”][^)]{0,30}\)")
_TRAILER = re.compile(
    r"^\s*(?:(?:[A-Z][a-z]*-)(?:[A-Za-z]+-)*(?:[Bb]y|[Tt]o|[Ii]d|[Ff]rom):|\(cherry picked"
    r"|(?:Closes|Fixes|Fixed|Refs?|See|Bugs?|Link|URL|Issue|Cc|PR|Approved|Addresses|Resolves)\b[:# ])"
)
_DULL = re.compile(
    r"^(?:merge|revert|release|bump|version|v?\d+\.\d+|update (?:changelog|dependenc|lock)"
    r"|chore\([\w-]+\): (?:release|version|bump|v?\d))",
    re.IGNORECASE,
)
_LOG = re.compile(
    r"(?:^|/)(?:change(?:s|log)|history|news|release[-_]?notes)(?:\.\w+)?$", re.IGNORECASE
)
_ITEM = re.compile(r"^\s*[-*+] +(?=\S)")
_NUMBER = re.compile(r"(?:#|GH-|issues/|pull/|:(?:issue|pr|ghissue):`)(\d{1,6})\b")
_REFERENCE = re.compile(
    r"\(?\[[^\]]*\]\([^)]*/\d+\)\)?|\(?\[?(?:#|GH-)\d+\]?\)?|:\w+:`\d+`|https?://\S+|\(?@[\w-]+\)?"
)
_DOCUMENT = re.compile(r"\.(?:md|mdx|markdown|rst)$", re.IGNORECASE)
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.])\1{2,}\s*$")
_MARKUP = re.compile(r"[*`_]|\{#[^}]*\}|<[^>]+>|^\d+(?:\.\d+)*[.)]?\s+")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class ProjectNote:
    """Something that was written down."""

    id: str
    title: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LaterQuestion:
    """What is asked, and the notes that are right. Of the notes only the first `known` were there."""

    sort: str
    text: str
    right: frozenset[str]
    known: int
    at: datetime


@dataclass(frozen=True, slots=True)
class ProjectNotes:
    """The notes of one sort, oldest first, and the questions in the order in which they can be asked."""

    sort: str
    notes: tuple[ProjectNote, ...]
    questions: tuple[LaterQuestion, ...]


def read_notes(repository: Path) -> list[ProjectNotes]:
    """What can be asked of a repository, a work tree or a git directory. Raises `NotFound` where nothing can."""
    git_dir = named_git_dir(repository)
    if git_dir is None:
        raise NotFound(f"{repository} is no git repository", "give the path of one with history")
    messages = _messages(git_dir)
    today = messages[-1].at
    found = [
        _of_commits(messages),
        _of_changes(git_dir, messages),
        _of_headings(git_dir, today),
    ]
    fair = [one for one in found if len(one.questions) >= FEWEST]
    if not fair:
        raise NotFound(
            f"nothing in {repository} asks for what was written before",
            "take a repository whose commits name others, with a change log or with questions in its documentation",
        )
    return fair


@dataclass(frozen=True, slots=True)
class _Message:
    sha: str
    at: datetime
    subject: str
    body: str


def _messages(repository: Path) -> list[_Message]:
    """The newest commits that merge nothing, oldest first."""
    text = ask_named(
        repository, "log", "--no-merges", f"--max-count={_LOGGED}", "--no-show-signature",
        "--format=%x1e%H%x1f%ct%x1f%s%x1f%b", timeout=_GIT_SECONDS,
    )  # fmt: skip
    if text is None:
        raise NotFound(f"{repository} has no history", "give the path of a git repository")
    rows = (row.split("\x1f", 3) for row in text.split("\x1e")[1:])
    found = [
        _Message(sha, datetime.fromtimestamp(int(at), UTC), subject.strip(), body)
        for sha, at, subject, body in rows
    ]
    if not found:
        raise NotFound(f"{repository} has no commits", "give the path of a repository with history")
    return found[::-1]


def _of_commits(messages: Sequence[_Message]) -> ProjectNotes:
    newest = messages[-NOTES:]
    place = {one.sha: at for at, one in enumerate(newest)}
    by_start = {sha[:7]: sha for sha in place}
    notes = tuple(
        ProjectNote(one.sha, one.subject, _without_trailers(one.body)[:LONGEST], one.at)
        for one in newest
    )
    questions: list[LaterQuestion] = []
    for at, one in enumerate(newest):
        lines = [line for line in one.body.splitlines() if "cherry picked" not in line]
        named = {by_start.get(each[:7], "") for each in _HASH.findall("\n".join(lines))}
        right = frozenset(sha for sha in named if sha and place[sha] < at)
        if not right or _is_dull(one.subject):
            continue
        text = _unnamed(_without_trailers(one.body), [newest[place[sha]].subject for sha in right])
        subject = _unnamed(one.subject, [])
        questions.append(LaterQuestion(COMMITS, subject, right, at, one.at))
        if len(content_words(text)) > _FEWEST_WORDS:
            whole = f"{subject}\n{text[:_ASKED_AT_LENGTH]}"
            questions.append(LaterQuestion(MESSAGES, whole, right, at, one.at))
    return ProjectNotes(COMMITS, notes, tuple(questions[-2 * QUESTIONS :]))


def _is_dull(subject: str) -> bool:
    return bool(_DULL.match(subject)) or len(_WORD.findall(subject)) < _FEWEST_WORDS


def _without_trailers(body: str) -> str:
    return "\n".join(line for line in body.splitlines() if not _TRAILER.match(line)).strip()


def _unnamed(text: str, subjects: Sequence[str]) -> str:
    """A text without hashes and without what names the subject of another commit."""
    text = " ".join(_QUOTED.sub(" ", " ".join(text.split())).split())
    for subject in subjects:
        text = re.sub(re.escape(" ".join(subject.split())), " ", text, flags=re.IGNORECASE)
    return " ".join(_HASH.sub(" ", text).split())


def _of_changes(repository: Path, messages: Sequence[_Message]) -> ProjectNotes:
    done: dict[str, datetime] = {}
    for one in messages:
        done |= dict.fromkeys(_NUMBER.findall(one.subject), one.at)
    at = today = messages[-1].at
    notes: dict[str, ProjectNote] = {}
    by_number: dict[str, set[str]] = defaultdict(set)
    for path, text in _files(repository, _LOG):
        for entry in _entries(text):
            plain = " ".join(_REFERENCE.sub(" ", entry).split()).strip(" .,;()[]")
            numbers = _NUMBER.findall(entry)
            at = min((done[number] for number in numbers if number in done), default=at)
            if len(_WORD.findall(plain)) < _FEWEST_WORDS or len(notes) >= NOTES:
                continue
            note = ProjectNote(f"{path}:{len(notes)}", "", plain[:LONGEST], at)
            notes[note.id] = note
            # An entry with many numbers is about many things.
            for number in numbers if len(numbers) <= _ABOUT_ONE else ():
                by_number[number].add(note.id)
    questions, repeats = list[LaterQuestion](), 0
    for one in reversed(messages):
        numbers_asked = set(_NUMBER.findall(one.subject))
        right = frozenset(id for number in numbers_asked for id in by_number.get(number, ()))
        subject = " ".join(_REFERENCE.sub(" ", one.subject).split())
        if not right or _is_dull(subject):
            continue
        if any(_likeness(subject, notes[id].text) >= _REPEATED for id in right):
            repeats += 1
        else:
            questions.append(LaterQuestion(CHANGES, subject, right, len(notes), today))
    if repeats > len(questions):
        questions = []
    return ProjectNotes(CHANGES, tuple(notes.values()), tuple(questions[:QUESTIONS]))


def _entries(text: str) -> Iterator[str]:
    """The items of the lists of a text, each with the lines that go on with it."""
    item: list[str] = []
    for line in [*text.splitlines(), ""]:
        begins = _ITEM.match(line)
        if item and (begins or not line.strip() or not line[0].isspace()):
            yield " ".join(item)
            item = []
        if begins:
            item = [line[begins.end() :].strip()]
        elif item:
            item.append(line.strip())


def _likeness(one: str, other: str) -> float:
    first, second = set(content_words(one)), set(content_words(other))
    return len(first & second) / (len(first | second) or 1)


def _of_headings(repository: Path, today: datetime) -> ProjectNotes:
    changed = _last_changes(repository, today)
    notes: list[ProjectNote] = []
    questions: list[LaterQuestion] = []
    for path, text in _files(repository, _DOCUMENT):
        if _LOG.search(path):
            continue
        above: list[tuple[int, str]] = []
        for level, heading, body in _sections(text):
            above = [one for one in above if one[0] < level]
            plain = " ".join(_MARKUP.sub("", heading).split())
            below = body.strip()
            if len(notes) < NOTES and len(below) >= _SHORTEST and _is_english(below):
                title = ": ".join([PurePosixPath(path).stem, *(name for _, name in above)])
                at = changed.get(path, today)
                note = ProjectNote(f"{path}:{len(notes)}", title, below[:LONGEST], at)
                notes.append(note)
                if plain.endswith("?") and len(_WORD.findall(plain)) >= _FEWEST_WORDS:
                    questions.append(LaterQuestion(HEADINGS, plain, frozenset({note.id}), 0, today))
            above.append((level, plain))
    # Translated and copied documents ask the same again.
    same: dict[str, set[str]] = defaultdict(set)
    for one in questions:
        same[one.text.casefold()] |= one.right
    unlike = {one.text.casefold(): one for one in questions}
    asked = [
        replace(one, right=frozenset(same[text]), known=len(notes)) for text, one in unlike.items()
    ]
    return ProjectNotes(HEADINGS, tuple(notes), tuple(asked[:QUESTIONS]))


def _last_changes(repository: Path, today: datetime) -> dict[str, datetime]:
    """When each document was changed last, as far as it is told within the newest commits."""
    text = ask_named(
        repository, "log", f"--max-count={_LOGGED}", "--no-renames", "--name-only", "--no-show-signature",
        "--format=%x1e%ct", "--", "*.md", "*.mdx", "*.markdown", "*.rst", timeout=_GIT_SECONDS,
    )  # fmt: skip
    changed: dict[str, datetime] = {}
    at = today
    for row in (text or "").split("\x1e")[1:]:
        time, _, paths = row.partition("\n")
        at = datetime.fromtimestamp(int(time), UTC)
        for path in paths.split("\n"):
            if path:
                changed.setdefault(path, at)
    return changed


def _is_english(text: str) -> bool:
    """Whether a text may be, by its letters."""
    return sum(character.isascii() for character in text) > _ENGLISH * len(text)


def _sections(text: str) -> Iterator[tuple[int, str, str]]:
    """(level, heading, what stands below it up to the next one) of a document."""
    levels: dict[str, int] = {}
    level, heading, body, fenced = 0, "", list[str](), False
    lines = text.splitlines()
    for at, line in enumerate(lines):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        marked = None if fenced else _HEADING.match(line)
        under = None if fenced or at + 1 >= len(lines) else _UNDERLINE.match(lines[at + 1])
        if under and line.strip() and not line[0].isspace() and not _UNDERLINE.match(line):
            yield level, heading, "\n".join(body)
            own = levels.setdefault(under[1], len(levels) + 1)
            level, heading, body = own, line.strip(), []
        elif marked:
            yield level, heading, "\n".join(body)
            level, heading, body = len(marked[1]), marked[2], []
        elif fenced or not _UNDERLINE.match(line):
            body.append(line)
    yield level, heading, "\n".join(body)


def _files(repository: Path, wanted: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The newest state of the files with such names, by path; the shortest paths first."""
    listed = ask_named(repository, "ls-tree", "-r", "-z", "--name-only", "HEAD", timeout=60) or ""
    paths = [path for path in listed.split("\0") if wanted.search(path)]
    paths.sort(key=lambda path: (path.count("/"), path))
    names = [f"HEAD:{path}" for path in paths[:_DOCUMENTS]]
    found: Mapping[str, bytes] = contents_named(repository, names, timeout=_GIT_SECONDS)
    for path, name in zip(paths, names, strict=False):
        if name in found:
            yield path, found[name].decode("utf-8", "replace")
