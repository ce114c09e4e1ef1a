"""Lines of a connection, one at a time and of bounded size."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from contextd.thin.long_lines import LINE_LIMIT, LineCutter, LongLine

CHUNK = 1 << 16
_MOST_DROPPED = 2 * LINE_LIMIT
"""Bytes read after the last answer: a preamble and the longest line behind it."""
LINE_SECONDS = 60.0
"""How long a line that has begun may take to end: whoever writes lines writes them whole."""


class LineReader:
    """Reads lines through `read`, which returns at most a few pieces of 64 KiB, and nothing at the end."""

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
        """The next line with its newline; `None` at the end, where half a line is left out. With `most`, a line
        of more bytes is answered with a `LongLine` before it has ended; it can then only be hung up.

        Raises `TimeoutError` when a line that has begun does not end in time.
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
        """End what is written, and read for up to `seconds` without keeping anything: a socket closed with
        unread input is reset, and a client that still writes would not see the last answer.
        """
        left = _MOST_DROPPED
        try:
            writer.write_eof()
            async with asyncio.timeout(seconds):
                while left > 0 and (data := await self._read()):
                    left -= len(data)
        except OSError:
            # The other side has gone, or goes on writing for too long.
            pass

    @property
    def has_ended(self) -> bool:
        """Whether the end was read and every line before it was taken."""
        return self._ended and not self._ready
