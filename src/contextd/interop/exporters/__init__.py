"""Records as files of other programs. A new format is a row in `EXPORTERS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contextd.domain.errors import Invalid, nearest
from contextd.domain.records import Record
from contextd.interop.exporters import opencontext

__all__ = ["EXPORTERS", "Exporter", "exporter_named"]


@dataclass(frozen=True, slots=True)
class Exporter:
    """One format: `kinds` are written, oldest first; `write` takes them and what the file of an
    import said besides its entries.
    """

    name: str
    title: str
    kinds: tuple[str, ...]
    write: Callable[[Sequence[Record], Mapping[str, Any]], str]


EXPORTERS: dict[str, Exporter] = {
    row.name: row
    for row in (
        Exporter(
            "opencontext-v2",
            "OpenContext contexts.json, version 2",
            ("context", "bubble"),
            opencontext.write,
        ),
    )
}
"""Every format contextd can write, by name."""


def exporter_named(name: str) -> Exporter:
    """The exporter of a format. Raises `Invalid` with the nearest one."""
    if name not in EXPORTERS:
        hint = nearest(name, list(EXPORTERS)) or "formats: " + ", ".join(EXPORTERS)
        raise Invalid(f"no export format {name!r}", hint)
    return EXPORTERS[name]
