"""Queries of git through its own program; nothing here writes to a repository.

`command.py` builds every command: without locks, prompts, network, and anything that a repository's configuration
names. A missing git, a refused or empty repository and a slow disk are results, not crashes.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from contextd_code.git.cache_validity import Stamp, reference_stamp
from contextd_code.git.command import git_command
from contextd_code.git.ordinary_files import is_odd, odd_file
from contextd_code.git.programs import program
from contextd_code.git.remotes import remote_urls
from contextd_code.git.repository import Repository, repository_around, state_of
from contextd_code.git.settings import require_own, settings_for
from contextd_code.processes import OUTPUT, Child, Finished
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, Invalid, Unavailable, Unreadable
from contextd_common.files.guarded import names_file, read_file

TIMEOUT = 10.0
"""The default time limit of a command, in seconds."""

_QUICK = frozenset("rev-parse symbolic-ref show-ref remote".split())
"""Commands that read a few small files: one that takes `TIMEOUT` waits for a pipe, or for a dead disk."""

_STUCK_SECONDS = 60.0
"""How long git is not started in a repository where such a command did not answer."""

_STALLED_SECONDS = 2.0
"""After this time a command's files are searched for one that it cannot read: most commands take milliseconds."""

_stuck: dict[Repository, tuple[float, Path | None]] = {}
"""Repositories in which git does not answer: until when it is not started there, and the file that it waits for, if
it is known. Any file below `.git` could be a pipe.
"""

_hashes: dict[tuple[Any, ...], str] = {}
"""Blob hashes of files, by their path and state."""

_MOST_HASHES, _RACY_NS = 10_000, 20_000_000

NOT_A_REPOSITORY = "not a git repository"

FILE_BYTES = 120
"""Bytes of git's index per file: 107 to 154 in rich, TanStack query and kafka, by the length of their paths."""

_FILES_A_SECOND = 5_000
"""Files that git checks in a second, at least: a repository of 72,000 took more than 2 s on a busy machine."""

_REMEMBERED = 1_000
"""The most cached answers of one kind."""

LOG = "log -z --name-only --no-renames --no-show-signature --format=%x1e%H%x1f%an%x1f%ct%x1f%s%x1f".split()
"""The command whose output `read_log` parses."""

