"""Point an agent to a memory that matches its search in code or files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextd.briefing.briefing import titled
from contextd.briefing.injected_records import held
from contextd.domain.applies_to import limit_in_words
from contextd.domain.confidence import is_sure
from contextd.domain.kinds import kinds_that
from contextd.domain.notices import Notice
from contextd.domain.records import Record, short_id
from contextd.knowledge.git_anchors import from_elsewhere, standings
from contextd.redaction.redact import redact
from contextd.runtime.caches import Cache
from contextd.runtime.runtime import Runtime
from contextd_common.errors import Corrupt, Unavailable
from contextd_common.text.words import one_line

LOOKING_FOR = {"codebase_search": "query"}
"""Operations that search without reading memories, and the argument that holds the query. Others return
memories themselves or, like `read_file`, attach them.
"""

VERY_NEAR = 0.7
"""The lowest cosine at which a memory is mentioned: well above the 0.58 for a prompt, because a prompt is
sentences, while a search is a few words that are near to many texts.
"""

_CANDIDATES, _LONGEST = 6, 200
_MOST_PROBLEMS = 3

_CONVERSATIONS = 500
"""Cache of conversations that were already warned about invalid settings."""


def notice_memory(runtime: Runtime, operation: str, values: Mapping[str, Any]) -> None:
    """Note the one memory that closely matches the agent's search and was not shown in its session yet; does
    nothing without a match or an embedder.
    """
    query = str(values.get(LOOKING_FOR.get(operation, ""), ""))
    if not query or runtime.surface != "mcp" or not runtime.session or not runtime.embedder.model:
        return
    known = _near(runtime, query)
    if not known:
        return
    session = runtime.view.sessions.get(runtime.session)
    hidden = from_elsewhere(runtime, standings(runtime, [record for _, record in known]))
    hidden |= held(session) if session else set()
    for relevance, record in known:
        if record.id not in hidden:
            runtime.trace.notices.append(_notice(record, relevance))
            runtime.trace.injected.append(record.id)
            runtime.trace.own_texts.append(record.content)
            return


def notice_settings(runtime: Runtime) -> None:
    """Note once per conversation which settings are invalid and therefore ignored."""
    problems = runtime.settings.problems
    if not problems or runtime.surface != "mcp":
        return
    conversations: Cache[tuple[object, ...], bool] = runtime.organisation.caches.of(
        "told of settings", _CONVERSATIONS
    )
    key = (str(runtime.root), runtime.connection, problems)
    if conversations.get(key):
        return
    conversations.put(key, True)
    # A file of a repository may contain any text.
    plain = [redact(str(problem), runtime.redaction_key).text for problem in problems]
    shown = [one_line(text, _LONGEST) for text in plain[:_MOST_PROBLEMS]]
    more = len(problems) - len(shown)
    text = "; ".join([*shown, *([f"and {more} more"] if more else [])])
    facts = {"problems": shown}
    runtime.trace.notices.append(
        Notice("settings_warning", f"settings not in force: {text}", facts)
    )


def _near(runtime: Runtime, query: str) -> list[tuple[float, Record]]:
    kinds = tuple(sorted(set(kinds_that("strategy")) & set(kinds_that("briefed"))))
    wanted = runtime.query(*kinds, valid_at=runtime.clock.now())
    try:
        [vector] = runtime.embedder.embed([query])
        matches = runtime.view.index.dense(vector, runtime.embedder.model, wanted, _CANDIDATES)
    except (Unavailable, Corrupt):
        return []
    near = {match.id: match.score for match in matches if match.score >= VERY_NEAR}
    now = runtime.clock.now()
    records = [r for r in runtime.view.records.get(list(near)) if is_sure(r, now)]
    return sorted(((near[r.id], r) for r in records), key=lambda pair: -pair[0])


def _notice(record: Record, relevance: float) -> Notice:
    limit = limit_in_words(record)
    shown = " · ".join(filter(None, (one_line(titled(record), _LONGEST), limit)))
    memory = {"id": record.id, "kind": record.kind, "title": record.title, "content": shown}
    return Notice(
        "memory_match",
        f"known about this: {shown} [{record.kind} {short_id(record.id)}]",
        {"memory": memory, "relevance": round(relevance, 2)},
    )
