"""Whether a state that a text reports has ended since: "not committed yet", "PR #12 is open", "version is 1.2".

The repository and later records report the events that end states. Only texts that report an open state cost more than
a scan of their sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from contextd.claims.work_states import (
    WorkState,
    commit_states,
    ends,
    ends_in,
    exceeds,
    is_general,
    open_states,
    subject_stems,
)
from contextd.domain.kinds import EPISODE, kinds_that
from contextd.domain.records import FOUND, Record, headed, said_at, short_id
from contextd.domain.validity import Validity
from contextd.knowledge.git_anchors import citations
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd_code.git import git_queries as git
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, Unavailable
from contextd_common.text.words import one_line, query_words

_READ = 3_000
"""Characters of a text that are examined."""

_COMMITS, _TAGS, _CHECKOUTS = 500, 200, 16
_LATER, _STATES = 12, 20
"""Later records that are read for one state, and states that are followed up in one call."""

_STATUS = 0.5
"""Seconds to wait for the state of the work tree. Without it the statement stays as it is."""

_QUOTED = 80
_MAIN_PART = 0.5
"""A text is replaced as a whole if its state makes up this share of it. A longer text keeps its place, with a note."""

_MERGED = re.compile(
    r"^Merge (?:pull request #(?P<github>\d+)\b(?: from [^/\s]+/(?P<head>\S+))?"
    r"|(?:remote-tracking )?branch '(?:origin/)?(?P<branch>[^']+)')|\((?P<squashed>[#!]\d+)\)\s*$"
)
_CLOSES = re.compile(r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?):?\s+(#\d+)\b", re.I)
_TAG = re.compile(r"^(?:(?P<of>[\w./-]*?[A-Za-z])[-@/_]?)?(?<!\d)(?P<version>\d+(?:\.\d+)+)$")


@dataclass(frozen=True, slots=True)
class StatedText:
    """A text with the time at which it was said, and the files that its turn wrote."""

    id: str
    text: str
    at: datetime
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Event:
    """What ended a state: a short description, the record that reports it, and its time."""

    what: str
    by: str = ""


def stated(record: Record) -> StatedText:
    """A record as a text with its time: for a turn, the time of its end."""
    at = record.updated_at if record.kind == EPISODE else said_at(record)
    files = tuple(str(path) for path in record.data.get("files") or ())
    return StatedText(record.id, headed(record.title, record.content), at, files)


def ended_states(runtime: Runtime, records: Iterable[Record]) -> dict[str, Validity]:
    """The validity of the records that report a state which has ended since. Rules report no states."""
    rules = kinds_that("binding")
    return ended(runtime, [stated(one) for one in records if one.kind not in rules])


def ended(runtime: Runtime, texts: Sequence[StatedText]) -> dict[str, Validity]:
    """The validity of those of these texts that report a state which has ended since."""
    found: dict[str, Validity] = {}
    followed = 0
    for one in texts:
        notes: list[str] = []
        quoted, by = 0, ""
        for state in open_states(one.text[:_READ])[: _STATES - followed]:
            followed += 1
            event = _event(runtime, state, one)
            if event is not None:
                notes.append(f"“{one_line(state.quote, _QUOTED)}” until {event.what}")
                quoted, by = quoted + len(state.quote), by or event.by
        if notes:
            whole = quoted >= _MAIN_PART * len(one.text)
            found[one.id] = Validity("; ".join(notes), by, replaced=whole)
    return found


def without_ended(runtime: Runtime, texts: Sequence[str], at: datetime) -> list[str]:
    """These texts, said at an instant, without those that report a state which has ended since."""
    over = ended(runtime, [StatedText(str(n), text, at) for n, text in enumerate(texts)])
    return [text for n, text in enumerate(texts) if str(n) not in over]


def rest_of(runtime: Runtime, text: str, at: datetime) -> str:
    """A text said at an instant, without its sentences about states that have ended since."""
    if not ended(runtime, [StatedText("", text, at)]):
        return text
    pieces = _BETWEEN.split(text)
    pairs = zip(pieces[::2], [*pieces[1::2], ""], strict=True)
    left = [(one, end) for one, end in pairs if without_ended(runtime, [one], at)]
    return "".join(one + end for one, end in left).strip()


def rests_of(runtime: Runtime, texts: Iterable[str], at: datetime) -> list[str]:
    """What is left of each of these texts without such sentences; no empty texts."""
    return [rest for text in texts if (rest := rest_of(runtime, text, at))]


_BETWEEN = re.compile(r"((?<=[.!?])\s+|\n+)")


def is_committed(runtime: Runtime, request: str, at: datetime) -> bool:
    """Whether a commit after an instant does what a request asks for: it shares most of its subject's words."""
    if runtime.checkout is None:
        return False
    asked = subject_stems(request)
    try:
        subjects = [subject_stems(c.subject) for c in _commits(runtime) if c.at > at]
    except (Unavailable, Invalid):
        return False
    return any(len(one & asked) >= max(_SHARED, _DOES * len(one)) for one in subjects)


_SHARED, _DOES = 2, 0.6
"""The least number and share of the words in a commit's subject that the request must have."""


