"""The daemon's log: a line per event, in a file that does not grow without end. What works beside the daemon, such
as an import, writes into the same.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from contextd.domain.unseen import visible_json
from contextd.spawn import LOG_LIMIT, set_aside


class _Lines(logging.Formatter):
    """One object of JSON per line, whatever stands in a message or a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        line = {
            "at": self.formatTime(record),
            "level": record.levelname,
            "from": record.name,
            "text": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return visible_json(json.dumps(line, ensure_ascii=False))


class BoundedLog(logging.StreamHandler[TextIO]):
    """Lines into the file that `stream` is, which is set aside as `….1` when it is full, so that there are
    two of them at most. Where the stream is not the file at `path`, a terminal for one, nothing is set aside.
    """

    def __init__(self, stream: TextIO, path: Path) -> None:
        super().__init__(stream)
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler.emit`."""
        super().emit(record)
        # On Windows a file that is open cannot be renamed.
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


def keep_log(stream: TextIO, path: Path, level: str) -> None:
    """From now on write what this process logs into `stream`, which is open on the log at `path`."""
    handler = BoundedLog(stream, path)
    handler.setFormatter(_Lines())
    logging.basicConfig(level=level.upper(), handlers=[handler])
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    logging.getLogger("mcp").setLevel(logging.WARNING)
