"""Keep the weights of a project's definitions, which order those of one name."""

from __future__ import annotations

from contextd.domain.changes import Changes, CodeChange
from contextd.runtime.runtime import Runtime
from contextd_code.symbols.symbol_ranks import weights

_AT_ONCE = 2_000
"""Files of a project that are weighed before an answer: 0.2 s; the rest follows after it."""

_CHANGED = 10
"""Recompute the weights once this share of the files changed: a tenth."""


def keep_weights(runtime: Runtime, *, behind: bool = False) -> None:
    """Recompute the weights when too many files changed; for a large project not now but `behind` the answer.
    For a caller that may write here.
    """
    files, scope = runtime.code_index, runtime.scope
    if not runtime.caller.may("write", scope) or not _outdated(runtime):
        return
    if behind and files.count() > _AT_ONCE:
        place = runtime.checkout_key or scope
        runtime.sinks.prepare("weights", place, lambda: keep_weights(runtime))
        return
    version = files.changes(files.weighed()).version
    change = CodeChange(scope=scope, weights=weights(files), weighed=version)
    runtime.view.commit(Changes(code=[change]))


def _outdated(runtime: Runtime) -> bool:
    files = runtime.code_index
    count, weighed = files.count(), files.weighed()
    if not count or not weighed:
        return bool(count)
    changes = files.changes(weighed)
    return changes.version < weighed or len(changes.put) * _CHANGED > count
