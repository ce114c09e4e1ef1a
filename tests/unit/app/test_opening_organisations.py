"""Opening one organisation holds up nobody in another one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from contextd.app import Host
from contextd.ports.store import Store
from contextd.stores import STORES
from contextd.thin.home import LOCAL
from contextd_common.errors import Unavailable
from reference_store.store import open_memory
from support.clocks import Shifted
from support.desks import opened

SLOW = "acme"


class SlowOrganisation:
    """A store of which one organisation takes as long to open as a test likes."""

    def __init__(self) -> None:
        self.opening, self.may_open = threading.Event(), threading.Event()
        self.stores: list[Store] = []

    def open(self, url: str, organisation: str, **options: Any) -> Store:
        if organisation == SLOW:
            self.opening.set()
            assert self.may_open.wait(20)
        self.stores.append(open_memory(url, organisation, **options))
        return self.stores[-1]


slow = SlowOrganisation()


def open_slow(url: str, organisation: str, *positional: Any, **options: Any) -> Store:
    names = ("clock", "scrub", "backups", "fresh")
    return slow.open(url, organisation, **dict(zip(names, positional, strict=False)), **options)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setattr(sys.modules[__name__], "slow", SlowOrganisation())
    monkeypatch.setitem(STORES, "slow", f"{__name__}:open_slow")
    host = opened(tmp_path, Shifted(), store_url="slow://", embedder_name="none")
    yield host
    slow.may_open.set()
    host.close()


def test_others_are_served_while_an_organisation_opens_and_it_opens_once(host: Host) -> None:
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(host.organisation, SLOW) for _ in range(3)]
        assert slow.opening.wait(20)
        assert host.organisation(LOCAL).name == LOCAL
        assert host.organisation("other").name == "other"
        assert host.health()["problems"] == []
        assert not any(one.done() for one in waiting)
        slow.may_open.set()
        assert len({id(one.result(20)) for one in waiting}) == 1
    assert len(slow.stores) == 3


def test_an_organisation_that_opens_while_contextd_closes_is_closed(host: Host) -> None:
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(host.organisation, SLOW)
        assert slow.opening.wait(20)
        host.close()
        slow.may_open.set()
        with pytest.raises(Unavailable, match="closing"):
            waiting.result(20)
