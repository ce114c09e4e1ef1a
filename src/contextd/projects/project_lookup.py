"""Find the project of a directory, and decide whether it may become one: indexing requires consent."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from contextd.domain.projects import Project
from contextd.ports.upkeep import Clock
from contextd.projects.membership import Membership, membership
from contextd.runtime.runtime import Organisation, Runtime
from contextd.sessions.session_binding import expect_rounds
from contextd_code.git.git_queries import tracked_files
from contextd_code.git.identity import ProjectIdentity, identify
from contextd_code.tree.limits import MOST_BYTES, MOST_FILES, exceeds
from contextd_code.tree.walk import walk
from contextd_common.errors import Invalid

MOST_LOOSE = 20_000
"""A folder without git and with more files is no project but a disk, a data set or a cache."""

_PERSONAL = ("Downloads", "Desktop", "Documents", "Pictures", "Music", "Movies", "Videos")
_SYSTEM = ("/tmp", "/var/tmp", "/private/tmp", "/home", "/Users", "/root", "/etc", "/usr", "/var")


def find_project(organisation: Organisation, place: Path) -> tuple[Project | None, ProjectIdentity]:
    """The registered project that contains `place`, or None, and the facts about `place`.

    Raises `Invalid` if the place cannot be identified.
    """
    found, identity = find_membership(organisation, place)
    return found.project, identity


def find_membership(organisation: Organisation, place: Path) -> tuple[Membership, ProjectIdentity]:
    """Where the checkout around `place` belongs, and the facts about it. Raises what `find_project` raises."""
    identity = identify(place, lambda root: organisation.trusted_folders.of(root).trusted)
    return membership(organisation, identity, datetime.now(UTC)), identity


def register(organisation: Organisation, clock: Clock, identity: ProjectIdentity) -> Project:
    """The project that this checkout writes to, with all that is seen of it here; created if new."""
    directory = organisation.directory
    found = membership(organisation, identity, clock.now())
    for one in found.changed:
        directory.save(one)
    # Calls from other checkouts would not see for a while what joined or parted.
    organisation.caches.forget("places")
    if found.fresh is not None:
        return directory.register(found.fresh)
    assert found.project is not None
    return found.project


def take_back_name(
    organisation: Organisation, project: Project | None, before: ProjectIdentity
) -> None:
    """Rename a project whose name came from the `.context/` of a checkout that is no longer trusted. A
    name given by another trusted checkout stays; without trusted checkouts the project is named after
    its folder. `before` are the facts while the checkout was trusted.
    """
    if project is None or project.name != before.name:
        return
    trusts = organisation.trusted_folders.of
    others = [Path(root) for root in project.roots if Path(root) != before.root]
    names = [
        identify(root, lambda one: trusts(one).trusted).name
        for root in others
        if root.is_dir() and trusts(root).trusted
    ]
    if project.name not in names:
        name = names[0] if names else identify(before.root).name
        if name != project.name:
            organisation.directory.save(replace(project, name=name))


def trusted_roots(runtime: Runtime, project: Project) -> list[Path]:
    """The existing checkouts of a project that their owner trusts."""
    trusts = runtime.organisation.trusted_folders.of
    roots = (Path(root) for root in project.roots)
    return [root for root in roots if root.is_dir() and trusts(root).trusted]


def make_known(runtime: Runtime, *, asked: bool, anyway: bool = False) -> Runtime:
    """The call in the project of its checkout, which is registered if new. `asked` and `anyway` are passed
    to `require_consent`, which may refuse.
    """
    if runtime.project is not None:
        return runtime
    organisation = runtime.organisation
    found, identity = find_project(organisation, runtime.root)
    if found is None:
        checkout = organisation.checkout(identity.root)
        asked = asked or (checkout.trusted and checkout.context.is_dir())
        require_consent(identity, asked=asked, anyway=anyway)
    project = register(organisation, runtime.clock, identity)
    known = runtime.standing_in(project, identity.root)
    known.sinks.later("schedules", lambda: expect_rounds(known))
    return known


def is_of_another(runtime: Runtime, project_id: str) -> bool:
    """Whether an id of a project.yaml belongs to another project than the call's."""
    known = runtime.organisation.directory.all()
    others = (one for one in known if runtime.project is None or one.scope != runtime.project.scope)
    return any(f"id:{project_id}" in (one.identity, *one.sightings) for one in others)


def remember_sighting(runtime: Runtime, root: Path) -> Project | None:
    """Keep what is seen now of a checkout whose project is known: `init` has written its id, or trust has changed. Return
    the project that it writes to.
    """
    found, identity = find_membership(runtime.organisation, root)
    if found.project is not None and not found.is_known:
        return register(runtime.organisation, runtime.clock, identity)
    return found.project


def require_consent(identity: ProjectIdentity, *, asked: bool, anyway: bool = False) -> None:
    """Raise `Invalid` for a directory that must not become a project in this way.

    `asked` means that a person ran `init`; a `.context/` in a trusted folder counts too. Without consent,
    only a git repository of ordinary size becomes a project. `anyway` overrides the refusal.
    """
    root = identity.root
    if anyway:
        return
    reason = _never(root)
    if reason:
        raise Invalid(
            f"{root} is {reason}", f"change to a project, or run `contextd init {root} --anyway`"
        )
    if not (root / ".git").exists():
        if not asked:
            raise Invalid(
                f"{root} is not a git repository and was not initialised",
                f"`contextd init {root}` makes it a project",
            )
        if _more_than(MOST_LOOSE, root):
            raise Invalid(
                f"{root} has more than {MOST_LOOSE:,} files and is not a git repository",
                "choose the folder of one project, or run `contextd init --anyway`",
            )
    elif not asked and _is_too_much(root):
        raise Invalid(
            f"{root} has more than {MOST_FILES:,} files or {MOST_BYTES // 10**9} GB of them and was not "
            "initialised",
            f"`contextd init {root}` makes it a project",
        )


def _is_too_much(root: Path) -> bool:
    """Whether a repository is too large to index without consent. The git index may list fewer files than
    exist.
    """
    return tracked_files(root) > MOST_FILES or exceeds(walk(root).files)


def _never(root: Path) -> str:
    """Why a folder is never a project by default; empty for others."""
    if root == root.parent:
        return "the root of the file system"
    try:
        home = Path.home().resolve()
    except RuntimeError:
        home = None
    if root == home:
        return "your home folder"
    if home is not None and root.parent == home and root.name in _PERSONAL:
        return f"your {root.name} folder"
    if root == Path(tempfile.gettempdir()).resolve():
        return "the folder of temporary files"
    return "a folder of the system" if str(root) in _SYSTEM else ""


def _more_than(most: int, root: Path) -> bool:
    return next(islice(_files_below(root), most, None), None) is not None


def _files_below(root: Path) -> Iterator[str]:
    for _, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != "node_modules"]
        yield from files
