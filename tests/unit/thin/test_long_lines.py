"""Lines of any size: what is too long is dropped, and what it asked for is still answered."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from contextd.thin.long_lines import LINE_LIMIT, LineCutter, LongLine, request_id

PIECE = 1 << 16


def fed(data: bytes, most: int = LINE_LIMIT, piece: int = PIECE) -> list[bytes | LongLine]:
    lines = LineCutter(most)
    return [line for at in range(0, len(data), piece) for line in lines.feed(data[at : at + piece])]


def test_short_lines_come_whole_however_they_are_cut() -> None:
    data = b"one\n\nthree\nrest"
    for piece in range(1, len(data) + 1):
        assert fed(data, piece=piece) == [b"one\n", b"\n", b"three\n"]


def long_line(message: dict[str, Any]) -> LongLine:
    line, after = fed(json.dumps(message).encode() + b'\n{"id":9}\n', 1_000_000)
    assert isinstance(line, LongLine)
    assert after == b'{"id":9}\n'
    return line


BIG = "x" * 2_000_000


@pytest.mark.parametrize("id", [5, -1, 0, "a-7", 'quo"te', "ключ"])
@pytest.mark.parametrize("first", [True, False])
def test_the_id_of_a_long_request_is_found_before_and_behind_its_content(
    id: str | int, first: bool
) -> None:
    params = {
        "arguments": {"id": "another", "content": BIG, "more": [{"id": 3}], "last": {"id": 4}}
    }
    message = {"id": id, "params": params} if first else {"params": params, "id": id}
    found = long_line({"jsonrpc": "2.0", **message, "method": "tools/call"}).id
    assert found == id or (first and id == 'quo"te' and found is None)


def test_an_id_deeper_inside_or_in_a_text_is_not_taken_for_that_of_the_request() -> None:
    said = '"id": 5}'
    for params in ({"id": 1, "x": BIG}, {"x": BIG, "id": 1}, {"x": BIG + said}, {"x": said + BIG}):
        assert long_line({"method": "notifications/x", "params": params}).id is None
    assert request_id(b'{"a":{"id":1},', b',"b":{"id":2}}\n') is None
    assert request_id(b'{"id":true,"a', b'"id":1.5}\n') is None


def test_a_long_line_is_answered_with_a_typed_error() -> None:
    line = long_line({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"x": BIG}})
    answer = json.loads(line.refusal())
    assert answer["id"] == 7
    assert answer["error"]["data"]["code"] == "too_large"
    assert str(line.size) in answer["error"]["message"]
    assert line.size > len(BIG)


def test_a_line_of_the_limit_comes_and_one_byte_more_does_not() -> None:
    whole, long = b"x" * 99 + b"\n", b"x" * 100 + b"\n"
    assert fed(whole, 100) == [whole]
    [refused] = fed(long, 100)
    assert isinstance(refused, LongLine)


def test_a_line_without_an_end_takes_no_more_memory_than_a_line_may() -> None:
    lines, piece = LineCutter(1_000_000), b"x" * PIECE
    tracemalloc.start()
    try:
        for _ in range(2_000):
            assert lines.feed(piece) == []
        assert lines.is_partial
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
