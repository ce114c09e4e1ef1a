"""Find the client's own session for a connection without hooks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from contextd.clients import client_named
from contextd.domain.changes import WorkChanges
from contextd.domain.sessions import Session, SessionChange
from contextd.imports.importers import IMPORTERS, ImportBatch, Importer
from contextd.imports.transcripts import scrubbed
from contextd.runtime.runtime import Runtime
from contextd_common.errors import ContextdError, NotFound

_EARLIER = timedelta(hours=12)
"""How long before its first contextd dev call a session may have begun."""

_LATER = timedelta(minutes=1)
"""How long after the last call a transcript without times may be written, since a client may write it on
exit.
"""

_MOST_FILES = 50
"""Maximum transcripts of a client to examine, latest first."""


def is_unbound(session: Session) -> bool:
    """Whether a session is only known by its connection, for a client with transcripts."""
    return (
        not session.data.get("hooked")
        and not session.data.get("transcript")
        and bool(_importers(session))
    )


def bound(runtime: Runtime, session: Session) -> Session:
    """The session under the client's own id, with its transcript; unchanged if no transcript of the same
    directory and time matches, or several match equally.
    """
    fitting = [
        (_calls_of_ours(runtime, session, batch), path, batch)
        for path, batch in _candidates(runtime, session)
    ]
    fitting.sort(key=lambda one: one[0], reverse=True)
    if not fitting or (len(fitting) > 1 and fitting[0][0] == fitting[1][0]):
        return session
    _, path, batch = fitting[0]
    data = {"transcript": str(path)}
    change = SessionChange(id=session.id, external_id=batch.external_id, data=data)
    runtime.commit(work=WorkChanges(sessions=[change]))
    return replace(session, external_id=batch.external_id, data={**session.data, **data})


def _candidates(runtime: Runtime, session: Session) -> Iterator[tuple[Path, ImportBatch]]:
    """Transcripts that the client wrote in the session's directory since it began and that belong to no
    known session.
    """
    until = (session.ended_at or runtime.clock.now()) + _LATER
    for importer in _importers(session):
        for path in _written_since(importer, session.started_at):
            for batch in _sessions_in(runtime, importer, path, session.started_at - _EARLIER):
                here = bool(batch.cwd) and os.path.realpath(batch.cwd) == os.path.realpath(
                    session.cwd
                )
                begun = batch.started is None or batch.started <= until
                known = runtime.view.sessions.by_external(session.client, batch.external_id)
                if here and begun and batch.external_id and known is None:
                    yield path, batch


def _importers(session: Session) -> list[Importer]:
    try:
        name = client_named(session.client).transcripts
    except NotFound:
        return []
    return [IMPORTERS[name]] if name in IMPORTERS and IMPORTERS[name].places else []


def _written_since(importer: Importer, since: datetime) -> list[Path]:
    found: list[tuple[float, Path]] = []
    for path in importer.found(Path.home(), os.environ):
        try:
            written = max(
                one.stat().st_mtime
                for one in (path, path.with_name(path.name + "-wal"))
                if one.exists()
            )
        except (OSError, ValueError):
            continue
        if written >= since.timestamp():
            found.append((written, path))
    return [path for _, path in sorted(found, reverse=True)[:_MOST_FILES]]


def _sessions_in(
    runtime: Runtime, importer: Importer, path: Path, since: datetime
) -> Iterator[ImportBatch]:
    try:
        for listed in importer.sessions(path):
            if listed.started is None or listed.started >= since:
                yield importer.read(
                    path, 0, redact=lambda text: scrubbed(runtime, text), session=listed.id
                )
    except (ContextdError, OSError, ValueError):
        return


def _calls_of_ours(runtime: Runtime, session: Session, batch: ImportBatch) -> int:
    """How many contextd calls a transcript has, counting only operations called in the session."""
    events = runtime.view.sessions.events(session.id)
    called = {str(event.data["operation"]) for event in events if event.data.get("operation")}
    tools = [str(event.data.get("tool", "")) for event in batch.events if event.type == "tool_call"]
    return sum(any(tool.endswith(operation) for operation in called) for tool in tools)
