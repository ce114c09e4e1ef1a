"""Find licences that a change declares."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from contextd.policies.actions import FileChange
from contextd_code.text.regex import regex

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
