"""The distributions of this repository: the product, and the benchmarks beside it."""

from __future__ import annotations

import tomllib

from sources import ROOT

from contextd import __version__
from support.verdicts import act

BENCH = ROOT / "packages" / "contextd-bench"


@act("packages/contextd-bench/pyproject.toml", "give it the version of src/contextd/__init__.py")
def test_the_benchmarks_have_the_version_of_the_product() -> None:
    project = tomllib.loads((BENCH / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == __version__


@act(
    "pyproject.toml",
    "the wheel holds contextd, contextd_code and contextd_common, and no benchmarks",
)
def test_the_wheel_holds_the_product_and_its_code_package_without_benchmarks() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"]["packages"] == [
        "src/contextd",
        "src/contextd_code",
        "src/contextd_common",
    ]
    assert not (ROOT / "src" / "contextd" / "benchmarks").exists()
    assert (BENCH / "src" / "contextd_bench" / "run.py").is_file()
