"""Export the usage log for other programs."""

from __future__ import annotations

from pathlib import Path

from contextd.awareness.export import awareness_json
from contextd.awareness.gap_inputs import everywhere, observed_in, surveyed
from contextd.domain.awareness import STANDING
from contextd.domain.kinds import kinds_that
from contextd.files.disk import replace_file
from contextd.knowledge.machine_neutral import portable_text
from contextd.runtime.operation import FilePath, operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

_RATED = 500


@dataclass(frozen=True, slots=True)
class ExportedAwareness:
    """The file that the usage log was written to."""

    path: str
    bytes: int


@operation(
    "POST /api/awareness/export", effect="write", audience="owner", idempotent=True, needs="machine"
)
def export_awareness(runtime: Runtime, path: FilePath = "") -> ExportedAwareness:
    """Write the project's usage log, totals and usefulness reports as awareness.json, under 200 KB.

    Args:
        path: The file to write; awareness.json in the home when empty.
    """
    target = Path(path).expanduser() if path else runtime.settings.home / "awareness.json"
    body = awareness_body(runtime)
    replace_file(target, body)
    return ExportedAwareness(str(target), len(body))


def awareness_body(runtime: Runtime) -> bytes:
    """The bytes of awareness.json, for the project or, outside a project, the whole home."""
    runtime = everywhere(runtime)
    entries = surveyed(runtime, *kinds_that("entry"), statuses=STANDING)
    rated = runtime.view.survey.first(entries, "most_rated", _RATED)
    scopes, log = observed_in(runtime), runtime.view.observations
    body = awareness_json(log.recent(scopes, 1000), log.summary(scopes), rated)
    return portable_text(runtime)(body.decode()).encode()
