"""End the sessions of clients that exited without sending an end event."""

from __future__ import annotations

import os
import sys
from datetime import timedelta

from contextd.domain.changes import WorkChanges
from contextd.domain.sessions import Session, SessionChange
from contextd.jobs.table import new_job
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_binding import hooked_sessions

_DISCONNECTED = "disconnected_process"
"""Session data: the process id of the client that closed its MCP connection."""

_GRACE = timedelta(seconds=5)
"""A client that sends an end event has sent it by then: it closes its servers while it exits."""


def note_disconnect(runtime: Runtime) -> None:
    """Mark the sessions with hooks as disconnected and check soon whether the client exited. A client that
    only restarts its servers stays alive, and so do its sessions.
    """
    sessions = hooked_sessions(runtime)
    if not sessions:
        return
    changes = [SessionChange(id=one.id, data={_DISCONNECTED: runtime.process}) for one in sessions]
    due = runtime.clock.now() + _GRACE
    look = new_job("end_idle_sessions", None, runtime.place, once="disconnected", run_at=due)
    runtime.commit(work=WorkChanges(sessions=changes, jobs=[look]))


def client_exited(session: Session) -> bool:
    """Whether the client of a session closed its connection and its process is gone."""
    process = session.data.get(_DISCONNECTED)
    # On Windows, signal 0 is not a test: it interrupts the process.
    if not isinstance(process, int) or process <= 1 or sys.platform == "win32":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
