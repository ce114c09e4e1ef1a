"""A message with each of its fields replaced by every type JSON has, or left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SAMPLES: tuple[Any, ...] = (
    None, True, 0, -1.5, 10**30, "", "\x00", "\ud800", "x" * 5000, [], [None, {}], {}, {"a": []},
)  # fmt: skip


def variants(message: Any) -> Iterator[Any]:
    """Every message that differs from this one in one place, itself included as a place."""
    yield from SAMPLES
    if isinstance(message, dict):
        for name, value in message.items():
            yield {key: old for key, old in message.items() if key != name}
            for other in variants(value):
                yield {**message, name: other}
    elif isinstance(message, list):
        for at, value in enumerate(message):
            for other in variants(value):
                yield [*message[:at], other, *message[at + 1 :]]
