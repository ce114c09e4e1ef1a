"""The guard in front of the loopback port."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from contextd.surfaces import http_guard
from contextd.surfaces.http_guard import Guard

TOKEN = "t" * 40


async def inner(scope: Any, receive: Any, send: Any) -> None:
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def request(
    path: str = "/api",
    pieces: tuple[bytes, ...] = (b"",),
    more: tuple[tuple[bytes, bytes], ...] = (),
    **headers: str,
) -> tuple[int, bytes]:
    """(status, body) of one request; `host` and the token are right unless given. `more` are further headers."""
    given = {"host": "127.0.0.1:1", "authorization": f"Bearer {TOKEN}", **headers}
    raw = [(k.replace("_", "-").encode(), v.encode("latin-1")) for k, v in given.items() if v]
    raw += more
    waiting = [
        {"type": "http.request", "body": piece, "more_body": i + 1 < len(pieces)}
        for i, piece in enumerate(pieces)
    ]
    sent: list[Any] = []

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": path, "method": "POST", "headers": raw}
    asyncio.run(Guard(inner, TOKEN, body_limit=10)(scope, receive, send))
    return sent[0]["status"], sent[1]["body"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost"}, 200),
        ({"host": "[::1]:80"}, 200),
        ({"host": ""}, 421),
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "[::1"}, 421),
        ({"host": "127.0.0.1:80, evil.example"}, 421),
        ({"host": "127.0.0.1:80,evil.example"}, 421),
        ({"host": "127.0.0.1 evil.example"}, 421),
        ({"host": "127.0.0.1:80/evil.example"}, 421),
        ({"host": "evil.example@127.0.0.1"}, 421),
        ({"host": "LOCALHOST:80"}, 200),
        ({"origin": "http://localhost:3000"}, 200),
        ({"origin": "null"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1, http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1/, http://evil.example"}, 403),
        ({"origin": "http://evil.example@127.0.0.1"}, 403),
        ({"origin": "file://localhost"}, 403),
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": f"Basic {TOKEN}"}, 401),
        ({"authorization": f"Bearer {TOKEN}x"}, 401),
        ({"authorization": "Bearer \xff"}, 401),
        ({"authorization": f"bearer  {TOKEN}"}, 200),
        ({"content_length": "11"}, 413),
        ({"content_length": "-1"}, 400),
        ({"content_length": "9" * 30}, 413),
    ],
)
def test_who_may_come_in(headers: dict[str, str], status: int) -> None:
    assert request(**headers)[0] == status  # type: ignore[arg-type]


@pytest.mark.parametrize("first", ["127.0.0.1:1", "evil.example"])
@pytest.mark.parametrize("second", ["127.0.0.1:1", "evil.example"])
def test_a_request_with_two_hosts_or_origins_is_refused(first: str, second: str) -> None:
    assert request(host=first, more=((b"Host", second.encode()),))[0] == 421
    origins = ((b"Origin", f"http://{second}".encode()),)
    assert request(origin=f"http://{first}", more=origins)[0] == 403


def test_only_named_paths_are_open_and_origin_is_checked_there_too() -> None:
    assert request("/healthz", authorization="")[0] == 200
    assert request("/healthz/", authorization="")[0] == 401
    assert request("/healthz", authorization="", origin="http://evil.example")[0] == 403


def test_a_body_longer_than_it_said_is_refused() -> None:
    assert request(pieces=(b"12345", b"67890")) == (200, b"10")
    status, body = request(pieces=(b"12345", b"67890", b"x"))
    assert status == 413
    assert json.loads(body)["code"] == "too_large"


class Upload:
    """A request whose body comes in pieces, as fast as a test sends them."""

    def __init__(self, guard: Guard) -> None:
        self._pieces: asyncio.Queue[Any] = asyncio.Queue()
        self._sent: list[Any] = []
        headers = [(b"host", b"127.0.0.1:1"), (b"authorization", f"Bearer {TOKEN}".encode())]
        scope = {"type": "http", "path": "/api", "method": "POST", "headers": headers}
        self._task = asyncio.create_task(guard(scope, self._pieces.get, self._send))

    async def _send(self, message: Any) -> None:
        self._sent.append(message)

    async def sends(self, size: int) -> None:
        """Another piece of the body arrives, and is read."""
        self._pieces.put_nowait({"type": "http.request", "body": bytes(size), "more_body": True})
        for _ in range(3):
            await asyncio.sleep(0)

    async def ends(self, message: str = "http.request") -> int:
        """The last piece arrives, or the client is gone; the status of the answer, 0 for none."""
        self._pieces.put_nowait({"type": message, "body": b""})
        await self._task
        return self._sent[0]["status"] if self._sent else 0


@pytest.mark.parametrize("end", ["http.request", "http.disconnect"])
def test_bodies_that_are_read_at_once_have_a_limit_together_and_room_again_once_one_is_over(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = 1 << 20  # The real one would take 128 MB here.
    monkeypatch.setattr(http_guard, "BODIES_LIMIT", limit)

    async def uploads() -> list[int]:
        guard = Guard(inner, TOKEN, body_limit=limit)
        statuses = []
        first, second = Upload(guard), Upload(guard)
        await first.sends(limit - 10)
        await second.sends(11)
        statuses.append(await second.ends())
        beside = Upload(guard)
        await beside.sends(10)
        statuses.append(await beside.ends())
        await first.ends(end)
        later = Upload(guard)
        await later.sends(limit)
        statuses.append(await later.ends())
        return statuses

    assert asyncio.run(uploads()) == [503, 200, 200]
