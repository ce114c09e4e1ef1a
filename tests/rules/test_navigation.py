"""A page of the dashboard is whole: it has an icon, opens in the tests, and its operations are loaded before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sources import ROOT, nodes

from contextd.app import load_operations
from contextd.runtime.operation import OPERATIONS
from contextd.surfaces.web import pages
from contextd.surfaces.web.sections import NAVIGATION
from support.verdicts import none_of, of_this_rule

load_operations()

SHAPES = "src/contextd/surfaces/web/templates/parts.html"
TABLE = "NAVIGATION in src/contextd/surfaces/web/sections.py"
OPENED = "tests/e2e/web/test_pages.py"
MENU = [row for _, rows in NAVIGATION for row in rows]


def drawn(template: str) -> set[str]:
    """The icons that a template has a shape for."""
    table = template.partition("{% set shapes = {")[2].partition("} %}")[0]
    return set(re.findall(r'^  "(\w+)":', table, re.M))


def asked(path: Path) -> Iterator[str]:
    """The operations that a module of pages calls by their names."""
    for node in nodes(path):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("ask", "ask_lately")
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield str(node.args[0].value)


def test_a_page_of_the_menu_has_an_icon() -> None:
    shapes = drawn((ROOT / SHAPES).read_text("utf-8"))
    none_of(
        [
            f"{TABLE}: {address} has the icon {icon!r}"
            for icon, address, _, _ in MENU
            if icon not in shapes
        ],
        f"draw it in `shapes` of {SHAPES}, 20 by 20, lines only; without it the page shows the icon of a note",
    )


def test_an_address_of_the_menu_has_a_page() -> None:
    paths = {"/", *(path for part in pages.PARTS for path, _ in part.LOOKS)}
    none_of(
        [f"{TABLE}: {address}" for _, address, _, _ in MENU if address not in paths],
        "add the path to LOOKS of ROOM/page.py, and the module to PARTS of src/contextd/surfaces/web/pages.py",
    )


def test_a_page_of_the_menu_is_opened_by_a_test() -> None:
    opened = (ROOT / OPENED).read_text("utf-8")
    none_of(
        [address for _, address, _, _ in MENU if f'"{address}"' not in opened],
        f"add the address to FURTHER in {OPENED}",
    )


def test_what_a_page_reads_is_loaded_before_the_first_visit() -> None:
    files = [Path(part.__file__).relative_to(ROOT) for part in (*pages.PARTS, pages)]
    late = {str(path): sorted(name for name in {*asked(path)} if _is_late(name)) for path in files}
    none_of(
        {path: names for path, names in late.items() if names},
        "add the operation to _ASKED in src/contextd/surfaces/web/pages.py",
    )


def _is_late(name: str) -> bool:
    return OPERATIONS[name].method == "GET" and name not in pages._ASKED


@of_this_rule
@pytest.mark.parametrize(
    ("template", "icons"),
    [
        (
            '{% set shapes = {\n  "jobs": "a",\n  "note": "b",\n} %}\n  "other": "c"',
            {"jobs", "note"},
        ),
        ('  "jobs": "a"', set()),
    ],
)
def test_the_shapes_of_a_template_are_found(template: str, icons: set[str]) -> None:
    assert drawn(template) == icons
