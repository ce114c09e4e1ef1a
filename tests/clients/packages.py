"""The foreign programs, at the versions they were tried with, in a folder outside the repository. npm and
uv fetch them as their user configured them.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NODE = "node@22.23.3"
"""The one that programs run on which the machine's own is too old for."""

CONFORMANCE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
TYPESCRIPT_SDK = "@modelcontextprotocol/sdk@1.32.2"
FASTMCP = "fastmcp==4.1.2"
PYDANTIC_AI = "pydantic-ai-slim[mcp]==2.62.0"

_INSTALL_SECONDS = 900


def cache() -> Path:
    """Where they are kept: in the folder that `CONTEXTD_CLIENTS_CACHE` names, or in the user's cache."""
    chosen = os.environ.get("CONTEXTD_CLIENTS_CACHE")
    if chosen:
        return Path(chosen).absolute()
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "contextd-clients"


def npm_package(spec: str) -> Path:
    """The folder of programs of an npm package, which is installed when it is not there yet. Skips the test
    where that cannot be done.
    """
    programs = _installed(spec) / "node_modules" / ".bin"
    if spec != NODE:
        npm_package(NODE)
    return programs


def modules(spec: str) -> Path:
    """The folder in which a program finds an npm package by its name."""
    npm_package(spec)
    return _installed(spec)


def python_with(*specs: str) -> Path:
    """The interpreter of an environment that has these packages and nothing of ours."""
    if shutil.which("uv") is None:
        pytest.skip("there is no uv")
    folder = cache() / "pypi" / "+".join(spec.replace("==", "@") for spec in specs)
    python = folder / "bin" / "python"
    with _alone(folder):
        if not (folder / "complete").exists():
            _run(["uv", "venv", "-q", "--clear", str(folder)])
            _run(["uv", "pip", "install", "-q", "--python", str(python), *specs])
            (folder / "complete").touch()
    return python


def _installed(spec: str) -> Path:
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("there is no npm")
    folder = cache() / "npm" / spec.rpartition("/")[2]
    with _alone(folder):
        if not (folder / "complete").exists():
            (folder / "package.json").write_text(json.dumps({"private": True, "type": "module"}))
            _run(["npm", "install", "--no-audit", "--no-fund", spec], folder)
            (folder / "complete").touch()
    return folder


def _run(command: list[str], folder: Path | None = None) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"{command[0]} could not install {command[-1]}: {done.stderr[-300:]}")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Several test processes may want the same package."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = folder.with_name(f"{folder.name}.lock")
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
