"""How often a call that an agent waits for may ask the store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from contextd.thin.home import LOCAL, database_path
from contextd_bench.counted_store import SCHEME, counting
from contextd_bench.roundtrips import counted
from contextd_bench.scratch import Bench
from support.desks import Desk, Home

LIMITED = {
    "hook SessionStart",
    "hook UserPromptSubmit",
    "hook SessionStart after a compaction",
    "hook UserPromptSubmit of an unknown session",
    "hook UserPromptSubmit of an unknown session with an error",
    "hook PreCompact",
    "hook SessionEnd",
    "session_start",
    "memory_record",
}


def test_no_call_asks_the_store_more_often_than_it_may(
    home: Home, repository: Path, open_desk: Callable[..., Desk]
) -> None:
    with counting() as verbs:
        desk = open_desk(store_url=f"{SCHEME}://{database_path(home.path, LOCAL)}")
        rows = counted(Bench(desk.host, repository), verbs, rounds=1, records=12)
        home.close()
    assert {row.label for row in rows if row.budget is not None} == LIMITED
    assert {row.label: row.before for row in rows if row.exceeded} == {}
