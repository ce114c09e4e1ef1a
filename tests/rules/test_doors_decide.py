"""Only `runtime/doors.py` decides who calls: no other module of the product names or makes a caller."""

from __future__ import annotations

import ast

import pytest
from sources import module_path, parsed, product_files

MAY_NAME_CALLERS = {"domain/access.py", "runtime/doors.py"}
PLACE = frozenset({"OWNER", "HomeDoor"})
"""What decides for a caller; `HomeDoor` may be chosen where a host is opened, and nowhere else."""


def named(module: ast.Module) -> set[str]:
    """The callers and doors that a module names, and `Caller` where it makes one."""
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.alias):
            found |= {node.name} & PLACE
        if isinstance(node, ast.Name | ast.Attribute):
            found |= {node.attr if isinstance(node, ast.Attribute) else node.id} & PLACE
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Caller":
            found.add("Caller")
    return found


def test_no_module_but_the_doors_decides_who_calls() -> None:
    found = {module_path(path): named(parsed(path)) for path in product_files()}
    deciding = {name: names for name, names in found.items() if names}
    assert {name: deciding.pop(name) for name in MAY_NAME_CALLERS} == {
        "domain/access.py": {"OWNER", "Caller"},
        "runtime/doors.py": {"OWNER", "Caller"},
    }
    assert deciding == {"app/host.py": {"HomeDoor"}}


@pytest.mark.parametrize(
    "source",
    [
        "from contextd.domain.access import OWNER",
        "from contextd.domain import access\nx = access.OWNER",
        "x = Caller('ada', 'owner')",
        "def f(door=HomeDoor()): ...",
    ],
)
def test_every_way_to_decide_is_noticed(source: str) -> None:
    assert named(ast.parse(source))
