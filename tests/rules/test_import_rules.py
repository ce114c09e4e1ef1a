"""The directions of the architecture, held against the code as it is."""

from __future__ import annotations

import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

from support.verdicts import none_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    graph = grimp.build_graph(
        "contextd",
        "contextd_code",
        "contextd_common",
        exclude_type_checking_imports=True,
        cache_dir=None,
    )
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def test_every_import_contract_is_kept() -> None:
    program = "from importlinter.cli import lint_imports_command as lint; lint()"
    done = subprocess.run(
        [sys.executable, "-c", program, "--no-logo", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    none_of(
        (done.stdout + done.stderr).splitlines() if done.returncode else [],
        "import from a room below, or move the code there: the order stands in [tool.importlinter] of pyproject.toml "
        "and in docs/architecture.md",
    )


def test_no_import_goes_in_a_circle(imports: dict[str, set[str]]) -> None:
    try:
        order = list(TopologicalSorter(imports).static_order())
    except CycleError as error:
        circle = " → ".join(error.args[1])
        pytest.fail(f"{circle}\nmove what they share into a module that imports neither")
    assert len(order) == len(imports), "pyproject.toml: the graph of imports has unknown modules"


def test_every_folder_with_code_is_a_package() -> None:
    # Without it the folder is invisible to the contracts, and missing from a wheel built elsewhere.
    folders = {path.parent for path in (ROOT / "src").rglob("*.py")}
    missing = [
        folder.relative_to(ROOT) for folder in folders if not (folder / "__init__.py").exists()
    ]
    none_of(missing, "add an `__init__.py` that says what the folder is for")
