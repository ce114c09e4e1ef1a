"""Signals of a store that one daemon opens: there is no other process to tell."""

from __future__ import annotations

from contextd.domain.scope import Scope
from contextd.ports.work import Heard, SignalKind


class SilentSignals:
    """`ReplicaSignals` that reach no other process: replicas over a SQLite file only poll."""

    def send(self, kind: SignalKind, scope: Scope | None = None) -> None:
        """See `ReplicaSignals.send`."""

    def listen(self, heard: Heard) -> None:
        """See `ReplicaSignals.listen`."""
