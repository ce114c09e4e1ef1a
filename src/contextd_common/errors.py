"""The hierarchy of errors that contextd raises.

* ContextdError
  - Invalid       the request is wrong; sending it again will not help
  - Denied        the caller lacks permission
  - NotFound      nothing visible to the caller has that name
  - Conflict      it changed since it was read, already exists, or is in a state that rules this out
  - TooLarge      a limit of size, budget or time is exceeded
  - Busy          another caller holds the resource; try again
  - Unavailable   a component contextd depends on is missing or broken
  - Corrupt       stored data is damaged; the original was kept
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar


class ContextdError(Exception):
    """Base of all errors contextd raises on purpose. Raised directly, it means a defect in contextd.

    `code` is stable, so programs may match it; `hint` says what to do next.
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
        """The error as JSON data, the same on every surface."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.hint:
            body["hint"] = self.hint
        if self.details:
            body["details"] = self.details
        return body


class Invalid(ContextdError):
    """The request is wrong."""

    code, status = "invalid", 422


class Denied(ContextdError):
    """The caller lacks permission."""

    code, status = "denied", 403


class NotFound(ContextdError):
    """Nothing visible to the caller has that name."""

    code, status = "not_found", 404


class Conflict(ContextdError):
    """It changed since it was read, already exists, or is in a state that rules this out."""

    code, status = "conflict", 409


class Stale(Conflict):
    """The data changed since it was read. Reading it again and repeating the change may work, so calls are
    retried before the caller sees this error.
    """


class TooLarge(ContextdError):
    """A limit of size, budget or time is exceeded."""

    code, status = "too_large", 413


class Busy(ContextdError):
    """Another caller holds the resource; the same call may work in a moment."""

    code, status = "busy", 503


class Unavailable(ContextdError):
    """A component contextd depends on is missing or broken."""

    code, status = "unavailable", 503


class Unreadable(Unavailable):
    """The folder of a project cannot be read: git, a file or a program failed there. Other projects are not
    affected.
    """


class Corrupt(ContextdError):
    """Stored data is damaged; the original was kept."""

    code, status = "corrupt", 500


ERRORS: dict[str, type[ContextdError]] = {
    kind.code: kind
    for kind in (Invalid, Denied, NotFound, Conflict, TooLarge, Busy, Unavailable, Corrupt)
}
"""Every error by its code, so that a client can raise the error that the daemon returned."""


def error_from(body: Mapping[str, Any]) -> ContextdError:
    """Rebuild the error from what `as_dict` returned."""
    kind = ERRORS.get(str(body.get("code")), ContextdError)
    details = body.get("details")
    return kind(
        str(body.get("message", "")),
        str(body.get("hint", "")),
        details if isinstance(details, Mapping) else None,
    )


_CLOSE, _SHORTEST_PART = 0.65, 4
"""Minimum similarity (difflib ratio) of a suggested name; at 0.6 `bubble` was suggested for `rule`. And
the minimum length of a name part that suggests the whole name.
"""


def nearest(name: str, known: Sequence[str]) -> str:
    """A clause that suggests the closest known name, or the empty string."""
    close = closest(name, known)
    return f"did you mean {close!r}?" if close else ""


def closest(name: str, known: Sequence[str]) -> str:
    """The closest known name, or the empty string."""
    close = get_close_matches(name, known, n=1, cutoff=_CLOSE)
    if not close and len(name) >= _SHORTEST_PART:
        close = [one for one in known if name.casefold() in one.casefold()]
    return next(iter(close), "")
