"""Packages of npm that tests use, at the versions of `tests/e2e/npm/package-lock.json`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

LISTS = Path(__file__).parents[1] / "e2e" / "npm"


def npm_packages(folder: Path) -> Path:
    """`folder` with the packages in its `node_modules`. Skips the test where npm or its registry is missing."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("there is no npm on this machine")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(LISTS / name, folder)
    done = subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"],
        cwd=folder, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip("npm cannot fetch the packages here")
    return folder
