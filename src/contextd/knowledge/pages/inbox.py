"""The pages and forms of the inbox: records awaiting review."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from contextd.pages.page import Answer, Banner, Handler, PageRequest, Undo, go, show
from contextd.pages.text import compared, plural, short
from contextd_common.errors import ContextdError, Invalid

PAGE = 25
_LIKE = 8
_ASKED = 300
"""Characters of a text used to search for duplicates."""

_DOUBTS = {
    "once": ("said once", ""),
    "unused": ("not used", "warn"),
    "contradicts": ("contradicts", "bad"),
    "proposed": ("proposed", "accent"),
    "doubted": ("doubted", "warn"),
    "fixed": ("fixed an error", "accent"),
}
"""Why an item awaits review → the label of its badge, and the colour."""

_TOLD = {
    "keep": "accepted: agents can now see {them}.",
    "drop": "rejected: {they} will not return if stated again.",
    "merge": "merged into the other record.",
}


async def look(request: PageRequest) -> Answer:
    """The items awaiting review, newest first, with reasons."""
    filters = {name: request.query(name) for name in ("status", "kind") if request.query(name)}
    cursor = request.query("cursor")
    found = None
    if request.project:
        given = {"status": "waiting", **filters}
        found = await request.ask("inbox", limit=PAGE, cursor=cursor, **given)
    return show(
        "knowledge/pages/inbox.html",
        found=found,
        kept=filters,
        doubts=_DOUBTS,
        tabs=(("", "All"), ("candidate", "Learned"), ("inbox", "Set aside")),
        paged=bool(cursor),
        newest=_address(filters),
        older=_address({**filters, "cursor": found["cursor"]}) if found and found["cursor"] else "",
    )


def _address(filters: Mapping[str, str]) -> str:
    return "/inbox" + ("?" + urlencode(filters) if filters else "")


async def settle(request: PageRequest) -> Answer:
    """Accept or reject one record or all selected ones. A record that was already reviewed does not stop
    the others.
    """
    verdict, ids = _chosen(request)
    filters = {name: request.field(name) for name in ("status", "kind")}
    if not ids:
        return go("/inbox", Banner("Select records first.", warning=True), **filters)
    done: list[dict[str, Any]] = []
    failed: list[str] = []
    for id in ids:
        try:
            done.append(await request.ask("settle_candidate", id=id, verdict=verdict))
        except ContextdError as error:
            failed.append(error.message)
    return go("/inbox", await _told(request, verdict, done, failed), **filters)


def _chosen(request: PageRequest) -> tuple[str, list[str]]:
    """The verdict, and its targets: one row by its own button, or all selected ones."""
    for verdict in ("keep", "drop"):
        if request.field(verdict):
            return verdict, [request.field(verdict)]
    verdict = request.field("verdict")
    if verdict not in ("keep", "drop"):
        raise Invalid(f"no verdict {verdict!r}", "accept or reject")
    return verdict, list(dict.fromkeys(request.form.get("id", [])))


async def _told(
    request: PageRequest,
    verdict: str,
    done: Sequence[Mapping[str, Any]],
    failed: Sequence[str] = (),
) -> Banner:
    many = len(done) > 1
    them, they = ("them", "they") if many else ("it", "it")
    message = f"{len(done)} {_TOLD[verdict].format(them=them, they=they)}" if done else ""
    if failed:
        message += f" {plural(len(failed), 'record was', 'records were')} not changed: {failed[0]}."
    settled = {one["id"]: str(one["version"]) for one in done}
    parts = []
    if many:
        wholes = await asyncio.gather(*(request.ask("get_record", id=id) for id in settled))
        parts = [
            Undo(_name(whole), "/inbox/undo", _fields({id: settled[id]}))
            for id, whole in zip(settled, wholes, strict=True)
        ]
    undo = "/inbox/undo" if done else ""
    return Banner(message.strip(), undo, _fields(settled), bool(failed), tuple(parts))


def _name(whole: Mapping[str, Any]) -> str:
    return short(whole["record"]["title"] or whole["content"], 90)


def _fields(settled: Mapping[str, str]) -> dict[str, str]:
    return {"settled": "\n".join(f"{id}:{version}" for id, version in settled.items())}


async def take_back(request: PageRequest) -> Answer:
    """Undo reviews, except of records changed since."""
    back = changed = 0
    for pair in request.field("settled").splitlines():
        id, _, version = pair.rpartition(":")
        whole = await request.ask("get_record", id=id)
        if whole["version"] == version:
            await request.ask("undo", id=id)
            back += 1
        else:
            changed += 1
    message = f"{plural(back, 'record')} back in the inbox." if back else ""
    if changed:
        left = plural(changed, "record")
        message += f" {left} changed since and {'was' if changed == 1 else 'were'} kept."
    return go("/inbox", Banner(message.strip() or "Nothing to undo.", warning=bool(changed)))


async def alike(request: PageRequest) -> Answer:
    """Possible merge targets, each beside the record."""
    id = request.id
    whole = await request.ask("get_record", id=id)
    text = f"{whole['record']['title']} {whole['content']}".strip()
    asked = request.query("q").strip() or text[:_ASKED]
    found = await asyncio.gather(
        *(
            request.ask("explain_search", query=asked, status=status, limit=_LIKE)
            for status in ("active", "waiting")
        )
    )
    hits = [hit["record"] for part in found for hit in part["hits"]]
    others = [
        row
        for row in hits
        if row["id"] != whole["record"]["id"] and row["scope"] == whole["record"]["scope"]
    ]
    return show(
        "knowledge/pages/merge.html",
        whole=whole,
        r=whole["record"],
        asked=request.query("q"),
        pairs=[{"row": row, **_beside(whole, row)} for row in others[:_LIKE]],
        waits=whole["record"]["status"] in ("candidate", "inbox"),
    )


def _beside(whole: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    sides = {"a": {"content": whole["content"][:1000]}, "b": {"content": row["content"]}}
    return {"texts": compared(sides)["texts"]}


async def merge(request: PageRequest) -> Answer:
    """Merge a record into another one as its duplicate."""
    id, into = request.id, request.field("into").strip()
    done = await request.ask("settle_candidate", id=id, verdict="merge", into=into)
    return go("/inbox", await _told(request, "merge", [done]))


LOOKS: list[tuple[str, Handler]] = [("/inbox", look), ("/inbox/{id}/merge", alike)]
FORMS: list[tuple[str, Handler]] = [
    ("/inbox/settle", settle),
    ("/inbox/undo", take_back),
    ("/inbox/{id}/merge", merge),
]
