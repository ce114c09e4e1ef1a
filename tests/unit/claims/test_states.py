"""A later "is now" replaces what the same subject was."""

from __future__ import annotations

import pytest

from contextd.claims.states import state, succeeds

SUCCESSORS = [
    ("The Rust toolchain is 1.70.", "The Rust toolchain is now 1.77.2."),
    ("The base image is debian-11", "The base image is now debian-12"),
    ("The request timeout is 30 s, which is long; the pool size is 5", "The pool size is 8 now"),
    ("The API is at v2.", "So the API is now at v3."),
    ("The default branch is `master`.", "The default branch is now `main`."),
    ("The listening port was 8080.", "The listening port is currently 9090."),
]
OTHERS = [
    ("The Rust toolchain is 1.70.", "The Node toolchain is now 22.1.0."),
    ("The Rust toolchain is 1.70.", "The Rust toolchain is 1.77.2."),
    ("The Rust toolchain is 1.77.2.", "The Rust toolchain is now 1.77.2."),
    ("The API is stable.", "The API is now faster."),
    ("It is 1.70.", "It is now 1.77.2."),
    ("The limit is 5 per user.", "The limit is now 8 per team."),
    ("The base image is debian-11", "The base image is now 300 MB."),
]


def _pair(older: str, newer: str) -> bool:
    parts = [part for text in (older,) for part in text.split("; ")]
    later = state(newer)
    earlier = [one for part in parts if (one := state(part)) is not None]
    return later is not None and any(succeeds(later, one) for one in earlier)


@pytest.mark.parametrize(("older", "newer"), SUCCESSORS)
def test_a_later_is_now_statement_replaces_the_earlier_state(older: str, newer: str) -> None:
    assert _pair(older, newer)


@pytest.mark.parametrize(("older", "newer"), OTHERS)
def test_another_subject_sort_or_the_same_value_replaces_nothing(older: str, newer: str) -> None:
    assert not _pair(older, newer)
