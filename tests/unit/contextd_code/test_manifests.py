"""What every format of manifests, lock files and version files says, field by field."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from contextd_code.project.manifests import FORMATS, Manifest, is_lock, is_manifest, parse
from contextd_code.project.manifests.jvm import as_used
from contextd_code.project.manifests.model import agreed

ROWS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[2] / "fixtures" / "manifests.yaml").read_text("utf-8")
)


def told(manifest: Manifest) -> dict[str, Any]:
    """The fields that say something, in plain values."""
    said: dict[str, Any] = {}
    for one in fields(Manifest):
        value = getattr(manifest, one.name)
        if one.name == "path" or value == getattr(Manifest(""), one.name):
            continue
        if isinstance(value, frozenset):
            value = sorted(value)
        said[one.name] = list(value) if isinstance(value, tuple) else value
    if manifest.problem:
        said["problem"] = manifest.problem.partition(":")[0]
    return said


@pytest.mark.parametrize("row", ROWS, ids=[f"{n} {row['file']}" for n, row in enumerate(ROWS)])
def test_a_manifest_says(row: dict[str, Any]) -> None:
    manifest = parse(row["file"], row["text"])
    assert manifest.path == row["file"]
    assert told(manifest) == row["read"]


def test_every_reader_of_a_format_has_a_row() -> None:
    def reader(path: str) -> Any:
        name = path.rpartition("/")[2]
        return FORMATS.get(name) or next(
            (read for one, read in FORMATS.items() if "*" in one and Path(name).match(one)), None
        )

    missing = set(FORMATS.values()) - {reader(row["file"]) for row in ROWS}
    named = sorted(name for name, read in FORMATS.items() if read in missing)
    assert named == ["pdm.lock"]


def test_lock_files_are_manifests_that_are_searched_by_pattern() -> None:
    assert is_lock("a/yarn.lock")
    assert not is_lock("package.json")
    assert is_manifest("reqs/x.txt")
    assert is_manifest("requirements/x.in")
    assert not is_manifest("docs/x.txt")
    assert not is_lock("docs/x.txt")


def test_versions_agree_while_their_leading_numbers_do() -> None:
    pairs = [("a", "8.1"), ("a", "8.2"), ("b", "8.1"), ("b", "9"), ("c", "0.1.1"), ("c", "0.2.1")]
    assert agreed([*pairs, ("d", "x"), ("d", "x")]) == {"a": "8.1", "d": "x"}


def test_a_catalogue_keeps_what_build_scripts_use() -> None:
    catalogue = Manifest(
        "", dependencies={"a:x": "1", "b:y": "2", "c:z": "3"},
        aliases={"x": "a:x", "y": "b:y", "z": "c:z", "all": "a:x b:y"},
    )  # fmt: skip
    tests = Manifest("", aliases={"x": "dev", "all": "dev"})
    code = Manifest("", aliases={"x": ""})
    used = as_used(catalogue, [tests, code])
    assert (used.dependencies, used.dev) == ({"a:x": "1", "b:y": "2"}, {"b:y"})
    assert as_used(catalogue, [code, tests]).dev == {"b:y"}
    assert as_used(catalogue, [Manifest("", aliases={"other": ""})]) is catalogue
