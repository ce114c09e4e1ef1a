"""Shim, hook and status line start in every agent window and on every prompt: they may import nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "apsw", "asyncio", "click", "dataclasses", "difflib", "inspect", "logging", "mcp", "numpy",
    "onnxruntime", "pydantic", "sqlite3", "subprocess", "tempfile", "yaml",
}  # fmt: skip
PROBE = """
import sys
before = set(sys.modules)
import contextd.__main__, contextd.{name}
import json
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def imported(name: str) -> set[str]:
    """Every module that importing an entry point loads, in a fresh interpreter."""
    result = subprocess.run(
        [sys.executable, "-c", PROBE.format(name=name)], capture_output=True, text=True, check=True
    )
    return set(json.loads(result.stdout))


@pytest.mark.parametrize("name", ["shim", "hook", "statusline"])
def test_a_thin_entry_point_imports_the_standard_library_and_its_own_few_only(name: str) -> None:
    roots = {module.partition(".")[0] for module in imported(name)}
    assert roots - sys.stdlib_module_names == {"contextd"}
    assert roots & HEAVY == set()


@pytest.mark.parametrize("name", ["shim", "hook", "statusline"])
def test_of_contextd_it_imports_nothing_that_could_grow(name: str) -> None:
    own = {module for module in imported(name) if module.startswith("contextd.")}
    few = {
        "__main__",
        "shim",
        "hook",
        "channel",
        "greetings",
        "home",
        "offline",
        "ready",
        "spawn",
        "spool",
        "statusline",
    }
    assert {module.removeprefix("contextd.") for module in own} <= few