def _event(runtime: Runtime, state: WorkState, one: StatedText) -> _Event | None:
    """The first event that ended a state."""
    try:
        reported = _in_repository(runtime, state, one)
    except (Unavailable, Invalid):
        reported = None
    return reported or _said_later(runtime, state, one)


def _in_repository(runtime: Runtime, state: WorkState, one: StatedText) -> _Event | None:
    if runtime.checkout is None:
        return None
    if state.sort == "version":
        return _tagged(runtime.root, state, one.at)
    commits = [commit for commit in _commits(runtime) if commit.at > one.at]
    if not commits:
        return None
    if state.sort == "commit":
        return _committed(runtime, state, one, commits)
    commit = next((c for c in reversed(commits) if _closes(c, state)), None)
    return _Event(_called(runtime, commit)) if commit is not None else None


def _commits(runtime: Runtime) -> Sequence[git.Commit]:
    """The latest commits of the checkout, newest first; cached by its head."""
    head, _ = citations(runtime).here()
    cache = runtime.organisation.caches.of("commits that end states", _CHECKOUTS)
    made: Sequence[git.Commit] = cache.made(
        (runtime.root, head), lambda: git.log(runtime.root, limit=_COMMITS)
    )
    return made


def _committed(
    runtime: Runtime, state: WorkState, one: StatedText, commits: Sequence[git.Commit]
) -> _Event | None:
    named = [name for name in state.names if "." in name or "/" in name]
    files = named or ([*one.files] if is_general(state) else [])
    if files:
        touched = {name.casefold() for commit in commits for name in commit.files}
        if all(_among(file.casefold(), touched) for file in files):
            return _Event(
                _called(runtime, next(c for c in reversed(commits) if _touches(c, files)))
            )
        return None
    if not is_general(state):
        telling = (c for c in reversed(commits) if state.about <= subject_stems(c.subject))
        commit = next(telling, None)
        named_fully = commit is not None and len(state.about) > 1
        return _Event(_called(runtime, commit)) if commit and named_fully else None
    status = git.status(runtime.root, timeout=_STATUS)
    untracked = (path for path in status.untracked if not path.startswith(".context"))
    loose = (*status.modified, *status.deleted, *untracked)
    return None if loose else _Event("everything was committed")


def _touches(commit: git.Commit, files: Sequence[str]) -> bool:
    touched = {name.casefold() for name in commit.files}
    return any(_among(file.casefold(), touched) for file in files)


def _among(file: str, touched: set[str]) -> bool:
    return file in touched or any(path.endswith("/" + file) for path in touched)


def _closes(commit: git.Commit, state: WorkState) -> bool:
    numbers = {name for name in state.names if name.startswith("#")}
    if state.sort == "block":
        numbers |= {f"#{n}" for n in re.findall(r"#(\d+)\b", state.quote)}
    merged = _MERGED.search(commit.subject)
    if merged is not None and state.sort in ("merge", "block"):
        number = merged["github"] or (merged["squashed"] or "").lstrip("#!")
        if number and f"#{number}" in numbers:
            return True
        branch = (merged["head"] or merged["branch"] or "").casefold()
        if branch and state.sort == "merge" and branch in state.names:
            return True
    if state.sort in ("issue", "block") and numbers & set(_CLOSES.findall(commit.subject)):
        return True
    return any(ends(one, state) for one in commit_states(commit.subject))


def _tagged(root: Path, state: WorkState, at: datetime) -> _Event | None:
    """The latest tag with a higher version, if it was made after the statement."""
    listed = git.ask(
        root, "for-each-ref", f"--count={_TAGS}", "--sort=-creatordate",
        "--format=%(creatordate:unix) %(refname:short)", "refs/tags",
    )  # fmt: skip
    for row in (listed or "").splitlines():
        when, _, name = row.partition(" ")
        if not when.isdigit() or datetime.fromtimestamp(int(when), UTC) <= at:
            continue
        tag = _TAG.match(name)
        if tag is None or not exceeds(tag["version"], state.value):
            continue
        of = subject_stems((tag["of"] or "").removesuffix("v"))
        if of == state.about or (not state.about and not of - {"releas"}):
            return _Event(f"tag {git.printable(name, 60)}")
    return None


def _called(runtime: Runtime, commit: git.Commit) -> str:
    subject = redact(commit.subject, runtime.redaction_key).text
    return f"commit {commit.sha[:7]} “{one_line(subject, _QUOTED)}”"


def _said_later(runtime: Runtime, state: WorkState, one: StatedText) -> _Event | None:
    """The first later record that reports the end of a state."""
    words = query_words(state.quote)
    if not words or runtime.project is None:
        return None
    query = runtime.query(EPISODE, *kinds_that("compared"), level="project", statuses=FOUND)
    near = runtime.view.index.lexical(words, query, _LATER)
    records = runtime.view.records.get([match.id for match in near if match.id != one.id])
    for record in sorted(records, key=lambda record: record.created_at):
        later = stated(record)
        if later.at <= one.at or record.data.get("taken_back"):
            continue
        for end in ends_in(later.text[:_READ]):
            if ends(end, state):
                return _Event(f"{short_id(record.id)} “{one_line(end.quote, _QUOTED)}”", record.id)
    return None
