"""Run the tests at other versions of the dependencies than this checkout uses.

python tools/run_at_versions.py lowest            every test of the default run, about ten minutes
python tools/run_at_versions.py --short lowest    the part of it that CI runs
python tools/run_at_versions.py --short today     the releases of today, and how they differ from the pins
python tools/run_at_versions.py lowest -- -n 0 tests/unit/contextd_common/test_words.py    arguments for pytest

`uv run pytest` uses the newest versions as pinned in pyproject.toml. `lowest` installs those of
`tools/versions/lowest.txt` and nothing else. `today` resolves what `pip install` would give a user now: it reports and is
no part of CI, where a release of somebody else must not fail our change. The package is built and installed as users
install it, in an environment of its own that is removed afterwards.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Container
from pathlib import Path

from pin_versions import EXTRAS, LOWEST, PROJECT, PYPROJECT, TEST_TOOLS, pinned, resolved


def _files(folder: str, without: Container[str] = ()) -> list[str]:
    """The files of tests in a folder, without those below it."""
    found = sorted((PROJECT / folder).glob("test_*.py"))
    return [str(path.relative_to(PROJECT)) for path in found if path.name not in without]


_BEYOND_LIBRARIES = {
    f"test_{name}.py"
    for name in """code_package definitions following_graph git git_contents git_runs_nothing git_settings git_unchanged grep
    history hostile_trees identity limits modules paths processes racy read repo_map resolve same_project scan_equals_fresh
    territory walk bundles bundles_of_others followed_instructions import_ages imports instructions_of_folders interop
    limits_imported shortened_documents transcripts_followed""".split()
}
"""Tests of `contextd_code` of git, the file system, and graphs of what was parsed, and of what imports store: half of the
time of these tests. What libraries read and parse is tested by the others.
"""

_LIBRARY_ROOMS = (
    "clients contextd_common embedders files pages runtime stores surfaces thin".split()
)

SHORT = (
    "tests/e2e/test_cli.py",
    "tests/e2e/test_http.py",
    "tests/e2e/test_mcp_stdio.py",
    "tests/promises/test_index.py",
    "tests/promises/test_records.py",
    *(f"tests/unit/{room}" for room in _LIBRARY_ROOMS),
    *_files("tests/unit/contextd_code", _BEYOND_LIBRARIES),
    *_files("tests/unit/imports", _BEYOND_LIBRARIES),
)
"""What calls libraries directly: parsers, store, model, YAML and TOML, HTTP, MCP, the command line."""


def main() -> int:
    """Return the exit code of pytest, or 1 where the environment cannot be made."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("versions", choices=["lowest", "today"])
    parser.add_argument("--short", action="store_true", help="run what calls libraries directly")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    asked = parser.parse_args()
    if asked.versions == "lowest":
        pins = [line for line in LOWEST.read_text("utf-8").splitlines() if line[:1] != "#"]
    else:
        pins = resolved(["\n".join((*resolved([PYPROJECT], *EXTRAS), *TEST_TOOLS))])
        known = set(pinned())
        print("Newer than the pins:", *(pin for pin in pins if pin not in known), sep="\n  ")
    with tempfile.TemporaryDirectory(prefix="contextd-versions-") as folder:
        python = installed(Path(folder), pins)
        if python is None:
            return 1
        tests = [*(SHORT if asked.short else ()), *asked.pytest]
        return subprocess.run([python, "-m", "pytest", *tests], cwd=PROJECT, check=False).returncode


def installed(folder: Path, pins: list[str]) -> Path | None:
    """The Python of a new environment below `folder` with exactly these versions, or None where uv fails.

    uv runs outside of the checkout, where it finds neither its pins nor its environment.
    """
    python = folder / "env" / "bin" / "python"
    settings = tomllib.loads(PYPROJECT.read_text("utf-8"))["tool"]["uv"]
    for name, lines in (("pins", pins), ("build", settings["build-constraint-dependencies"])):
        (folder / f"{name}.txt").write_text("\n".join(lines), "utf-8")
    steps: list[list[str | Path]] = [
        ["uv", "venv", "--quiet", "--python", sys.executable, "env"],
        ["uv", "pip", "install", "--quiet", "--python", python, "--no-deps", "--requirements", "pins.txt",
         "--build-constraints", "build.txt", PROJECT, PROJECT / "packages/contextd-bench"],
        # What is installed is complete: a package of which the list does not know is missed here.
        ["uv", "pip", "check", "--quiet", "--python", python],
    ]  # fmt: skip
    for step in steps:
        if subprocess.run(step, cwd=folder, check=False).returncode:
            return None
    return python


if __name__ == "__main__":
    sys.exit(main())
