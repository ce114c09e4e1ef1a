"""Whether a directory belongs to a project that is already known.

| place known | first commit | remote | linked | id | checkouts exist | decision |
|---|---|---|---|---|---|---|
| yes | same, or the project had none | any | any | any | any | here |
| yes | other or none | same | any | any | any | here |
| yes | other or none | any | any | same | any | here |
| no | same | same | any | any | any | same |
| no | unknown on one side | same | any | any | any | same |
| no | same | any | yes | any | any | same |
| no | any | not another | any | same | no | moved |
| no | same | none on both sides | no | any | no | moved |
| no | same | any other case | no | any | yes | alike |
| no | any | any | any | same | any other case | alike |
| no | other | any | any | other | any | other |

*Linked*: a work tree of the same repository, or cloned on this machine from the project or from where it was cloned.
`alike` is a fork, a copy, or another project of the same template: only its owner can say that it is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from contextd_code.git.identity import ProjectIdentity
from contextd_common.dataclass import dataclass

Decision = Literal["here", "same", "moved", "alike", "other"]


def _exists() -> bool:
    return False


_JOINS: tuple[Decision, ...] = ("here", "same", "moved")
"""The decisions that find a project, the strongest first."""


@dataclass(frozen=True, slots=True)
class KnownProject:
    """All that was ever seen of a project: first commits, hashes of remotes, ids, its checkouts, and the places they
    have their history from. `is_gone` tells whether none of its checkouts exists on this machine any more: it is asked
    only where an id or a first commit is the same, because one of them may be on a disk that does not answer.
    """

    commits: frozenset[str] = frozenset()
    remotes: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()
    checkouts: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    is_gone: Callable[[], bool] = _exists


def known_project(
    evidence: Iterable[str], checkouts: Iterable[str], *, is_gone: Callable[[], bool]
) -> KnownProject:
    """What identities and sources (`ProjectIdentity.evidence`) of all its sightings say about a project."""
    found: dict[str, set[str]] = {"git": set(), "id": set(), "from": set()}
    for one in evidence:
        kind, _, value = one.partition(":")
        found.setdefault(kind, set()).add(value)
    pairs = [one.partition("/") for one in found["git"]]
    return KnownProject(
        commits=frozenset(commit for commit, _, _ in pairs) - {"-", ""},
        remotes=frozenset(remote for _, _, remote in pairs) - {"-", ""},
        ids=frozenset(found["id"]),
        checkouts=frozenset(checkouts),
        sources=frozenset(found["from"]),
        is_gone=is_gone,
    )


def decide(seen: ProjectIdentity, known: KnownProject) -> Decision:
    """Whether a directory belongs to a project, by the table above."""
    mine = known_project(seen.evidence, (), is_gone=_exists)
    commit, remote = _compared(mine.commits, known.commits), _compared(mine.remotes, known.remotes)
    same_id = bool(mine.ids & known.ids)
    if str(seen.root) in known.checkouts:
        first = commit == "same" or (not known.commits and remote != "other")
        return "here" if first or remote == "same" or same_id else "other"
    if remote == "same" and commit != "other":
        return "same"
    linked = (mine.sources | {str(seen.root)}) & known.sources or mine.sources & known.checkouts
    if commit == "same" and linked:
        return "same"
    unpublished = not mine.remotes and not known.remotes
    fits = (same_id and remote != "other") or (commit == "same" and unpublished)
    if fits and known.is_gone():
        return "moved"
    return "alike" if commit == "same" or same_id else "other"


def choose(seen: ProjectIdentity, known: Sequence[KnownProject]) -> tuple[int | None, Decision]:
    """The position of the project that a directory belongs to, and the decision about it; with `alike`, of one that it
    resembles. `known` are in order of age: of several with its first commit and its remote, the oldest is it. None if it
    belongs to no known project, or if several are equally likely.
    """
    decisions = [decide(seen, one) for one in known]
    for wanted in (*_JOINS, "alike"):
        found = [place for place, decision in enumerate(decisions) if decision == wanted]
        is_first_enough = wanted == "alike" or (wanted == "same" and seen.kind == "git")
        if len(found) == 1 or (found and is_first_enough):
            return found[0], wanted
    return None, "other"


def _compared(mine: frozenset[str], known: frozenset[str]) -> Literal["same", "other", "unknown"]:
    if not mine or not known:
        return "unknown"
    return "same" if mine & known else "other"
