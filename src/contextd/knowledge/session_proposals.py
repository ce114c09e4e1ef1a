"""Records that learning from a session proposes: they wait in the inbox until a person accepts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextd.domain.confidence import START
from contextd.domain.records import Record, Source
from contextd.domain.sessions import Session
from contextd.knowledge.writing import cleaned
from contextd.runtime.runtime import Runtime


def proposed_by(
    runtime: Runtime,
    session: Session,
    *,
    id: str,
    kind: str,
    title: str,
    content: str,
    data: Mapping[str, Any],
) -> Record:
    """A proposal of this session for its project, redacted and not yet committed."""
    now = runtime.clock.now()
    record = Record(
        id=id,
        kind=kind,
        scope=session.scope,
        title=title,
        content=content,
        data=data,
        source=Source(agent=session.client, client=runtime.client, operation="learn_session"),
        session=session.id,
        trust="extracted",
        status="inbox",
        confidence=START["extracted"],
        valid_from=now,
        created_at=now,
        updated_at=now,
    )
    return cleaned(runtime, record)[0]
