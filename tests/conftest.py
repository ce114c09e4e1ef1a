"""Settings of every test, and what no test may do."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from support.writes import GUARD

# Machines that run several things at once are slow now and then; that is no failure.
settings.register_profile("contextd", deadline=None, derandomize=True)
settings.load_profile("contextd")

GUARD.install()


@pytest.fixture(autouse=True)
def nothing_slow_inside_a_write() -> Iterator[None]:
    """Nothing embeds, reads files or runs a program while a store is in a write."""
    GUARD.take()
    yield
    breaches = GUARD.take()
    assert not breaches, "\n\n".join(breaches[:3])
