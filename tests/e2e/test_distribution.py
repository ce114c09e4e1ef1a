"""What users install: the sdist and the wheel are built, installed in empty environments and tried."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import contextd
from support.files_in_memory import folder_on_disk
from support.repositories import SHOP, committed

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["uv"]
BIN, SUFFIX = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
PROGRAM = """
import contextd
with contextd.open(project=".") as context:
    context.record("Amounts are stored in cents", kind="rule")
    print(context.search("how are amounts stored?")[0].text)
"""


def run(*command: str | Path, cwd: Path, home: Path | None = None) -> str:
    """What a program prints; it must succeed. No variable of this checkout's environment reaches it; installers
    take the versions that are pinned there, or a release of today would decide this test.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CONTEXTD", "PYTHON", "VIRTUAL_ENV", "UV_PROJECT"))
    }
    environment = {**inherited, **({"CONTEXTD_HOME": str(home)} if home else {})}
    for key in ("constraint", "build-constraint"):
        pins = cwd / f"{key}s.txt"
        if command[0] == "uv" or "pip" in command:
            pins.write_text("\n".join(SETTINGS[f"{key}-dependencies"]), "utf-8")
        variable = key.replace("-", "_").upper()
        environment |= {f"UV_{variable}": str(pins), f"PIP_{variable}": str(pins)}
    if home is not None:
        environment |= {"UV_TOOL_DIR": f"{home}-tools", "UV_TOOL_BIN_DIR": f"{home}-tools/bin"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run("uv", "build", "--quiet", "--out-dir", folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    return next(built.glob("contextd_runtime-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Iterator[Path]:
    """The programs of an environment with nothing but the wheel and its dependencies."""
    with folder_on_disk() as name:
        folder = Path(name)
        run("uv", "venv", "--quiet", "--python", sys.executable, "env", cwd=folder)
        python = folder / "env" / BIN / f"python{SUFFIX}"
        run("uv", "pip", "install", "--quiet", "--python", python, wheel, cwd=folder)
        yield python.parent


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder on the disk: an environment has 300 MB, which uv links from its cache there."""
    with folder_on_disk() as folder:
        yield Path(folder)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    home = tmp_path / "home"
    yield home
    if (home / "daemon.json").exists():
        os.kill(json.loads((home / "daemon.json").read_text("utf-8"))["pid"], 15)


def test_both_distributions_have_the_version_of_the_code(built: Path) -> None:
    names = {path.name for path in built.iterdir() if not path.name.startswith(".")}
    version = contextd.__version__
    assert names == {
        f"contextd_runtime-{version}.tar.gz",
        f"contextd_runtime-{version}-py3-none-any.whl",
    }


def test_the_wheel_holds_the_product_and_nothing_of_its_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    top = {name.partition("/")[0] for name in names if ".data/" not in name}
    metadata = next(name for name in names if name.endswith("/METADATA"))
    assert {name for name in top if not name.endswith(".dist-info")} == {
        "contextd",
        "contextd_code",
        "contextd_common",
    }
    assert {"contextd/py.typed", "contextd_code/py.typed", "contextd_common/py.typed"} <= set(names)
    assert any(name.endswith("share/man/man1/contextd.1") for name in names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "/benchmarks/" in name or "/tests/" in name]
    assert "Classifier: Typing :: Typed" in zipfile.ZipFile(wheel).read(metadata).decode()


def test_the_sdist_builds_alone_and_holds_the_licence(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml"} <= names
    assert {"src/contextd/py.typed", "src/contextd_code/py.typed"} <= names
    assert not [name for name in names if name.startswith((".venv", "build/", "dist/"))]


def test_the_wheel_serves_a_project_in_an_empty_environment(
    installed: Path, home: Path, tmp_path: Path
) -> None:
    program, root = installed / f"contextd{SUFFIX}", committed(tmp_path / "shop", SHOP)
    assert contextd.__version__ in run(program, "--version", cwd=root, home=home)
    assert "Scanned" in run(program, "init", cwd=root, home=home)
    run(program, "remember", "Invoices are immutable once sent", cwd=root, home=home)
    assert "immutable" in run(program, "search", "can I change an invoice", cwd=root, home=home)
    run(program, "daemon", "stop", cwd=root, home=home)


def test_the_python_api_works_from_the_wheel(installed: Path, home: Path, tmp_path: Path) -> None:
    root = committed(tmp_path / "shop", SHOP)
    printed = run(installed / f"python{SUFFIX}", "-c", PROGRAM, cwd=root, home=home)
    assert printed.strip() == "Amounts are stored in cents"


def test_the_main_job_plays_from_the_wheel(installed: Path, home: Path, tmp_path: Path) -> None:
    root = committed(tmp_path / "shop", SHOP)
    assert "✓" in run(installed / f"contextd{SUFFIX}", "demo", cwd=root, home=home)


def test_a_clone_installs_as_a_tool(home: Path, tmp_path: Path) -> None:
    run(
        "uv",
        "tool",
        "install",
        "--quiet",
        "--python",
        sys.executable,
        ROOT,
        cwd=tmp_path,
        home=home,
    )
    program = Path(f"{home}-tools") / "bin" / f"contextd{SUFFIX}"
    assert contextd.__version__ in run(program, "--version", cwd=tmp_path, home=home)


def test_pip_installs_a_clone(home: Path, tmp_path: Path) -> None:
    run("uv", "venv", "--quiet", "--seed", "--python", sys.executable, "env", cwd=tmp_path)
    programs = tmp_path / "env" / BIN
    run(programs / f"python{SUFFIX}", "-m", "pip", "install", "--quiet", ROOT, cwd=tmp_path)
    assert contextd.__version__ in run(
        programs / f"contextd{SUFFIX}", "--version", cwd=tmp_path, home=home
    )
