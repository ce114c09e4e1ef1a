"""End idle sessions, and archive completed ones later."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from contextd.codebase.freshness import rest
from contextd.domain.changes import WorkChanges
from contextd.domain.sessions import Session, SessionChange
from contextd.jobs.table import Task
from contextd.runtime.runtime import Runtime
from contextd.sessions.client_exit import client_exited
from contextd.sessions.session_end import close_session
from contextd_common.errors import ContextdError, Unreadable

_AT_ONCE = 1_000

_log = logging.getLogger(__name__)


def end_idle_sessions(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """End sessions that are idle or whose client exited, and archive completed ones after a week."""
    upkeep, now = runtime.upkeep, runtime.clock.now()
    if upkeep is None:
        return {}
    ended = archived = 0
    busy: set[Path] = set()
    for session in upkeep.idle_sessions(now, _AT_ONCE):
        task.hold.check()
        timeout = _settings_of(runtime, session, "sessions.timeout_minutes")
        if not (session.is_idle(now, timeout) or client_exited(session)):
            busy.add(Path(session.cwd))
            continue
        try:
            close_session(_in(runtime, session), session, at=session.last_seen_at)
        except Unreadable as error:
            # The next run tries again; the sessions of other projects end now.
            _log.warning("a session in %s stays open: %s", session.cwd, error.message)
            continue
        ended += 1
    days = runtime.settings.number("sessions.archive_days")
    for session in upkeep.rested_sessions(now - timedelta(days=days), _AT_ONCE):
        task.hold.check()
        _in(runtime, session).commit(
            work=WorkChanges(sessions=[SessionChange(id=session.id, archived=True)])
        )
        archived += 1
    rest(runtime, frozenset(busy))
    return {"ended": ended, "archived": archived}


def _in(runtime: Runtime, session: Session) -> Runtime:
    """The job in the project of a session."""
    return runtime.at(str(session.scope))


def _settings_of(runtime: Runtime, session: Session, name: str) -> int:
    """A setting as it applies where a session works. If a file cannot be read, the default applies."""
    organisation = runtime.organisation
    try:
        checkout = organisation.checkout(Path(session.cwd)) if session.cwd else None
        return organisation.settings(checkout).number(name)
    except ContextdError:
        return runtime.settings.number(name)
