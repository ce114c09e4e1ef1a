"""Git anchors: the commit a record was made at, and whether the code it cites has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from contextd.domain.records import Anchor, Record
from contextd.knowledge.citations import AnchorStanding, Citations, cited_paths
from contextd.runtime.runtime import Runtime
from contextd_code.git import git_queries as git
from contextd_common.errors import Invalid, Unavailable

_CHECKOUTS = 32


def citations(runtime: Runtime) -> Citations:
    """Cached facts about the history of the call's checkout."""
    root = runtime.root
    cache = runtime.organisation.caches.of("citations", _CHECKOUTS)
    found: Citations = cache.made(root, lambda: Citations(root))
    return found


def anchor_for(runtime: Runtime, *texts: str) -> Anchor:
    """Where in git something is recorded: commit, branch, and the blobs of the project files that these
    texts name. Empty without a checkout or when git fails.
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
    """The strings among typed fields, including those in lists: they may name files."""
    for value in data.values():
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, str):
                yield one


def standings(runtime: Runtime, records: Iterable[Record]) -> dict[str, AnchorStanding]:
    """The state of the code that the project's records cite in the caller's checkout, by record id."""
    if runtime.checkout is None or runtime.project is None:
        return {}
    anchors = {r.id: r.anchor for r in records if r.scope == runtime.scope}
    return citations(runtime).standings(anchors)


def notes(runtime: Runtime, records: Iterable[Record]) -> dict[str, str]:
    """A note on the cited code for each record; records without a note are left out."""
    found = standings(runtime, records).items()
    return {id: standing.note for id, standing in found if standing.note}


def from_elsewhere(runtime: Runtime, found: dict[str, AnchorStanding]) -> set[str]:
    """Ids of records known only on an unmerged branch, unless the user wants them."""
    if runtime.settings.flag("recall.other_branches"):
        return set()
    return {id for id, standing in found.items() if standing.elsewhere}
