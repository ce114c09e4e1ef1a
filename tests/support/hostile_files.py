"""What may lie in the place of a file that contextd reads by name.

The names are taken from the source itself: whoever adds a file that is read adds it to these tests.
"""

from __future__ import annotations

import ast
import errno
import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import contextd
import contextd_code
import contextd_common

_NAME = re.compile(
    r"(?:\.?[\w@-]+/){0,4}\.?[\w.@-]*(?:\.(?:json5?|jsonc|jsonl|toml|ya?ml|md|mdc|lock|txt|cfg|mod|sum|work|xml|gradle"
    r"|kts|sbt|scip|ini|properties|conf|ipynb|csproj|sln|cabal|nix|rb|exs|py|js|mjs|cjs|ts|resolved|gemspec|podspec)"
    r"|ignore|file|rules|rc|attributes|modules|NOTES)"
)
_SUFFIX_ALONE = re.compile(r"\.[a-z0-9]{1,6}|-.*")
_OF_GIT = ("exclude",)


@cache
def names_in_the_source() -> tuple[str, ...]:
    """Every text in the source that is the name of a file, with or without folders before it."""
    found: set[str] = set()
    packages = (contextd, contextd_code, contextd_common)
    for path in (file for one in packages for file in Path(one.__path__[0]).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= _names_in(node.value)
    known = {
        ".gitignore",
        ".gitattributes",
        ".ignore",
        ".rgignore",
        ".git/info/exclude",
        "index.scip",
    }
    context = (
        "project.yaml",
        "config.yaml",
        "schema.yaml",
        "CONTEXT.md",
        "MEMORY.md",
        ".generated.json",
    )
    rules = ("policies/p.yaml", "standards/s.yaml", "skills/s/SKILL.md", "agents/a.md")
    known |= {f".context/{name}" for name in (*context, *rules)}
    known |= {".claude/skills/s/SKILL.md", ".github/agents/a.md", "src/a.py", "src/n.ipynb"}
    return tuple(sorted(found | known))


def _names_in(text: str) -> set[str]:
    # A table of names is often one text with spaces between them.
    words = text.split() if len(text) < 2_000 else []
    names = {word.strip("\"'`,") for word in words}
    return {
        name
        for name in names
        if _NAME.fullmatch(name)
        and not _SUFFIX_ALONE.fullmatch(name)
        and ".." not in name
        and not name.startswith("/")
    }


def _zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 30)


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _folder(path: Path) -> None:
    path.mkdir()


def _outside(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _unreadable(path: Path) -> None:
    path.write_text("x: 1\n")
    path.chmod(0)


def _random(path: Path) -> None:
    path.symlink_to("/dev/urandom")


FORMS: Mapping[str, Callable[[Path], None]] = {
    "zero": _zero,
    "random": _random,
    "pipe": _pipe,
    "sparse": _sparse,
    "loop": _loop,
    "folder": _folder,
    "outside": _outside,
    "unreadable": _unreadable,
}
"""What is put in the place of a file, by name."""


def in_place_of_every_file(root: Path, form: str) -> int:
    """Put one form in the place of every file that contextd reads by name; how many there are now."""
    made = 0
    for name in sorted(names_in_the_source(), key=lambda one: -one.count("/")):
        path = root / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not os.path.lexists(path):
                FORMS[form](path)
                made += 1
        except OSError as error:
            # A name that is also the folder of another one.
            if error.errno not in (errno.EEXIST, errno.ENOTDIR, errno.EISDIR):
                raise
    return made
