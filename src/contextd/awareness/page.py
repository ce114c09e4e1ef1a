"""The page of the store's health, coverage, freshness, gaps and contradictions."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote, urlencode

from contextd.domain.records import short_id
from contextd.pages.charts import columns, ring
from contextd.pages.page import Answer, Banner, Handler, PageRequest, go, show
from contextd.pages.text import compared

HEALTH = {"healthy": "good", "needs-attention": "warn", "sparse": "bad"}
"""Health as named by the self-model → the badge's colour."""

_SHOWN = 10
_SETTLED = 5


async def look(request: PageRequest) -> Answer:
    """The self-model as a page."""
    if not request.has("introspect") or not request.project:
        return show("awareness/page.html", model=None)
    model, gaps, disputes, settled, ages = await asyncio.gather(
        request.ask_lately("introspect"),
        request.ask_lately("get_gaps"),
        request.ask("list_contradictions", limit=_SHOWN),
        _settled(request),
        request.ask_lately("record_ages"),
    )
    health = model["health"]
    breakdown = model["identity"]["typeBreakdown"]
    stalest = model["freshness"]["stalestEntries"]
    declared = {*model["coverage"]["typesWithEntries"], *model["coverage"]["typesEmpty"]}
    return show(
        "awareness/page.html",
        model=model,
        colour=HEALTH.get(health["overallHealth"], "warn"),
        coverage=ring(health["coverageScore"], f"Coverage {health['coverageScore']:.0%}")
        if declared
        else ring(0, "Coverage: no types are declared yet", text="–"),
        freshness=ring(health["freshnessScore"], f"Freshness {health['freshnessScore']:.0%}"),
        types=sorted(breakdown.items(), key=lambda item: (-item[1], item[0])),
        declared=declared,
        empty=model["coverage"]["typesEmpty"],
        most=max(breakdown.values(), default=0),
        gaps=[{**gap, "acts": actions(gap, stalest)} for gap in gaps["gaps"]],
        dismissed=gaps["dismissed"],
        disputes=[{**d, **compared(d)} for d in disputes["contradictions"]],
        more=len(disputes["contradictions"]) == _SHOWN,
        settled=settled,
        ages=ages["spans"],
        timeline=_timeline(ages["spans"]),
    )


async def _settled(request: PageRequest) -> list[dict[str, Any]] | None:
    """Recently resolved contradictions, for undoing; None if not requested."""
    if not request.query("settled"):
        return None
    found = await asyncio.gather(
        request.ask("list_contradictions", status="resolved", limit=_SETTLED),
        request.ask("list_contradictions", status="dismissed", limit=_SETTLED),
    )
    settled = [dispute for part in found for dispute in part["contradictions"]]
    return sorted(
        settled, key=lambda one: max(str(one[side]["updatedAt"]) for side in "ab"), reverse=True
    )


def actions(gap: dict[str, Any], stalest: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """What a person can do about a gap, as (label, address); the best first."""
    about = gap.get("subjects") or []
    match gap.get("kind"):
        case "empty_type" if about:
            new = "/records/new?" + urlencode({"type": about[0]})
            return [("Add the first entry", new), ("Change the type", "/schema")]
        case "missed" if about:
            answer = "/records/new?" + urlencode({"answer": about[0]})
            return [("Answer it", answer), ("Search it", "/records?" + urlencode({"q": about[0]}))]
        case "stale_demand" if about:
            return [("Review them", "/records?" + urlencode({"type": about[0]}))]
        case "stale" if stalest:
            return [("Review the oldest", f"/records/{stalest[0]['id']}")]
        case "module" if about:
            return [
                (f"Write about {name}", "/records/new?" + urlencode({"tags": name}))
                for name in about[:3]
            ]
        case "broken_schema":
            return [("Correct the schema", "/schema")]
        case "changed_files" | "noise" if about:
            return [(f"Open {short_id(id)}", f"/records/{quote(id, safe='')}") for id in about[:3]]
    return [("Search the records", "/records")]


def _timeline(spans: list[dict[str, Any]]) -> str:
    values = [
        (f"{span['name']}: {span['count']}", [(span["count"], "d1" if span["fresh"] else "d3")])
        for span in reversed(spans)
    ]
    summary = ", ".join(caption for caption, _ in values)
    return columns(values, f"Records by last change. {summary}", 130)


async def resolve(request: PageRequest) -> Answer:
    """Resolve a contradiction: keep one side, both, or neither."""
    keep = request.field("keep")
    done = await request.ask(
        "resolve_contradiction", id=request.field("id"), keep=keep, note=request.field("note")
    )
    message = {
        "both": "Resolved: both are right. The pair is no longer listed.",
        "neither": "Resolved: neither is right. Agents no longer see them.",
    }.get(keep, "Resolved: one is kept, agents no longer see the other.")
    return go("/awareness", Banner(message, "/awareness/reopen", {"id": done["id"]}))


async def reopen(request: PageRequest) -> Answer:
    """Undo the resolution of a contradiction."""
    await request.ask("reopen_contradiction", id=request.field("id"))
    return go("/awareness", "Reopened: both records are in use, and the pair is listed.")


async def dismiss(request: PageRequest) -> Answer:
    """Dismiss a gap."""
    done = await request.ask("dismiss_gap", id=request.field("id"))
    message = "Dismissed: agents no longer see this gap."
    return go("/awareness", Banner(message, "/awareness/gap/reopen", {"id": done["id"]}))


async def reopen_gap(request: PageRequest) -> Answer:
    """Undo the dismissal of a gap."""
    await request.ask("reopen_gap", id=request.field("id"))
    return go("/awareness", "Reopened: the gap is listed while it exists.")


async def compare(request: PageRequest) -> Answer:
    """Search for contradictions now, in the background."""
    await request.ask("compare_records")
    return go("/awareness", "Comparing all records in the background. Reload in a moment.")


LOOKS: list[tuple[str, Handler]] = [("/awareness", look)]
FORMS: list[tuple[str, Handler]] = [
    ("/awareness/resolve", resolve),
    ("/awareness/reopen", reopen),
    ("/awareness/compare", compare),
    ("/awareness/dismiss", dismiss),
    ("/awareness/gap/reopen", reopen_gap),
]
