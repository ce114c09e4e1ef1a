"""What the store knows about itself: health, coverage, freshness, gaps, contradictions."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.responses import Response

from contextd.surfaces.web.charts import columns, ring
from contextd.surfaces.web.desk import Desk, Handler

HEALTH = {"healthy": "good", "needs-attention": "warn", "sparse": "bad"}
"""Health in the self-model's words → the colour beside the word."""


async def look(desk: Desk) -> Response:
    """The self-model as a page."""
    if not desk.has("introspect") or not desk.project:
        return desk.page("awareness.html", model=None)
    model, gaps, disputes, ages = await asyncio.gather(
        desk.ask_lately("introspect"),
        _gaps(desk),
        _disputes(desk),
        desk.ask("record_ages"),
    )
    health = model["health"]
    breakdown = model["identity"]["typeBreakdown"]
    return desk.page(
        "awareness.html",
        model=model,
        colour=HEALTH.get(health["overallHealth"], "warn"),
        coverage=ring(health["coverageScore"], f"Coverage {health['coverageScore']:.0%}"),
        freshness=ring(health["freshnessScore"], f"Freshness {health['freshnessScore']:.0%}"),
        types=sorted(breakdown.items(), key=lambda item: (-item[1], item[0])),
        declared={*model["coverage"]["typesWithEntries"], *model["coverage"]["typesEmpty"]},
        empty=model["coverage"]["typesEmpty"],
        most=max(breakdown.values(), default=0),
        gaps=gaps if gaps is not None else model["gaps"],
        disputes=disputes,
        ages=ages["spans"],
        timeline=_timeline(ages["spans"]),
    )


async def _gaps(desk: Desk) -> list[dict[str, Any]] | None:
    return list((await desk.ask_lately("get_gaps"))["gaps"]) if desk.has("get_gaps") else None


async def _disputes(desk: Desk) -> list[dict[str, Any]]:
    if not desk.has("list_contradictions"):
        return []
    return list((await desk.ask("list_contradictions"))["contradictions"])


def _timeline(spans: list[dict[str, Any]]) -> str:
    values = [
        (f"{span['name']}: {span['count']}", [(span["count"], "d1" if span["fresh"] else "d3")])
        for span in reversed(spans)
    ]
    told = ", ".join(caption for caption, _ in values)
    return columns(values, f"Records by when they last changed. {told}", 130)


async def resolve(desk: Desk) -> Response:
    """Settle a contradiction: keep one side, both, or neither."""
    done = await desk.ask(
        "resolve_contradiction",
        id=desk.field("id"),
        keep=desk.field("keep"),
        note=desk.field("note"),
    )
    message = done["message"]
    return desk.go("/awareness", f"{message[:1].upper()}{message[1:]}.")


async def compare(desk: Desk) -> Response:
    """Look for contradictions now, in the background."""
    await desk.ask("compare_records")
    return desk.go("/awareness", "Comparing all records in the background. Reload in a moment.")


LOOKS: list[tuple[str, Handler]] = [("/awareness", look)]
FORMS: list[tuple[str, Handler]] = [
    ("/awareness/resolve", resolve),
    ("/awareness/compare", compare),
]
