"""A bound of a dependency is a promise: CI installs the lowest and the newest versions and runs tests."""

import re
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
DEPENDENCIES = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"][
    "dependencies"
]


@pytest.mark.parametrize("requirement", DEPENDENCIES)
def test_every_dependency_has_a_lower_bound(requirement: str) -> None:
    assert re.match(r"[\w.-]+>=\d", requirement)


@pytest.mark.parametrize("versions", ["lowest", "newest"])
def test_ci_runs_tests_at_both_ends_of_the_bounds(versions: str) -> None:
    assert f"tools/run_at_versions.py {versions}" in (PROJECT / ".ci/run").read_text("utf-8")
