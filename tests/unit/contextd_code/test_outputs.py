"""What a build wrote is not the project's code, even where git tracks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd_code.tree.walk import walk
from support.repositories import committed

PACKAGE = '{"name": "shop", "main": "./build/index.js", "files": ["out/**", "bin"]}'


def listed(root: Path) -> set[str]:
    return {file.path for file in walk(root).files}


@pytest.mark.parametrize(
    "output",
    [
        "dist/index.js",
        "build/index.js",
        "out/server.js",
        ".next/server/page.js",
        "packages/ui/dist/ui.js",
        "packages/ui/.svelte-kit/types.d.ts",
    ],
)
def test_tracked_build_output_is_left_out_and_said_so(tmp_path, output):
    files = {"package.json": PACKAGE, "packages/ui/package.json": "{}", "src/a.ts": "1\n"}
    root = committed(tmp_path / "shop", {**files, output: "var a\n"})
    found = walk(root)
    assert {file.path for file in found.files} == {*files}
    [folder] = [path for path, reason in found.skipped if reason == "written by a build"]
    assert output.startswith(folder)


@pytest.mark.parametrize(
    ("manifest", "text", "source"),
    [
        ("package.json", '{"main": "dist/x.js", "scripts": {"b": "node build/go.js"}}', "build/go.js"),
        ("package.json", '{"main": "lib/x.js"}', "out/board.js"),
        ("package.json", "[broken", "build/go.js"),
        ("go.mod", "module x\n", "build/release.sh"),
        ("pyproject.toml", '[project]\nname = "build"\n', "src/build/env.py"),
        ("setup.py", "1\n", "dist/__init__.py"),
        ("README.md", "# x\n", "dist/kept.js"),
    ],
)  # fmt: skip
def test_sources_in_a_folder_that_is_called_like_an_output_stay(tmp_path, manifest, text, source):
    root = committed(tmp_path / "shop", {manifest: text, source: "1\n"})
    assert listed(root) == {manifest, source}
