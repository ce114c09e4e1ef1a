"""Ready-made schemas. A template is a file in `starters/`; its first comment is its title, the following
ones describe its audience.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from contextd_common.dataclass import dataclass

NAMES = ("solo-dev", "team", "open-source-maintainer")


@dataclass(frozen=True, slots=True)
class Template:
    """A ready-made schema.yaml."""

    name: str
    title: str
    description: str
    text: str


@cache
def templates() -> tuple[Template, ...]:
    """Every template, smallest first."""
    return tuple(_read(name) for name in NAMES)


def _read(name: str) -> Template:
    folder = files("contextd.schema") / "starters"
    text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
    comments = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        comments.append(line.lstrip("# ").strip())
    return Template(name, comments[0], " ".join(comments[1:]), text)
