"""A request whose id is no id gets an error at every door, and what comes after it an answer."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from homes import Home
from test_mcp_stdio import HANDSHAKE, lines

ODD: list[Any] = [{"a": 1}, [1], 1.5, True, None]
INVALID = -32600


def asked(id: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/list"}


@pytest.mark.parametrize("flags", [(), pytest.param(("--standalone",), marks=pytest.mark.long)])
def test_a_request_with_an_odd_id_is_answered_on_stdio(
    shared_home: Home, flags: tuple[str, ...]
) -> None:
    result = shared_home.run(
        "mcp",
        *flags,
        stdin=lines(*HANDSHAKE, *map(asked, ODD), {"jsonrpc": "2.0", "id": 9, "method": "ping"}),
    )
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    errors = [one for one in answers if "error" in one]
    assert [one["error"]["code"] for one in errors] == [INVALID] * len(ODD)
    assert {one["id"] for one in errors} <= {None, 1.5}
    assert 9 in [one.get("id") for one in answers if "result" in one]


@pytest.mark.parametrize("id", ODD)
def test_a_request_with_an_odd_id_is_answered_over_http(shared_home: Home, id: Any) -> None:
    shared_home.start()
    port = shared_home.about()["port"]
    token = (shared_home.path / "token").read_text().strip()
    request = Request(
        f"http://127.0.0.1:{port}/mcp",
        json.dumps(asked(id)).encode(),
        {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        },
    )
    with pytest.raises(HTTPError) as refused:
        urlopen(request, timeout=30)
    assert refused.value.code == 400
    assert json.loads(refused.value.read())["error"]["code"] == INVALID
