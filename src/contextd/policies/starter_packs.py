"""Starter packs: policy files to copy; the copies then belong to the user."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from contextd_common.dataclass import dataclass

PACKS = {
    "secrets": "Keys, tokens and passwords stay out of files and commands.",
    "licences": "No dependencies under licences that bind your own code.",
    "migrations": "Applied migrations are not changed, and none silently loses data.",
    "public-api": "Public names are not removed.",
}
"""Every pack by name, with its purpose."""


@dataclass(frozen=True, slots=True)
class StarterPack:
    """A starter pack: the text of each file by its name."""

    name: str
    about: str
    files: Mapping[str, str]


@cache
def packs() -> tuple[StarterPack, ...]:
    """All packs."""
    return tuple(StarterPack(name, about, _files(name)) for name, about in PACKS.items())


def _files(name: str) -> dict[str, str]:
    folder = files("contextd") / "data" / "policies" / name
    found = sorted(folder.iterdir(), key=lambda file: file.name)
    return {file.name: file.read_text("utf-8") for file in found if file.name.endswith(".yaml")}
