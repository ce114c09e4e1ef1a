"""Hints between replicas, by LISTEN and NOTIFY on one connection of a process for all its organisations."""

from __future__ import annotations

import json
import logging
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psycopg

from contextd.domain.scope import Scope
from contextd.ports.work import Heard, SignalKind
from contextd.stores import codec
from contextd.stores.postgres_pool import WatchedConnection, connection_options

GATHER_SECONDS = 0.1
"""NOTIFY takes a global lock, which halves the commits of eight writers: one per process and tenth of a second."""

_CHECK_SECONDS = 2.0
_SILENCE_SECONDS = 2.5
"""A connection is used every two seconds, so that one whose network swallows packets is replaced within five."""

_CONNECT_SECONDS, _RECONNECT_SECONDS = 3, 1.0
_CHANNEL = "contextd"
_LARGEST = 7_000
"""Bytes of a payload; PostgreSQL refuses 8,000. Of an organisation with more it says only that something changed."""

_log = logging.getLogger(__name__)


class SignalExchange:
    """Sends and receives the signals of all organisations that a process has open. Behind a pooler in transaction mode
    nothing arrives, and replicas only poll.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: WatchedConnection | None = None
        self._waiting: set[tuple[int, SignalKind, str]] = set()
        self._heard: dict[int, Heard] = {}
        self._lock = threading.Lock()
        self._bell, self._ear = socket.socketpair()
        for end in (self._bell, self._ear):
            end.setblocking(False)
        self.lost = "not connected yet"

    def send(self, org: int, kind: SignalKind, scope: Scope | None) -> None:
        """Gather a signal. Never waits and never fails."""
        with self._lock:
            self._waiting.add((org, kind, str(scope or "")))
        self.hurry()

    def listen(self, org: int, heard: Heard) -> None:
        """Call `heard` with each signal of other processes to an organisation."""
        with self._lock:
            self._heard[org] = heard

    def forget(self, org: int, heard: Heard) -> None:
        """Call it no more. The organisation may have been opened again meanwhile, with a listener of its own."""
        with self._lock:
            if self._heard.get(org) is heard:
                del self._heard[org]

    def hurry(self) -> None:
        """End the wait of `step`."""
        # A full buffer has rung already; a closed one has nobody to wake.
        with suppress(OSError):
            self._bell.send(b"!")

    def step(self) -> float:
        """See `SharedDatabase.exchange_signals`."""
        try:
            if self._connection is None:
                self._connect()
            self._exchange()
        except psycopg.Error as problem:
            self.lost = str(problem).partition("\n")[0]
            _log.info("no signals: %s", self.lost)
            self._disconnect()
            return _RECONNECT_SECONDS
        return 0.0

    def _connect(self) -> None:
        options = {**connection_options(), "connect_timeout": _CONNECT_SECONDS}
        connection = WatchedConnection.connect(self._url, autocommit=True, **options)
        self._connection = connection
        connection.silence = _SILENCE_SECONDS
        own = connection.info.backend_pid
        connection.add_notify_handler(
            lambda note: self._deliver(note.payload) if note.pid != own else None
        )
        connection.execute(f"LISTEN {_CHANNEL}".encode())
        self.lost = ""
        # What was sent while nobody listened here.
        with self._lock:
            everyone = list(self._heard.values())
        for heard in everyone:
            heard("woken", None)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _exchange(self) -> None:
        connection = self._connection
        assert connection is not None
        select.select([connection.fileno(), self._ear.fileno()], [], [], _CHECK_SECONDS)
        if self._was_rung():
            time.sleep(GATHER_SECONDS)
        payloads = list(self._gathered())
        for payload in payloads:
            connection.execute("SELECT pg_notify(%s, %s)", (_CHANNEL, payload))
        if not payloads:
            # Reads the notifications that have arrived, and finds out whether the server still answers.
            connection.execute("SELECT 1")

    def _was_rung(self) -> bool:
        rung = False
        with suppress(OSError):
            while self._ear.recv(4_096):
                rung = True
        return rung

    def _gathered(self) -> Iterator[str]:
        """The payloads of the signals gathered since the last step, one for each organisation."""
        with self._lock:
            waiting, self._waiting = self._waiting, set()
        for org in sorted({org for org, _, _ in waiting}):
            mine = [(kind, scope) for one, kind, scope in waiting if one == org]
            changed = sorted(scope for kind, scope in mine if kind == "changed")
            payload_of_org: dict[str, Any] = {
                "org": org,
                "woken": any(kind == "woken" for kind, _ in mine),
            }
            payload = json.dumps({**payload_of_org, "changed": changed})
            if len(payload.encode()) > _LARGEST:
                payload = json.dumps({**payload_of_org, "changed": [""]})
            yield payload

    def _deliver(self, payload: str) -> None:
        """Pass the signals of a payload on. Another program may send anything on the channel."""
        try:
            content = json.loads(payload)
            org, changed, woken = content["org"], content["changed"], content["woken"]
            scopes = [codec.parse_scope(text) if text else None for text in changed]
            heard = self._heard.get(org)
        except (ValueError, TypeError, KeyError, RecursionError):
            return
        if heard is None:
            return
        for scope in scopes:
            heard("changed", scope)
        if woken:
            heard("woken", None)

    def close(self) -> None:
        """Close the connection."""
        self._disconnect()
        self._bell.close()
        self._ear.close()


class PostgresSignals:
    """`ReplicaSignals` of one organisation."""

    def __init__(self, exchange: SignalExchange, org: int) -> None:
        self._exchange, self._org = exchange, org
        self._listener: Heard | None = None

    def send(self, kind: SignalKind, scope: Scope | None = None) -> None:
        """See `ReplicaSignals.send`."""
        self._exchange.send(self._org, kind, scope)

    def listen(self, heard: Heard) -> None:
        """See `ReplicaSignals.listen`."""
        self._listener = heard
        self._exchange.listen(self._org, heard)

    def close(self) -> None:
        """Listen no more."""
        if self._listener is not None:
            self._exchange.forget(self._org, self._listener)
