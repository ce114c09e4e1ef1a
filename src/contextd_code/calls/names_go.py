"""The names of Go packages in the files that import them."""

from __future__ import annotations

import re

from contextd_code.symbols.symbols import WHOLE
from contextd_code.values.source import Import

_VERSION = re.compile(r"v\d+")
_DECORATED = re.compile(r"^go-|[-.]go$|\.v\d+$")


def names_in_file(one: Import) -> set[str]:
    """The names by which a Go file may mean an imported package: the one it gives, else those of the package."""
    given = {local for name, local in one.names if name == WHOLE}
    return given or _package_names(one.specifier)


def _package_names(specifier: str) -> set[str]:
    """The possible names of a Go package: the last path segment that is not a version, with or without affixes."""
    parts = [one for one in specifier.split("/") if not _VERSION.fullmatch(one)] or [specifier]
    return {parts[-1], specifier.rsplit("/", 1)[-1], _DECORATED.sub("", parts[-1])}
