"""Convert domain values to JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any

from contextd.domain.context_items import ContextItem
from contextd.domain.records import Anchor, Record, Source
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, FileAccess, Session
from contextd.domain.time import from_micros, to_micros
from contextd_code.values.source import Chunk, Import, SourceFile, Symbol
from contextd_common.errors import Invalid

Json = dict[str, Any]

_SYMBOL = tuple(field.name for field in fields(Symbol))
_symbol_values = attrgetter(*_SYMBOL)
_SESSION = tuple(field.name for field in fields(Session))
_session_values = attrgetter(*_SESSION)

parse_scope = lru_cache(maxsize=4096)(Scope.parse)
"""Cached `Scope.parse`."""

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def dumps(value: Any) -> str:
    """Compact JSON. Raises `Invalid` for values that JSON or UTF-8 cannot represent."""
    try:
        text = _encode(value)
    except (TypeError, ValueError, RecursionError) as problem:
        raise Invalid(
            f"the data is not plain JSON: {problem}",
            "use text, finite numbers, true, false, null, lists and objects",
        ) from None
    check_text(text)
    return text


def check_text(*texts: str) -> None:
    """Raise `Invalid` for a text that UTF-8 cannot encode."""
    try:
        for text in texts:
            if not text.isascii():
                text.encode()
    except UnicodeEncodeError:
        raise Invalid(
            "the text is not valid Unicode", "replace lone surrogates and send it again"
        ) from None


def loads(text: str) -> Any:
    """Parse the output of `dumps`."""
    return json.loads(text)


def is_scope(text: str) -> bool:
    """Whether a column contains a scope, or is empty."""
    if not text:
        return True
    try:
        parse_scope(text)
    except Invalid:
        return False
    return True


def micros(moment: datetime | None) -> int | None:
    """Microseconds since the epoch, or None."""
    return None if moment is None else to_micros(moment)


def instant(value: int | None) -> datetime | None:
    """The instant of a number from `micros`."""
    return None if value is None else from_micros(value)


def record_to_json(record: Record) -> Json:
    """Every field of a record as JSON values, times as microseconds."""
    source, anchor = record.source, record.anchor
    return {
        "id": record.id,
        "kind": record.kind,
        "scope": str(record.scope),
        "title": record.title,
        "content": record.content,
        "data": dict(record.data),
        "tags": list(record.tags),
        "source": [source.agent, source.client, source.operation, source.ref],
        "session": record.session,
        "trust": record.trust,
        "status": record.status,
        "canonical_id": record.canonical_id,
        "confidence": float(record.confidence),
        "usage_count": record.usage_count,
        "helpful": record.helpful,
        "unhelpful": record.unhelpful,
        "last_used_at": micros(record.last_used_at),
        "valid_from": micros(record.valid_from),
        "valid_to": micros(record.valid_to),
        "anchor": [anchor.commit, anchor.branch, dict(anchor.paths)],
        "created_at": to_micros(record.created_at),
        "updated_at": to_micros(record.updated_at),
        # Few records have it, and older versions do not know it.
        **({"arrived_at": to_micros(record.arrived_at)} if record.arrived_at else {}),
    }


def record_from_json(body: Mapping[str, Any], version: int = 0) -> Record:
    """Parse the output of `record_to_json`, at this version."""
    return Record(
        id=body["id"],
        kind=body["kind"],
        scope=parse_scope(body["scope"]),
        title=body["title"],
        content=body["content"],
        data=body["data"],
        tags=tuple(body["tags"]),
        source=Source(*body["source"]),
        session=body["session"],
        trust=body["trust"],
        status=body["status"],
        canonical_id=body["canonical_id"],
        confidence=body["confidence"],
        usage_count=body["usage_count"],
        helpful=body["helpful"],
        unhelpful=body["unhelpful"],
        last_used_at=instant(body["last_used_at"]),
        valid_from=instant(body["valid_from"]),
        valid_to=instant(body["valid_to"]),
        anchor=Anchor(*body["anchor"]),
        created_at=from_micros(body["created_at"]),
        updated_at=from_micros(body["updated_at"]),
        arrived_at=instant(body.get("arrived_at")),
        version=version,
    )


def file_to_json(file: SourceFile, *, stamped: bool = True) -> list[Any]:
    """A source file as nested lists, without chunk texts, and without its size and time if those are
    stored elsewhere.
    """
    return [
        file.path,
        file.size if stamped else 0,
        file.mtime_ns if stamped else 0,
        file.digest,
        file.language,
        file.lines,
        [_symbol_values(symbol) for symbol in file.symbols],
        [[i.specifier, i.line, i.target, i.names] for i in file.imports],
        file.exports,
        [[c.id, c.start_line, c.end_line, c.symbol, c.language] for c in file.chunks],
        file.error,
    ]


FILE_LANGUAGE, FILE_IMPORTS = 4, 7
"""The positions of language and imports in `file_to_json`."""


def _symbol(values: Sequence[Any]) -> Symbol:
    # Written out: a graph has tens of thousands, and a dictionary for each is 50% slower.
    name, kind, start_line, end_line, start, end, signature, parent, exported = values
    return Symbol(
        name=name,
        kind=kind,
        start_line=start_line,
        end_line=end_line,
        start=start,
        end=end,
        signature=signature,
        parent=parent,
        exported=exported,
    )


def imports_from_json(body: list[Any]) -> tuple[Import, ...]:
    """The imports in the output of `file_to_json`."""
    return tuple(
        Import(specifier=a, line=b, target=c, names=tuple((n, m) for n, m in names))
        for a, b, c, names in body
    )


def file_from_json(
    body: list[Any],
    texts: Mapping[str, str] | None = None,
    *,
    stamp: tuple[int, int] | None = None,
    bare: bool = False,
) -> SourceFile:
    """Parse the output of `file_to_json`, with chunk texts from `texts`; without chunks if `bare`. `stamp`
    is the size and time if stored elsewhere.
    """
    path, size, mtime_ns, digest, language, lines, symbols, imports, exports, chunks, error = body
    found = texts or {}
    size, mtime_ns = stamp if stamp is not None else (size, mtime_ns)
    return SourceFile(
        path=path,
        size=size,
        mtime_ns=mtime_ns,
        digest=digest,
        language=language,
        lines=lines,
        symbols=tuple(map(_symbol, symbols)),
        imports=imports_from_json(imports),
        exports=tuple((a, b, c) for a, b, c in exports),
        chunks=tuple(
            Chunk(
                id=id_,
                path=path,
                start_line=start,
                end_line=end,
                text=found.get(id_, ""),
                symbol=symbol,
                language=spoken,
            )
            for id_, start, end, symbol, spoken in (() if bare else chunks)
        ),
        error=error,
    )


def session_to_json(session: Session) -> Json:
    """Every field of a session as JSON values."""
    return {
        **dict(zip(_SESSION, _session_values(session), strict=True)),
        "scope": str(session.scope),
        "started_at": to_micros(session.started_at),
        "last_seen_at": to_micros(session.last_seen_at),
        "ended_at": micros(session.ended_at),
        "files": [
            [f.path, f.count, to_micros(f.first_at), to_micros(f.last_at)] for f in session.files
        ],
        "data": dict(session.data),
    }


def session_from_json(body: Mapping[str, Any]) -> Session:
    """Parse the output of `session_to_json`."""
    values = dict(body)
    values["scope"] = parse_scope(body["scope"])
    values["started_at"] = from_micros(body["started_at"])
    values["last_seen_at"] = from_micros(body["last_seen_at"])
    values["ended_at"] = instant(body["ended_at"])
    values["files"] = tuple(
        FileAccess(path=p, count=n, first_at=from_micros(a), last_at=from_micros(b))
        for p, n, a, b in body["files"]
    )
    values["topics"] = tuple(body["topics"])
    values["injected"] = tuple(body["injected"])
    return Session(**values)


def item_to_row(item: ContextItem) -> tuple[Any, ...]:
    """A context item as plain values, in the order of its table's columns."""
    dumps([item.source, item.reason])
    return (
        item.type,
        item.source,
        item.tokens,
        item.count,
        to_micros(item.first_at),
        to_micros(item.last_at),
        float(item.score),
        item.status,
        item.reason,
    )


def item_from_row(row: Sequence[Any]) -> ContextItem:
    """Parse the output of `item_to_row`."""
    kind, source, tokens, count, first_at, last_at, score, status, reason = row
    return ContextItem(
        type=kind,
        source=source,
        tokens=tokens,
        count=count,
        first_at=from_micros(first_at),
        last_at=from_micros(last_at),
        score=score,
        status=status,
        reason=reason,
    )


def event_to_json(event: Event) -> Json:
    """An event without its `seq`."""
    return {
        "type": event.type,
        "key": event.key,
        "at": to_micros(event.at),
        "role": event.role,
        "text": event.text,
        "data": dict(event.data),
    }


def event_from_json(body: Mapping[str, Any], seq: int) -> Event:
    """Parse the output of `event_to_json`, with its `seq`."""
    values = dict(body)
    values["at"] = from_micros(body["at"])
    return Event(**values, seq=seq)
