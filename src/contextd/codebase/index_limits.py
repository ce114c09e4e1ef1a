"""Which files of the caller's checkout are indexed: all after `contextd init`, otherwise up to the limit."""

from __future__ import annotations

from contextd.runtime.runtime import Runtime
from contextd_code.tree.limits import OVER, within_limits
from contextd_code.tree.walk import Walk, walk


def is_limited(runtime: Runtime) -> bool:
    """Whether this checkout has only the automatic index: `contextd init` requests a full one, trust does not."""
    return runtime.checkout is not None and not runtime.checkout.initialised


def limited(runtime: Runtime, walked: Walk) -> Walk:
    """Limit a walk to the files that may be indexed."""
    if not is_limited(runtime):
        return walked
    return within_limits(walked, runtime.code_index.stamps)


def listed(runtime: Runtime) -> Walk:
    """The current files of the caller's checkout that may be indexed."""
    return limited(runtime, walk(runtime.root))


def cut_by_limit(walked: Walk | None) -> str:
    """A clause on the files that the limit left out of a walk; empty when it left out none."""
    skipped = walked.skipped if walked is not None else ()
    return next((f"{count} not indexed: {why}" for count, why in skipped if why == OVER), "")
