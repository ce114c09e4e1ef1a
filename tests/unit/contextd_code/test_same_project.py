from pathlib import Path

import pytest

from contextd_code.git.identity import IdentityKind, ProjectIdentity
from contextd_code.git.same_project import Decision, KnownProject, choose, decide, known_project

HERE, THERE = "/a/shop", "/a/other"

KNOWN = {
    "published": ("git:aa/11",),
    "renamed": ("git:aa/11", "git:aa/22"),
    "unpublished": ("git:aa/-",),
    "cloned from a mirror": ("git:aa/-", "from:/srv/shop.git"),
    "cloned from here": ("git:aa/-", f"from:{THERE}"),
    "shallow": ("git:-/11",),
    "notes": ("id:n",),
    "notes in git": ("id:n", "git:aa/-"),
    "a place": ("path:pp",),
}


def sighting(where: str, *evidence: str) -> ProjectIdentity:
    """What is seen at a place."""
    sources = tuple(one.removeprefix("from:") for one in evidence if one.startswith("from:"))
    own = next((one for one in evidence if one.startswith("id:")), "")
    git = next((one for one in evidence if one.startswith("git:")), "")
    kind: IdentityKind = "path" if not own else "id"
    if git:
        kind = "remote" if git.startswith("git:-") else "git"
    return ProjectIdentity(
        git or own or "path:x", Path(where), "shop", kind, own.removeprefix("id:"), sources
    )


def project(*evidence: str, gone: bool = False, at: str = HERE) -> KnownProject:
    """A project with a checkout at a place."""
    return known_project(evidence, [at], is_gone=lambda: gone)


@pytest.mark.parametrize(
    ("known", "seen", "decision"),
    [
        # In a known place: renamed, published, initialised, taken out of git, replaced.
        ("published", ("git:aa/99",), "here"),
        ("unpublished", ("git:aa/11",), "here"),
        ("published", ("git:aa/-",), "here"),
        ("notes", ("id:n",), "here"),
        ("notes", ("id:n", "git:aa/-"), "here"),
        ("notes", ("git:aa/-",), "here"),
        ("a place", ("git:aa/11",), "here"),
        ("a place", (), "here"),
        ("shallow", ("git:aa/11",), "here"),
        ("notes in git", ("id:n",), "here"),
        ("notes in git", ("id:n", "git:bb/-"), "here"),
        ("published", ("git:bb/11",), "here"),
        ("published", ("git:bb/22",), "other"),
        ("published", (), "other"),
        ("unpublished", ("git:bb/-",), "other"),
        ("shallow", ("git:-/22",), "other"),
    ],
)
def test_a_known_place_keeps_its_project_unless_something_else_is_there(
    known: str, seen: tuple[str, ...], decision: Decision
) -> None:
    assert decide(sighting(HERE, *seen), project(*KNOWN[known])) == decision


@pytest.mark.parametrize(
    ("known", "seen", "existing", "gone"),
    [
        # Clones: the first commit and a remote, old or new.
        ("published", ("git:aa/11",), "same", "same"),
        ("renamed", ("git:aa/11",), "same", "same"),
        ("renamed", ("git:aa/22",), "same", "same"),
        ("published", ("git:-/11",), "same", "same"),
        ("shallow", ("git:aa/11",), "same", "same"),
        # A replaced repository behind the same address.
        ("published", ("git:bb/11",), "other", "other"),
        # Forks, templates, copies without a remote: the first commit alone.
        ("published", ("git:aa/99",), "alike", "alike"),
        ("published", ("git:aa/-",), "alike", "alike"),
        ("unpublished", ("git:aa/11",), "alike", "alike"),
        ("unpublished", ("git:aa/-",), "alike", "moved"),
        # Work trees and clones on this machine.
        ("unpublished", ("git:aa/-", f"from:{HERE}"), "same", "same"),
        ("cloned from a mirror", ("git:aa/-", "from:/srv/shop.git"), "same", "same"),
        ("unpublished", ("git:bb/-", f"from:{HERE}"), "other", "other"),
        ("cloned from here", ("git:aa/-",), "same", "same"),
        ("unpublished", (f"from:{HERE}",), "other", "other"),
        # An id is a move if its place is gone, and a copy otherwise.
        ("notes", ("id:n",), "alike", "moved"),
        ("notes", ("id:m",), "other", "other"),
        ("notes in git", ("id:n",), "alike", "moved"),
        ("notes in git", ("id:n", "git:aa/11"), "alike", "moved"),
        ("published", ("id:n", "git:aa/11"), "same", "same"),
        ("a place", (), "other", "other"),
        ("a place", ("git:aa/11",), "other", "other"),
    ],
)
def test_another_place_needs_more_than_the_first_commit(
    known: str, seen: tuple[str, ...], existing: Decision, gone: Decision
) -> None:
    assert decide(sighting(THERE, *seen), project(*KNOWN[known])) == existing
    assert decide(sighting(THERE, *seen), project(*KNOWN[known], gone=True)) == gone


def test_a_fork_with_the_id_of_a_project_that_is_gone_is_no_move() -> None:
    known = project("git:aa/11", "id:n", gone=True)
    assert decide(sighting(THERE, "git:aa/99", "id:n"), known) == "alike"


def test_the_place_counts_more_than_anything_else() -> None:
    known = [project("git:aa/11", at=THERE), project("git:aa/22", at=HERE)]
    assert choose(sighting(HERE, "git:aa/11"), known) == (1, "here")


def test_of_two_projects_with_the_same_remote_a_clone_is_the_older_one() -> None:
    known = [project("git:aa/11", "git:aa/22", at="/a"), project("git:aa/22", at="/b")]
    assert choose(sighting(THERE, "git:aa/22"), known) == (0, "same")


def test_a_shallow_clone_of_two_projects_is_neither() -> None:
    known = [project("git:aa/11", at="/a"), project("git:bb/11", at="/b")]
    assert choose(sighting(THERE, "git:-/11"), known) == (None, "other")
