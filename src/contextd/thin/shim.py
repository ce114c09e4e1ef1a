"""`contextd mcp`: the process an agent starts. It connects the agent's stdio to the daemon and does no more.

Only MCP goes to stdout. It ends when the agent closes stdin, when its parent dies, or with code 1 if no
daemon can run. Before that, every request is answered with the reason, if the first one comes in time; an
agent that completed its handshake gets this error until a daemon runs again. After a restart of the daemon the shim reconnects in the
background and repeats the handshake, the subscriptions and the running requests. By the conversation's name
the daemon knows which calls already ran. While the daemon starts, the first requests of every agent are
answered from a cache. Standard library only.
"""

from __future__ import annotations

import _socket as socket
import os
import select
import sys
import time

from contextd.thin.channel import Meeting, connect, last_words, obstacle, working_directory
from contextd.thin.greetings import LISTEN, Greetings
from contextd.thin.home import home_problem, plain_home
from contextd.thin.long_lines import LineCutter, LongLine
from contextd.thin.messages import as_object, id_in, lines_in, message_of, refusal
from contextd.thin.plain_json import dumps
from contextd.thin.shim_options import USAGE, Options, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from contextd.thin.home import PlainPath

_CHUNK = 1 << 16
_STDOUT_CHUNK = 4096
"""Bytes that a ready pipe accepts without blocking (PIPE_BUF)."""
_BUFFER_LIMIT = 1 << 20
_TICK = 2.0
_ANSWER_TICK = 1.0
"""Seconds without a sign of a daemon that owes an answer, after which it is looked at."""
_CHANGED = {
    f"{what}/list": b'{"jsonrpc":"2.0","method":"notifications/%b/list_changed"}\n' % what.encode()
    for what in ("tools", "prompts", "resources")
}
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
_DRAIN_SECONDS = 10.0
_LOSS_SECONDS = 10.0
_MOST_LOSSES = 3
_FIRST_REQUEST_SECONDS = 20.0
"""Seconds to wait for the first request: clients give a server 10 to 30 to start, and may start several in turn."""
_QUIET_SECONDS = 2.0
"""Seconds without a request after which a refused agent that never sent `initialize` is left."""
_RETRY_SECONDS = 2.0
"""Seconds after a failure before a request tries the daemon again: starting one costs half a second of CPU."""
_INTERRUPTED = 130
"""The exit code a shell reports for a program that Ctrl-C ended."""


class _Gone(Exception):
    """The daemon is gone; the message is the reason."""


def main(argv: Sequence[str], serve_here: Callable[[Options], int]) -> int:
    """Serve one agent on stdin and stdout until it leaves, with `serve_here` if no daemon takes part. Returns the exit
    code.
    """
    options = parse(argv)
    if options is None:
        sys.stderr.write(USAGE + "\n")
        return 2
    # select cannot wait for pipes on Windows, so the agent is served in this process there.
    if options.standalone or sys.platform == "win32":
        return serve_here(options)
    try:
        return _Bridge(plain_home(), options).run()
    except (OSError, _Gone) as error:
        sys.stderr.write(f"contextd mcp: {error}\n")
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED


