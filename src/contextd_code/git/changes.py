"""Changes of a work tree since contextd last looked at it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from contextd_code.git import git_queries as git
from contextd_code.git.cache_validity import Stamp, reference_stamp
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unavailable

MOST_COMMITS = 100
"""The most commits read; beyond it only their number is known, as "100 or more"."""

MOST_FILES = 500
"""Files named per list."""

DEPENDENCY_FILES = frozenset(
    """package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml
    pnpm-workspace.yaml bun.lock bun.lockb deno.json deno.lock pyproject.toml setup.py setup.cfg
    Pipfile Pipfile.lock poetry.lock uv.lock pdm.lock pixi.lock environment.yml Cargo.toml
    Cargo.lock go.mod go.sum go.work pom.xml build.gradle build.gradle.kts settings.gradle
    settings.gradle.kts libs.versions.toml gradle.lockfile Gemfile Gemfile.lock composer.json
    composer.lock mix.exs mix.lock pubspec.yaml pubspec.lock Package.swift Package.resolved
    Directory.Packages.props packages.lock.json""".split()
)
"""Manifests and lock files by name; `requirements*.txt` and `*.csproj` count too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalChanges:
    """The differences since an earlier moment. Paths are relative to the root of the work tree. `modified`,
    `deleted` and `untracked` are everything not committed; `touched` are those of them that changed after the
    moment, when one was given. `notes` name missing information.
    """

    branch_then: str = ""
    branch_now: str = ""
    head: str = ""
    rewritten: bool = False
    commits: tuple[git.Commit, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    since: datetime | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def switched(self) -> bool:
        """Whether another branch is checked out now."""
        return bool(self.branch_then) and self.branch_then != self.branch_now

    @property
    def lines(self) -> tuple[str, ...]:
        """The changes in a few short lines, the most important first; empty when there are none."""
        found = []
        if self.switched:
            found.append(f"Branch: {self.branch_then} → {self.branch_now or 'detached head'}")
        if self.rewritten:
            found.append("History was rewritten: the commit of last time is not in it any more")
        if self.commits:
            found.append(_commit_line(self.commits))
        if self.dependencies:
            found.append(f"Dependencies changed: {_some(self.dependencies)}")
        tracked = (*self.modified, *self.deleted)
        if self.since is not None and self.touched:
            found.append(f"Edited since, not committed: {_counted(self.touched, 'file')}")
        elif self.since is None and tracked:
            found.append(f"Not committed: {_counted(tracked, 'changed file')}")
        if self.since is None and self.untracked:
            found.append(f"Untracked: {_counted(self.untracked, 'path')}")
        return (*found, *self.notes)


def is_dependency_file(path: str) -> bool:
    """Whether `path` names a manifest or lock file of a package ecosystem."""
    name = PurePosixPath(path).name
    return (
        name in DEPENDENCY_FILES
        or name.endswith((".csproj", ".fsproj"))
        or (name.startswith("requirements") and name.endswith((".txt", ".in")))
    )


def external_changes(
    root: Path,
    since_commit: str = "",
    since_time: datetime | None = None,
    branch_then: str = "",
    *,
    deadline: float = 1.0,
) -> ExternalChanges:
    """The changes in the work tree `root` since a commit, an instant, or both.

    Takes `deadline` seconds at most; answers that git did not give in time are named in `notes`. Without any
    moment only the uncommitted state is reported. Raises only `Invalid`, for a malformed `since_commit`.
    """
    if since_commit:
        git.checked_commit(since_commit)
    end = time.monotonic() + deadline
    try:
        asked = _Questions(root, since_commit, since_time)
    except Unavailable as error:
        return ExternalChanges(branch_then=branch_then, since=since_time, notes=(error.message,))
    try:
        return asked.answer(end, branch_then)
    finally:
        asked.stop()


_Answer = tuple[int | None, str]
_Asked = tuple[Path, str, datetime | None]

_answers: dict[_Asked, tuple[Stamp, _Answer, _Answer]] = {}
"""What git said of the history since a moment, which stays the same as long as the references do."""

_MOST_ANSWERS = 200


class _Questions:
    """The git commands of one report, running in parallel."""

    def __init__(self, root: Path, since_commit: str, since_time: datetime | None) -> None:
        self.root, self.commit, self.time = root, since_commit, since_time
        # Since a commit, the history says the same whenever it is asked.
        self.asked = (root, since_commit, None if since_commit else since_time)
        self.stamp = reference_stamp(root, ())
        self.known = _answers.get(self.asked)
        if self.known is not None and self.known[0] != self.stamp:
            self.known = None
        self.status = git.start_status(root)
        self.log: git.Running | None = None
        self.ancestor: git.Running | None = None
        if self.known is not None:
            return
        if since_commit:
            wanted = "merge-base", "--is-ancestor", since_commit, "HEAD"
            self.log = git.start_log(root, since_commit, None, MOST_COMMITS)
            self.ancestor = git.Running(root, wanted)
        elif since_time is not None:
            self.log = git.start_log(root, "", since_time, MOST_COMMITS)

    def stop(self) -> None:
        for running in (self.status, self.log, self.ancestor):
            if running is not None:
                running.stop()

    def answer(self, end: float, branch_then: str) -> ExternalChanges:
        notes: list[str] = []
        known, printed = self._output(self.status, end, notes)
        if known != 0:
            return ExternalChanges(since=self.time, notes=tuple(notes))
        state = _without_ours(git.read_status(printed))
        (code, printed), (is_ancestor, _) = self._history(end, notes)
        commits = git.read_log(printed) if code == 0 else []
        # Without a head there is no history that could have been rewritten.
        unreachable = is_ancestor not in (0, None) and state.head != ""
        rewritten = unreachable and not self._is_elsewhere(branch_then, state.branch, end)
        if rewritten and self.time is not None:
            commits = self._since_time(end, notes)
        loose = (*state.modified, *state.deleted, *state.untracked)
        touched = _touched(self.root, state, self.time, end)
        changed = [name for commit in commits for name in commit.files]
        manifests = (name for name in (*changed, *touched) if is_dependency_file(name))
        return ExternalChanges(
            branch_then=branch_then,
            branch_now=state.branch,
            head=state.head,
            rewritten=rewritten,
            commits=tuple(commits),
            modified=state.modified[:MOST_FILES],
            deleted=state.deleted[:MOST_FILES],
            untracked=state.untracked[:MOST_FILES],
            touched=tuple(touched if self.time is not None else loose)[:MOST_FILES],
            dependencies=tuple(dict.fromkeys(manifests))[:MOST_FILES],
            since=self.time,
            notes=tuple(dict.fromkeys(notes)),
        )

    def _history(self, end: float, notes: list[str]) -> tuple[_Answer, _Answer]:
        """The commits since the moment, and whether its commit is among the ancestors of the head."""
        if self.known is not None:
            return self.known[1:]
        log, ancestor = self._output(self.log, end, notes), self._output(self.ancestor, end, notes)
        if not notes:
            if len(_answers) >= _MOST_ANSWERS:
                _answers.clear()
            _answers[self.asked] = self.stamp, log, ancestor
        return log, ancestor

    def _output(self, running: git.Running | None, end: float, notes: list[str]) -> _Answer:
        if running is None:
            return None, ""
        try:
            code, out, _ = running.collect(git.remaining(end))
        except Unavailable as error:
            notes.append(error.message)
            return None, ""
        return code, out

    def _is_elsewhere(self, branch_then: str, branch_now: str, end: float) -> bool:
        """Whether the last known commit still exists on the branch it was made on."""
        if not branch_then or branch_then == branch_now:
            return False
        try:
            other = f"refs/heads/{branch_then}"
            wanted = "merge-base", "--is-ancestor", self.commit, other
            return git.ask(self.root, *wanted, timeout=git.remaining(end)) is not None
        except Unavailable:
            return True

    def _since_time(self, end: float, notes: list[str]) -> list[git.Commit]:
        try:
            left = git.remaining(end)
            return git.log(self.root, since_time=self.time, limit=MOST_COMMITS, timeout=left)
        except Unavailable as error:
            notes.append(error.message)
            return []


def _without_ours(state: git.WorkTreeStatus) -> git.WorkTreeStatus:
    """Ignore contextd's own files."""

    def others(paths: Sequence[str]) -> tuple[str, ...]:
        return tuple(path for path in paths if path.split("/", 1)[0] != ".context")

    return replace(
        state,
        modified=others(state.modified),
        deleted=others(state.deleted),
        untracked=others(state.untracked),
    )


def _touched(
    root: Path, state: git.WorkTreeStatus, since: datetime | None, end: float
) -> list[str]:
    loose = [*state.modified, *state.untracked]
    if since is None:
        return loose
    found = []
    for name in loose[: 4 * MOST_FILES]:
        if time.monotonic() > end:
            break
        try:
            if (root / name).lstat().st_mtime > since.timestamp():
                found.append(name)
        except OSError:
            continue
    return found


def _commit_line(commits: Sequence[git.Commit]) -> str:
    count = f"{len(commits)} or more" if len(commits) >= MOST_COMMITS else str(len(commits))
    authors = _some(tuple(dict.fromkeys(commit.author for commit in commits)))
    subjects = "; ".join(commit.subject for commit in commits[:3])
    more = "; …" if len(commits) > 3 else ""
    return f"{count} new commit{'s' * (len(commits) != 1)} by {authors}: {subjects}{more}"


def _counted(paths: Sequence[str], noun: str) -> str:
    count = f"{len(paths)}+" if len(paths) >= MOST_FILES else str(len(paths))
    return f"{count} {noun}{'s' * (len(paths) != 1)} ({_some(paths)})"


def _some(names: Sequence[str], most: int = 3) -> str:
    shown = ", ".join(git.printable(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
