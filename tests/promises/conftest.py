"""Every store in the table, held to the same promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.clocks import Standing, Ticking
from support.stores import EVERY_STORE, Whole, address, opened


@pytest.fixture(params=EVERY_STORE)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Whole]:
    whole = Whole(opened(address(request.param, tmp_path), Ticking()))
    yield whole
    whole.close()


@pytest.fixture
def clock() -> Standing:
    return Standing()


@pytest.fixture(params=EVERY_STORE)
def timed(request: pytest.FixtureRequest, tmp_path: Path, clock: Standing) -> Iterator[Whole]:
    """A store whose time a test moves."""
    whole = Whole(opened(address(request.param, tmp_path), clock))
    yield whole
    whole.close()
