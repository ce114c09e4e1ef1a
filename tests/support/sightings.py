"""Projects and their checkouts at several places, and who knows what."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from contextd.thin.home import LOCAL
from support.desks import Desk
from support.repositories import committed, git

GULLS = "Gulls are counted at dawn, from the northern pier"
OLD, NEW = "https://example.org/old/boat.git", "https://example.org/new/boat.git"


def repository(place: Path, remote: str = "") -> Path:
    """A repository with one commit, the same at every place."""
    committed(place, {"a.py": "a = 1\n"})
    if remote:
        git(place, "remote", "add", "origin", remote)
    return place


def clone(of: Path, place: Path, remote: str = "") -> Path:
    """A clone of a repository, from another place or from nowhere."""
    git(of.parent, "clone", "-q", str(of), str(place))
    git(place, *(("remote", "set-url", "origin", remote) if remote else ("remote", "rm", "origin")))
    return place


def made(desk: Desk, place: Path) -> Desk:
    """An initialised project that knows something."""
    here = desk.at(place)
    here.as_owner("init")
    here("save_context", content=GULLS)
    return here


def stranger(desk: Desk, place: Path) -> Desk:
    """An agent in a folder that nobody trusts."""
    return replace(desk, root=place, stranger=True)


def knows(desk: Desk) -> bool:
    return GULLS in desk.answer("context_search", query="when are gulls counted").text


def names(desk: Desk) -> list[str]:
    """The whole projects, but for the neighbour's."""
    known = desk.host.organisation(LOCAL).directory.all()
    wholes = [one.scope.project for one in known if one.part_of is None]
    return [name for name in wholes if name != "blog"]


def moved(place: Path) -> Path:
    to = place.with_name(f"{place.name}-moved")
    shutil.move(place, to)
    return to
