"""A kept resolver of any language leads, after each change of a file, where a fresh one does."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from test_scan_equals_fresh import STATES, put

from contextd_code.index.analyse import analyse
from contextd_code.index.resolve import Resolver
from contextd_code.tree.walk import walk
from contextd_code.values.source import Import

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


TARGETS: dict[str, dict[str, list[str]]] = yaml.safe_load(
    (Path(__file__).parents[2] / "fixtures" / "import_targets.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("folder", TARGETS)
@pytest.mark.parametrize("place", ["first", "last"])
def test_imports_lead_to(folder: str, place: str, tmp_path: Path) -> None:
    """The names after the specifier are those that the import takes."""
    state = {path: some[-(place == "last")] for path, some in states_of(folder).items()}
    for path, text in state.items():
        put(tmp_path, path, text)
    found = leads(Resolver.of(tmp_path, walk(tmp_path).files), state)
    assert [
        f"{path}: {one.specifier or '(own)'} {' '.join(name for name, _ in one.names)} -> {one.target}".rstrip()
        for path, imports in found.items()
        for one in imports
    ] == TARGETS[folder][place]


@pytest.mark.parametrize("folder", TARGETS)
def test_a_resolver_that_follows_each_change_leads_where_a_fresh_one_does(
    folder: str, tmp_path: Path
) -> None:
    states = states_of(folder)
    state = {path: some[0] for path, some in states.items()}
    for path, text in state.items():
        put(tmp_path, path, text)
    kept = Resolver.of(tmp_path, walk(tmp_path).files)
    seen = [leads(kept, state)]
    for path, some in states.items():
        for text in (*some[1:], some[0]):
            state[path] = text
            put(tmp_path, path, text)
            files = walk(tmp_path).files
            kept.follow(files)
            found = leads(kept, state)
            assert found == leads(Resolver.of(tmp_path, files), state), (path, text)
            seen.append(found)
    targets = {one.target for found in seen for imports in found.values() for one in imports}
    assert len(targets - {""}) > 0
    assert len({repr(sorted(found.items())) for found in seen}) > 2
