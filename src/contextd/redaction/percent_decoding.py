"""Percent-encoded text, decoded."""

from __future__ import annotations


def decoded(text: str) -> str:
    """`text` with each `%XX` replaced by the character it stands for."""
    if "%" not in text:
        return text
    # 3 ms of a hook that finds no daemon, and few texts have any.
    from urllib.parse import unquote  # noqa: PLC0415

    return unquote(text)
