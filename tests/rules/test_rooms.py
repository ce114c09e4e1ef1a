"""Each room says in its `__init__.py` what it is for, which rooms it uses, and where to start reading."""

from __future__ import annotations

import ast
import re

import pytest
from sources import ROOT, nodes

PACKAGE = ROOT / "src" / "contextd"
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
BELOW = {"contextd_code", "contextd_common"}
"""The import packages below all rooms."""


def docstring(room: str) -> str:
    return ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text("utf-8"))) or ""


def line(room: str, label: str) -> str:
    found = re.search(rf"^{label}: (.*?)\.?$(?!\n    )", docstring(room), re.M | re.S)
    return " ".join(found[1].split()) if found else ""


def used(room: str) -> set[str]:
    """The rooms that the modules of a room import, and the packages below; not those of its operations, which
    may import any.
    """
    found = set()
    for path in (PACKAGE / room).rglob("*.py"):
        if path.relative_to(PACKAGE / room).parts[0] == "operations":
            continue
        for node in nodes(path.relative_to(ROOT)):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
                found |= {name.split(".")[1] for name in names if name.startswith("contextd.")}
                found |= BELOW & {node.module.split(".")[0]}
    return found & {*ROOMS, *BELOW} - {room}


def test_there_are_rooms() -> None:
    assert {"knowledge", "policies", "thin", "codebase"} <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for_in_one_line(room: str) -> None:
    first = docstring(room).split("\n")[0]
    assert 20 < len(first) < 120
    assert first.endswith(".")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_names_the_rooms_it_uses(room: str) -> None:
    said = {name.strip() for name in line(room, "Uses").split(",")}
    assert said - {"nothing of contextd"} == used(room)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_where_to_start_reading(room: str) -> None:
    start = line(room, "Start at")
    assert start
    for name in re.findall(r"`([\w/]+\.py)`", start):
        assert (PACKAGE / room / name).is_file(), name


def shown_templates() -> dict[str, str]:
    """The templates that calls of `show` name, each with the file of a call."""
    return {
        node.args[0].value: path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in nodes(path.relative_to(ROOT))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "show"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }


def test_a_page_and_its_template_stand_in_the_same_room() -> None:
    own = PACKAGE / "surfaces" / "web" / "templates"
    for template, file in shown_templates().items():
        if "/" not in template:
            assert file.startswith("surfaces/web/"), f"{file} shows {template} of another room"
            assert (own / template).is_file(), template
        else:
            assert template.split("/")[0] == file.split("/")[0]
            assert (PACKAGE / template).is_file(), template


def test_a_page_shows_every_template_of_its_room() -> None:
    there = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.html")}
    there = {name for name in there if not name.startswith("surfaces/web/")}
    assert there
    assert there == {name for name in shown_templates() if "/" in name}
