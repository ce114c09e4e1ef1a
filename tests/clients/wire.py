"""What the wire forms of the models have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tool:
    """A tool as a request offers it; some programs put those of a server into a group."""

    name: str
    group: str = ""


@dataclass(frozen=True)
class Called:
    """A call of a tool, as the model asks for it."""

    tool: Tool
    arguments: Mapping[str, Any]


Events = Iterable[tuple[str, Any]]
"""The names and data of a stream's events; many streams name none."""


@dataclass(frozen=True)
class Wire:
    """One vendor's form: the tools a request offers, a whole reply, and the same reply as a stream."""

    offered: Callable[[Mapping[str, Any]], Iterable[Tool]]
    reply: Callable[[Mapping[str, Any], str, Sequence[Called]], Mapping[str, Any]]
    events: Callable[[Mapping[str, Any]], Events]


USED = 50
"""The tokens that every reply says it took."""
