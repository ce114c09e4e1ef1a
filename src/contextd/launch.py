"""How a contextd that serves others comes to life: light until somebody connects."""

from __future__ import annotations

import json
import logging
import logging.handlers
import os
import sys
from typing import TYPE_CHECKING

from contextd.domain.errors import Invalid
from contextd.loading import loading
from contextd.settings import Settings, load_settings
from contextd.spawn import HomeClaim
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


def _log_to_stderr(settings: Settings) -> None:
    """The daemon's stderr is its log file; one line per event."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Lines())
    logging.basicConfig(level=settings.text("log.level").upper(), handlers=[handler])
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    logging.getLogger("mcp").setLevel(logging.WARNING)
