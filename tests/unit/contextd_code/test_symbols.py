from __future__ import annotations

from pathlib import Path

import pytest

from contextd.ports.code import Files
from contextd_code.symbols.symbols import definer, uses
from contextd_code.values.source import SourceFile
from support.code_repos import SCOPE, CodeModel, scan_fixture, scanned, write


def by_path(files: Files) -> dict[str, SourceFile]:
    return {file.path: file for file in files.of(SCOPE).all()}


@pytest.mark.parametrize(
    ("path", "name", "where", "symbol"),
    [
        ("packages/shared/src/index.ts", "money", "packages/shared/src/money.ts", "money"),
        ("packages/shared/src/index.ts", "Mode", "packages/shared/src/math.ts", "Mode"),
        ("apps/web/src/data/index.ts", "total", "apps/web/src/data/rows.ts", "sum"),
        ("apps/web/src/data/index.ts", "rowsOf", "apps/web/src/data/rows.ts", "rowsOf"),
        ("apps/web/src/main.tsx", "cash", "packages/shared/src/money.ts", "money"),
        ("apps/web/src/main.tsx", "default", "apps/web/src/main.tsx", "Main"),
        ("apps/web/src/config.ts", "default", "apps/web/src/config.ts", "config"),
        ("apps/web/src/legacy.ts", "default", "apps/web/src/legacy.ts", "legacy"),
    ],
)
def test_a_typescript_export_is_followed_to_its_definition(
    tmp_path: Path, path: str, name: str, where: str, symbol: str
) -> None:
    _, files = scan_fixture("shop", tmp_path)
    found = definer(by_path(files).get, path, name)
    assert found is not None
    assert (found[0], found[1].name) == (where, symbol)


@pytest.mark.parametrize("name", ["nothing", "rows", "default"])
def test_names_not_exported_and_names_of_a_whole_module_have_no_definition(
    tmp_path: Path, name: str
) -> None:
    _, files = scan_fixture("shop", tmp_path)
    assert definer(by_path(files).get, "apps/web/src/data/index.ts", name) is None


@pytest.mark.parametrize(
    ("path", "name", "where"),
    [
        ("src/farm/__init__.py", "Cow", "src/farm/animals/cow.py"),
        ("src/farm/__init__.py", "feed", "src/farm/animals/feeding.py"),
        ("src/farm/__init__.py", "dig", "src/farm/tools/spade.py"),
        ("src/farm/__init__.py", "open_gate", "src/farm/__init__.py"),
    ],
)
def test_a_python_name_is_followed_through_packages_and_stars(
    tmp_path: Path, path: str, name: str, where: str
) -> None:
    _, files = scan_fixture("pkg", tmp_path)
    found = definer(by_path(files).get, path, name)
    assert found is not None
    assert (found[0], found[1].name) == (where, name)


def test_uses_tell_names_from_whole_modules(tmp_path: Path) -> None:
    _, files = scan_fixture("pkg", tmp_path)
    known = by_path(files)
    found = [
        (u.local, u.path, u.symbol.name if u.symbol else "")
        for u in uses(known.get, known["src/farm/cli.py"])
    ]
    assert found == [
        ("Cow", "src/farm/animals/cow.py", "Cow"),
        ("open_gate", "src/farm/__init__.py", "open_gate"),
        ("north", "src/farm/fields/north.py", ""),
    ]


def test_a_module_and_a_function_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, "p/__init__.py", "")
    write(tmp_path, "p/scan.py", "def scan(): ...\n")
    write(tmp_path, "p/a.py", "from p.scan import scan\nfrom p import scan as module\n")
    files = CodeModel()
    scanned(tmp_path, files)
    known = by_path(files)
    found = [(u.local, u.symbol is not None) for u in uses(known.get, known["p/a.py"])]
    assert found == [("scan", True), ("module", False)]


def test_barrels_that_pass_names_round_in_a_ring_come_to_an_end(tmp_path: Path) -> None:
    write(tmp_path, "a.ts", 'export * from "./b";\nexport { x as y } from "./b";\n')
    write(tmp_path, "b.ts", 'export * from "./a";\nexport { y as x } from "./a";\n')
    files = CodeModel()
    scanned(tmp_path, files)
    assert definer(by_path(files).get, "a.ts", "y") is None
    assert definer(by_path(files).get, "a.ts", "z") is None


def test_a_long_chain_of_barrels_is_followed_to_the_end(tmp_path: Path) -> None:
    for n in range(300):
        write(tmp_path, f"m{n}.ts", f'export * from "./m{n + 1}";\n')
    write(tmp_path, "m300.ts", "export const last = 1;\n")
    files = CodeModel()
    scanned(tmp_path, files)
    found = definer(by_path(files).get, "m0.ts", "last")
    assert found is not None
    assert found[0] == "m300.ts"
