"""Knowledge tied to git: where it was made, and whether the code it cites still says the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from contextd.code.git import git_queries as git
from contextd.code.git.citations import AnchorStanding, Citations, cited_paths
from contextd.domain.errors import Invalid, Unavailable
from contextd.domain.records import Anchor, Record
from contextd.runtime.runtime import Runtime

_CHECKOUTS = 32


def citations(runtime: Runtime) -> Citations:
    """What is remembered of the history of the call's checkout."""
    root = runtime.root
    cache = runtime.organisation.caches.of("citations", _CHECKOUTS)
    found: Citations = cache.made(root, lambda: Citations(root))
    return found


def anchor_for(runtime: Runtime, *texts: str) -> Anchor:
    """Where in git something is written: commit, branch, and the blobs of the files of the project
    that these texts name. Empty where there is no checkout or git does not answer.
    """
    if runtime.checkout is None:
        return Anchor()
    try:
        commit, branch = citations(runtime).here()
        paths = cited_paths(runtime.root, *texts)
        return Anchor(commit, branch, git.blobs(runtime.root, paths) if paths else {})
    except (Unavailable, Invalid):
        return Anchor()


def texts_of(data: Mapping[str, Any]) -> Iterator[str]:
    """The texts among typed fields, those in lists too: files are named there."""
    for value in data.values():
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, str):
                yield one


def standings(runtime: Runtime, records: Iterable[Record]) -> dict[str, AnchorStanding]:
    """How the code that the project's records cite stands in the caller's checkout, by record id."""
    if runtime.checkout is None or runtime.project is None:
        return {}
    anchors = {r.id: r.anchor for r in records if r.scope == runtime.scope}
    return citations(runtime).standings(anchors)


def notes(runtime: Runtime, records: Iterable[Record]) -> dict[str, str]:
    """What to say beside a record about the code it cites; records with nothing to say are left
    out.
    """
    found = standings(runtime, records).items()
    return {id: standing.note for id, standing in found if standing.note}


def from_elsewhere(runtime: Runtime, found: dict[str, AnchorStanding]) -> set[str]:
    """Ids of records that only an unmerged branch knows, unless the user wants them."""
    if runtime.settings.flag("recall.other_branches"):
        return set()
    return {id for id, standing in found.items() if standing.elsewhere}
