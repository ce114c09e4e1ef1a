"""Make texts portable: remove the paths, the user and the host of this machine."""

from __future__ import annotations

import getpass
import json
import platform
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from contextd.domain.records import Record
from contextd.runtime.runtime import Runtime
from contextd.thin.home import user_directory

_ENDS = r"(?![\w.-])"
"""Characters that continue a path: `/srv/shop` is not part of `/srv/shop-old`."""

_HOMES = re.compile(
    r"(?<![\w.~/\\])(?:/(?:home|Users)/[^/\s\"'\\:;,)\]}>]+|[A-Za-z]:\\{1,2}Users\\{1,2}[^\\\s\"'/:;,)\]}>]+)"
)
"""Any home folder, including one in imported transcripts."""

_COMMON = frozenset({"localhost", "root", "user", "admin", "host", "local", "linux", "macbook"})
_SHORTEST = 5
"""The least length of a host name that is replaced everywhere; a shorter one could be any word."""


def portable_text(runtime: Runtime) -> Callable[[str], str]:
    """Replacements that remove this machine from a text, plain or JSON: a checkout of the project becomes
    `.`, a home
    `~`, the host and its logged-in user `host` and `user@host`.
    """
    project = runtime.project
    roots = {*(project.roots if project is not None else ()), str(runtime.settings.home)}
    if runtime.checkout is not None:
        roots.add(str(runtime.checkout.root))
    home = str(user_directory())
    rules = [(_paths(sorted(_forms(roots), key=len, reverse=True)), ".")]
    rules += [(_paths(_forms([home])), "~"), (_HOMES, "~"), *_names()]

    def portable(text: str) -> str:
        for pattern, instead in rules:
            text = pattern.sub(instead, text)
        return text

    return portable


def portable_record(record: Record, portable: Callable[[str], str]) -> Record:
    """The record with all its texts portable."""
    texts = portable(
        json.dumps(
            [record.title, record.content, dict(record.data)], default=str, ensure_ascii=False
        )
    )
    title, content, data = json.loads(texts)
    return record.with_(title=title, content=content, data=data)


def _forms(paths: Iterable[str]) -> list[str]:
    """Each path as given, resolved, and escaped for JSON."""
    plain = {form for path in paths for form in (path, str(Path(path).resolve()))}
    return [*plain, *({json.dumps(path)[1:-1] for path in plain} - plain)]


def _paths(paths: list[str]) -> re.Pattern[str]:
    wanted = "|".join(re.escape(path) for path in paths if len(path.strip("/\\")) > 1)
    return re.compile(f"(?:file://)?(?:{wanted}){_ENDS}" if wanted else r"(?!)")


def _names() -> list[tuple[re.Pattern[str], str]]:
    host = platform.node()
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = ""
    short = host.partition(".")[0]
    found: list[tuple[re.Pattern[str], str]] = []
    if user and short:
        both = rf"\b{re.escape(user)}@{re.escape(short)}(?:\.[\w.-]+)?\b"
        found.append((re.compile(both), "user@host"))
    for name in dict.fromkeys((host, short)):
        if len(name) >= _SHORTEST and name.lower() not in _COMMON:
            found.append((re.compile(rf"\b{re.escape(name)}\b"), "host"))
    return found
