"""The distributions of this repository: the product, and the benchmarks beside it."""

from __future__ import annotations

import tomllib

from sources import ROOT

from contextd import __version__

BENCH = ROOT / "packages" / "contextd-bench"


def test_the_benchmarks_have_the_version_of_the_product() -> None:
    project = tomllib.loads((BENCH / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == __version__


def test_the_wheel_holds_the_product_and_its_code_package_without_benchmarks() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"]["packages"] == [
        "src/contextd",
        "src/contextd_code",
        "src/contextd_common",
    ]
    assert not (ROOT / "src" / "contextd" / "benchmarks").exists()
    assert (BENCH / "src" / "contextd_bench" / "run.py").is_file()
