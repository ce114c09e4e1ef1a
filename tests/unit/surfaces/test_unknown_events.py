"""Events of clients that this version does not know wait for another one, without their secrets."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from contextd import spool
from contextd.domain.errors import NotFound
from contextd.home import unknown_path
from contextd.surfaces.connections import Connections
from contextd.surfaces.web.access import Access

TOKEN = "gh" + "p_" + "k3JdQm29fLxVzR7tYb0NcWs8HpGu4EaXoi5T"


class OfAnOlderVersion:
    """Calls that know no event of hooks."""

    async def call(self, *_: Any) -> Any:
        raise NotFound("no hook event 'Daydream'", "", details={spool.UNKNOWN: "Daydream"})


def test_an_unknown_event_is_kept_without_its_secrets(tmp_path: Path) -> None:
    connections = Connections(
        OfAnOlderVersion(), "core", "", {}, lambda: None, tmp_path, Access()  # type: ignore[arg-type]
    )  # fmt: skip
    payload = {"prompt": f'use "{TOKEN}"\nfor läter', "tool_input": {"env": [f"TOKEN={TOKEN}"]}}
    spool.leave(tmp_path, {"event": "Daydream", "cwd": "/somewhere", "payload": payload})
    assert asyncio.run(connections.ingest_spool()) == 1
    assert TOKEN not in unknown_path(tmp_path).read_text(encoding="utf-8")
    [kept] = spool.read(unknown_path(tmp_path))
    assert (kept["event"], kept["cwd"]) == ("Daydream", "/somewhere")
    assert kept["payload"]["prompt"].startswith('use "[REDACTED:github-token:')
    assert kept["payload"]["prompt"].endswith('"\nfor läter')
