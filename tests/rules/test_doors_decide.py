"""Only `runtime/doors.py` decides who calls: no other module of the product names or makes a caller."""

from __future__ import annotations

import ast

import pytest
from sources import parsed, product_files

from support.verdicts import none_of, of_this_rule

MAY_DECIDE = {
    "src/contextd/app/host.py": {"HomeDoor"},
    "src/contextd/domain/access.py": {"OWNER", "Caller"},
    "src/contextd/runtime/doors.py": {"OWNER", "Caller"},
}
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
    found = {str(path): named(parsed(path)) for path in product_files()}
    none_of(
        {
            path: names - MAY_DECIDE.get(path, set())
            for path, names in found.items()
            if names - MAY_DECIDE.get(path, set())
        },
        "take the caller of the call, or have `src/contextd/runtime/doors.py` decide who calls",
    )
    idle = {path: names - found[path] for path, names in MAY_DECIDE.items() if names - found[path]}
    none_of(
        idle, "take it out of MAY_DECIDE in tests/rules/test_doors_decide.py: it names it no more"
    )


@of_this_rule
@pytest.mark.parametrize(
    "source",
    [
        "from contextd.domain.access import OWNER",
        "from contextd.domain import access\nx = access.OWNER",
        "x = Caller('ada', owner=True)",
        "def f(door=HomeDoor()): ...",
    ],
)
def test_every_way_to_decide_is_noticed(source: str) -> None:
    assert named(ast.parse(source))
