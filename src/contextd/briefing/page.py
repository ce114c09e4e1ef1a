"""The page of a session's context window: what contextd served into it."""

from __future__ import annotations

from contextd.pages.page import Answer, Handler, PageRequest, show

_KINDS = {"file": "Files", "discovery": "Records", "summary": "Summaries"}


async def window(request: PageRequest) -> Answer:
    """The context window of a session; by default the current one."""
    if not request.has("context_window") or not request.project:
        return show("briefing/page.html", window=None)
    wanted = request.query("session")
    found = await request.ask("context_window", session_id=wanted or None, limit=200)
    latest = None
    if not found["session_id"]:
        recent = (await request.ask("list_sessions", limit=1))["sessions"]
        latest = recent[0] if recent else None
    tokens: dict[str, int] = {}
    for item in found["items"]:
        if item["status"] == "active":
            tokens[item["type"]] = tokens.get(item["type"], 0) + item["tokens"]
    parts = [
        (amount, f"d{place % 3 + 1}", f"{_KINDS.get(kind, kind)}: {amount:,} tokens")
        for place, (kind, amount) in enumerate(sorted(tokens.items(), key=lambda t: -t[1]))
    ]
    largest = max((item["tokens"] for item in found["items"]), default=0)
    return show(
        "briefing/page.html",
        window=found,
        parts=parts,
        largest=largest,
        latest=latest,
        named=bool(wanted),
    )


LOOKS: list[tuple[str, Handler]] = [("/window", window)]
FORMS: list[tuple[str, Handler]] = []
