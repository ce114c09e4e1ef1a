"""Ignore duplicate hooks: a client runs those of its settings and those of a plugin."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from datetime import datetime, timedelta

from contextd.clients.hook_event import Moment, Occurrence
from contextd.domain.scope import Scope
from contextd.runtime.caches import Cache
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

_AT_ONCE = timedelta(seconds=10)
"""All hooks of an event start together, and the slowest answers within the client's timeout of 5 s."""

_SESSIONS = 4_096

_TURNING: frozenset[Moment] = frozenset({"stopped", "compacting", "compacted", "ended"})
"""Moments at which a turn or a window ends."""


@dataclass(slots=True)
class _Heard:
    """The last occurrence of each moment in a session's turn, and when it arrived."""

    latest: dict[Moment, tuple[Occurrence, datetime]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


def is_echo(runtime: Runtime, occurrence: Occurrence, at: datetime) -> bool:
    """Whether an event repeats one of the same turn within seconds. Of two hooks for one event the later
    is the duplicate. Two modules in one client run one after the other: the first reports the prompt
    before the second reports the start.
    """
    if not occurrence.session:
        return False
    heard: Cache[tuple[Scope, str, str], _Heard]
    heard = runtime.organisation.caches.of("heard", _SESSIONS)
    last = heard.made((runtime.scope, runtime.client, occurrence.session), _Heard)
    with last.lock:
        before, before_at = last.latest.get(occurrence.moment, (None, at))
        echo = before == occurrence and abs(at - before_at) < _AT_ONCE
        if not echo:
            # After the end of a turn the same words may be sent again, and after a new prompt the turn may
            # end again.
            turns = occurrence.moment in _TURNING
            for moment in [one for one in last.latest if turns or one in _TURNING]:
                del last.latest[moment]
        last.latest[occurrence.moment] = occurrence, at
        return echo


def one_at_a_time(runtime: Runtime, occurrence: Occurrence) -> AbstractContextManager[object]:
    """A lock that handles events of a session one at a time. If two arrive at once, for example from the
    spool and the socket of a new daemon, the second finds the session that the first opened.
    """
    if not occurrence.session:
        return nullcontext()
    turns: Cache[tuple[Scope, str, str], threading.Lock]
    turns = runtime.organisation.caches.of("hook_turns", _SESSIONS)
    return turns.made((runtime.scope, runtime.client, occurrence.session), threading.Lock)
