"""The request that a thread or task works for, as every line of the log names it."""

from __future__ import annotations

from contextvars import ContextVar

REQUEST: ContextVar[str] = ContextVar("contextd_request", default="")
"""The id of the request of a server; empty elsewhere. Threads of a call inherit it."""
