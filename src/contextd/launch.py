"""How a contextd that serves others comes to life: light until somebody connects."""

from __future__ import annotations

import json
import logging
import logging.handlers
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from contextd.domain.errors import Invalid
from contextd.home import log_path
from contextd.loading import loading
from contextd.settings import Settings, load_settings
from contextd.spawn import LOG_LIMIT, HomeClaim, set_aside
from contextd.surfaces.daemon import serve

if TYPE_CHECKING:
    from contextd.app import Host


def run_daemon(claim: HomeClaim) -> int:
    """Run the daemon of a claimed home until it is told to stop or has been idle for long."""
    try:
        settings = load_settings(home=claim.home)
    except Invalid as error:
        # Whoever waits for this daemon is shown the last line of its log.
        sys.stderr.write(f"{error.message}; {error.hint}\n")
        return 1
    _log_to_stderr(settings)
    code = serve(lambda: open_host(settings), settings, load=_load, claim=claim)
    # A thread that is still busy (an abandoned call, the embedder loading) must neither keep the
    # process nor abort it on the way out; everything worth keeping is closed.
    logging.shutdown()
    os._exit(code)


def _load() -> None:
    # Numpy, the store and the operations take 0.4 s; the daemon's socket listens before.
    with loading():
        from contextd.app import load_operations  # noqa: PLC0415

        load_operations()


def open_host(settings: Settings, *, work: bool = True) -> Host:
    """Open contextd over the home."""
    with loading():
        from contextd.app import Host  # noqa: PLC0415 - see above

    return Host.open(settings, work=work)


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
        return json.dumps(line, ensure_ascii=False)


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


def _log_to_stderr(settings: Settings) -> None:
    """The daemon's stderr is its log file; one line per event."""
    handler = BoundedLog(sys.stderr, log_path(settings.home))
    handler.setFormatter(_Lines())
    logging.basicConfig(level=settings.text("log.level").upper(), handlers=[handler])
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    logging.getLogger("mcp").setLevel(logging.WARNING)
