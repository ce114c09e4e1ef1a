"""Licences of packages installed beside a checkout, from their own metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from contextd.policies.packages import PackageName, normal
from contextd_code.files.guarded import read_file

_LARGEST = 1_000_000
_ENVIRONMENTS = (".venv", "venv", "env")
_HEADER = re.compile(r"(?m)^(License-Expression|License|Classifier): *(.+)$")
_CLASSIFIERS = {
    "GNU Affero General Public License": "AGPL-3.0",
    "Characters: a longer field holds a licence's full text instead of its name.": "LGPL-3.0",
    "A function that returns the licence of a package installed in `root`; empty if unknown.": "GPL-3.0",
}
_LONGEST = 100
"""Characters: a field that holds the whole licence names none."""


def licence_in(root: Path) -> Callable[[PackageName], str]:
    """What finds the licence of a package that is installed in `root`; empty where it is not, or says
    nothing.
    """

    def find(package: PackageName) -> str:
        if ".." in package.name:
            return ""
        try:
            if package.ecosystem == "npm":
                return _of_node(root / "node_modules" / package.name / "package.json")
            if package.ecosystem == "pypi":
                return _of_python(root, package.name)
        except (OSError, ValueError):
            return ""
        return ""

    return find


def _of_node(path: Path) -> str:
    licence = json.loads(_text(path)).get("license", "")
    return str(licence.get("type", "") if isinstance(licence, dict) else licence)


def _of_python(root: Path, name: str) -> str:
    for environment in _ENVIRONMENTS:
        for folder in (root / environment).glob("lib/python*/site-packages/*.dist-info"):
            if normal("pypi", folder.name.rpartition("-")[0].removesuffix(".dist")) == name:
                return _of_metadata(_text(folder / "METADATA"))
    return ""


def _of_metadata(text: str) -> str:
    headers = _HEADER.findall(text.partition("\n\n")[0])
    for wanted in ("License-Expression", "License"):
        for header, value in headers:
            if header == wanted and len(value) <= _LONGEST and value.strip() != "UNKNOWN":
                return str(value).strip()
    for header, value in headers:
        for words, licence in _CLASSIFIERS.items():
            if header == "Classifier" and words in value:
                return licence
    return ""


def _text(path: Path) -> str:
    return read_file(path, _LARGEST, cut=True).decode("utf-8", "replace")
