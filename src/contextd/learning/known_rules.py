"""The user's rules that a project has learned, and which of them a sentence says again in any words (ADR 73)."""

from __future__ import annotations

from collections.abc import Mapping

from contextd.domain.directives import force_of
from contextd.domain.language_bias import bias_of
from contextd.domain.records import Record
from contextd.domain.repeats import Similarity, said_before
from contextd.learning.statement_worth import weights
from contextd.runtime.runtime import Runtime
from contextd_common.errors import Unavailable

_MOST = 2_000
"""The latest learned records that are searched for rules."""


def users_rules(runtime: Runtime) -> dict[str, Record]:
    """The rules and candidates of this project that were learned from the user's words, by id."""
    query = runtime.query(
        "discovery", level="project", statuses=("active", "candidate"), limit=_MOST
    )
    return {
        record.id: record
        for record in runtime.view.records.find(query).records
        if record.scope == runtime.scope
        and record.data.get("speaker") == "user"
        and force_of(record.content)
    }


def said_again(runtime: Runtime, text: str, rules: Mapping[str, Record]) -> Record | None:
    """The one of these rules that a text says again; None if it is new."""
    texts = {id: record.content for id, record in rules.items()}
    return rules.get(said_before(text, texts, _similarity(runtime)))


def _similarity(runtime: Runtime) -> Similarity | None:
    """The similarity by the shipped embedder, for which its least value was measured; None for another or none."""
    model = runtime.embedder.model
    if model != weights().model:
        return None

    def similarity(text: str, rule: str) -> float:
        try:
            one, other = runtime.embedder.embed([text, rule])
        except Unavailable:
            return 0.0
        bias = bias_of(model, text)
        return float(one @ other) - (bias.of(rule) if bias is not None else 0.0)

    return similarity
