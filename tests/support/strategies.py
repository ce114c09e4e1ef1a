"""What contextd may be given, for tests that try it with anything."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import strategies as st

from contextd.domain.query import Document, Query
from contextd.domain.records import Anchor, Record, Source, digest
from contextd.domain.scope import Scope
from contextd_code.values.source import Chunk, SourceFile

SCOPES = (Scope("acme"), Scope("acme", "web"), Scope("acme", "web", "shop"), Scope("rival"))
KINDS = ("memory", "context", "x_mine", "code", "event")
STATUSES = ("active", "inbox", "archived", "deleted")
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)

AWKWARD = (
    "",
    " ",
    "it's \"quoted\" 'twice'",
    'retry AND NOT upload OR near:"x" NEAR(a b, 2) * ^',
    "{text} : upload -- ; DROP TABLE records",
    "naïve café ﬁle ÅNGSTRÖM straße İstanbul",
    "日本語の検索 設定ファイル 한국어",
    "emoji 🚀 zero\u200bwidth \u202eright to left",
    "nul \x00 inside",
    "parseHTTPResponse2 retry_upload_now __init__ a_b",
    "%_%\\ $.data \"]' [1]",
)

WORDS = (
    "upload",
    "uploads",
    "retry",
    "retry_upload",
    "HTTPServer",
    "cache",
    "日本語",
    "straße",
    "the",
)

texts = st.one_of(
    st.sampled_from(AWKWARD),
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
)
moments = st.integers(0, 40).map(lambda hours: EPOCH + timedelta(hours=hours))
maybe_moments = st.none() | moments
tags = st.lists(st.sampled_from(["a", "b", "it's", "日本", "a b"]), max_size=3, unique=True).map(
    tuple
)
scalars = st.one_of(
    st.sampled_from(["x", "y", "1", ""]),
    st.integers(-3, 3),
    st.booleans(),
    st.sampled_from([0.5, 1.0]),
)
values = st.one_of(scalars, st.none(), st.lists(scalars, max_size=3), st.just({"x": "y"}))
fields = st.sampled_from(["type", "module", "occurrence_count", "größe", "a-b"])
ids = st.sampled_from([f"{letter * 4}-{number}" for letter in "ab" for number in range(4)])
confidences = st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0])


@st.composite
def records(draw: st.DrawFn) -> Record:
    """A record with anything in any of its fields."""
    return Record(
        id=draw(ids),
        kind=draw(st.sampled_from(KINDS[:3])),
        scope=draw(st.sampled_from(SCOPES)),
        title=draw(texts),
        content=draw(texts),
        data=draw(st.dictionaries(fields, values, max_size=3)),
        tags=draw(tags),
        source=Source(agent=draw(texts), ref=draw(texts)),
        session=draw(st.sampled_from(["", "s1"])),
        trust=draw(st.sampled_from(["human", "agent"])),
        status=draw(st.sampled_from(STATUSES)),
        confidence=draw(confidences),
        usage_count=draw(st.integers(0, 3)),
        last_used_at=draw(maybe_moments),
        valid_from=draw(maybe_moments),
        valid_to=draw(maybe_moments),
        anchor=Anchor(commit=draw(texts), paths={"a.py": "1"}),
        created_at=draw(moments),
        updated_at=draw(moments),
    )


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A document; few ids, so that histories replace and delete."""
    return Document(
        id=draw(ids),
        kind=draw(st.sampled_from(KINDS)),
        scope=draw(st.sampled_from(SCOPES)),
        text=draw(texts),
        near=draw(texts),
        status=draw(st.sampled_from(STATUSES)),
        facets=draw(
            st.lists(st.sampled_from(["tag=a", "tag=it's", "type=x"]), max_size=3).map(tuple)
        ),
        confidence=draw(confidences),
        valid_from=draw(maybe_moments),
        valid_to=draw(maybe_moments),
    )


@st.composite
def source_files(draw: st.DrawFn) -> SourceFile:
    """One of two files, cut into up to three pieces."""
    path = draw(st.sampled_from(["a.py", "b.py"]))
    pieces = draw(st.lists(texts, max_size=3))
    return SourceFile(
        path=path,
        size=draw(st.integers(0, 9)),
        mtime_ns=draw(st.integers(0, 2**61)),
        digest=draw(st.sampled_from("de")),
        language="python",
        lines=len(pieces),
        chunks=tuple(
            Chunk(
                id=digest(f"{path}:{n}:{piece}"),
                path=path,
                start_line=n,
                end_line=n,
                text=piece,
                symbol=draw(st.sampled_from(["", "f"])),
                language="python",
            )
            for n, piece in enumerate(pieces)
        ),
    )


@st.composite
def queries(draw: st.DrawFn, *, indexed: bool = False) -> Query:
    """A query of some of the scopes and a few conditions."""
    where = st.dictionaries(fields, st.none() | scalars, max_size=2)
    return Query(
        scopes=draw(st.frozensets(st.sampled_from(SCOPES), min_size=1)),
        kinds=draw(st.lists(st.sampled_from(KINDS), max_size=2, unique=True).map(tuple)),
        statuses=draw(st.lists(st.sampled_from(STATUSES), max_size=2, unique=True).map(tuple)),
        tags=draw(st.sampled_from([(), (), ("a",), ("it's",), ("a", "b")])),
        where=draw(st.sampled_from([{}, {}, {"type": "x"}]) if indexed else where),
        session="" if indexed else draw(st.sampled_from(["", "", "s1"])),
        min_confidence=draw(st.sampled_from([0.0, 0.0, 0.5])),
        valid_at=draw(maybe_moments),
        limit=draw(st.sampled_from([1, 2, 5, 50])),
    )


def vector(text: str, size: int = 8) -> np.ndarray:
    """A unit vector that depends on the text alone."""
    seed = int.from_bytes(text.encode("utf-8", "replace")[:8].ljust(1, b"\0"), "big")
    row = np.random.default_rng(seed).standard_normal(size).astype(np.float32)
    return row / np.linalg.norm(row)
