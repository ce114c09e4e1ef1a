"""What a client reads by itself, so that nobody need tell it."""

from __future__ import annotations

from contextd.domain.errors import NotFound
from contextd.domain.records import Record
from contextd.interop.clients import client_named
from contextd.runtime import Runtime
from contextd.steps.import_rows import IMPORT


def reads_itself(runtime: Runtime, record: Record) -> bool:
    """Whether a record was imported from the file of instructions that the calling client loads whole at
    the start of each session. Others, and searches, are told of it.
    """
    if record.source.operation != IMPORT or record.data.get("origin") != "instructions":
        return False
    try:
        file = client_named(runtime.client).instructions
    except NotFound:
        return False
    return record.source.agent in (file, f".claude/{file}")
