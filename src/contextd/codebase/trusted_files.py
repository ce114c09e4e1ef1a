"""The files of a repository that apply once its folder is trusted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from contextd.policies.rule_files import POLICIES, STANDARDS, folder_of
from contextd.policies.rule_folders import last_authors
from contextd.policies.yaml_folder import read_folder
from contextd.runtime.settings import PROJECT_FILE as SETTINGS
from contextd.runtime.settings import names_set_in
from contextd.schema.load import NAME as SCHEMA
from contextd.skills.skill_text import PLACES
from contextd_code.git.git_queries import printable
from contextd_code.git.identity import PROJECT_FILE as MODEL
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

_LONGEST = 80
_RULES = {POLICIES: "policy", STANDARDS: "standard"}


@dataclass(frozen=True, slots=True)
class TrustedFile:
    """A file below a root, what it provides, and the author of its last commit; empty without one."""

    path: str
    brings: str
    author: str = ""

    def as_text(self) -> str:
        """A line that says what the file provides and who changed it last."""
        by = f"last changed by {self.author}" if self.author else "not committed"
        return f"{self.path}: {self.brings} ({by})"


def trusted_files(root: Path) -> list[TrustedFile]:
    """The rules, settings, record types, skills, agents and project descriptions that apply in a trusted `root`.

    A file that cannot be read is listed by its name. Without git no author is known.
    """
    found = [*_rules(root), *_single_files(root), *_skills(root)]
    authors: dict[str, str] = {}
    if found:
        with suppress(ContextdError):
            authors = last_authors(root, [path for path, _ in found])
    return [
        TrustedFile(printable(path, _LONGEST), printable(brings, _LONGEST), authors.get(path, ""))
        for path, brings in found
    ]


def _rules(root: Path) -> Iterator[tuple[str, str]]:
    for name, called in _RULES.items():
        for file in read_folder(folder_of(name, root / ".context", ".context", root)):
            title = str(file.fields.get("title") or file.fields.get("content") or "")
            yield file.shown, " ".join(f"{called} {title}".split())


def _single_files(root: Path) -> Iterator[tuple[str, str]]:
    if os.path.lexists(root / SETTINGS):
        yield SETTINGS, f"settings {', '.join(names_set_in(root))}".strip()
    for path, brings in (
        (f".context/{SCHEMA}", "types of records"),
        (MODEL, "description of the project"),
        (".context/CONTEXT.md", "notes that agents read first"),
    ):
        if os.path.lexists(root / path):
            yield path, brings


def _skills(root: Path) -> Iterator[tuple[str, str]]:
    for place in PLACES:
        if place.owner == "project":
            for path in place.files(root):
                yield path.relative_to(root).as_posix(), place.sort
