"""The page of consolidation over a store in this process: what is proposed, merged and taken back."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from contextd.domain.records import Record
from support.browsers import Browser
from support.clocks import Shifted
from support.desks import Desk, opened
from support.repositories import committed

RELEASE = "Add defer conn.Release() after Acquire()"
FLUSH = "Call flush() before close() on the exporter"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Desk]:
    host = opened(tmp_path / "home", Shifted())
    desk = Desk(host, committed(tmp_path / "shop", {"a.py": "a = 1\n"}))
    desk.as_owner("init")
    yield desk
    host.close()


def remedy(desk: Desk, symptom: str, solution: str) -> str:
    """The id of a remediation."""
    record = Record(
        kind="remediation",
        scope=desk.scope,
        title=f"Fix: {symptom}",
        content=f"{symptom} when the service is busy",
        data={"problem": symptom, "symptoms": [symptom], "solution": solution},
    )
    desk.put(record, "create")
    return record.id


def statuses(desk: Desk, *ids: str) -> list[str]:
    return [desk.record(id).status for id in ids]


def shown_ids(page: str) -> list[str]:
    """What the form of each proposal would merge."""
    return [unescape(ids) for ids in re.findall(r'name="ids" value="([^"]+)"', page)]


def test_a_proposal_is_merged_as_it_was_shown_and_taken_back(shop: Desk, tmp_path: Path) -> None:
    pools = [
        remedy(shop, "pgx pool exhausted", RELEASE),
        remedy(shop, "timeout <while> acquiring", f"{RELEASE}."),
    ]
    exports = [remedy(shop, "empty export", FLUSH), remedy(shop, "export cut off", f"{FLUSH}.")]
    against = remedy(shop, "double free", "Never add defer conn.Release() after Acquire()")
    neighbour = shop.at(committed(tmp_path / "blog", {"b.py": "b = 2\n"}))
    neighbour.as_owner("init")
    theirs = remedy(neighbour, "pgx pool exhausted", RELEASE)
    shop.host.work_off()
    browser = Browser(shop.host, shop.root)
    path = "/consolidation?collection=remediations"

    async def visit() -> None:
        page = await browser.page(path)
        assert "timeout &lt;while&gt; acquiring" in page
        assert "never" in page
        proposals = shown_ids(page)
        assert sorted(map(len, (ids.split() for ids in proposals))) == [2, 2]
        assert not any(against in ids or theirs in ids for ids in proposals)
        [mine] = [ids for ids in proposals if pools[0] in ids]
        form = {"collection": "remediations", "ids": mine}
        assert (await browser.send("/consolidation/merge", page, **form))[0] == 303
        assert sorted(statuses(shop, *pools)) == ["active", "merged"]
        assert statuses(shop, *exports) == ["active", "active"], "only what was shown"
        page = await browser.page(path)
        assert "1 record was merged into 1" in page
        assert "Merged so far" in page
        keeper = next(id for id in pools if shop.record(id).status == "active")
        back = {"collection": "remediations", "ids": keeper}
        assert (await browser.send("/consolidation/unmerge", page, **back))[0] == 303
        assert statuses(shop, *pools) == ["active", "active"]
        assert "1 record was restored" in await browser.page(path)

    asyncio.run(visit())
    assert statuses(neighbour, theirs) == ["active"]


def test_all_are_merged_at_once_and_what_changed_meanwhile_is_not(shop: Desk) -> None:
    pools = [remedy(shop, "pool exhausted", RELEASE), remedy(shop, "timeout", f"{RELEASE}.")]
    exports = [remedy(shop, "empty export", FLUSH), remedy(shop, "cut off", f"{FLUSH}.")]
    shop.host.work_off()
    browser = Browser(shop.host, shop.root)
    path = "/consolidation?collection=remediations"

    async def visit() -> None:
        page = await browser.page(path)
        [mine] = [ids for ids in shown_ids(page) if pools[0] in ids]
        assert (await browser.send("/consolidation/merge", page, collection="remediations"))[
            0
        ] == 303
        page = await browser.page(path)
        assert "2 records were merged into 2" in page
        assert "Undo one of them" in page
        again = {"collection": "remediations", "ids": mine}
        assert (await browser.send("/consolidation/merge", page, **again))[0] == 303
        assert "Nothing was merged" in await browser.page(path)

    asyncio.run(visit())
    assert sorted(statuses(shop, *pools, *exports)) == ["active", "active", "merged", "merged"]


def test_a_collection_that_is_none_leads_to_those_there_are(shop: Desk) -> None:
    browser = Browser(shop.host, shop.root)
    status, page = asyncio.run(browser.ask("GET", "/consolidation?collection=memory"))
    assert status == 404
    assert "memories" in page
