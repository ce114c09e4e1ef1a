"""Errors that come back, and what ended them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from contextd.domain.sessions import Session
from contextd.runtime import Runtime
from contextd.sessions.errors import ERRORS, Met, sightings
from contextd.steps.statements import anchor_of
from contextd.steps.writing import save_new

RETURNS = 3
"""In so many sessions an error must have been met before its remedy is kept. Of the chains from error to
success within one session 2 in 225 were worth keeping; of the errors met in three, 5 in 9.
"""

_SESSIONS = 200
_NAMESPACE = uuid.UUID("0b6f0f3d-8c7b-5a39-9a43-6f5c6a1d2e88")


def keep_remedies(runtime: Runtime, session: Session, errors: Sequence[Met]) -> int:
    """Keep what ended an error that is met for the third time or more; how many were kept."""
    ended = [met for met in errors if met.ended and (met.files or met.between)]
    if not ended:
        return 0
    before = runtime.view.sessions.find(frozenset({session.scope}), limit=_SESSIONS)
    known = [one.data.get(ERRORS) for one in before if one.id != session.id]
    count = 0
    for met in ended:
        times = sightings(met.signature, known) + 1
        if times < RETURNS:
            continue
        root = str(runtime.checkout.root) + "/" if runtime.checkout else ""
        files = [path.removeprefix(root) for path in met.files]
        steps = [f"run `{command}`" for command in met.between[-2:]]
        steps += ["change " + ", ".join(files)] if files else []
        solution = "; ".join(steps)
        saved = save_new(
            runtime,
            "remediation",
            title=met.line[:120],
            content=f"{met.line} (in {times} sessions, while running `{met.command[:120]}`)",
            data={
                "problem": met.line,
                "symptoms": [met.line],
                "solution": solution,
                "affected_files": files,
                "occurrence_count": times,
                "verified": True,
            },
            source=session.client,
            trust="extracted",
            session=session.id,
            anchor=anchor_of(runtime, session, files),
            id=str(uuid.uuid5(_NAMESPACE, f"{session.scope}:{met.signature}")),
        )
        count += saved.outcome == "added"
    return count
