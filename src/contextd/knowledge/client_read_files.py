"""Instruction files that a client loads itself, so contextd need not inject their records."""

from __future__ import annotations

from pathlib import Path

from contextd.clients import client_named
from contextd.domain.imported_records import IMPORT
from contextd.domain.records import Record
from contextd.domain.scope import PERSON
from contextd.runtime.runtime import Runtime
from contextd.thin.home import directory_from, user_directory
from contextd_code.errors import NotFound


def reads_itself(runtime: Runtime, record: Record) -> bool:
    """Whether a record was imported from the instruction file that the calling client loads whole at
    the start of each session. Other clients still get it, and searches still return it.
    """
    if record.source.operation != IMPORT or record.data.get("origin") != "instructions":
        return False
    try:
        client = client_named(runtime.client)
    except NotFound:
        return False
    shown = record.source.agent
    if record.scope == PERSON:
        chosen = directory_from(client.configuration.variable)
        return client.holds_own_instructions(Path(shown).expanduser(), user_directory(), chosen)
    return shown in (client.instructions, f".claude/{client.instructions}")
