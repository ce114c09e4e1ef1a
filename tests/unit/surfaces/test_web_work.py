"""The page of jobs over a store in this process: what failed is seen, and tried again."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from contextd.app import App, load_operations
from contextd.settings import load_settings
from contextd.surfaces.gate import Gate
from contextd.surfaces.web.access import Access
from contextd.surfaces.web.server import Pages


class Browser:
    """A signed-in browser without a network."""

    def __init__(self, app: App, root: Path) -> None:
        access = Access()
        self._pages = Pages(Gate(lambda: app, 2, load_operations), access)
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
def app(tmp_path: Path) -> Iterator[App]:
    settings = load_settings(home=tmp_path / "home", flags={"embedder.name": "none"})
    opened = App.open(settings, work=False)
    yield opened
    opened.close()


def test_failed_jobs_are_shown_with_their_reason_and_tried_again(app: App, tmp_path: Path) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    runtime = app.runtime("cli", cwd=str(root))
    queue, now = runtime.store.jobs, runtime.clock.now()
    for name in ("find_contradictions", "end_idle_sessions"):
        id = queue.enqueue(name, {}, max_attempts=1, run_at=now)
        queue.claim("w", 60, now)
        queue.fail(id, "w", "the <disk> is full", now, now)
    browser = Browser(app, root)

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
        assert {job.state for job in queue.list()} == {"ready", "failed"}
        again = await browser.ask("POST", "/jobs/retry", one)
        assert (again[0], "not failed" in again[1]) == (409, True)
        assert (await browser.ask("POST", "/jobs/retry", urlencode(csrf)))[0] == 303
        assert {job.state for job in queue.list()} == {"ready"}
        assert (await browser.ask("POST", "/jobs/retry", urlencode(csrf)))[0] == 404
        assert "data-live" in (await browser.ask("GET", "/jobs"))[1]

    asyncio.run(visit())
