"""A bound of a dependency is a promise: the tests run at its lowest and at its newest version. Which versions
these are, the checkout alone decides.
"""

import re
import tomllib
from pathlib import Path

import pytest

from support.verdicts import act, none_of

PROJECT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
DEPENDENCIES = SETTINGS["project"]["dependencies"]
LOWEST_FILE = "tools/versions/lowest.txt"
LOWEST = (PROJECT / LOWEST_FILE).read_text("utf-8").splitlines()
PINS = SETTINGS["tool"]["uv"]["constraint-dependencies"]
CI = (PROJECT / ".ci/run").read_text("utf-8")

WRITTEN = r"# Resolved on 20\d\d-\d\d-\d\d by tools/pin_versions\.py\."
PIN = r"([a-z0-9-]+)==[\w.!+]+( ; .+)?"
# `apt-get` is none of these: programs of the system have no versions that stay available, and tests of
# theirs are skipped without them.
INSTALLER = re.compile(
    r"\b(?:pip3? (?:install|wheel)|uvx|uv tool|uv pip|pipx|npm|npx|pnpm|yarn|curl|wget)\b"
)


def name(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[>=<; ]", requirement)[0]).lower()


@pytest.mark.parametrize("requirement", DEPENDENCIES)
def test_every_dependency_has_a_lower_bound(requirement: str) -> None:
    assert re.match(r"[\w.-]+>=\d", requirement), (
        f"pyproject.toml: give {requirement!r} a lower bound, `>=`, and run tools/pin_versions.py"
    )


def test_the_list_of_lowest_versions_is_dated_and_exact() -> None:
    assert re.fullmatch(WRITTEN, LOWEST[0]), f"{LOWEST_FILE}, line 1: run tools/pin_versions.py"
    wrong = [f"{LOWEST_FILE}: {line}" for line in LOWEST[1:] if not re.fullmatch(PIN, line)]
    none_of(wrong, "no exact pin: run tools/pin_versions.py")


@pytest.mark.parametrize("requirement", DEPENDENCIES)
def test_the_lowest_version_that_is_tested_is_the_bound(requirement: str) -> None:
    bound = re.match(r"[\w.-]+>=([\d.]+)", requirement)
    assert bound is not None, f"pyproject.toml: give {requirement!r} a lower bound, `>=`"
    pin = next((line for line in LOWEST[1:] if name(line) == name(requirement)), "no such row")
    tested = pin.partition("==")[2].partition(" ")[0]
    assert release(tested)[: len(release(bound[1]))] == release(bound[1]), (
        f"{LOWEST_FILE}: {pin}, but pyproject.toml has {requirement!r}: run tools/pin_versions.py"
    )


def release(version: str) -> list[int]:
    """The numbers of a version, without zeros at its end."""
    numbers = [int(part) for part in re.findall(r"\d+", version)]
    while numbers and not numbers[-1]:
        numbers.pop()
    return numbers


@pytest.mark.parametrize("key", ["constraint-dependencies", "build-constraint-dependencies"])
def test_the_pins_of_this_checkout_are_dated_and_exact(key: str) -> None:
    dated = re.search(
        rf"^{key} = \[\n  {WRITTEN}$", (PROJECT / "pyproject.toml").read_text("utf-8"), re.M
    )
    assert dated, f"pyproject.toml: {key} does not begin with its date: run tools/pin_versions.py"
    wrong = [pin for pin in SETTINGS["tool"]["uv"][key] if not re.fullmatch(PIN, pin)]
    none_of(wrong, f"no exact pin in {key} of pyproject.toml: run tools/pin_versions.py")


def test_no_package_of_this_environment_is_resolved_freely() -> None:
    lock = PROJECT / "uv.lock"
    if not lock.exists():
        pytest.skip("this environment was not made by uv")
    packages = tomllib.loads(lock.read_text("utf-8"))["package"]
    found = {one["name"] for one in packages if "registry" in one["source"]}
    none_of(
        sorted(found - set(map(name, PINS))),
        "no pin in constraint-dependencies of pyproject.toml: run tools/pin_versions.py",
    )


def test_build_requirements_are_pinned() -> None:
    built = set(map(name, SETTINGS["tool"]["uv"]["build-constraint-dependencies"]))
    none_of(
        sorted(set(map(name, SETTINGS["build-system"]["requires"])) - built),
        "no pin in build-constraint-dependencies of pyproject.toml: run tools/pin_versions.py",
    )


@act(".ci/run", "run the tests with the pins and with `tools/run_at_versions.py --short lowest`")
def test_ci_runs_the_tests_at_both_ends_of_the_bounds() -> None:
    assert re.search(r"^step .* uv run --group dev pytest -m", CI, re.MULTILINE)
    assert "tools/run_at_versions.py --short lowest" in CI


@act(".ci/run", "a command of it takes the newest release of a package: pin it")
def test_ci_resolves_nothing_freely() -> None:
    commands = [line for line in CI.splitlines() if not line.lstrip().startswith("#")]
    free = [line for line in commands if INSTALLER.search(line) and "uv==" not in line]
    assert free == []
    assert "run_at_versions.py today" not in CI


@act(
    ".github/workflows/releases.yml",
    "run `run_at_versions.py today` on a schedule, and on nothing else",
)
def test_today_is_tested_where_it_blocks_nothing() -> None:
    scheduled = (PROJECT / ".github/workflows/releases.yml").read_text("utf-8")
    assert "run_at_versions.py today" in scheduled
    assert "schedule:" in scheduled
    assert not re.search(r"^  (?:push|pull_request):", scheduled, re.MULTILINE)


def test_tests_fetch_nothing_whose_version_floats() -> None:
    """`npm ci` takes what a lock file names. Tests of others' programs are no part of CI."""
    free = re.compile(r'"(?:npm|pnpm|yarn)",\s+"(?:install|i|add|pack|exec)"|"(?:npx|uvx|pipx)",')
    files = [path for path in (PROJECT / "tests").rglob("*.py") if "clients" not in path.parts]
    none_of(
        [path.relative_to(PROJECT) for path in files if free.search(path.read_text("utf-8"))],
        "it fetches what is newest: use `npm ci` with a lock file, or `uv` with a version",
    )
    distribution = "tests/e2e/test_distribution.py"
    text = (PROJECT / distribution).read_text("utf-8")
    missing = [one for one in ('f"UV_{variable}"', 'f"PIP_{variable}"') if one not in text]
    none_of(missing, f"pass it on in {distribution}, which installs at the pins")
