"""The state of the code that a record cites: changed, moved, reverted, or elsewhere."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from contextd.domain.records import Anchor
from contextd_code.git import git_queries as git
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unavailable

MOST_CITED = 20
"""The most paths taken from one text."""

_COMMITS = 2_000
_KEPT = 5_000
_PATH = re.compile(r"(?<![\w/@.+-])(?:\./)?((?:[\w@.+-]+/)*[\w@.+-]*[\w+-]\.\w{1,12})\b")
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{7,64})")


def cited_paths(root: Path, *texts: str) -> list[str]:
    """The files of the work tree that these texts name by their path from its root, in order."""
    named = dict.fromkeys(match[1] for text in texts for match in _PATH.finditer(text))
    return [path for path in list(named)[: 10 * MOST_CITED] if _is_file(root, path)][:MOST_CITED]


def _is_file(root: Path, path: str) -> bool:
    file = root / path
    inside = ".." not in path.split("/") and not path.startswith(".git/")
    return inside and file.is_file() and not file.is_symlink()


@dataclass(frozen=True, slots=True)
class AnchorStanding:
    """The current state of the code behind an anchor. Paths are those the anchor names.

    `moved` maps a path to the file's current path. `reverted` says that a later commit reverted the anchor's.
    `elsewhere` names the branch it was made on when that is not merged here, `lost` that its commit is in no
    history known here.
    """

    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict[str, str])
    reverted: bool = False
    elsewhere: str = ""
    lost: bool = False

    @property
    def stale(self) -> bool:
        """Whether the cited code changed."""
        return bool(self.changed or self.missing or self.reverted)

    @property
    def note(self) -> str:
        """A few words for the reader; empty when nothing changed."""
        if self.elsewhere:
            return f"from branch {self.elsewhere}, not merged here"
        parts = []
        if self.reverted:
            parts.append("its commit was reverted")
        if self.changed:
            parts.append(f"cited code changed since: {', '.join(self.changed[:2])}")
        if self.missing:
            parts.append(f"cited file is gone: {', '.join(self.missing[:2])}")
        if self.moved:
            parts.append(", ".join(f"{old} is now {new}" for old, new in [*self.moved.items()][:2]))
        if self.lost and not parts:
            parts.append("its commit is not in the history any more")
        return "; ".join(parts)


class Citations:
    """Answers for one work tree, and caches: blobs until a file changes, the rest per commit."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = threading.Lock()
        self._blobs: dict[str, tuple[int, int, str]] = {}
        self._at = ""
        self._known: dict[str, bool] = {}
        self._renames: dict[str, Mapping[str, str]] = {}
        self._reverted: frozenset[str] | None = None

    def standings(self, anchors: Mapping[str, Anchor]) -> dict[str, AnchorStanding]:
        """The state of each anchor; anchors without citations are left out, and all where git fails."""
        anchors = {key: anchor for key, anchor in anchors.items() if anchor.commit or anchor.paths}
        if not anchors:
            return {}
        with self._lock:
            try:
                return self._standings(anchors)
            except Unavailable:
                return {}

    def _standings(self, anchors: Mapping[str, Anchor]) -> dict[str, AnchorStanding]:
        head, branch = self.here()
        if head != self._at:
            self._at, self._reverted = head, None
            self._known.clear()
            self._renames.clear()
        commits = {a.commit for a in anchors.values() if _is_commit(a.commit)}
        self._learn_ancestors(commits)
        now = self._hashes({path for anchor in anchors.values() for path in anchor.paths})
        return {key: self._standing(anchor, branch, now) for key, anchor in anchors.items()}

    def here(self) -> tuple[str, str]:
        """Commit and branch of the work tree. Empty before the first commit; a detached head has no
        branch.
        """
        head, branch = git.here(self.root)
        return head, branch if head else ""

    def _standing(self, anchor: Anchor, branch: str, now: dict[str, str]) -> AnchorStanding:
        changed, missing, moved = [], [], {}
        for path, blob in anchor.paths.items():
            there = path
            if path not in now:
                there = self._renamed(anchor.commit).get(path, "")
                if there:
                    moved[path] = there
                    now |= self._hashes({there})
            if not there or there not in now:
                missing.append(path)
            elif now[there] != blob:
                changed.append(path)
        merged = self._known.get(anchor.commit, True)
        same = bool(anchor.paths) and not changed and not missing
        # A squashed merge removes the commit from the history, but not its content.
        away = not merged and not same
        elsewhere = away and anchor.branch not in ("", branch) and self._has(anchor.branch)
        differs = bool(changed or missing) or not anchor.paths
        return AnchorStanding(
            tuple(changed),
            tuple(missing),
            moved,
            reverted=differs and self._is_reverted(anchor.commit),
            elsewhere=anchor.branch if elsewhere else "",
            lost=away and not elsewhere,
        )

    def _learn_ancestors(self, commits: set[str]) -> None:
        """Those of these commits that are in the history of HEAD; queried in parallel."""
        wanted = "merge-base", "--is-ancestor"
        unknown = sorted(commit for commit in commits if commit not in self._known)
        for start in range(0, len(unknown), 16):
            some = unknown[start : start + 16]
            asked = [(c, git.Running(self.root, (*wanted, c, "HEAD"))) for c in some]
            for commit, running in asked:
                self._known[commit] = running.collect()[0] == 0

    def in_history(self, commit: str) -> bool:
        """Whether the commit is an ancestor of HEAD, by the latest query."""
        return self._known.get(commit, False)

    def _has(self, branch: str) -> bool:
        wanted = "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"
        return git.ask(self.root, *wanted) is not None

    def _hashes(self, paths: Iterable[str]) -> dict[str, str]:
        """Current blob hashes of files; only those with a changed size or time are read."""
        found, stamps = {}, {}
        for path in paths:
            try:
                about = os.lstat(self.root / path)
            except (OSError, ValueError):
                continue
            stamp = about.st_size, about.st_mtime_ns
            known = self._blobs.get(path)
            if known is not None and known[:2] == stamp:
                found[path] = known[2]
            else:
                stamps[path] = stamp
        for path, blob in git.blobs(self.root, stamps).items():
            found[path] = blob
            self._blobs[path] = (*stamps[path], blob)
        if len(self._blobs) > _KEPT:
            self._blobs.clear()
        return found

    def _renamed(self, commit: str) -> Mapping[str, str]:
        """Old to new paths between the commit and the work tree's HEAD."""
        if not _is_commit(commit):
            return {}
        if commit not in self._renames:
            flags = "-M", "--diff-filter=R", "--name-status", "-z", "-l400"
            listed = git.ask(self.root, "diff", *flags, commit, "HEAD", "--") or ""
            parts = listed.split("\0")
            self._renames[commit] = dict(zip(parts[1::3], parts[2::3], strict=False))
        return self._renames[commit]

    def _is_reverted(self, commit: str) -> bool:
        if not _is_commit(commit):
            return False
        if self._reverted is None:
            flags = (
                f"--max-count={_COMMITS}",
                "--grep=^This reverts commit ",
                "--format=%H%x1f%B%x1e",
            )
            listed = git.ask(self.root, "log", *flags, "HEAD", "--") or ""
            self._reverted = frozenset(reverted(listed.split("\x1e")))
        return any(commit.startswith(sha) or sha.startswith(commit) for sha in self._reverted)

    def came_back(self, anchor: Anchor) -> bool:
        """Whether the cited files again have their content from before the anchor's work."""
        with self._lock:
            now = self._hashes(anchor.paths)
        differing = [p for p, blob in anchor.paths.items() if now.get(p, blob) != blob]
        if not differing or not _is_commit(anchor.commit):
            return False
        then = git.blobs(self.root, differing, anchor.commit)
        parent = (
            git.ask(self.root, "rev-parse", "--verify", "--quiet", anchor.commit + "^") or ""
        ).strip()
        before = git.blobs(self.root, differing, parent) if parent else {}
        # Work that was not committed yet began at the commit, committed work at its parent.
        base = {
            p: then.get(p) if then.get(p) != anchor.paths[p] else before.get(p) for p in differing
        }
        return all(base[p] is not None and now[p] == base[p] for p in differing)


def reverted(entries: Sequence[str]) -> set[str]:
    """The reverted commits, from the id and message of each reverting commit, separated by a unit separator,
    newest first.
    """
    found: set[str] = set()
    for entry in entries:
        sha, _, message = entry.strip().partition("\x1f")
        if any(sha.startswith(target) for target in found):
            continue
        found |= set(_REVERTS.findall(message))
    return found


def _is_commit(commit: str) -> bool:
    return bool(re.fullmatch(r"[0-9a-f]{4,64}", commit))
