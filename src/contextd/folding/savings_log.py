"""Log what folding saved."""

from __future__ import annotations

from functools import partial

from contextd.domain.changes import WorkChanges
from contextd.domain.records import new_id
from contextd.domain.savings import Saving, saving_change
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_binding import session_of
from contextd_common.errors import Busy


def note_saving(runtime: Runtime, saving: Saving, key: str = "") -> None:
    """Store a measurement in the call's session; for a call from a terminal, which an agent may have run,
    in the project's latest active one. Without a session nothing is counted.
    """
    session = runtime.trace.session or runtime.session
    if not session:
        found = session_of(runtime)
        session = found.id if found is not None else ""
    if not session and runtime.project is not None and not runtime.connection:
        latest = runtime.sessions(statuses=("active",), limit=1)
        session = latest[0].id if latest else ""
    if not session or (
        runtime.project is not None and not runtime.caller.may("write", runtime.scope)
    ):
        return
    change = saving_change(session, saving, runtime.clock.now(), key or new_id())
    write = partial(runtime.aside().commit, work=WorkChanges(sessions=[change]))
    try:
        write()
    except Busy:
        runtime.sinks.later("saving", write)