_COMMIT = re.compile(r"[0-9a-f]{4,64}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


@dataclass(frozen=True, slots=True)
class WorkTreeStatus:
    """The state of a work tree. Paths are relative to its root; a new directory ends in `/`."""

    head: str = ""
    branch: str = ""
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit. `subject` is a single printable line; `files` are those it changed."""

    sha: str
    author: str
    at: datetime
    subject: str
    files: tuple[str, ...] = ()


class Running:
    """A running git command whose output is collected later."""

    def __init__(
        self,
        root: Path,
        arguments: Sequence[str],
        stdin: bytes | None = None,
        *,
        of: Repository | None = None,
        most: int = OUTPUT,
    ) -> None:
        if not root.is_dir():
            raise Invalid(f"{root} is not a directory", "give an existing directory")
        self._root, self._most = root, most
        self._name = next((one for one in arguments if not one.startswith("-")), "git")
        self._child: Child | None = None
        command = git_command(root, arguments, of)
        if command is None:
            return
        self._repository = command.repository
        if self._repository is not None:
            _require_answering(self._repository)
        self._child = Child(command.line, command.cwd, command.environment, stdin, most)

    def collect(self, timeout: float = TIMEOUT) -> tuple[int, str, str]:
        """Exit code, output and complaints. Raises `Unavailable` after `timeout` seconds."""
        code, out, err = self.collect_bytes(timeout)
        return code, _text(out), _text(err)

    def collect_bytes(self, timeout: float = TIMEOUT) -> tuple[int, bytes, bytes]:
        """As `collect`, undecoded."""
        if self._child is None:
            return 128, b"", f"fatal: {NOT_A_REPOSITORY}".encode()
        finished = self._finished(self._child, timeout)
        if finished is None:
            self.stop()
            if self._name in _QUICK and timeout >= TIMEOUT and self._repository is not None:
                _note_stuck(self._repository)
            raise Unreadable(
                f"git {self._name} did not answer in {timeout:.1f} s{_size_of(self._root)}",
                "try again when the machine is less busy",
            )
        if finished.cut:
            raise Unreadable(
                f"git {self._name} printed more than {self._most >> 20} MB", "ask for less at once"
            )
        return finished.code, finished.output, finished.problem

    def _finished(self, child: Child, timeout: float) -> Finished | None:
        finished = child.finish(min(timeout, _STALLED_SECONDS))
        if finished is not None or timeout <= _STALLED_SECONDS or self._repository is None:
            return finished
        began = time.monotonic()
        waits_for = odd_file(self._repository)
        if waits_for is not None:
            self.stop()
            _note_stuck(self._repository, waits_for)
            _require_answering(self._repository)
        return child.finish(timeout - _STALLED_SECONDS - (time.monotonic() - began))

    def stop(self) -> None:
        """End the command if it still runs."""
        if self._child is not None:
            self._child.stop()


def _require_answering(repository: Repository) -> None:
    """Raise `Unavailable` where git did not answer a moment ago, or still waits for a file."""
    until, waits_for = _stuck.get(repository, (0.0, None))
    if waits_for is not None:
        if is_odd(waits_for):
            raise Unreadable(f"{waits_for} is not an ordinary file", "remove it, or clone again")
        _stuck.pop(repository, None)
    elif until > time.monotonic():
        raise Unreadable(
            f"git did not answer in {repository.root} a moment ago",
            f"check `git status` there; contextd tries again in {_STUCK_SECONDS:.0f} s",
        )


def _note_stuck(repository: Repository, waits_for: Path | None = None) -> None:
    now = time.monotonic()
    for other in [one for one, (until, _) in list(_stuck.items()) if until <= now]:
        _stuck.pop(other, None)
    if len(_stuck) < _REMEMBERED:
        _stuck[repository] = now + _STUCK_SECONDS, waits_for


def ask(
    root: Path, *arguments: str, timeout: float = TIMEOUT, of: Repository | None = None
) -> str | None:
    """The output of a git command in `root`, in the repository around it or in `of`; None when git refuses. Raises
    `Unavailable`.
    """
    code, out, _ = Running(root, arguments, of=of).collect(timeout)
    return out if code == 0 else None


def listed_files(root: Path) -> int:
    """The approximate number of tracked files around `root`, by the size of git's index; 0 without one."""
    # No command is started: this runs after one timed out.
    with suppress(OSError, ContextdError):
        found = repository_around(root)
        if found is not None:
            return (found.git_dir / "index").stat().st_size // FILE_BYTES
    return 0


def seconds_for_all_files(root: Path, least: float) -> float:
    """The time limit of a command that checks every file: `least` seconds, and more for many files."""
    return least + listed_files(root) / _FILES_A_SECOND


def _size_of(root: Path) -> str:
    """The size of a repository in which git took too long, in brackets; empty for one of ordinary size."""
    files = listed_files(root)
    return f" (about {round(files, -3):,} files)" if files > _FILES_A_SECOND else ""


def contents(
    root: Path, names: Sequence[str], timeout: float = TIMEOUT, *, of: Repository | None = None
) -> dict[str, bytes]:
    """The contents of git objects with these names, such as `COMMIT:path`, in one query; without missing ones. In
    the repository around `root`, or in `of`. Raises `Unavailable`.
    """
    wanted = [name for name in dict.fromkeys(names) if "\n" not in name]
    given = "".join(f"{name}\n" for name in wanted).encode("utf-8", "surrogateescape")
    asked = Running(root, ("cat-file", "--batch"), given, of=of)
    _, out, _ = asked.collect_bytes(timeout)
    found: dict[str, bytes] = {}
    at = 0
    for name in wanted:
        end = out.find(b"\n", at)
        if end < 0:
            break
        header, at = out[at:end], end + 1
        kind, _, size = header.rpartition(b" ")
        if header.endswith(b" missing") or not size.isdigit():
            continue
        if kind.endswith(b" blob"):
            found[name] = out[at : at + int(size)]
        at += int(size) + 1
    return found


def find(path: Path) -> tuple[Repository | None, str]:
    """The work tree around `path`, or None and one sentence with the reason."""
    try:
        program("git")
        found = repository_around(path if path.is_dir() else path.parent, past_bare=True)
        if found is None:
            return None, NOT_A_REPOSITORY
        require_own(found)
    except (Invalid, Unavailable) as error:
        return None, error.message
    return found, ""


def repository(path: Path) -> Repository | None:
    """The work tree around `path`; None when there is none or git fails."""
    return find(path)[0]


def head(root: Path) -> str:
    """The current commit of the work tree; empty before the first commit."""
    with suppress(LookupError):
        return _head(root, reference_stamp(root, ()))
    return ""


@lru_cache(maxsize=_REMEMBERED)
def _head(root: Path, stamp: Stamp) -> str:
    """As `head`. Raises `LookupError` without one, which is not remembered: a missing commit may be fetched."""
    if not stamp:
        raise LookupError
    found = ask(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if not found:
        raise LookupError
    return found.strip()


def branch(root: Path) -> str:
    """The branch that is checked out; empty when the head is detached."""
    return _branch(root, reference_stamp(root, ()))


@lru_cache(maxsize=_REMEMBERED)
def _branch(root: Path, stamp: Stamp) -> str:
    return (ask(root, "symbolic-ref", "--quiet", "--short", "HEAD") or "").strip()


def here(root: Path) -> tuple[str, str]:
    """`head` and `branch`, in one query where there is a commit."""
    return _here(root, reference_stamp(root, ()))


@lru_cache(maxsize=_REMEMBERED)
def _here(root: Path, stamp: Stamp) -> tuple[str, str]:
    output = ask(root, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
    if output is None:
        return "", branch(root)
    commit, _, ref = output.strip().partition("\n")
    return commit, ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else ""


def tips(root: Path, refs: Sequence[str], of: Repository | None = None) -> dict[str, str]:
    """The commits of those of these references that exist. `HEAD` is always included. `of` is the repository around
    `root`, if it is known.
    """
    return dict(_tips(root, tuple(refs), reference_stamp(root, refs, of)))


@lru_cache(maxsize=_REMEMBERED)
def _tips(root: Path, refs: Sequence[str], stamp: Stamp) -> dict[str, str]:
    listed = ask(root, "show-ref", "--head", "--", *refs) or ""
    found = {ref: commit for commit, _, ref in (row.partition(" ") for row in listed.splitlines())}
    return {ref: found[ref] for ref in ("HEAD", *refs) if ref in found}


def status(root: Path, *, timeout: float = TIMEOUT) -> WorkTreeStatus:
    """Head, branch and uncommitted changes. Raises `Unavailable`."""
    code, out, err = start_status(root).collect(timeout)
    if code != 0:
        raise Unreadable(f"git status failed: {printable(err, 200)}", "check `git status` there")
    return read_status(out)


def start_status(root: Path) -> Running:
    """Start `status`; `read_status` parses its output."""
    flags = "--porcelain=v2", "-z", "--branch", "--untracked-files=normal", "--no-renames"
    return Running(root, ("status", *flags, "--ignore-submodules=dirty"))


def read_status(text: str) -> WorkTreeStatus:
    """Parse the output of `start_status`."""
    head_, branch_ = "", ""
    lists: dict[str, list[str]] = {"modified": [], "deleted": [], "untracked": []}
    for entry in text.split("\0"):
        if entry.startswith("# branch.oid "):
            head_ = entry[13:] if entry[13:] != "(initial)" else ""
        elif entry.startswith("# branch.head "):
            branch_ = entry[14:] if entry[14:] != "(detached)" else ""
        elif entry.startswith("? "):
            lists["untracked"].append(entry[2:])
        elif entry.startswith(("1 ", "u ")):
            fields = entry.split(" ", 8 if entry[0] == "1" else 10)
            lists["deleted" if "D" in fields[1] else "modified"].append(fields[-1])
    return WorkTreeStatus(head_, branch_, *(tuple(found) for found in lists.values()))


def log(
    root: Path,
    *,
    since_commit: str = "",
    since_time: datetime | None = None,
    limit: int = 100,
    timeout: float = TIMEOUT,
) -> list[Commit]:
    """Commits of the current branch after a commit or an instant, newest first, at most `limit`.

    Empty when there are none, or when `since_commit` is not in this repository.
    """
    code, out, _ = start_log(root, since_commit, since_time, limit).collect(timeout)
    return read_log(out) if code == 0 else []


def start_log(
    root: Path, since_commit: str = "", since_time: datetime | None = None, limit: int = 100
) -> Running:
    """Start `log`; `read_log` parses its output."""
    since = () if since_time is None else (f"--since={since_time.astimezone(UTC).isoformat()}",)
    span = f"{checked_commit(since_commit)}..HEAD" if since_commit else "HEAD"
    return Running(root, (*LOG, f"--max-count={limit}", *since, span, "--"))


def read_log(text: str) -> list[Commit]:
    """Parse the output of `start_log`."""
    commits = []
    for record in text.split("\x1e")[1:]:
        fields = record.split("\x1f")
        if len(fields) != 5 or not _COMMIT.fullmatch(fields[0]) or not fields[2].isdigit():
            continue
        sha, author, at, subject, rest = fields
        files = tuple(name for name in rest.strip("\0\n").split("\0") if name)
        moment = datetime.fromtimestamp(int(at), UTC)
        commits.append(Commit(sha, printable(author, 60), moment, printable(subject, 100), files))
    return commits


def checked_commit(commit: str) -> str:
    """`commit`, when it is a hexadecimal id. Raises `Invalid`: a name could be an option."""
    if not _COMMIT.fullmatch(commit):
        raise Invalid(f"{commit!r} is not a commit id", "give 4 to 64 hexadecimal digits")
    return commit


def has_commit(root: Path, commit: str) -> bool:
    """Whether this repository contains `commit`."""
    return ask(root, "cat-file", "-e", checked_commit(commit) + "^{commit}") is not None


def is_ancestor(root: Path, commit: str, of: str = "HEAD") -> bool:
    """Whether `commit` is in the history of `of` (a commit or a branch name)."""
    wanted = "merge-base", "--is-ancestor", checked_commit(commit), of
    return not of.startswith("-") and ask(root, *wanted) is not None


def root_commits(root: Path, ref: str = "HEAD") -> list[str]:
    """The first commit of `ref` along first parents, then every other parentless one, sorted.

    Empty before the first commit. In a shallow clone these are only where it was cut.
    """
    main = (ask(root, "rev-list", "--max-parents=0", "--first-parent", ref) or "").split()
    every = (ask(root, "rev-list", "--max-parents=0", ref) or "").split()
    return main + sorted(set(every) - set(main))


def tracked_files(root: Path) -> int:
    """The number of files in a work tree's index, read from its header; 0 without one."""
    found = repository(root)
    if found is None:
        return 0
    try:
        header = read_file(found.git_dir / "index", 12, cut=True)
    except OSError:
        return 0
    # "DIRC", the version, then the number of entries (gitformat-index).
    return int.from_bytes(header[8:12], "big") if header[:4] == b"DIRC" else 0


def remote_url(root: Path) -> str:
    """The URL of `origin`, else of the first remote by name; else empty.

    As git stores it, credentials included: normalise it before storing it.
    """
    found = repository_around(root)
    urls = remote_urls(settings_for(found).options) if found is not None else {}
    return urls.get("origin") or next((urls[name] for name in sorted(urls)), "")


def blobs(root: Path, paths: Iterable[str], commit: str = "") -> dict[str, str]:
    """Blob hash of each file, as it is on disk now or as it was in `commit`.

    Paths are relative to `root`; those that do not exist there, or lie outside, are left out.
    """
    if commit:
        wanted = [path for path in paths if path]
        span = "ls-tree", "-r", "-z", "--full-tree", checked_commit(commit), "--"
        listed = (ask(root, *span, *wanted) or "") if wanted else ""
        rows = [row.partition("\t") for row in listed.split("\0") if row]
        return {name: meta.split()[2] for meta, _, name in rows if " blob " in meta}
    real = os.path.realpath(root) + os.sep
    present = []
    for path in paths:
        file = root / path
        inside = "\n" not in path and os.path.realpath(file).startswith(real)
        if inside and names_file(file) and not file.is_symlink():
            present.append(path)
    if not present:
        return {}
    # A conversion of line ends changes what is hashed.
    about = (root, state_of(f"{root}/.gitattributes"), state_of(f"{root}/.git/config"))
    keys = {path: (*about, path, state_of(f"{root}/{path}")) for path in present}
    unknown = [path for path in present if keys[path] not in _hashes]
    given = "\n".join(unknown).encode("utf-8", "surrogateescape") + b"\n"
    if unknown:
        code, out, _ = Running(root, ("hash-object", "--stdin-paths"), given).collect()
        if code != 0:
            return {}
        fresh = dict(zip(unknown, out.split(), strict=True))
    else:
        fresh = {}
    found = {path: fresh.get(path) or _hashes[keys[path]] for path in present}
    if len(_hashes) > _MOST_HASHES:
        _hashes.clear()
    # A file that was just written may change again without a new time.
    latest = time.time_ns() - _RACY_NS
    settled = (path for path in unknown if (state := keys[path][-1]) and max(state[1:3]) < latest)
    _hashes.update({keys[path]: found[path] for path in settled})
    return found


def remaining(deadline: float) -> float:
    """Seconds until `deadline` on the monotonic clock, not below 0."""
    return max(0.0, deadline - time.monotonic())


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def printable(text: str, limit: int = 120) -> str:
    """`text` as one line without control characters, cut at a word. Names and subjects are written by
    strangers.
    """
    clean = " ".join(_CONTROL.sub(" ", text).encode("utf-8", "replace").decode().split())
    return clean if len(clean) <= limit else clean[: limit - 1].rsplit(" ", 1)[0] + "…"
