"""The page of jobs over a store in this process: what failed is seen, and tried again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from contextd.app import Host, load_operations
from contextd.surfaces.calls import Calls
from contextd.surfaces.web.access import Access
from contextd.surfaces.web.server import Pages
from support.clocks import Shifted
from support.desks import Desk, opened
from support.repositories import committed


class Browser:
    """A signed-in browser without a network."""

    def __init__(self, host: Host, root: Path) -> None:
        access = Access()
        self._pages = Pages(Calls(lambda: host, 2, load_operations), access)
        self._cookie = f"{access.cookie_name}={access.redeem(access.new_code(str(root)))}"

    async def ask(self, method: str, path: str, body: str = "") -> tuple[int, str]:
        name, _, query = path.partition("?")
        headers = {
            "host": "127.0.0.1",
            "cookie": self._cookie,
            "content-type": "application/x-www-form-urlencoded",
        }
        scope = {
            "type": "http", "method": method, "path": name, "raw_path": name.encode(),
            "query_string": query.encode(), "server": ("127.0.0.1", 1), "scheme": "http",
            "root_path": "", "headers": [(n.encode(), v.encode()) for n, v in headers.items()],
        }  # fmt: skip
        got: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body.encode(), "more_body": False}

        async def send(message: Any) -> None:
            got.append(message)

        await self._pages(scope, receive, send)
        text = b"".join(part.get("body", b"") for part in got).decode()
        return got[0]["status"], text


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
