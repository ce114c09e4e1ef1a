"""Where knowledge lives: `org`, `org/team` or `org/team/project`."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Literal

from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid

Level = Literal["org", "team", "project"]

SLUG = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
"""The pattern of a name in a scope."""
_SLUG = re.compile(SLUG)
_USER_KIND = re.compile(r"[a-z][a-z0-9_]*")

COLLECTIONS = frozenset(
    """contexts memories remediations policies coding_standards repo_standards skills agents
    anti_patterns feedback discoveries episodes checkpoints sessions items codebase bubbles dismissals consolidations imports""".split()
)
"""Collection names of the built-in kinds. None ends in `_` plus another one: that keeps `Scope.collection`
injective, and a test checks it.
"""


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """An address of one, two or three slugs."""

    org: str
    team: str = ""
    project: str = ""

    def __post_init__(self) -> None:
        for slug in (self.org, *filter(None, (self.team, self.project))):
            if not _SLUG.fullmatch(slug):
                raise Invalid(
                    f"{slug!r} is not a scope name",
                    "use lower-case letters, digits and hyphens, 1 to 63 characters",
                )
        if self.project and not self.team:
            raise Invalid("a project scope needs a team", "write it as org/team/project")

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Parse `org`, `org/team` or `org/team/project`. Raise `Invalid` on anything else."""
        parts = text.split("/")
        if len(parts) > 3 or not all(parts):
            raise Invalid(f"{text!r} is not a scope", "write it as org/team/project")
        return cls(*parts)

    @property
    def level(self) -> Level:
        """The level of this scope."""
        return "project" if self.project else "team" if self.team else "org"

    @property
    def cascade(self) -> tuple[Scope, ...]:
        """This scope and the wider ones that contain it, nearest first."""
        wider = [self]
        if self.project:
            wider.append(Scope(self.org, self.team))
        if self.team:
            wider.append(Scope(self.org))
        return tuple(wider)

    def contains(self, other: Scope) -> bool:
        """Whether `other` is this scope or inside it."""
        mine = tuple(filter(None, (self.org, self.team, self.project)))
        return (other.org, other.team, other.project)[: len(mine)] == mine

    def collection(self, name: str) -> str:
        """The collection name of the specification, `{org}_{team}_{project}_{name}`; unique per address. A
        user-defined kind `my_kind` becomes the single word `x-my-kind`.
        """
        if name not in COLLECTIONS:
            if not _USER_KIND.fullmatch(name):
                raise Invalid(f"{name!r} is not a kind", "use lower-case letters, digits and _")
            name = "x-" + name.replace("_", "-")
        return "_".join((*filter(None, (self.org, self.team, self.project)), name))

    def __str__(self) -> str:
        return "/".join(filter(None, (self.org, self.team, self.project)))


PERSON = Scope("local")
"""The person's layer: who the owner of this machine is and how they like things, above all projects."""


def may_leave(scope: Scope) -> bool:
    """Whether what lives in a scope may be sent to another machine or written into a repository.
    Whatever sends or publishes reads through `Runtime.leaving`, which goes by this.
    """
    return scope != PERSON


def slug(text: str) -> str:
    """A slug similar to `text`; a digest if no character of it is usable."""
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    made = re.sub(r"[^a-z0-9]+", "-", folded).strip("-")[:63].strip("-")
    return (
        made or "p-" + hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()
    )
