"""Generalise a project's knowledge: remove its name, paths and identifiers.

Deterministic, and shown before it is stored: only the user can tell whether the rest still makes sense.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

from contextd.domain.quoting import inline
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex

PROJECT, FILE, NAME, ID, ADDRESS, PERSON = (
    "<project>", "<file>", "<name>", "<id>", "<address>", "<person>",
)  # fmt: skip
"""Placeholders for a project's name, a path, a name defined in its code, an id, an address, a person."""

_URL = regex(
    r"\b(?:https?|wss?|ftp|ssh|git|postgres(?:ql)?|redis|amqp|mongodb)://[^\s)>\]'\"`]+", re.I
)
_MAIL = regex(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_MENTION = regex(r"(?<![\w@/.`])@[a-z][\w-]{2,}\b(?!/)", re.I)
_HOST = regex(
    r"\b(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[a-z0-9-]+\.)+(?:internal|local|corp|lan|intra|com)"
    r"|(?:[a-z0-9-]+\.){2,}(?:net|org|io|dev|cloud|app))(?::\d+)?\b",
    re.I,
)
_UUID = regex(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I)
_HEX = regex(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")
_TICKET = regex(
    r"(?<![\w/])(?:[A-Z][A-Z0-9]{1,9}-\d+|#\d+|(?:PR|MR|issue|ticket|build|pull request) #?\d+)\b"
)
_NO_TICKET = frozenset("UTF ISO SHA MD5 RFC TLS AES RSA ES HTTP CVE PEP ECMA P ED X".split())
_PATH = regex(
    r"(?<![\w/.<])(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+-]+){2,}/?|(?<![\w/.@<])(?:[\w.@+-]+/)+[\w.@+-]*\.\w{1,8}\b"
    r"|(?<![\w/.@<])(?:src|lib|app|apps|packages|internal|pkg|cmd|tests?|docs|scripts|config|services)/[\w./@+-]+"
)
_WORD = regex(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_CODED = regex(r"[a-z0-9][A-Z]|[A-Za-z]_[A-Za-z]|\$|^[A-Z][a-z]+[A-Z]")
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class Particulars:
    """What only one project has: its names, its files, and the names its code defines."""

    names: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    symbols: frozenset[str] = frozenset()


def generalised(text: str, own: Particulars) -> str:
    """The text with placeholders for everything specific to the project."""
    masked_text = _URL.sub(ADDRESS, text)
    masked_text = _MAIL.sub(PERSON, masked_text)
    masked_text = _PATH.sub(lambda m: FILE + "." * m[0].endswith("."), masked_text)
    masked_text = _files(masked_text, own.files)
    masked_text = _HOST.sub(ADDRESS, masked_text)
    masked_text = _UUID.sub(ID, masked_text)
    masked_text = _TICKET.sub(
        lambda m: m[0] if m[0].split("-")[0] in _NO_TICKET else ID, masked_text
    )
    masked_text = _HEX.sub(ID, masked_text)
    masked_text = _MENTION.sub(PERSON, masked_text)
    masked_text = _named(masked_text, own.names)
    return _outside_placeholders(
        masked_text, lambda part: _WORD.sub(lambda m: _symbol(m[0], own), part)
    )


def generalised_all(value: Any, own: Particulars) -> Any:
    """The same for every text in a value."""
    if isinstance(value, str):
        return generalised(value, own)
    if isinstance(value, list | tuple):
        return list(dict.fromkeys(generalised_all(item, own) for item in value))
    if isinstance(value, Mapping):
        return {name: generalised_all(item, own) for name, item in value.items()}
    return value


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """A diff between two sets of texts: lines with `-` and `+` below each text's name."""
    lines: list[str] = []
    for name in before:
        one, other = before[name].splitlines(), after.get(name, "").splitlines()
        if one == other:
            continue
        lines.append(f"{name}:")
        changed = (line for line in difflib.ndiff(one, other) if line.startswith(("- ", "+ ")))
        lines += [line[:2] + inline(line[2:]) for line in changed]
    return lines


def _files(text: str, files: Collection[str]) -> str:
    """File names of the project that occur alone: `pool.py`, but not `package.json`."""
    mine = {path.rpartition("/")[2] for path in files if "/" in path}
    found = re.compile(r"(?<![\w/.<-])[\w-]+(?:\.[\w-]+)*\.\w{1,8}\b(?!/)")
    return found.sub(lambda m: FILE if m[0] in mine and m[0] not in _ORDINARY else m[0], text)


_ORDINARY = frozenset(
    """package.json tsconfig.json pyproject.toml setup.py setup.cfg requirements.txt Cargo.toml go.mod
    Makefile Dockerfile docker-compose.yml docker-compose.yaml README.md index.html index.ts index.js
    main.py main.go conftest.py settings.py __init__.py .env""".split()
)
"""Files that many projects have."""


def _named(text: str, names: Iterable[str]) -> str:
    """The text without the names, longest first, in any spelling."""
    wanted = sorted({name for name in names if len(name) >= 3}, key=lambda name: (-len(name), name))
    for name in wanted:
        parts = map(re.escape, re.split(r"[\s_-]+", name))
        spelled = r"[\s_-]?".join(parts)
        found = re.compile(rf"(?<![A-Za-z0-9]){spelled}(?![A-Za-z0-9])", re.I)
        text = _outside_placeholders(text, partial(found.sub, PROJECT))
    return text


def _symbol(word: str, own: Particulars) -> str:
    """A placeholder for a code name that the project defines."""
    parts = word.split(".")
    if any(_is_own(part, own) for part in parts):
        return NAME
    return word


def _is_own(part: str, own: Particulars) -> bool:
    return len(part) >= _SHORTEST and part in own.symbols and _CODED.search(part) is not None


_PLACEHOLDER = regex(r"(<(?:project|file|name|id|address|person)>)")


def _outside_placeholders(text: str, change: Callable[[str], str]) -> str:
    parts = _PLACEHOLDER.split(text)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))
