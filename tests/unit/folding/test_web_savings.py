"""The page of savings over a store in this process: only what was measured."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from contextd.folding.page import _share
from support.browsers import Browser
from support.clocks import Shifted
from support.desks import Desk, opened
from support.repositories import committed


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Desk]:
    host = opened(tmp_path / "home", Shifted(), embedder_name="none")
    desk = Desk(host, committed(tmp_path / "shop", {"a.py": "a = 1\n"}))
    desk.as_owner("init")
    yield desk
    host.close()


def test_savings_are_those_that_were_measured_and_zeros_are_zeros(
    shop: Desk, tmp_path: Path
) -> None:
    lines = (f"12:00:{n % 60:02} INFO request {n} took {n % 97} ms" for n in range(2_000))
    (shop.root / "app.log").write_text("\n".join(lines))
    neighbour = shop.at(committed(tmp_path / "blog", {"b.py": "b = 2\n"}))
    neighbour.as_owner("init")
    browser = Browser(shop.host, shop.root)

    async def visit() -> None:
        assert "No measurements" in await browser.page("/savings")
        shop.connected("agent")("digest", paths=["app.log"])
        page = await browser.page("/savings?days=7")
        saved = shop("savings", days=7)["saved"]
        assert f"{saved:,}" in page
        assert "Subtasks in one conversation: 0 tokens" in page
        assert "No measurements" in await browser.page(f"/savings?project={neighbour.scope}")
        assert (await browser.ask("GET", "/savings?days=99999"))[0] == 422

    asyncio.run(visit())


def test_text_that_was_only_written_out_is_no_part_of_what_was_folded(
    shop: Desk, tmp_path: Path
) -> None:
    lines = (f"12:00:{n % 60:02} INFO request {n} took {n % 97} ms" for n in range(2_000))
    (shop.root / "app.log").write_text("\n".join(lines))
    agent = shop.connected("agent")
    agent("digest", paths=["app.log"])
    browser = Browser(shop.host, shop.root)

    async def before_folding() -> str:
        page = await browser.page("/savings?days=7")
        return page.partition("<dt>Of</dt><dd>")[2].partition("<")[0]

    folded = asyncio.run(before_folding())
    agent("digest", text="one short line that is written out in whole\n" * 3)
    rows = {row["level"]: row for row in shop("savings", days=7)["rows"]}
    assert rows["bookkeeping"]["raw"] > 0
    assert f"{rows['digest']['raw']:,}" == folded == asyncio.run(before_folding())


def test_a_share_is_never_rounded_up_to_all_of_it() -> None:
    assert (_share(0, 0), _share(0, 10), _share(9_999, 10_000)) == ("–", "0%", "99.9%")
