"""Every store in the table, held to the same promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contextd.stores import STORES
from support.clocks import Standing, Ticking
from support.stores import Whole, address, opened


@pytest.fixture(params=list(STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Whole]:
    whole = Whole(opened(address(request.param, tmp_path), Ticking()))
    yield whole
    whole.close()


@pytest.fixture
def clock() -> Standing:
    return Standing()


@pytest.fixture(params=list(STORES))
def timed(request: pytest.FixtureRequest, tmp_path: Path, clock: Standing) -> Iterator[Whole]:
    """A store whose time a test moves."""
    whole = Whole(opened(address(request.param, tmp_path), clock))
    yield whole
    whole.close()
