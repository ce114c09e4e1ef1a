"""How many of the searched texts have vectors, and the note to show meanwhile."""

from __future__ import annotations

from contextd.domain.query import Query
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """The share of texts with a vector, 0 to 1, and a note; empty once all have one."""

    share: float = 1.0
    note: str = ""


COMPLETE = EmbeddingProgress()


def embedding_progress(runtime: Runtime, query: Query | None = None) -> EmbeddingProgress:
    """The embedding progress of the texts that a query searches; of all texts without a query. Without an
    embedder, the search itself reports that.
    """
    index, model = runtime.view.index, runtime.embedder.model
    if not model:
        return EmbeddingProgress(0.0)
    # The usual answer costs two rows for each part of the index.
    if not index.pending(model, 1):
        return COMPLETE
    stats = index.stats(model, query)
    if not stats.pending:
        return COMPLETE
    share = stats.vectors / stats.documents
    # One missing text of a thousand must not round to 100%.
    percent = min(99, round(100 * share))
    rest = "words only for the rest" if percent else "words only"
    return EmbeddingProgress(share, f"{percent}% embedded; {rest}")