class _Bridge:
    """Connects stdin and stdout with the daemon."""

    def __init__(self, home: PlainPath, options: Options) -> None:
        self._home = home
        self._options = options
        self._parent = os.getppid()
        self._from_agent, self._from_daemon = LineCutter(), bytearray()
        self._to_agent, self._to_daemon = bytearray(), bytearray()
        self._agent_open = True
        self._initialize = self._initialized = b""
        self._pending: dict[str | int, tuple[str, bytes]] = {}
        self._subscriptions: dict[str, tuple[str | int, bytes]] = {}
        self._unasked: set[str | int] = set()
        hooked = "hooked" if options.hooked else ""
        place = options.cwd or working_directory()
        self._greetings = Greetings(home, options.profile, place, options.client, hooked)
        self._greeted: dict[str | int, str] = {}
        self._acknowledged: set[str | int] = set()
        self._heard = False
        self._losses: list[float] = []
        self._conversation = os.urandom(12).hex()
        self._daemon: socket.socket | None = None
        self._meeting: Meeting | None = Meeting(self._meet)
        self._refused_at = 0.0
        self._is_greeted = False
        self._why = self._advice = ""

    def run(self) -> int:
        """Forward lines both ways until one side closes."""
        leave_at: float | None = None
        while leave_at is None or time.monotonic() < leave_at:
            ready, free = self._wait()
            if not ready and not free and os.getppid() != self._parent:
                break
            if 0 in ready:
                self._read_agent()
            if 1 in free and not self._write_agent():
                break
            if not self._serve(ready, free):
                break
            if self._daemon is None:
                continue
            if leave_at is None and not self._agent_open and not self._to_daemon:
                leave_at = time.monotonic() + _DRAIN_SECONDS
                self._daemon.shutdown(socket.SHUT_WR)
            elif leave_at is not None and self._daemon in ready:
                # More answers will come: thousands of requests may be running on a busy machine.
                leave_at = time.monotonic() + _DRAIN_SECONDS
        while self._to_agent and self._write_agent():
            pass
        if self._daemon is not None:
            self._daemon.close()
        return 0

    def _serve(self, ready: Sequence[Any], free: Sequence[Any]) -> bool:
        """Connect to the daemon, or forward what is ready; false if nothing is left to do. Raises the reason why
        no daemon can run, for an agent without a completed handshake.
        """
        try:
            if self._daemon is not None:
                is_quiet = not ready and not free and self._is_awaited
                if is_quiet and (why := obstacle(self._home)):
                    raise why
                return self._carry(self._daemon, ready, free)
            self._end_meeting(ready)
        except (OSError, _Gone) as error:
            self._refuse(error)
        return self._agent_open or self._daemon is not None or self._meeting is not None

    @property
    def _is_awaited(self) -> bool:
        """Whether a request other than a subscription, which lasts, has no answer yet."""
        return any(method != LISTEN for method, _ in self._pending.values())

    def _end_meeting(self, ready: Sequence[Any]) -> None:
        """Use the new connection to the daemon. Raises the error of connecting."""
        if self._meeting is None or self._meeting.bell not in ready:
            return
        meeting, self._meeting = self._meeting, None
        self._daemon = meeting.end()
        if self._why:
            self._why = ""
            self._greet_daemon()

    def _refuse(self, why: Exception) -> None:
        """Answer all running requests with the reason why there is no daemon. Raises it if the handshake was
        refused: that agent sends no more requests.
        """
        if self._daemon is not None:
            self._daemon.close()
        self._daemon = self._meeting = None
        self._why, self._advice = home_problem(self._home, why)
        self._advice = self._advice or str(getattr(why, "hint", ""))
        self._why, self._refused_at = self._why or self._reason(why), time.monotonic()
        self._refuse_pending()
        if not self._initialize:
            self._await_handshake()
        if self._is_greeted or self._meeting is not None:
            return
        while self._to_agent and self._write_agent():
            pass
        raise _Gone(self._why) from why

    def _await_handshake(self) -> None:
        """Refuse what an agent asks before its handshake, until that comes."""
        is_asked = is_said = False
        until = self._refused_at + _FIRST_REQUEST_SECONDS
        while not self._initialize and self._agent_open and self._meeting is None:
            is_asked = is_asked or bool(self._to_agent)
            while self._to_agent and self._write_agent():
                pass
            if select.select([0], [], [], _QUIET_SECONDS)[0]:
                self._read_agent()
            elif is_asked or os.getppid() != self._parent or time.monotonic() > until:
                return
            elif not is_said:
                # For a person who runs it in a terminal.
                sys.stderr.write(f"contextd mcp: {self._why}\n")
                is_said = True

    def _reason(self, error: Any) -> str:
        if not getattr(error, "errno", None) or getattr(error, "filename", None):
            return str(error)
        # A system call's error names no file, and the home is the one that all of them concern.
        return f"the home {os.fspath(self._home)} cannot be used: {os.strerror(error.errno)}"

    def _refuse_pending(self) -> None:
        for key, (method, _) in self._pending.items():
            self._to_agent += refusal(key, self._why, self._advice)
            if method == "initialize":
                self._is_greeted = False
        self._pending.clear()
        self._to_daemon.clear()

    def _carry(self, daemon: socket.socket, ready: Sequence[Any], free: Sequence[Any]) -> bool:
        """Write to and read from the daemon; false if it has closed and sent everything."""
        try:
            if daemon in free:
                self._write_daemon(daemon)
            return daemon not in ready or self._read_daemon(daemon)
        except OSError as error:
            if not self._agent_open:
                return False
            self._meet_again(error)
            return True

    def _wait(self) -> tuple[list[Any], list[Any]]:
        """The readable and the writable streams; both empty after a quiet tick."""
        reading: list[Any] = []
        if self._daemon is None:
            if self._meeting is not None:
                reading.append(self._meeting.bell)
        elif len(self._to_agent) < _BUFFER_LIMIT:
            reading.append(self._daemon)
        if self._agent_open and len(self._to_daemon) < _BUFFER_LIMIT:
            reading.append(0)
        writing: list[Any] = [self._daemon] if self._to_daemon and self._daemon else []
        if self._to_agent:
            writing.append(1)
        ready, free, _ = select.select(
            reading, writing, [], _ANSWER_TICK if self._is_awaited else _TICK
        )
        return ready, free

    def _meet(self) -> socket.socket:
        options = self._options
        channel = connect(
            self._home,
            "mcp",
            cwd=options.cwd,
            client=options.client,
            profile=options.profile,
            hooked=options.hooked,
            conversation=self._conversation,
            repeats=list(self._pending),
        )
        channel.socket.setblocking(False)
        return channel.socket

    def _meet_again(self, why: OSError) -> None:
        if self._daemon is not None:
            self._daemon.close()
        now = time.monotonic()
        self._losses = [at for at in self._losses if now - at < _LOSS_SECONDS] + [now]
        if len(self._losses) > _MOST_LOSSES:
            raise _Gone(f"the daemon cannot run: {last_words(self._home)}") from why
        # The socket of a stopping daemon may still accept a connection and never answer.
        time.sleep(0.05 * len(self._losses))
        self._from_daemon.clear()
        self._to_daemon.clear()
        self._daemon = self._meet()
        self._greet_daemon()

    def _greet_daemon(self) -> None:
        """Repeat the handshake, the subscriptions and the running requests."""
        self._to_daemon.clear()
        self._to_daemon += self._initialize + self._initialized
        key = id_in(message_of(self._initialize), "id")
        self._unasked = {key} if key is not None else set()
        for key, line in self._subscriptions.values():
            if key not in self._pending:
                self._to_daemon += line
                self._unasked.add(key)
        self._unasked -= set(self._pending)
        self._greeted = {key: name for key, name in self._greeted.items() if key in self._pending}
        for method, line in self._pending.values():
            if method != "initialize":
                self._to_daemon += line

    def _read_agent(self) -> None:
        data = os.read(0, _CHUNK)
        if not data:
            self._agent_open = False
            data = b"\n" if self._from_agent.is_partial else b""
        for line in self._from_agent.feed(data):
            if isinstance(line, LongLine):
                self._to_agent += line.refusal()
                continue
            if line.isspace():
                continue
            self._note_request(line)
            self._to_daemon += line
        if self._why and self._meeting is None and self._pending:
            if time.monotonic() - self._refused_at < _RETRY_SECONDS:
                self._refuse_pending()
            else:
                self._meeting = Meeting(self._meet)

    def _write_agent(self) -> bool:
        try:
            written = os.write(1, self._to_agent[:_STDOUT_CHUNK])
        except BrokenPipeError:
            return False
        del self._to_agent[:written]
        return True

    def _write_daemon(self, daemon: socket.socket) -> None:
        try:
            del self._to_daemon[: daemon.send(self._to_daemon[: _CHUNK * 4])]
        except BlockingIOError:
            return

    def _read_daemon(self, daemon: socket.socket) -> bool:
        try:
            data = daemon.recv(_CHUNK)
        except BlockingIOError:
            return True
        if not data:
            if not self._agent_open:
                return False
            raise ConnectionResetError("the daemon closed the connection")
        self._heard = True
        for line in lines_in(self._from_daemon, data):
            if self._note_answer(line):
                self._to_agent += line
        return True

    def _note_request(self, line: bytes) -> None:
        message = message_of(line)
        method, key = message.get("method"), id_in(message, "id")
        if method == "initialize" and key is not None:
            self._initialize, self._is_greeted = line, True
        elif method == "notifications/initialized":
            self._initialized = line
        elif method == "notifications/cancelled":
            cancelled = id_in(message.get("params"), "requestId")
            if cancelled is not None:
                self._pending.pop(cancelled, None)
        if isinstance(method, str) and key is not None:
            self._pending[key] = (method, line)
            self._note_subscription(method, key, line)
            self._greet(message, key)

    def _greet(self, message: Mapping[str, Any], key: str | int) -> None:
        """Answer from the cache while the daemon has not answered yet; its own answer is cached later."""
        name = self._greetings.key(message)
        if not name:
            return
        self._greeted[key] = name
        stored_answer = self._greetings.answer(name)
        if stored_answer is None or self._heard:
            return
        answer: dict[str, Any] = {"jsonrpc": "2.0"}
        if message.get("method") == LISTEN:
            answer |= {
                "method": _ACKNOWLEDGED,
                "params": {"_meta": {_SUBSCRIPTION: key}, **stored_answer},
            }
            self._acknowledged.add(key)
        else:
            answer |= {"id": key, "result": stored_answer}
            self._pending.pop(key, None)
            self._unasked.add(key)
        self._to_agent += dumps(answer).encode() + b"\n"

    def _note_greeting(self, message: Mapping[str, Any], key: str | int) -> None:
        name = self._greeted.pop(key, "")
        changed = bool(name) and self._greetings.keep(name, message.get("result"))
        if changed and key in self._unasked:
            self._to_agent += _CHANGED.get(name.partition(" ")[0], b"")

    def _note_acknowledgement(self, parameters: Any) -> bool:
        """Cache the available subscriptions; false if the agent was answered already."""
        about = as_object(parameters)
        key = id_in(as_object(about.get("_meta")), _SUBSCRIPTION)
        if key is None:
            return True
        acknowledgement = {name: value for name, value in about.items() if name != "_meta"}
        self._greetings.keep(self._greeted.pop(key, ""), acknowledgement)
        is_repeat = key in self._acknowledged
        self._acknowledged.discard(key)
        return not is_repeat

    def _note_subscription(self, method: str, key: str | int, line: bytes) -> None:
        uri = as_object(message_of(line).get("params")).get("uri")
        if not isinstance(uri, str):
            return
        if method == "resources/subscribe":
            self._subscriptions[uri] = (key, line)
        elif method == "resources/unsubscribe":
            self._subscriptions.pop(uri, None)

    def _note_answer(self, line: bytes) -> bool:
        """Note that a request was answered; false if the agent must not see the line."""
        message = message_of(line)
        if "jsonrpc" not in message and isinstance(message.get("error"), dict):
            error = message["error"]
            raise _Gone(f"{error.get('message')}. {error.get('hint', '')}")
        if message.get("method") == _ACKNOWLEDGED:
            return self._note_acknowledgement(message.get("params"))
        key = id_in(message, "id")
        if "method" in message or key is None:
            return True
        self._note_greeting(message, key)
        if key in self._unasked and key not in self._pending:
            self._unasked.discard(key)
            return False
        self._pending.pop(key, None)
        return True
