"""Every store in the table, held to the same promises."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contextd.ports import Store
from contextd.stores import STORES, open_store


class Ticking:
    """A clock that moves one second at every look."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


def address(scheme: str, folder: Path) -> str:
    """Where a test may open a store of this scheme. A new row of STORES needs one here."""
    addresses = {"memory": "memory://", "sqlite": f"sqlite://{folder}/contextd.db"}
    return addresses[scheme]


@pytest.fixture(params=list(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(address(request.param, tmp_path), clock=Ticking())
    yield opened
    opened.close()
