"""Read the lines of a connection, one at a time and of bounded size."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from contextd.thin.long_lines import LINE_LIMIT, LineCutter, LongLine

CHUNK = 1 << 16
_MOST_DROPPED = 2 * LINE_LIMIT
"""Bytes read after the last answer: a preamble and the longest line after it."""
LINE_SECONDS = 60.0
"""How long an incomplete line may take to end: clients write lines whole."""


class LineReader:
    """Reads lines through `read`, which returns at most a few pieces of 64 KiB, and empty bytes at the end."""

    def __init__(
        self,
        read: Callable[[], Awaitable[bytes]],
        most: int = LINE_LIMIT,
        seconds: float | None = LINE_SECONDS,
    ) -> None:
        self._read, self._seconds = read, seconds
        self._lines = LineCutter(most)
        self._ready: deque[bytes | LongLine] = deque()
        self._ended = False

    @classmethod
    def of(cls, reader: asyncio.StreamReader) -> LineReader:
        """The lines of a stream."""
        return cls(lambda: reader.read(CHUNK))

    async def next(self, most: int | None = None) -> bytes | LongLine | None:
        """The next line with its newline; `None` at the end, where an incomplete line is dropped. With `most`, a
        line of more bytes returns a `LongLine` before it ends; the connection can then only be closed.

        Raises `TimeoutError` if an incomplete line does not end in time.
        """
        began: float | None = None
        while not self._ready and not self._ended:
            if not self._lines.is_partial or self._seconds is None:
                data = await self._read()
            else:
                began = began or asyncio.get_running_loop().time()
                async with asyncio.timeout_at(began + self._seconds):
                    data = await self._read()
            self._ended = not data
            self._ready.extend(self._lines.feed(data))
            if most is not None and not self._ready and self._lines.begun > most:
                return LongLine(self._lines.begun, None)
        line = self._ready.popleft() if self._ready else None
        if most is not None and isinstance(line, bytes) and len(line) > most:
            return LongLine(len(line), None)
        return line

    async def hang_up(self, writer: asyncio.StreamWriter, seconds: float) -> None:
        """Finish writing, then read and discard input for up to `seconds`: a socket closed with unread input is
        reset, and a client that is still writing would not see the last answer.
        """
        left = _MOST_DROPPED
        try:
            writer.write_eof()
            async with asyncio.timeout(seconds):
                while left > 0 and (data := await self._read()):
                    left -= len(data)
        except OSError:
            # The client has gone, or keeps writing for too long.
            pass

    @property
    def has_ended(self) -> bool:
        """Whether the end was read and all lines before it were returned."""
        return self._ended and not self._ready
