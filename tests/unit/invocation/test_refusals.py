"""The door before an operation: what changes something is refused before it begins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contextd.app import load_operations
from contextd.invocation.invoke import PASSING_ON, authorise
from contextd.runtime.operation import OPERATIONS
from contextd_common.errors import Denied

load_operations()
CHANGING = [
    op.name for op in OPERATIONS.values() if op.effect != "read" and op.name not in PASSING_ON
]


@pytest.mark.parametrize("name", CHANGING)
def test_a_viewer_gets_through_no_door_behind_which_something_is_changed(desk, name):
    runtime = replace(desk.runtime(), caller=desk.by("viewer", "shop").caller)
    with pytest.raises(Denied, match="may not write"):
        authorise(OPERATIONS[name], runtime)


def test_a_viewer_who_may_not_write_leaves_the_checkout_as_it_was(desk):
    desk.as_owner("init")
    path = desk.root / ".context" / "project.yaml"
    before = path.read_bytes()
    path.unlink()
    with pytest.raises(Denied):
        desk.by("viewer", desk.scope.project)("scan")
    assert not path.exists()
    path.write_bytes(before)
