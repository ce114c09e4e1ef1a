"""Start a daemon with few imports; load the rest when the first client connects."""

from __future__ import annotations

import gc
import logging
import os
import sys
from typing import TYPE_CHECKING

from contextd.runtime.daemon_log import keep_log
from contextd.runtime.gc_pause import building
from contextd.runtime.settings import Settings, load_settings
from contextd.surfaces.daemon import serve
from contextd.thin.home import log_path
from contextd.thin.spawn import HomeClaim
from contextd_common.errors import Invalid

if TYPE_CHECKING:
    from contextd.app import Host
    from contextd.surfaces.command_lines import RunLine

_REDACTION = "contextd.redaction.redact"


def run_daemon(claim: HomeClaim, run_line: RunLine | None = None) -> int:
    """Run the daemon of a claimed home until it is stopped or has been idle for long. `run_line` runs command
    lines that clients send.
    """
    try:
        settings = load_settings(home=claim.home)
    except Invalid as error:
        # Clients that wait for this daemon are shown the last line of its log.
        sys.stderr.write(f"{error.message}; {error.hint}\n")
        return 1
    keep_log(sys.stderr, log_path(settings.home), settings.text("log.level"), without_secrets)
    code = serve(lambda: open_host(settings), settings, load=_load, claim=claim, run_line=run_line)
    # A thread that is still busy (an abandoned call, the embedder loading) must neither keep the process
    # alive nor abort it on exit; all data is stored by now.
    logging.shutdown()
    os._exit(code)


def without_secrets(text: str, wanted: bool) -> str:
    """Redact a text for the log. The first lines of a start contain no secrets, so they skip the import."""
    if not wanted and _REDACTION not in sys.modules:
        return text
    # 0.1 s: the socket must listen before this import.
    from contextd.redaction.redact import redact  # noqa: PLC0415

    return redact(text).text


def _load() -> None:
    # Numpy, the store and the operations take 0.4 s; the daemon's socket listens before that.
    with building():
        from contextd.app import load_operations  # noqa: PLC0415

        load_operations()
    # What a daemon has loaded lives as long as its process: no later collection looks through it.
    gc.freeze()


def open_host(settings: Settings) -> Host:
    """Open contextd over the home."""
    with building():
        from contextd.app import Host  # noqa: PLC0415 - see above

    return Host.open(settings)
