"""Search everything at once: records, sessions and code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

from contextd.briefing.context_window import archived_sources
from contextd.codebase.freshness import Lag, steady
from contextd.domain.context_items import Serving
from contextd.domain.documents import message_place
from contextd.domain.kinds import KINDS
from contextd.domain.limits import Range, Text
from contextd.domain.query import CODE, EVENT
from contextd.domain.records import Record, headed, short_id
from contextd.domain.sessions import Event
from contextd.domain.time import age, from_micros, moment
from contextd.knowledge.git_anchors import notes
from contextd.knowledge.record_views import label, noted
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.file_history import past_of
from contextd.search.find_records import SEARCHED, find_documents
from contextd.search.hits import Hit
from contextd.search.logged_queries import asked, unanswered
from contextd.search.passage import covered, passage
from contextd_code.values.source import Chunk
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import content_words, one_line

_TEXT = 600
_HEADING = 150
"""Maximum characters of a title above a passage."""

if TYPE_CHECKING:
    SearchType = str
else:
    SearchType = Literal[("all", *SEARCHED)]


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One hit of any kind. `date` is when it was said, or when the file of a piece of code last changed on disk:
    the age within a day, else the date. `session` is the id of its session. `validity` says
    whether it still holds: taken back, replaced, or unconfirmed; and which files a rule is for. `score` is
    between 0 and 1 and comparable across searches. `symbol` is the definition in a piece of code.
    """

    id: str
    type: str
    text: str
    source: str
    date: str
    score: float
    why: str
    stale: str = ""
    contradicts: str = ""
    validity: str = ""
    session: str = ""
    symbol: str = ""

    def as_text(self, *, of_session: bool = True) -> str:
        """The text, then its id, date and status, and with `of_session` its session; of code, first where it is.
        Score and reasons are told by `explain`.
        """
        session = f"session {short_id(self.session)}" if self.session and of_session else ""
        notes = (session, self.stale, self.validity)
        if self.type == "code":
            place = f"{self.source} {self.symbol}".rstrip()
            changed = f"changed {self.date}" if self.date else ""
            return _marked(f"{place}\n{self.text}", f"code {self.id[:12]}", changed, *notes)
        message = message_place(self.id)
        if message is not None:
            # The session is its source.
            return _marked(self.text, f"{self.source}#{message[1]}", self.date, *notes)
        name = f"{self.type} {short_id(self.id)}"
        return _marked(self.text, name, self.date, *notes)


def _marked(text: str, *marks: str) -> str:
    return f"{text}\n  ({' · '.join(filter(None, marks))})"


@dataclass(frozen=True, slots=True)
class SearchHits:
    """Hits of every kind, best first."""

    results: list[SearchHit]
    notice: str = ""

    def as_text(self) -> str:
        """Each hit, a session once."""
        parts: list[str] = []
        sessions = set[str]()
        for place, hit in enumerate(self.results, 1):
            parts.append(f"{place}. {hit.as_text(of_session=hit.session not in sessions)}")
            sessions.add(hit.session)
        return "\n".join([*parts, f"({self.notice})"] if self.notice else parts)


