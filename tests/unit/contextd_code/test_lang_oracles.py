"""Rust and Java against what their own tools say. Skipped where those are not installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from contextd.ports.code import Files
from contextd_code.index.languages.cargo import packages
from contextd_code.tree.walk import walk
from support.code_repos import SCOPE, edges_of, scan_fixture, unpack


def tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    # What stands for a toolchain may be there without one, as in a home that is empty.
    version = "-version" if name.startswith("java") else "--version"
    done = subprocess.run([path, version], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{name} does not run: {done.stderr[:200]}")
    return path


def told(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def reached(files: Files, root: str) -> set[str]:
    """The files of a crate: those that `mod` statements lead to."""
    follows: dict[str, set[str]] = {}
    for file in files.of(SCOPE).all():
        for one in file.imports:
            if one.specifier.startswith("mod ") and one.target:
                follows.setdefault(file.path, set()).add(one.target)
    found: set[str] = set()
    waiting = [root]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += follows.get(path, ())
    return found


@pytest.mark.parametrize(
    ("root", "edition"),
    [
        ("app/src/lib.rs", "2021"),
        ("app/src/main.rs", "2021"),
        ("crates/farm-cow/src/cow.rs", "2021"),
        ("crates/old-barn/src/lib.rs", "2015"),
    ],
)
def test_the_files_of_a_crate_are_those_rustc_reads(
    root: str, edition: str, tmp_path: Path
) -> None:
    rustc = tool("rustc")
    folder, files = scan_fixture("rust/project", tmp_path)
    # Parsing alone is asked for, so that the other crates need not be built.
    command = [rustc, "--edition", edition, "--emit=dep-info", "-o", "deps.d", root]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    deps = folder / "deps.d"
    if not deps.exists():
        pytest.skip(f"this rustc resolves names first: {done.stderr[:200]}")
    listed = deps.read_text("utf-8").split("\n", 1)[0].partition(":")[2].split()
    assert reached(files, root) == set(listed)


def test_packages_targets_and_names_are_those_cargo_tells(tmp_path: Path) -> None:
    cargo = tool("cargo")
    folder = unpack("rust/project", tmp_path)
    command = [cargo, "metadata", "--offline", "--no-deps", "--format-version", "1"]
    expected = {}
    for package in json.loads(told(command, folder))["packages"]:
        targets = {
            Path(target["src_path"]).relative_to(folder.resolve()).as_posix()
            for target in package["targets"]
        }
        names = {
            (one["rename"] or one["name"]).replace("-", "_") for one in package["dependencies"]
        }
        expected[package["name"]] = targets, names, package["edition"] == "2015"
    paths = frozenset(file.path for file in walk(folder).files)
    found = {
        one.name: (
            {path for path in (one.library, *one.roots) if path},
            {name for name, library in one.crates.items() if library != one.library},
            one.old_paths,
        )
        for one in packages(paths, lambda path: (folder / path).read_text("utf-8"))
    }
    assert found == expected


def test_the_rust_project_is_one_that_the_compiler_takes(tmp_path: Path) -> None:
    cargo = tool("cargo")
    folder = unpack("rust/project", tmp_path)
    assert told([cargo, "check", "--offline", "--tests", "--quiet"], folder) == ""


@pytest.mark.long
def test_the_edges_of_java_are_the_dependencies_jdeps_finds(tmp_path: Path) -> None:
    javac, jdeps = tool("javac"), tool("jdeps")
    folder, files = scan_fixture("java/project", tmp_path)
    sources = {file.path for file in files.of(SCOPE).all() if file.path.endswith(".java")}
    told([javac, "-d", "out", *sorted(sources)], folder)
    file_of = {}
    for file in files.of(SCOPE).all():
        package = file.path.rpartition("/java/")[2].rpartition("/")[0].replace("/", ".")
        for symbol in file.symbols:
            if not symbol.parent:
                file_of[f"{package}.{symbol.name}"] = file.path
    lines = re.findall(r"^\s+([\w.$]+)\s+->\s+([\w.$]+)", told([jdeps, "-v", "out"], folder), re.M)
    pairs = {
        (file_of.get(one.partition("$")[0]), file_of.get(other.partition("$")[0]))
        for one, other in lines
    }
    expected = {(one, other) for one, other in pairs if one and other and one != other}
    app, core = "app/src/main/java/farm/app/", "core/src/main/java/farm/"
    # The compiler may put the value of a constant in place of its name, forgets the types of local
    # variables, and jdeps leaves out annotations that are gone at run time.
    unseen = {
        (f"{app}Service.java", f"{core}animals/Cow.java"),
        (f"{app}Main.java", f"{core}animals/Animal.java"),
        (f"{core}animals/Cow.java", f"{core}animals/Kept.java"),
    }
    found = edges_of(files)
    assert expected <= found
    assert found - expected <= unseen
    assert len(expected) > 10
