"""Explain a search: why each hit has its rank, and what was excluded; as data and as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.domain.records import short_id
from contextd.search.hits import Hit, LeftOut, Result, ScorePart


def explanation(result: Result, more_left_out: Sequence[LeftOut] = ()) -> dict[str, Any]:
    """The explanation as plain data. The parts of a hit add up to its score.

    `more_left_out` are hits excluded by packing.
    """
    lost = (*more_left_out, *result.left_out)
    return {
        "notice": result.notice,
        "hits": [
            {
                "rank": rank,
                "id": hit.id,
                "kind": hit.kind,
                "score": hit.score,
                "parts": [_part(part) for part in hit.parts],
            }
            for rank, hit in enumerate(result.hits, 1)
        ],
        "left_out": [
            {"id": one.id, "kind": one.kind, "score": one.score, "reason": one.reason}
            for one in lost
        ],
    }


def _part(part: ScorePart) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": part.name, "amount": part.amount}
    if part.rank:
        fields |= {"rank": part.rank, "raw": part.raw}
    if part.why:
        fields["why"] = part.why
    return fields


def explained(result: Result, more_left_out: Sequence[LeftOut] = (), most_lost: int = 5) -> str:
    """The explanation in a few lines."""
    lines = [_line(rank, hit) for rank, hit in enumerate(result.hits, 1)]
    if not lines:
        lines.append("no results")
    lost = (*more_left_out, *result.left_out)
    lines += [
        f"- {one.kind} {short_id(one.id)} {one.score:.3f}: {one.reason}" for one in lost[:most_lost]
    ]
    if len(lost) > most_lost:
        lines.append(f"- and {len(lost) - most_lost} more")
    if result.notice:
        lines.append(f"({result.notice})")
    return "\n".join(lines)


def _line(rank: int, hit: Hit) -> str:
    terms = [
        f"{part.amount:+.3f} {part.name}" + (f" #{part.rank} ({part.raw:.3g})" if part.rank else "")
        + (f" ({part.why})" if part.why else "")
        for part in hit.parts
    ]  # fmt: skip
    return f"{rank}. {hit.kind} {short_id(hit.id)} {hit.score:.3f} = {' '.join(terms)}"
