"""Programs that nobody here wrote, against the real contextd: `pytest -m clients`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from scripted_model import ScriptedModel, scripted_model


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here is of this gate, and waits for programs that start slowly."""
    for item in items:
        if "clients" in item.path.parent.parts[-1:]:
            item.add_marker(pytest.mark.clients)
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model that says what it is told to."""
    with scripted_model() as running:
        yield running
