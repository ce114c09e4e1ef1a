"""Each room says in its `__init__.py` what it is for, which rooms it uses, and where to start reading."""

from __future__ import annotations

import ast
import re

import pytest
from sources import ROOT, nodes

from support.verdicts import act, agrees, none_of

PACKAGE = ROOT / "src" / "contextd"
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
BELOW = {"contextd_code", "contextd_common"}
"""The import packages below all rooms."""


def docstring(room: str) -> str:
    return ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text("utf-8"))) or ""


def line(room: str, label: str) -> str:
    found = re.search(rf"^{label}: (.*?)\.?$(?!\n    )", docstring(room), re.M | re.S)
    return " ".join(found[1].split()) if found else ""


def used(room: str, *, by_operations: bool) -> set[str]:
    """The rooms that the operations of a room import, or its other modules, and the packages below."""
    found = set()
    for path in (PACKAGE / room).rglob("*.py"):
        if (path.relative_to(PACKAGE / room).parts[0] == "operations") != by_operations:
            continue
        for node in nodes(path.relative_to(ROOT)):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
                found |= {name.split(".")[1] for name in names if name.startswith("contextd.")}
                found |= BELOW & {node.module.split(".")[0]}
    return found & {*ROOMS, *BELOW} - {room}


@act("tests/rules/test_rooms.py", "the rooms of src/contextd are not found")
def test_there_are_rooms() -> None:
    assert {"knowledge", "policies", "thin", "codebase"} <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for_in_one_line(room: str) -> None:
    first = docstring(room).split("\n")[0]
    place = f"src/contextd/{room}/__init__.py, line 1"
    assert 20 < len(first) < 120, f"{place}: say in 20 to 120 letters what the room is for"
    assert first.endswith("."), f"{place}: end it with a full stop"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_names_the_rooms_it_uses(room: str) -> None:
    own, _, operations = line(room, "Uses").partition("; its operations also ")
    parts = [{name.strip() for name in part.split(",") if name} for part in (own, operations)]
    mine, theirs = used(room, by_operations=False), used(room, by_operations=True)
    uses = f"the line `Uses:` of src/contextd/{room}/__init__.py"
    agrees(sorted(mine), sorted(parts[0] - {"nothing of contextd"}), uses)
    agrees(sorted(theirs - mine), sorted(parts[1]), f"`its operations also` in {uses}")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_where_to_start_reading(room: str) -> None:
    start = line(room, "Start at")
    place = f"src/contextd/{room}/__init__.py"
    assert start, f"{place}: add a line `Start at: ` with the file to read first"
    gone = [
        name
        for name in re.findall(r"`([\w/]+\.py)`", start)
        if not (PACKAGE / room / name).is_file()
    ]
    none_of(
        gone, f"the line `Start at:` of {place} names this file, which is gone: name another one"
    )


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
            at = own / template
            assert file.startswith("surfaces/web/"), (
                f"src/contextd/{file} shows {template} of the web surface: show ROOM/page.html"
            )
        else:
            at = PACKAGE / template
            assert template.split("/")[0] == file.split("/")[0], (
                f"src/contextd/{file} shows {template}: show a template of its own room"
            )
        assert at.is_file(), f"src/contextd/{file} shows {at.relative_to(ROOT)}: add the file"


def test_a_page_shows_every_template_of_its_room() -> None:
    there = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.html")}
    there = {name for name in there if not name.startswith("surfaces/web/")}
    assert there, "src/contextd: no templates, or tests/rules/test_rooms.py does not find them"
    idle = sorted(there - shown_templates().keys())
    none_of(
        [f"src/contextd/{name}" for name in idle],
        "no page shows it: show it by `show`, or remove it",
    )


def test_the_map_of_the_support_code_names_every_module() -> None:
    folder = ROOT / "tests" / "support"
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    known = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    named = set(re.findall(r"`(\w+)`", text)) - {"desk", "home", "neighbour"}
    agrees(known, named, "the docstring of tests/support/__init__.py")


def test_a_folder_of_unit_tests_is_a_room_or_a_package() -> None:
    unit = ROOT / "tests" / "unit"
    folders = {path.name for path in unit.iterdir() if path.is_dir() and path.name != "__pycache__"}
    odd = sorted(folders - {*ROOMS, *BELOW, "contextd_bench"})
    none_of([f"tests/unit/{name}" for name in odd], "name it like the room it tests")
    loose = [path.relative_to(ROOT) for path in unit.glob("test_*.py")]
    none_of(loose, "put it in the folder of its room")
