"""Which files of the caller's checkout are indexed: all that its owner asked for, or as many as fit."""

from __future__ import annotations

from contextd.code.tree.limits import OVER, within_limits
from contextd.code.tree.walk import Walk, walk
from contextd.runtime.runtime import Runtime


def is_limited(runtime: Runtime) -> bool:
    """Whether nobody asked for an index of this checkout: `contextd init` does, trusting a folder does not."""
    return runtime.checkout is not None and not runtime.checkout.initialised


def limited(runtime: Runtime, walked: Walk) -> Walk:
    """The walk without what is too much to be indexed."""
    if not is_limited(runtime):
        return walked
    return within_limits(walked, lambda: runtime.view.files.stamps(runtime.scope))


def listed(runtime: Runtime) -> Walk:
    """The files of the caller's checkout that are to be indexed, as they are now."""
    return limited(runtime, walk(runtime.root))


def cut_by_limit(walked: Walk | None) -> str:
    """What the limit left out of a walk, in a clause; empty where it left out nothing."""
    skipped = walked.skipped if walked is not None else ()
    return next((f"{count} not indexed: {why}" for count, why in skipped if why == OVER), "")
