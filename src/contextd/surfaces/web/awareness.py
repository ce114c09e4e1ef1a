"""What the store knows about itself: health, coverage, freshness, gaps, contradictions."""

from __future__ import annotations

import asyncio
import difflib
import re
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape
from starlette.responses import Response

from contextd.surfaces.web.charts import columns, ring
from contextd.surfaces.web.desk import Desk, Handler, Notice
from contextd.surfaces.web.render import visible

HEALTH = {"healthy": "good", "needs-attention": "warn", "sparse": "bad"}
"""Health in the self-model's words → the colour beside the word."""

_SHOWN = 20
_SETTLED = 5
_ALIKE = 0.3
"""Two claims that share fewer of their words have no differences worth marking."""
_WORDS = re.compile(r"\s+|[^\s]+")


async def look(desk: Desk) -> Response:
    """The self-model as a page."""
    if not desk.has("introspect") or not desk.project:
        return desk.page("awareness.html", model=None)
    model, gaps, disputes, settled, ages = await asyncio.gather(
        desk.ask_lately("introspect"),
        desk.ask_lately("get_gaps"),
        desk.ask("list_contradictions", limit=_SHOWN),
        _settled(desk),
        desk.ask_lately("record_ages"),
    )
    health = model["health"]
    breakdown = model["identity"]["typeBreakdown"]
    stalest = model["freshness"]["stalestEntries"]
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
        gaps=[{**gap, "acts": actions(gap, stalest)} for gap in gaps["gaps"]],
        disputes=[{**d, **compared(d)} for d in disputes["contradictions"]],
        more=len(disputes["contradictions"]) == _SHOWN,
        settled=settled,
        ages=ages["spans"],
        timeline=_timeline(ages["spans"]),
    )


async def _settled(desk: Desk) -> list[dict[str, Any]]:
    """What was settled lately, so that it can be taken back."""
    found = await asyncio.gather(
        desk.ask("list_contradictions", state="resolved", limit=_SETTLED),
        desk.ask("list_contradictions", state="dismissed", limit=_SETTLED),
    )
    return [dispute for part in found for dispute in part["contradictions"]]


def actions(gap: dict[str, Any], stalest: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """What a person can do about a gap, as (words, address); the first is the best."""
    about = gap.get("subjects") or []
    match gap.get("kind"):
        case "empty_type" if about:
            new = "/records/new?" + urlencode({"type": about[0]})
            return [("Add the first entry", new), ("Change the type", "/schema")]
        case "missed" if about:
            answer = "/records/new?" + urlencode({"answer": about[0]})
            return [("Answer it", answer), ("Search it", "/records?" + urlencode({"q": about[0]}))]
        case "stale_demand" if about:
            return [("Go through them", "/records?" + urlencode({"type": about[0]}))]
        case "stale" if stalest:
            return [("Review the oldest", f"/records/{stalest[0]['id']}")]
        case "module" if about:
            return [
                (f"Write about {name}", "/records/new?" + urlencode({"tags": name}))
                for name in about[:3]
            ]
        case "changed_files" | "noise" if about:
            return [(f"Open {id[:8]}", f"/records/{quote(id, safe='')}") for id in about[:3]]
    return [("Search the records", "/records")]


def compared(dispute: dict[str, Any]) -> dict[str, Any]:
    """Both sides with the words marked in which they differ; a long text is left alone."""
    one, other = dispute["a"]["content"], dispute["b"]["content"]
    if len(one) + len(other) > 2_000:
        return {"texts": {"a": one, "b": other}}
    left, right = _WORDS.findall(one), _WORDS.findall(other)
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    words = max(sum(not w.isspace() for w in side) for side in (left, right))
    same = sum(
        not left[at].isspace()
        for block in matcher.get_matching_blocks()
        for at in range(block.a, block.a + block.size)
    )
    if same < _ALIKE * words:
        return {"texts": {"a": one, "b": other}}
    marked: dict[str, list[Markup]] = {"a": [], "b": []}
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        for side, part in (("a", "".join(left[a1:a2])), ("b", "".join(right[b1:b2]))):
            text = escape(visible(part))
            plain = tag == "equal" or not part.strip()
            marked[side].append(text if plain else Markup("<mark>{}</mark>").format(text))
    return {"texts": {side: Markup("").join(parts) for side, parts in marked.items()}}


def _timeline(spans: list[dict[str, Any]]) -> str:
    values = [
        (f"{span['name']}: {span['count']}", [(span["count"], "d1" if span["fresh"] else "d3")])
        for span in reversed(spans)
    ]
    told = ", ".join(caption for caption, _ in values)
    return columns(values, f"Records by when they last changed. {told}", 130)


async def resolve(desk: Desk) -> Response:
    """Settle a contradiction: keep one side, both, or neither."""
    keep = desk.field("keep")
    done = await desk.ask(
        "resolve_contradiction", id=desk.field("id"), keep=keep, note=desk.field("note")
    )
    told = {
        "both": "Settled: both are right. The pair is no longer listed.",
        "neither": "Settled: neither holds. Agents see neither of them any more.",
    }.get(keep, "Settled: one is kept, agents no longer see the other.")
    return desk.go("/awareness", Notice(told, "/awareness/reopen", {"id": done["id"]}))


async def reopen(desk: Desk) -> Response:
    """Take back how a contradiction was settled."""
    await desk.ask("reopen_contradiction", id=desk.field("id"))
    return desk.go("/awareness", "Open again: both records are in use, and the pair is listed.")


async def compare(desk: Desk) -> Response:
    """Look for contradictions now, in the background."""
    await desk.ask("compare_records")
    return desk.go("/awareness", "Comparing all records in the background. Reload in a moment.")


LOOKS: list[tuple[str, Handler]] = [("/awareness", look)]
FORMS: list[tuple[str, Handler]] = [
    ("/awareness/resolve", resolve),
    ("/awareness/reopen", reopen),
    ("/awareness/compare", compare),
]
