"""Real processes on a temporary home."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from homes import Home, temporary_home


@pytest.fixture
def home() -> Iterator[Home]:
    """A home of its own for one test; what is started on it finds a daemon."""
    with temporary_home() as fresh:
        yield fresh


@pytest.fixture
def cold_home() -> Iterator[Home]:
    """A home of its own for one test of how a daemon comes and goes."""
    with temporary_home(cold=True) as fresh:
        yield fresh


@pytest.fixture(scope="module")
def shared_home() -> Iterator[Home]:
    """A home with a running daemon, for tests that leave it as they found it."""
    with temporary_home() as fresh:
        fresh.start()
        yield fresh
