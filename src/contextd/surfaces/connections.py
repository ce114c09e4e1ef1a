"""The daemon's socket: its connections, and the messages of each role.

The wire is described in `contextd.thin.channel`. One broken connection never harms another.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from contextd.domain.records import new_id
from contextd.redaction.redact import redact_json
from contextd.runtime.operation import PROFILES, Profile
from contextd.surfaces.agent_options import options_for
from contextd.surfaces.agents import serve_agent
from contextd.surfaces.calls import Call, Calls, Peer
from contextd.surfaces.command_lines import CommandLines, RunLine
from contextd.surfaces.line_reader import LineReader
from contextd.surfaces.open_connections import OpenConnections, most_connections
from contextd.surfaces.spool_reader import SpoolReader
from contextd.surfaces.web.access import Access
from contextd.thin import spool
from contextd.thin.channel import PROTOCOL
from contextd.thin.long_lines import LINE_LIMIT, LongLine
from contextd.thin.plain_json import text_in
from contextd_common.errors import Busy, ContextdError, Invalid, NotFound, Stale, TooLarge

logger = logging.getLogger(__name__)

MOST_CONNECTIONS = 512
"""Agents of many windows, their hooks and commands; each costs a descriptor and a few kilobytes."""

_PREAMBLE_LIMIT = 1 << 20
"""Bytes of the first line of a connection, which may name thousands of requests to repeat."""
_PREAMBLE_SECONDS = 10.0
_WRITE_SECONDS = 60.0
"""How long a client may leave an answer unread."""

_LAST_ANSWER_SECONDS = 2.0
"""How long a connection may take to send its last answers: they are ready, and wait only for the event loop."""

_SPOOL_FIRST_SECONDS = 0.3
"""How long a hook waits for earlier spooled events; its client gives it a second."""

_FULL = Busy("the daemon has as many connections as it can serve", "close some, or try again")

Line = dict[str, Any]


class Connections:
    """All clients connected to the socket. `facts` is the daemon's published endpoint data."""

    def __init__(
        self,
        calls: Calls,
        profile: str,
        token: str,
        facts: Mapping[str, Any],
        stop: Callable[[], None],
        home: Path,
        access: Access,
        run_line: RunLine | None = None,
    ) -> None:
        self._calls, self._profile, self._token = calls, profile, token
        self._access = access
        self._facts, self._stop, self._home = facts, stop, home
        self._lines = CommandLines(calls, run_line)
        self._redaction_key = secrets.token_bytes(32)
        self._interrupted = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._streams: dict[asyncio.StreamReader, asyncio.StreamWriter] = {}
        self._open = OpenConnections(most_connections(MOST_CONNECTIONS))
        self._spool = SpoolReader(home, self._record)
        self.clients = 0
        self.left_at = time.monotonic()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection to its end."""
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._streams[reader] = writer
        try:
            if not self._open.opened(writer, writer.transport.abort):
                await _write(writer, {"error": _FULL.as_dict()})
                return
            await self._serve(reader, writer)
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError):
            pass
        except asyncio.CancelledError:
            # Our own cancellation: the daemon stops. If raised further, asyncio's server would log it.
            pass
        except Exception:
            logger.exception("a connection failed")
        finally:
            self._open.closed(writer)
            del self._streams[reader]
            writer.close()

    async def close(self) -> None:
        """Close every connection. Nothing more is read; calls that ran are still answered."""
        # Conversations continue with the next daemon: their sessions have not ended.
        self._interrupted = True
        for reader, writer in self._streams.items():
            # Data after the end would be an error of the stream.
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            reader.feed_eof()
        tasks = list(self._tasks)
        if tasks:
            await asyncio.wait(tasks, timeout=_LAST_ANSWER_SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._spool.close()

    async def ingest_spool(self) -> int:
        """Record the events that hooks left in the spool; return how many."""
        return await self._spool.read()

    async def _record(self, entry: Line) -> None:
        """Record one event of the spool."""
        payload = entry.get("payload")
        if isinstance(payload, Mapping):
            payload = {**payload, spool.LEFT_AT: entry.get("at")}
        await self._hook(entry, {**entry, "payload": payload})

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = LineReader.of(reader)
        try:
            async with asyncio.timeout(_PREAMBLE_SECONDS):
                about = await _read(lines, _PREAMBLE_LIMIT)
            if about is None:
                return
            role = self._check(about)
        except ContextdError as error:
            await _write(writer, {"error": error.as_dict()})
            await lines.hang_up(writer, _LAST_ANSWER_SECONDS)
            return
        if role == "mcp":
            self._open.serves(writer)
            await self._serve_mcp(about, lines, writer)
        else:
            await self._serve_lines(role, about, lines, writer, reader.at_eof)

    def _check(self, about: Line) -> str:
        if about.get("v") != PROTOCOL:
            raise Invalid(
                f"this daemon speaks version {PROTOCOL} of the socket's protocol, not {about.get('v')!r}",
                "install one version of contextd and run `contextd daemon stop`",
            )
        role = about.get("role")
        if role not in ("mcp", "call", "command", "hook", "control"):
            raise Invalid(f"unknown role {role!r}", "roles: mcp, call, command, hook, control")
        profile = about.get("profile") or self._profile
        if profile not in PROFILES:
            raise Invalid(f"unknown profile {profile!r}", "profiles: " + ", ".join(PROFILES))
        if sys.platform == "win32" and not secrets.compare_digest(
            str(about.get("token")), self._token
        ):
            raise Invalid("wrong token", "the token is in the home's file `token`")
        return str(role)

    async def _serve_mcp(
        self, about: Line, lines: LineReader, writer: asyncio.StreamWriter
    ) -> None:
        repeats = about.get("repeats")
        peer = Peer(
            "mcp",
            cwd=text_in(about, "cwd"),
            client=text_in(about, "client"),
            connection=text_in(about, "conversation") or new_id(),
            # A hook names its ancestors: the client's process tells which session is this one's.
            process=_number(about, "ppid"),
            repeats=frozenset(
                id
                for id in (repeats if isinstance(repeats, list) else ())
                if isinstance(id, str | int)
            ),
        )
        profile: Profile = about.get("profile") or self._profile  # type: ignore[assignment]
        options = options_for(profile, peer.client, hooked=about.get("hooked") is True)
        self.clients += 1
        try:
            await serve_agent(self._calls, options, peer, lines, writer)
        finally:
            self.clients -= 1
            self.left_at = time.monotonic()
            if not self._interrupted:
                await self._calls.call_if_known(peer, "connection_closed", {})

    async def _serve_lines(
        self,
        role: str,
        about: Line,
        lines: LineReader,
        writer: asyncio.StreamWriter,
        is_gone: Callable[[], bool],
    ) -> None:
        answer: dict[str, Callable[[Line, Line], Awaitable[Line]]] = {
            "call": self._call, "command": self._lines.answer, "hook": self._hook,
            "control": self._control,
        }  # fmt: skip
        self.clients += role != "control"
        try:
            if role in ("call", "command"):
                await _write(writer, {"welcome": self._facts.get("version", "")})
            while (line := await self._next(lines, writer)) is not None:
                self._open.serves(writer)
                if role == "hook":
                    await self._ready_for_hook(text_in(about, "cwd"), is_gone)
                try:
                    reply = await answer[role](about, line)
                except ContextdError as error:
                    reply = {"error": error.as_dict()}
                if "id" in line:
                    reply["id"] = line["id"]
                await _write(writer, reply)
                self._open.waits(writer)
                if role == "hook":
                    self._calls.warm()
                if reply.get("stopping"):
                    self._stop()
        finally:
            self.clients -= role != "control"
            self.left_at = time.monotonic()

    async def _next(self, lines: LineReader, writer: asyncio.StreamWriter) -> Line | None:
        while True:
            try:
                return await _read(lines)
            except (Invalid, TooLarge) as error:
                await _write(writer, {"error": error.as_dict(), **error.details})

    async def _ready_for_hook(self, cwd: str, is_gone: Callable[[], bool]) -> None:
        """Wait for the backend; a hook that gave up meanwhile has spooled its event, and a hook whose connection
        is closed because there is no backend will.
        """
        try:
            await self._calls.backend()
        except ContextdError as error:
            raise ConnectionAbortedError(error.message) from error
        await self._take_in_first(cwd)
        await asyncio.sleep(0)
        if is_gone():
            raise ConnectionAbortedError

    async def _take_in_first(self, cwd: str) -> None:
        """Wait briefly until the spool is recorded, even if another call records it: a prompt whose session
        starts there would get the briefing of that session twice. What was set aside for the project of `cwd` is
        tried as well: perhaps its cause is gone.
        """
        waits: list[Coroutine[Any, Any, object]] = [self._spool.retry(cwd)]
        if self._spool.is_busy:
            waits.append(self._spool.read())
        tasks = {asyncio.create_task(self._quietly(one)) for one in waits}
        for task in tasks:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        await asyncio.wait(tasks, timeout=_SPOOL_FIRST_SECONDS)

    async def _quietly(self, reading: Awaitable[object]) -> None:
        try:
            await reading
        except OSError as error:
            # The service that reads the spool logs this and retries.
            logger.debug("the spool waits: %s", error)

    async def _call(self, about: Line, line: Line) -> Line:
        arguments = line.get("arguments") or {}
        if not isinstance(arguments, dict) or not isinstance(line.get("operation"), str):
            raise Invalid(
                "a call needs an operation and arguments",
                'for example {"id":1,"operation":"tools_list","arguments":{}}',
            )
        peer = Peer("cli", cwd=text_in(about, "cwd"), client=text_in(about, "client"))
        key = text_in(line, "key")
        call = Call(key, 1, repeated=line.get("again") is True) if key else None
        answer = await self._calls.call(peer, line["operation"], arguments, call)
        return {"value": answer.value, "text": answer.text}

    async def _hook(self, about: Line, line: Line) -> Line:
        client = text_in(line, "client") or text_in(about, "client")
        arguments = {
            "client": client,
            "event": text_in(line, "event"),
            "payload": line.get("payload") or {},
            "marks": line.get("marks") or [],
            "ancestors": about.get("ancestors") or [],
        }
        peer = Peer("hook", cwd=text_in(about, "cwd"), client=client)
        try:
            answer = await self._calls.call(peer, "hook_event", arguments)
        except Stale as error:
            # Other calls kept changing the session: the event itself is fine.
            raise Busy(error.message, error.hint) from error
        except NotFound as error:
            if spool.UNKNOWN not in error.details:
                raise
            # Another version may know this event.
            logger.info("kept for another version: %s", error.message)
            origin = {name: about.get(name) for name in ("at", "cwd", "ancestors")}
            # The file may exist for weeks, and its content was never redacted by a store.
            clean = redact_json({**origin, **line}, self._redaction_key)
            spool.keep_unknown(self._home, clean)
            return {"output": {}}
        value = answer.value if isinstance(answer.value, Mapping) else {}
        return {"output": value.get("output") or {}}

    async def _control(self, about: Line, line: Line) -> Line:
        do = line.get("do")
        if do == "status":
            known: Line = {"home": str(self._home)}
            if self._calls.failure is not None:
                known["failure"] = self._calls.failure.as_dict()
            health = await self._calls.health() if self._calls.is_open else known
            waits = self._spool.report()
            state = {"clients": self.clients, "open": self._calls.is_open, "set_aside": waits}
            return {**health, **self._facts, **state}
        if do in ("stop", "handover"):
            logger.info("%s asked by version %s", do, about.get("version"))
            return {"stopping": True}
        if do == "wake":
            await self._calls.wake()
            return {"woken": True}
        if do == "signin":
            return {"code": self._access.new_code(text_in(about, "cwd")), **self._facts}
        raise Invalid(f"cannot {do!r}", "control can do: status, signin, wake, stop, handover")


async def _read(lines: LineReader, most: int | None = None) -> Line | None:
    """The next line, or `None` at the end. Raises `Invalid` and `TooLarge`."""
    data = await lines.next(most)
    if data is None:
        return None
    if isinstance(data, LongLine):
        about = {} if data.id is None else {"id": data.id}
        raise TooLarge(f"a line may have {most or LINE_LIMIT} bytes", "send less at once", about)
    try:
        line = json.loads(data)
    except (ValueError, RecursionError):
        raise Invalid("the line is not JSON", "send one JSON object per line") from None
    if not isinstance(line, dict):
        raise Invalid("the line is not a JSON object", "send one JSON object per line")
    return line


async def _write(writer: asyncio.StreamWriter, line: Mapping[str, Any]) -> None:
    text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
    # A lone surrogate, which JSON allows and UTF-8 does not, is written as a JSON escape.
    writer.write(text.encode("utf-8", "backslashreplace") + b"\n")
    try:
        async with asyncio.timeout(_WRITE_SECONDS):
            await writer.drain()
    except TimeoutError:
        writer.transport.abort()
        raise


def _number(line: Line, name: str) -> int:
    value = line.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
