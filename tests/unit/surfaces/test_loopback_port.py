"""The loopback port: answers leave at once."""

from __future__ import annotations

import asyncio
import socket

from contextd.surfaces.port import loopback_listener


def test_a_connection_of_the_port_sends_each_piece_of_an_answer_at_once() -> None:
    async def accepted() -> int:
        seen: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            seen.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listener = loopback_listener(0)
        assert listener is not None
        async with await asyncio.start_server(answer, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            try:
                return await seen
            finally:
                writer.close()

    assert asyncio.run(accepted()) != 0


def test_no_other_machine_reaches_the_port() -> None:
    listener = loopback_listener(0)
    assert listener is not None
    with listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_a_port_in_use_is_notloopback_listener_twice() -> None:
    first = loopback_listener(0)
    assert first is not None
    with first:
        assert loopback_listener(first.getsockname()[1]) is None
