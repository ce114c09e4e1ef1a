"""The daemon's log: one line per event in a file of bounded size. Processes beside the daemon, such as an
import, write to the same file.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import TextIO

from contextd.domain.invisible_characters import visible_json
from contextd.runtime.request_id import REQUEST
from contextd.thin.spawn import LOG_LIMIT, set_aside
from contextd_common.dataclass import dataclass

_MINUTE = 60.0
_MOST_TEXTS = 10
_MOST_KINDS = 256
_LONGEST_KEY = 500
_REPEATED = "contextd_repeated"
FIELDS = "contextd_fields"
"""The attribute of a log record with further fields of its line."""


Scrub = Callable[[str, bool], str]
"""Redacts secrets from a text. The second argument says whether it may load what it needs."""


class _Lines(logging.Formatter):
    """One JSON object per line, whatever a message or a traceback contains. `scrub` redacts both; until it
    is loaded, only warnings and errors load it.
    """

    def __init__(self, scrub: Scrub | None = None) -> None:
        super().__init__()
        self._scrub = scrub

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        line: dict[str, str | int] = {
            "at": self.formatTime(record),
            "level": record.levelname,
            "from": record.name,
            "text": record.getMessage(),
        }
        if request := REQUEST.get():
            line["request"] = request
        line |= getattr(record, FIELDS, {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        repeated = getattr(record, _REPEATED, 0)
        if repeated:
            line["repeated"] = repeated
        if self._scrub is not None:
            line |= {
                name: self._scrub(str(line[name]), record.levelno >= logging.WARNING)
                for name in ("text", "traceback")
                if name in line
            }
        return visible_json(json.dumps(line, ensure_ascii=False))


class OncePerMinute(logging.Filter):
    """Lets a repeated defect through once a minute. The next line of the same kind counts the suppressed ones
    as `repeated`.

    Warnings and errors are of the same kind if logger, template and location of the exception are equal.
    Without an exception, ten different texts of a kind may pass.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._kinds: dict[Hashable, _Kind] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """See `logging.Filter`."""
        if record.levelno < logging.WARNING:
            return True
        place = _place(record)
        kind = self._kind((record.name, str(record.msg)[:_LONGEST_KEY], place))
        text = "" if place else record.getMessage()[:_LONGEST_KEY]
        if text in kind.texts or len(kind.texts) >= _MOST_TEXTS:
            kind.held += 1
            return False
        kind.texts.add(text)
        setattr(record, _REPEATED, kind.held)
        kind.held = 0
        return True

    def _kind(self, key: Hashable) -> _Kind:
        now, kind = self._clock(), self._kinds.get(key)
        if kind is None or now - kind.since >= _MINUTE:
            self._kinds.pop(key, None)
            self._kinds[key] = kind = _Kind(now, kind.held if kind else 0)
            while len(self._kinds) > _MOST_KINDS:
                del self._kinds[next(iter(self._kinds))]
        return kind


@dataclass(slots=True)
class _Kind:
    """What passed of a kind in the current period, and how many were suppressed since the last one that
    passed.
    """

    since: float
    held: int = 0
    texts: set[str] = field(default_factory=set)


def _place(record: logging.LogRecord) -> tuple[str, str, int] | None:
    """The exception of a log record and where it was raised."""
    if not record.exc_info or record.exc_info[1] is None:
        return None
    error, trace = record.exc_info[1], record.exc_info[2]
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code.co_filename if trace is not None else ""
    return type(error).__name__, code, trace.tb_lineno if trace is not None else 0


class BoundedLog(logging.StreamHandler[TextIO]):
    """Writes lines to the file behind `stream` and renames it to `….1` when it is full, so there are at
    most two. If the stream is not the file at `path`, such as a terminal, nothing is renamed.
    """

    def __init__(self, stream: TextIO, path: Path) -> None:
        super().__init__(stream)
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler.emit`."""
        super().emit(record)
        # On Windows an open file cannot be renamed.
        if sys.platform != "win32":
            with suppress(OSError, ValueError):
                self._make_room()

    def _make_room(self) -> None:
        number = self.stream.fileno()
        about, there = os.fstat(number), self._path.stat()
        if about.st_size <= LOG_LIMIT or (about.st_dev, about.st_ino) != (
            there.st_dev,
            there.st_ino,
        ):
            return
        set_aside(self._path)
        fresh = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(fresh, number)
        os.close(fresh)


def keep_log(stream: TextIO, path: Path, level: str, scrub: Scrub | None = None) -> None:
    """Write this process's log to `stream`, which is open on the log file at `path`."""
    handler = BoundedLog(stream, path)
    handler.setFormatter(_Lines(scrub))
    handler.addFilter(OncePerMinute())
    logging.basicConfig(level=level.upper(), handlers=[handler])
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    logging.getLogger("mcp").setLevel(logging.WARNING)
