"""Detect tracked folders that contain only build output."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from contextd_common.files.guarded import read_file

_BY_TOOL = frozenset(
    """.next .nuxt .output .svelte-kit .astro .turbo .parcel-cache .angular .nyc_output __pycache__
    .mypy_cache .ruff_cache .pytest_cache .tox .nox .gradle .terraform .dart_tool DerivedData
    .ipynb_checkpoints""".split()
)
"""Folders that only their tool writes."""

_OUTPUT = re.compile(
    rf"(?:^|/)(?:(?P<named>dist|build|out)|{'|'.join(map(re.escape, sorted(_BY_TOOL)))})/"
)
_SHIPPED = (
    "main",
    "module",
    "browser",
    "types",
    "typings",
    "bin",
    "exports",
    "files",
    "jsnext:main",
)
"""The published files that package.json names."""

_MOST = 1_000_000


class Outputs:
    """The build outputs among the tracked files of a repository, each folder judged once.

    A `dist` beside a package's manifest is one. `build` and `out` may also contain scripts and
    sources (as in Kubernetes, jQuery and pypa/build), so they are outputs only if package.json
    publishes files in them.
    """

    def __init__(self, base: Path, tracked: Collection[str]) -> None:
        self._base, self._tracked = base, tracked
        self._known: dict[str, bool] = {}

    def folder_of(self, path: str) -> str:
        """The output folder around `path`, with a slash at the end; empty if there is none."""
        for match in _OUTPUT.finditer(path):
            folder = path[: match.end()]
            if folder not in self._known:
                self._known[folder] = not match["named"] or self._is_output(folder, match["named"])
            if self._known[folder]:
                return folder
        return ""

    def _is_output(self, folder: str, name: str) -> bool:
        parent = folder[: -len(name) - 1]
        if f"{folder}__init__.py" in self._tracked:
            return False
        if name == "dist":
            beside = ("package.json", "bower.json", "pyproject.toml", "setup.py")
            return any(f"{parent}{manifest}" in self._tracked for manifest in beside)
        manifest = f"{parent}package.json"
        return manifest in self._tracked and _publishes(self._base / manifest, name)


def _publishes(manifest: Path, folder: str) -> bool:
    try:
        read: Any = json.loads(read_file(manifest, _MOST, cut=True))
    except (OSError, ValueError, RecursionError):
        return False
    if not isinstance(read, dict):
        return False
    named = [text for key in _SHIPPED for text in _texts(read.get(key))]
    return any(text.removeprefix("./").split("/")[0] == folder for text in named)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in inner for text in _texts(part)]
