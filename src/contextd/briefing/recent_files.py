"""Name the files that the latest sessions changed: the next session often begins with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

from contextd.domain.sessions import Session
from contextd.runtime.runtime import Runtime
from contextd.sessions.thread import THREAD, thread_from
from contextd_common.text.tokens import count_tokens

_SESSIONS, _MOST, _TOKENS = 12, 8, 70
"""Sessions that are read, files that are named, and tokens of the line."""

_FADES = 0.7
"""The weight of a session relative to the one after it. In two projects with 122 sessions, the eight best files included
23 and 32 % of the first five files that the next session touched; 22 and 33 % with 0.5, 24 and 30 % with 0.85, 11 and
20 % if only the last session's files are named.
"""


def recent_files(runtime: Runtime, sessions: Iterable[Session]) -> list[str]:
    """The files of this checkout that these sessions, latest first, changed most and last; best first."""
    if runtime.checkout is None:
        return []
    worth: defaultdict[str, float] = defaultdict(float)
    threads = (thread_from(session.data.get(THREAD)) for session in sessions)
    for age, thread in enumerate(islice((one for one in threads if one), _SESSIONS)):
        for path in thread.files:
            worth[path] += _FADES**age
    root = runtime.checkout.root
    best = sorted(worth, key=lambda path: -worth[path])
    there = (path for path in best if not path.startswith(("/", "~")) and (root / path).is_file())
    return list(islice(there, _MOST))


def files_line(paths: Sequence[str]) -> str:
    """The paths in one line of at most `_TOKENS` tokens, those of one folder together; empty for none."""
    for most in range(len(paths), 0, -1):
        folders: dict[str, list[str]] = {}
        for path in paths[:most]:
            folder, _, name = path.rpartition("/")
            folders.setdefault(folder, []).append(name)
        named = (
            f"{folder}/: {', '.join(names)}" if len(names) > 1 and folder
            else ", ".join(f"{folder}/{name}" if folder else name for name in names)
            for folder, names in folders.items()
        )  # fmt: skip
        line = "Files changed recently: " + "; ".join(named)
        if count_tokens(line) <= _TOKENS:
            return line
    return ""
