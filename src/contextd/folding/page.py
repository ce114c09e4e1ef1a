"""The page of what folding saved: measured tokens only."""

from __future__ import annotations

from contextd.pages.page import Answer, Handler, PageRequest, show

_SPANS = (7, 30, 90)
_LEVELS = {
    "digest": ("Digests", "contextd folded a large output; its bytes never entered the window"),
    "subagent": ("Sub-agents", "a sub-agent of the client read it; only its result came back"),
    "reset": ("New windows", "the window was restarted, and only the essentials were restored"),
    "bookkeeping": (
        "Subtasks in one conversation",
        "in one conversation, folding saves nothing",
    ),
}
"""Level → its name, and the explanation of its savings."""


async def look(request: PageRequest) -> Answer:
    """Tokens kept out of agents' windows, by level and source."""
    if not request.has("savings") or not request.project:
        return show("folding/page.html", found=None)
    days = int(request.query("days")) if request.query("days").isdigit() else 30
    found = await request.ask("savings", days=days)
    raw = sum(row["raw"] for row in found["rows"] if row["level"] != "bookkeeping")
    return show(
        "folding/page.html",
        found=found,
        days=days,
        spans=_SPANS,
        levels=[
            (name, *_LEVELS.get(name, (name, "")), amount)
            for name, amount in found["levels"].items()
        ],
        most=max(found["levels"].values(), default=0),
        raw=raw,
        share=_share(found["saved"], raw),
    )


def _share(saved: int, raw: int) -> str:
    """Percent with one decimal, never rounded up to 100."""
    return f"{1000 * saved // raw / 10:g}%" if raw else "–"


LOOKS: list[tuple[str, Handler]] = [("/savings", look)]
FORMS: list[tuple[str, Handler]] = []
