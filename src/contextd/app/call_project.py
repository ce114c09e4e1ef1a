"""Find the project of a call from its working directory."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from contextd.app.trust import file_stamp
from contextd.domain.projects import Project
from contextd.projects.membership import scope_of_new
from contextd.projects.project_lookup import find_membership, make_known
from contextd.runtime.caches import Cache
from contextd.runtime.operation import Operation
from contextd.runtime.runtime import Runtime
from contextd_code.git.identity import PROJECT_FILE, ProjectIdentity
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, Invalid, NotFound, Unreadable

PROJECT_SECONDS = 10.0
"""How long a directory's project is cached before git runs again."""

_DIRECTORIES = 1_000


@dataclass(frozen=True, slots=True)
class _Directory:
    """The cached facts on a directory; `refusal` is the reason why it does not become a project. `stamps` change with
    the files that its identity comes from.
    """

    looked_at: float
    project: Project | None
    identity: ProjectIdentity
    stamps: tuple[object, ...]
    is_known: bool
    trusted: bool
    refusal: str = ""


def located(runtime: Runtime, cwd: Path, op: Operation | None) -> Runtime:
    """See `_located`. A decision about trust, made in another process, counts at once."""
    found = _located(runtime, cwd, op)
    known = _places(runtime).get(cwd)
    if known is None or found.checkout is None or found.checkout.trusted == known.trusted:
        return found
    _places(runtime).pop(cwd)
    return _located(runtime, cwd, op)


def _located(runtime: Runtime, cwd: Path, op: Operation | None) -> Runtime:
    """Bind a call to the project around `cwd`. If the directory is not a project, it becomes one for an
    operation that works there, if its path is allowed and the caller may write; any other call is bound to
    the checkout only.
    """
    try:
        place = _place(runtime, cwd)
    except (NotFound, Invalid) as error:
        return replace(runtime, nowhere=f": {error.message}; {runtime.ways_in()}")
    except Unreadable as error:
        if op is None or op.name not in _ANSWER_ANYWHERE:
            raise
        return replace(runtime, nowhere=f": {error.message}")
    root = place.identity.root
    project = place.project
    if project is not None and place.is_known:
        return runtime.standing_in(project, root)
    scope = project.scope if project else scope_of_new(runtime.organisation, place.identity)
    making = op is not None and makes_known(op) and runtime.caller.may("write", scope)
    if project is not None and not making:
        return runtime.standing_in(project, root)
    organisation = runtime.organisation
    checkout = organisation.checkout(root)
    there = replace(runtime, checkout=checkout, settings=organisation.settings(checkout))
    if not making:
        return replace(there, nowhere=f": {root} is not a project yet")
    if place.refusal:
        return replace(runtime, nowhere=place.refusal)
    places = _places(runtime)
    try:
        standing = make_known(there, asked=False)
    except (NotFound, Invalid) as error:
        # Finding out again would require a walk through all of its files.
        places.put(cwd, replace(place, refusal=_because(error)))
        return replace(runtime, nowhere=_because(error))
    places.pop(cwd)
    return standing


def _because(error: ContextdError) -> str:
    return f": {error.message}; {error.hint}"


_MAKES_NOTHING = frozenset({"init", "trust", "connection_closed", "session_current"})
"""Operations that work in a folder before it is a project, or only read it."""


_ANSWER_ANYWHERE = frozenset({"doctor", "status"})
"""Operations that are asked when something is wrong, and have an answer outside of any project."""


def makes_known(op: Operation) -> bool:
    """Whether calling an operation in a directory makes it a project: agents' operations and changes do;
    viewing it, closing a connection and maintaining the store do not.
    """
    if "upkeep" in op.needs or op.name in _MAKES_NOTHING:
        return False
    return op.tool or op.effect != "read"


def _place(runtime: Runtime, cwd: Path) -> _Directory:
    places = _places(runtime)
    now = time.monotonic()
    known_place = places.get(cwd)
    if known_place is not None and not _is_fresh(known_place, now):
        known_place = None
    if known_place is not None and known_place.project is not None:
        return known_place
    # A directory that was refused may be a project by now, because its user was told how to add it.
    belongs, identity = find_membership(runtime.organisation, cwd)
    trusted = runtime.organisation.trusted_folders.of(identity.root).trusted
    found = _Directory(now, belongs.project, identity, _stamps(identity), belongs.is_known, trusted)
    if found.project is not None:
        places.put(cwd, found)
    elif known_place is not None:
        return known_place
    return found


def _is_fresh(place: _Directory, now: float) -> bool:
    return now - place.looked_at <= PROJECT_SECONDS and place.stamps == _stamps(place.identity)


def _stamps(identity: ProjectIdentity) -> tuple[object, ...]:
    root = identity.root
    return (
        (root / ".git").exists(),
        file_stamp(root / ".git" / "config"),
        file_stamp(root / PROJECT_FILE),
    )


def _places(runtime: Runtime) -> Cache[Path, _Directory]:
    return runtime.organisation.caches.of("places", _DIRECTORIES)
