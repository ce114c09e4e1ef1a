"""Transcripts and exports of other programs. A new format is a row in `IMPORTERS`."""

from __future__ import annotations

from pathlib import Path

from contextd.domain.errors import Invalid, NotFound
from contextd.interop.importers import claude_code
from contextd.interop.importers.batch import ImportBatch, Redact
from contextd.interop.importers.importer import Importer, Listed, Whereabouts

__all__ = [
    "IMPORTERS",
    "ImportBatch",
    "Importer",
    "Listed",
    "Redact",
    "Whereabouts",
    "importer_for",
]

_HEAD_BYTES = 65_536

IMPORTERS: dict[str, Importer] = {
    row.name: row
    for row in (
        Importer(
            name="claude-code",
            title="Claude Code transcript",
            detects=claude_code.detects,
            read=claude_code.read,
            places=(
                Whereabouts(
                    directory=".claude",
                    patterns=("projects/*/*.jsonl",),
                    variable="CLAUDE_CONFIG_DIR",
                ),
            ),
        ),
    )
}
"""Every format contextd can read, by name."""


def importer_for(path: Path) -> Importer:
    """The importer of a file. Raises `NotFound` or `Invalid`."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error
    lines = head.decode("utf-8", "replace").splitlines()[:20]
    for importer in IMPORTERS.values():
        if importer.detects(path, lines):
            return importer
    known = ", ".join(importer.title for importer in IMPORTERS.values())
    raise Invalid(f"{path.name} is in no format contextd reads", f"it reads: {known}")
