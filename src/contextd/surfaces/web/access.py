"""Access to the pages: one-time codes, browser sessions, CSRF tokens, rate limits.

Everything is in memory: stopping the daemon signs everybody out. Standard library only, because the daemon
imports this before the first page.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import field
from typing import Any

from contextd_common.dataclass import dataclass
from contextd_common.errors import Busy

CODE_SECONDS = 60.0
SESSION_SECONDS = 12 * 3600.0
CODES_KEPT = 16
SESSIONS_KEPT = 32


class TooManyRequests(Busy):
    """A limit of requests is exceeded. `retry_after` is in seconds."""

    status = 429

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message, f"wait {retry_after} s and send it again")
        self.retry_after = retry_after


@dataclass(slots=True)
class Bucket:
    """A token bucket: a burst size, and a rate per second."""

    most: float
    per_second: float
    left: float = 0.0
    at: float = 0.0

    def take(self, now: float) -> bool:
        """Take one token; false if the bucket is empty."""
        self.left = min(self.most, self.left + (now - self.at) * self.per_second)
        self.at = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


@dataclass(slots=True)
class Browser:
    """A signed-in browser. `project` is the current project, `cwd` the directory it was opened from;
    `answers` caches expensive answers with their times.
    """

    csrf: str
    ends_at: float
    cwd: str = ""
    project: str = ""
    notice: Any = None
    writes: Bucket = field(default_factory=lambda: Bucket(120, 4.0, 120, time.monotonic()))
    answers: dict[tuple[str, str], tuple[float, Any]] = field(default_factory=dict)


class Access:
    """Signs browsers in with a fresh code, and recognises them by cookie.

    Cookies are not separated by port, so each home uses its own name: `cookie_name`.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, home: str = "") -> None:
        self.cookie_name = f"contextd_{hashlib.blake2b(home.encode(), digest_size=5).hexdigest()}"
        self._clock = clock
        self._codes: dict[str, tuple[float, str]] = {}
        self._browsers: dict[str, Browser] = {}
        self._tries = Bucket(10, 0.2, 10, clock())

    def new_code(self, cwd: str = "") -> str:
        """A code that opens one session within a minute."""
        now = self._clock()
        self._codes = {code: known for code, known in self._codes.items() if known[0] > now}
        while len(self._codes) >= CODES_KEPT:
            del self._codes[next(iter(self._codes))]
        code = secrets.token_urlsafe(32)
        self._codes[code] = (now + CODE_SECONDS, cwd)
        return code

    def may_try(self) -> bool:
        """Whether another attempt to sign in is allowed now."""
        return self._tries.take(self._clock())

    def redeem(self, code: str) -> str:
        """A new session's cookie for an unused code; empty if it is unknown, used or expired."""
        now = self._clock()
        found = next((known for known in self._codes if _same(known, code)), "")
        ends_at, cwd = self._codes.pop(found, (0.0, ""))
        if ends_at <= now:
            return ""
        self._browsers = {key: b for key, b in self._browsers.items() if b.ends_at > now}
        while len(self._browsers) >= SESSIONS_KEPT:
            del self._browsers[next(iter(self._browsers))]
        cookie = secrets.token_urlsafe(32)
        self._browsers[cookie] = Browser(secrets.token_urlsafe(32), now + SESSION_SECONDS, cwd)
        return cookie

    def browser(self, cookie: str) -> Browser | None:
        """The session of this cookie, if it has not expired."""
        found = next((known for known in self._browsers if _same(known, cookie)), "")
        browser = self._browsers.get(found)
        return browser if browser is not None and browser.ends_at > self._clock() else None

    def sign_out(self, cookie: str) -> None:
        """Delete a session."""
        self._browsers.pop(cookie, None)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode("utf-8", "surrogateescape"))
