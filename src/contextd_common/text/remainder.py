"""Say how much of a list an answer leaves out."""

from __future__ import annotations


def cut_note(shown: int, total: int, things: str, act: str, *, at_least: bool = False) -> str:
    """`3 of 40 places: raise the limit`; empty if nothing was left out. `at_least`: there are more than `total`."""
    if shown >= total and not at_least:
        return ""
    return f"{shown:,} of {'more than ' * at_least}{total:,} {things}: {act}"
