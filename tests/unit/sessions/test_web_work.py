"""The page of jobs over a store in this process: what failed is seen, and tried again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from support.browsers import Browser
from support.clocks import Shifted
from support.desks import Desk, opened
from support.repositories import committed


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Desk]:
    host = opened(tmp_path / "home", Shifted(), embedder_name="none")
    yield Desk(host, committed(tmp_path / "shop", {"a.py": "a = 1\n"}))
    host.close()


def test_failed_jobs_are_shown_with_their_reason_and_tried_again(
    shop: Desk, tmp_path: Path
) -> None:
    neighbour = shop.at(committed(tmp_path / "blog", {"b.py": "b = 2\n"}))
    neighbour.failed_job("find_contradictions", "the neighbour's disk is full")
    for name in ("find_contradictions", "score_windows"):
        id = shop.failed_job(name, "the <disk> is full")
    listed = shop.view.jobs

    def states() -> list[str]:
        return sorted(job.state for job in listed.list())

    browser = Browser(shop.host, shop.root)

    async def visit() -> None:
        status, page = await browser.ask("GET", "/jobs?state=failed")
        assert status == 200
        assert page.count("the &lt;disk&gt; is full") == 2
        assert "data-live" not in page, "nothing moves"
        token = re.search(r'name="csrf" value="([^"]+)"', page)
        assert token
        csrf = {"csrf": token[1]}
        one = urlencode({**csrf, "id": id})
        assert (await browser.ask("POST", "/jobs/retry", one))[0] == 303
        assert states() == ["failed", "ready"]
        again = await browser.ask("POST", "/jobs/retry", one)
        assert (again[0], "not failed" in again[1]) == (409, True)
        assert (await browser.ask("POST", "/jobs/retry", urlencode(csrf)))[0] == 303
        assert states() == ["ready", "ready"]
        assert (await browser.ask("POST", "/jobs/retry", urlencode(csrf)))[0] == 404
        assert "data-live" in (await browser.ask("GET", "/jobs"))[1]

    asyncio.run(visit())
    assert [job.state for job in neighbour.view.jobs.list()] == ["failed"]
