"""Records that contextd tells only when asked: those of a file that the client loads itself, and those for another branch.
Searches still return them.
"""

from __future__ import annotations

from pathlib import Path

from contextd.clients import client_named
from contextd.domain.applies_to import branches_of
from contextd.domain.imported_records import IMPORT
from contextd.domain.records import Record
from contextd.domain.scope import PERSON
from contextd.runtime.checkout_branch import branch_here
from contextd.runtime.runtime import Runtime
from contextd.thin.home import directory_from, user_directory
from contextd_common.errors import NotFound


def is_told_here(runtime: Runtime, record: Record) -> bool:
    """Whether a record may be told to the calling client in its checkout."""
    return holds_here(runtime, record) and not _reads_itself(runtime, record)


def holds_here(runtime: Runtime, record: Record) -> bool:
    """Whether a record is for every branch or for the one of the call's checkout."""
    branches = branches_of(record.data)
    return not branches or branch_here(runtime) in branches


def _reads_itself(runtime: Runtime, record: Record) -> bool:
    """Whether a record was imported from the instruction file that the calling client loads whole at
    the start of each session. Other clients still get it.
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
