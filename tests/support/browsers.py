"""A signed-in browser of the dashboard, over a host in this process."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from contextd.app import Host, load_operations
from contextd.surfaces.calls import Calls
from contextd.surfaces.web.access import Access
from contextd.surfaces.web.server import Pages


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

    async def page(self, path: str) -> str:
        """The text of a page that must open."""
        status, text = await self.ask("GET", path)
        assert status == 200, (path, status)
        return text

    async def send(self, path: str, page: str, **fields: str) -> tuple[int, str]:
        """Send a form of a page with these fields; the status and the text of the answer."""
        token = re.search(r'name="csrf" value="([^"]+)"', page)
        assert token, "the page has a form"
        return await self.ask("POST", path, urlencode({"csrf": token[1], **fields}))