@operation("GET /api/search", profile="core", where="person")
def context_search(
    runtime: Runtime,
    query: Text,
    type: SearchType = "all",
    limit: Annotated[int, Range(1, 100)] = 5,
) -> SearchHits:
    """Search lessons, decisions, past sessions and code. Use before asking the user.

    Args:
        query: What you want to know.
        type: Only one sort.
        limit: The most hits.
    """
    everything = (*KINDS, EVENT) if runtime.view.files is None else (*KINDS, EVENT, CODE)
    kinds = SEARCHED.get(type) or everything
    past = past_of(runtime, query) if kinds == (CODE,) else None
    with steady(runtime, asked=query) if CODE in kinds else nullcontext(Lag()) as lag:
        found = find_documents(runtime, query, kinds, limit=limit, past=past, without=lag.paths)
    now = runtime.clock.now()
    archived = archived_sources(runtime)
    records = [hit.record for hit in found.hits if hit.record is not None]
    stale = notes(runtime, records)
    changed = _changed_at(runtime, found.hits)
    words = frozenset(content_words(query))
    hits = [
        replace(
            shown(hit, words, now, changed, archived=_source(hit).source in archived),
            stale=stale.get(hit.id, ""),
            contradicts=hit.validity.contradicts,
        )
        for hit in found.hits
    ]
    runtime.trace.gave += [_source(hit) for hit in found.hits]
    runtime.trace.own_texts += [hit.text for hit in hits if hit.type != "code"]
    # The answer may be in texts that are not indexed yet.
    narrowed = type != "all" or bool(lag.notice)
    noted = asked(runtime, query, [hit.id for hit in hits], type=type, narrowed=narrowed)
    nothing = "" if hits else unanswered(runtime, "no results", noted=noted)
    notes_on_it = (found.notice if hits else nothing, lag.notice)
    return SearchHits(hits, "; ".join(filter(None, notes_on_it)))


def _source(hit: Hit) -> Serving:
    """The window item of a hit: its file, record or session."""
    content = hit.content
    tokens = count_tokens(content.text[:_TEXT])
    if isinstance(content, Chunk):
        return Serving("file", content.path, tokens)
    if isinstance(content, Record):
        return Serving("discovery", content.id, tokens)
    return Serving("session", hit.id.partition("#")[0], tokens)


def _changed_at(runtime: Runtime, hits: Iterable[Hit]) -> dict[str, datetime]:
    """When the files of the code hits last changed, by path."""
    paths = {hit.content.path for hit in hits if isinstance(hit.content, Chunk)}
    files = runtime.code_index.get(sorted(paths)) if paths else []
    return {file.path: from_micros(file.mtime_ns // 1_000) for file in files}


def shown(
    hit: Hit,
    words: frozenset[str],
    now: datetime,
    changed: Mapping[str, datetime],
    *,
    archived: bool = False,
) -> SearchHit:
    """A hit as shown for these `words`; `changed` is when files last changed."""
    score = round(hit.relevance, 4)
    content = hit.content
    why = hit.why + (" · was archived from the window" if archived else "")
    if isinstance(content, Record):
        kind = label(content.kind, dict(content.data))
        return SearchHit(
            hit.id,
            kind,
            _told_of(content, words),
            str(content.source),
            moment(content.created_at, now),
            score,
            why,
            validity=noted(content, hit.validity),
            session=content.session,
        )
    if isinstance(content, Chunk):
        place = f"{content.path}:{content.start_line}-{content.end_line}"
        text = content.text[:_TEXT].rstrip()
        when = age(changed[content.path], now) if content.path in changed else ""
        return SearchHit(hit.id, "code", text, place, when, score, why, symbol=content.symbol)
    assert isinstance(content, Event)
    message = f"{content.role}: {passage(content.text, words, _TEXT)}"[:_TEXT]
    session = hit.id.partition("#")[0]
    source, since = f"session {short_id(session)}", moment(content.at, now)
    note = hit.validity.note
    return SearchHit(hit.id, "session", message, source, since, score, why, validity=note)


def _told_of(record: Record, words: frozenset[str]) -> str:
    """The shown form of a record: heading and text, or heading and a passage of another field that matches
    the question better, such as a turn's full request and answer.
    """
    text = passage(headed(record.title, record.content), words, _TEXT)
    fields = [field for field in record.beside if field]
    if not fields:
        return text
    heading = one_line(record.title, _HEADING)
    room = _TEXT - len(heading) - 1
    passages = [f"{heading}\n{passage(field, words, room)}".strip() for field in fields]
    # The first of equals: the text itself.
    return max((text, *passages), key=lambda one: covered(one, words))
