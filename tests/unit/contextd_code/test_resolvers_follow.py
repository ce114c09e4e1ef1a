"""A kept resolver of any language leads, after each change of a file, where a fresh one does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from test_scan_equals_fresh import STATES, put

from contextd_code.index.affected import Affected
from contextd_code.index.analyse import analyse
from contextd_code.index.languages.table import language_name
from contextd_code.index.resolve import Resolver
from contextd_code.tree.walk import walk
from contextd_code.values.source import Import, SourceFile

BESIDE = {"php": ("deep/",), "sh": ("lib/",), "tf": ("outer.tf",)}
"""Files outside of the folder of a language that belong to it."""


def states_of(folder: str) -> dict[str, list[str | None]]:
    places = (f"{folder}/", *BESIDE.get(folder, ()))
    return {path: states for path, states in STATES.items() if path.startswith(places)}


def leads(resolver: Resolver, state: dict[str, str | None]) -> dict[str, tuple[Import, ...]]:
    """Where the imports of every file lead."""
    found = {}
    for path, text in state.items():
        if text is not None:
            file = analyse(path, text.encode(), len(text), 1)
            found[path] = resolver.resolve(path, file.language, file.imports)
    return found


FIXTURES = Path(__file__).parents[2] / "fixtures"
TARGETS: dict[str, dict[str, list[str]]] = yaml.safe_load(
    (FIXTURES / "import_targets.yaml").read_text("utf-8")
)
PROJECTS: dict[str, Any] = yaml.safe_load((FIXTURES / "imported_projects.yaml").read_text("utf-8"))


def lines(found: dict[str, tuple[Import, ...]]) -> list[str]:
    """A line for each import, with the names that it takes behind its specifier."""
    return [
        f"{path}: {one.specifier or '(own)'} {' '.join(name for name, _ in one.names)} -> {one.target}".rstrip()
        for path, imports in found.items()
        for one in imports
    ]


@pytest.mark.parametrize("folder", TARGETS)
@pytest.mark.parametrize("place", ["first", "last"])
def test_imports_lead_to(folder: str, place: str, tmp_path: Path) -> None:
    state = {path: some[-(place == "last")] for path, some in states_of(folder).items()}
    for path, text in state.items():
        put(tmp_path, path, text)
    found = leads(Resolver.of(tmp_path, walk(tmp_path).files), state)
    assert lines(found) == TARGETS[folder][place]


@pytest.mark.parametrize("language", PROJECTS)
def test_imports_of_a_project_lead_to(language: str, tmp_path: Path) -> None:
    files = PROJECTS[language]["files"]
    for path, text in files.items():
        put(tmp_path, path, text)
    found = leads(Resolver.of(tmp_path, walk(tmp_path).files), files)
    assert lines(found) == PROJECTS[language]["leads"]


@pytest.mark.parametrize("folder", TARGETS)
def test_a_resolver_that_follows_each_change_leads_where_a_fresh_one_does(
    folder: str, tmp_path: Path
) -> None:
    """And of files that did not change, only those that the change may affect lead elsewhere."""
    states = states_of(folder)
    state = {path: some[0] for path, some in states.items()}
    for path, text in state.items():
        put(tmp_path, path, text)
    kept = Resolver.of(tmp_path, walk(tmp_path).files)
    seen = [leads(kept, state)]
    for path, some in states.items():
        for text in (*some[1:], some[0]):
            before = read(path, state[path])
            state[path] = text
            put(tmp_path, path, text)
            files = walk(tmp_path).files
            kept.follow(files)
            found = leads(kept, state)
            assert found == leads(Resolver.of(tmp_path, files), state), (path, text)
            assert others(found, seen[-1], path) <= may_lead_elsewhere(
                kept, path, before, read(path, text), seen[-1]
            ), (path, text)
            seen.append(found)
    targets = {one.target for found in seen for imports in found.values() for one in imports}
    assert len(targets - {""}) > 0
    assert len({repr(sorted(found.items())) for found in seen}) > 2


Leads = dict[str, tuple[Import, ...]]


def read(path: str, text: str | None) -> SourceFile | None:
    return None if text is None else analyse(path, text.encode(), len(text), 1)


def others(found: Leads, before: Leads, changed: str) -> set[str]:
    """The files besides the changed one whose imports lead elsewhere than before."""
    return {path for path in found if path != changed and found[path] != before.get(path)}


def may_lead_elsewhere(
    resolver: Resolver,
    path: str,
    before: SourceFile | None,
    after: SourceFile | None,
    imports: Leads,
) -> set[str]:
    """The files that a scan resolves again after this change."""
    affected = Affected(resolver)
    affected.change(before, after)
    if before is None or after is None:
        affected.move(path)
    return {one for one in imports if affected.has(one, language_name(one), imports[one])}


REACHES = {
    "go": {
        "price/price.go": "price +beside",
        "price/round.go": "+beside",
        "cart/a.go": "cart +beside",
        "cart/b_test.go": "+beside",
        "cart/0.go": "cart +beside",
        "helper.go": "example org shop v2 +beside",
        "kit/turn.go": "example kit org +beside",
        "README.md": "",
    },
    "python": {
        "src/shop/__init__.py": "shop +nameless +beside",
        "src/__init__.py": "src +nameless +beside +everywhere",
        "src/shop/cart_lines.py": "cartlines",
        "src/shop/cart.pyi": "cart",
        "src/shop/cart.txt": "",
    },
    "rust": {"shop/src/lib.rs": "lib +below +everywhere", "shop/src/cart.rs": "cart +below"},
    "terraform": {"main.tf": "+nameless", "modules/net/x.tf": "net +nameless", "net.tfvars": ""},
    "java": {"src/main/java/org/shop/Cart.java": ""},
}


@pytest.mark.parametrize("family", REACHES)
def test_a_file_that_comes_or_goes_attracts(family: str, tmp_path: Path) -> None:
    for path, text in PROJECTS[family]["files"].items():
        put(tmp_path, path, text)
    # In order of name it comes before the file that leads the package.
    put(tmp_path, "cart/0_test.go", "package cart\n")
    resolver = Resolver.of(tmp_path, walk(tmp_path).files)
    found = {}
    for path in REACHES[family]:
        reach = resolver.reach(path, family)
        kinds = ("nameless", "beside", "below", "everywhere")
        also = [f"+{kind}" for kind in kinds if getattr(reach, kind)]
        found[path] = " ".join([*sorted(reach.words), *also])
    assert found == REACHES[family]
