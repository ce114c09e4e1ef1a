"""Summarise what is not in the code index: vendor/ (312 files), libs/x/ (submodule)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contextd_code.tree.generated import is_left_out
from contextd_code.tree.limits import OVER

_OUTSIDE = ("submodule", "another repository", "sparse checkout", "written by a build", OVER)
"""Skip reasons that concern source code, without ignored files."""

_NAMED = 3


def left_out(
    errors: Iterable[tuple[str, str]], skipped: Iterable[tuple[str, str]], *, symbols: bool = False
) -> list[str]:
    """Groups of files that are not indexed, largest first, each as `where (what)`.

    `errors` pairs indexed files with the reason why their text is missing, `skipped` pairs paths of
    a walk with the reason why they were skipped. For a query about `symbols`, generated files count
    as indexed.
    """
    whole = [f"{path} ({why})" for path, why in skipped if why in _OUTSIDE]
    groups: dict[tuple[str, str], list[str]] = {}
    for path, why in errors:
        if is_left_out(why) and not (symbols and why == "generated"):
            head, slash, _ = path.partition("/")
            where = head + slash if why == "vendored" else ""
            groups.setdefault((where, why), []).append(path)
    by_size = sorted(groups.items(), key=lambda row: (-len(row[1]), row[0]))
    return [_group(where, why, paths) for (where, why), paths in by_size] + whole


def _group(where: str, why: str, paths: Sequence[str]) -> str:
    count = f"{len(paths)} file{'s' * (len(paths) != 1)}"
    if where:
        return f"{where} ({count}, {why})"
    more = ", …" if len(paths) > _NAMED else ""
    return f"{count} {why}: {', '.join(paths[:_NAMED])}{more}"
