"""Every error a caller can meet. One look tells what to catch.

* ContextdError
  - Invalid       the request itself is wrong; sending it again will not help
  - Denied        the caller may not do this here
  - NotFound      nothing the caller may see has that name
  - Conflict      it changed since it was read, already exists, or is in a state that rules this out
  - TooLarge      a limit of size, budget or time would be passed
  - Busy          somebody else holds what is needed; try again
  - Unavailable   a part contextd depends on is missing or broken
  - Corrupt       stored data is damaged; the original was kept
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar


class ContextdError(Exception):
    """Base of everything contextd raises on purpose. Itself it means a defect of contextd.

    `code` is stable and may be matched by programs; `hint` says what to do next.
    """

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500

    def __init__(
        self, message: str, hint: str = "", details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = dict(details or {})

    def as_dict(self) -> dict[str, Any]:
        """The error as every surface shows it."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.hint:
            body["hint"] = self.hint
        if self.details:
            body["details"] = self.details
        return body


class Invalid(ContextdError):
    """The request itself is wrong."""

    code, status = "invalid", 422


class Denied(ContextdError):
    """The caller may not do this here."""

    code, status = "denied", 403


class NotFound(ContextdError):
    """Nothing the caller may see has that name."""

    code, status = "not_found", 404


class Conflict(ContextdError):
    """It changed since it was read, already exists, or is in a state that rules this out."""

    code, status = "conflict", 409


class Stale(Conflict):
    """It is not as it was read any more. Reading it again and repeating the change may work, which
    is why calls are repeated for it before their caller is told.
    """


class TooLarge(ContextdError):
    """A limit of size, budget or time would be passed."""

    code, status = "too_large", 413


class Busy(ContextdError):
    """Somebody else holds what is needed; the same call may work in a moment."""

    code, status = "busy", 503


class Unavailable(ContextdError):
    """A part contextd depends on is missing or broken."""

    code, status = "unavailable", 503


class Corrupt(ContextdError):
    """Stored data is damaged; the original was kept."""

    code, status = "corrupt", 500


ERRORS: dict[str, type[ContextdError]] = {
    kind.code: kind
    for kind in (Invalid, Denied, NotFound, Conflict, TooLarge, Busy, Unavailable, Corrupt)
}
"""Every error by its code, so that a client can raise what the daemon answered."""


def error_from(body: Mapping[str, Any]) -> ContextdError:
    """The error a peer described with `as_dict`."""
    kind = ERRORS.get(str(body.get("code")), ContextdError)
    details = body.get("details")
    return kind(
        str(body.get("message", "")),
        str(body.get("hint", "")),
        details if isinstance(details, Mapping) else None,
    )


_CLOSE, _SHORTEST_PART = 0.65, 4
"""How alike two names must be, as difflib counts it, for one to be a suggestion: at 0.6 `bubble` was one for
`rule`. And letters of a part of a name that is worth suggesting the whole for.
"""


def nearest(name: str, known: Sequence[str]) -> str:
    """A clause naming the closest known name, or the empty string."""
    close = closest(name, known)
    return f"did you mean {close!r}?" if close else ""


def closest(name: str, known: Sequence[str]) -> str:
    """The closest known name, or the empty string."""
    close = get_close_matches(name, known, n=1, cutoff=_CLOSE)
    if not close and len(name) >= _SHORTEST_PART:
        close = [one for one in known if name.casefold() in one.casefold()]
    return next(iter(close), "")
