"""Licences: those that a change declares, and those of packages installed beside a checkout."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from contextd.policies.actions import FileChange
from contextd.policies.packages import PackageName, normal
from contextd_common.files.guarded import read_file
from contextd_common.text.regex import regex

_SPDX = regex(r"SPDX-License-Identifier:\s*([A-Za-z0-9.+() -]{2,120})")
_GNU = regex(
    r"(?i)\bterms of (?:version \d (?:or later )?of )?the GNU (Affero |Lesser |Library )?General Public License"
)
_TITLE = regex(r"^\s*GNU (AFFERO |LESSER |LIBRARY )?GENERAL PUBLIC LICENSE\s*$")
_OTHER = regex(r"(?i)^\W*(Server Side Public License|Business Source License|Elastic License)\b")
_MANIFEST = regex(
    r"(?:.*/)?(?:package\.json|pyproject\.toml|Cargo\.toml|composer\.json|setup\.py|setup\.cfg)"
)
_FIELD = regex(
    r"""^\s*"?licen[sc]e"?\s*[:=]\s*(?:\{\s*text\s*=\s*)?["']?([A-Za-z0-9.+() -]{2,120}?)["']?\s*[},]*\s*$"""
)
_CLASSIFIER = regex(r"License :: OSI Approved :: GNU (Affero |Lesser )?General Public License")
_LICENCE_FILE = regex(r"(?i)(?:.*/)?(?:licen[sc]es?|copying)(?:[._-][\w.-]*)?")

_NAMES = {"": "GPL-3.0", "affero": "AGPL-3.0", "lesser": "LGPL-3.0", "library": "LGPL-2.0"}
_OTHERS = {"server": "SSPL-1.0", "business": "BUSL-1.1", "elastic": "Elastic-2.0"}

_PARTS = regex(r"\s+(OR|AND)\s+|[()]")


def licences_in(change: FileChange) -> Iterator[tuple[str, int]]:
    """(licence, line) for each licence that new lines of a file declare."""
    manifest = _MANIFEST.fullmatch(change.path) is not None
    whole = _LICENCE_FILE.fullmatch(change.path) is not None
    for number, line in change.added:
        line = line[:1_000]
        if found := _SPDX.search(line):
            yield found.group(1).strip().rstrip("*/ -"), number
        elif found := _GNU.search(line) or (_TITLE.search(line) if whole else None):
            yield _NAMES[(found.group(1) or "").strip().lower()], number
        elif whole and (found := _OTHER.search(line)):
            yield _OTHERS[found.group(1).split()[0].lower()], number
        elif manifest and (found := _FIELD.search(line)):
            yield found.group(1).strip(), number
        elif manifest and (found := _CLASSIFIER.search(line)):
            yield _NAMES[(found.group(1) or "").strip().lower()], number


def is_refused(expression: str, refuses: Callable[[str], bool]) -> bool:
    """Whether every choice in a licence expression is forbidden: in `A OR B` either may be chosen, in `A
    AND B` both apply.
    """
    plain = _PARTS.sub(lambda m: f" {m.group(1)} " if m.group(1) else " ", expression)
    choices = [choice.split(" AND ") for choice in plain.split(" OR ")]
    return all(any(refuses(name.split(" WITH ")[0].strip()) for name in one) for one in choices)


_LARGEST = 1_000_000
_ENVIRONMENTS = (".venv", "venv", "env")
_HEADER = re.compile(r"(?m)^(License-Expression|License|Classifier): *(.+)$")
_LICENCE_OF_WORDS = {
    "Affero General Public License": "AGPL-3.0",
    "Lesser General Public License": "LGPL-3.0",
    "GNU General Public License": "GPL-3.0",
}
_LONGEST = 100
"""Characters: a longer field holds a licence's full text instead of its name."""


def licence_in(root: Path) -> Callable[[PackageName], str]:
    """A function that returns the licence of a package installed in `root`; empty if unknown."""

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
            # `NAME-VERSION.dist-info`, in which the name has no hyphen.
            if normal("pypi", folder.name.partition("-")[0]) == name:
                return _of_metadata(_text(folder / "METADATA"))
    return ""


def _of_metadata(text: str) -> str:
    headers = _HEADER.findall(text.partition("\n\n")[0])
    for wanted in ("License-Expression", "License"):
        for header, value in headers:
            if header == wanted and len(value) <= _LONGEST and value.strip() != "UNKNOWN":
                return str(value).strip()
    for header, value in headers:
        for words, licence in _LICENCE_OF_WORDS.items():
            if header == "Classifier" and words in value:
                return licence
    return ""


def _text(path: Path) -> str:
    return read_file(path, _LARGEST, cut=True).decode("utf-8", "replace")
