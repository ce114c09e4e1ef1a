"""Which files an instruction file is for: by its front matter, and by the folder it lies in.

Each client has words of its own for it: `paths` (Claude Code, Cline), `applyTo` (Copilot), `globs` with
`alwaysApply` (Cursor) or `trigger` (Windsurf). A file in a folder below the root is for that folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contextd.domain.applies_to import EXCEPT, LONGEST_GLOB, MOST_GLOBS, ON_REQUEST, parted

NESTED = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", "QWEN.md")
"""Instruction files that clients also read in folders below the root, for the work in that folder."""

_OF_CLIENTS = (".claude", ".cursor", ".github", ".windsurf", ".clinerules")
"""Folders of clients: what lies in one is for the folder that contains it."""

_NAMES = ("paths", "globs", "applyTo")
"""The fields with globs. Claude Code reads `globs` as `paths`."""

_WITHOUT = {".github/instructions/": True, ".cursor/rules/": False}
"""Folders whose client applies no rule without globs by itself: True if not even one without front matter."""

_EVERYTHING = frozenset(
    ("**", "**/*", "*", "**/**", "/**", "./**", "/", ".", "./", "*.*", "**/*.*")
)

_SPECIAL = re.compile(r"[*?\[\]{}!,]")


def limits_of(shown: str, about: Mapping[str, Any]) -> tuple[str, ...]:
    """The globs of the files that an instruction file is for, relative to the root; empty for all files.
    `shown` is its path in the checkout, or its full name outside one; `about` is its front matter.
    """
    globs = _stated(shown, about)
    folder = "" if shown.startswith(("/", "~")) else _folder(shown)
    if not folder or globs == ON_REQUEST:
        return globs
    plain = _SPECIAL.sub("?", folder)
    wanted, unwanted = parted(globs)
    inside = [_below(plain, one) for one in wanted or ["**"]]
    return (*inside, *(EXCEPT + _below(plain, one) for one in unwanted))


def _folder(shown: str) -> str:
    """The folder that a file is for; empty for the root."""
    parts = shown.split("/")[:-1]
    for depth, part in enumerate(parts):
        if part in _OF_CLIENTS and (depth + 1 < len(parts) or shown.endswith("/CLAUDE.md")):
            return "/".join(parts[:depth])
    return "/".join(parts) if shown.rpartition("/")[2] in NESTED else ""


def _below(folder: str, glob: str) -> str:
    """A glob of a file in a folder, relative to the root."""
    text = glob.removeprefix("./").removeprefix("/")
    if text.startswith(folder + "/"):
        return text
    return f"{folder}/{text}" if "/" in text or text == "**" else f"{folder}/**/{text}"


def _stated(shown: str, about: Mapping[str, Any]) -> tuple[str, ...]:
    """The globs in front matter; empty if it is for all files."""
    trigger = _word(about.get("trigger"))
    if _word(about.get("alwaysApply")) == "true" or trigger == "always_on":
        return ()
    if trigger in ("manual", "model_decision"):
        return ON_REQUEST
    named = next((about[name] for name in _NAMES if about.get(name)), None)
    globs = list(dict.fromkeys(_globs(named)))
    if any(glob in _EVERYTHING for glob in globs):
        globs = [glob for glob in globs if glob.startswith(EXCEPT)]
        return tuple(globs[:MOST_GLOBS])
    if fitting := [one for one in globs if len(one) <= LONGEST_GLOB and one.isprintable()][
        :MOST_GLOBS
    ]:
        return tuple(fitting)
    return ON_REQUEST if globs or _without(shown, about) else ()


def _without(shown: str, about: Mapping[str, Any]) -> bool:
    """Whether a file without globs applies on request only, as its client reads it."""
    if _word(about.get("trigger")) == "glob" or _word(about.get("alwaysApply")) == "false":
        return True
    # An empty list, unlike an empty field, says that no file is meant.
    if any(about.get(name) == [] for name in _NAMES):
        return True
    strict = next((strict for folder, strict in _WITHOUT.items() if folder in shown), None)
    return strict is True or (strict is False and bool(about))


def _word(value: object) -> str:
    return str(value).strip().casefold() if isinstance(value, str | bool) else ""


def _globs(value: object) -> Iterator[str]:
    """The globs of a field: a list, or text with commas between them; a comma in braces is part of a glob."""
    if isinstance(value, Mapping):
        # `{src,lib}` without quotes is a mapping to YAML.
        value = "{" + ",".join(map(str, value)) + "}"
    items: Sequence[object] = value if isinstance(value, list | tuple) else (value,)
    for item in items:
        if isinstance(item, str):
            for part in _split(item):
                negated = part.startswith(EXCEPT)
                glob = part.removeprefix(EXCEPT).strip().replace("\\", "/")
                if glob:
                    yield EXCEPT + glob if negated else glob


def _split(text: str) -> Iterator[str]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]") and not re.match(r"\[[^\],\"'/*]*\]", text):
        text = text[1:-1]
    depth, start = 0, 0
    for at, char in enumerate(text):
        if char == "{":
            depth += 1
        elif char == "}":
            depth = max(0, depth - 1)
        elif char in ",\n" and not depth:
            yield text[start:at].strip().strip("\"'")
            start = at + 1
    yield text[start:].strip().strip("\"'")
