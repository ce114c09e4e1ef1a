"""The page and forms of consolidation: duplicates side by side, merged, unmerged."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from contextd.domain.records import short_id
from contextd.surfaces.web.awareness import compared
from contextd.surfaces.web.desk import Banner, Desk, Handler, Undo
from contextd.surfaces.web.render import plural, short
from contextd_code.errors import ContextdError, NotFound, TooLarge, nearest

COLLECTIONS = {"memories": "memory", "remediations": "remediation", "anti_patterns": "anti_pattern"}
"""The consolidated collections, each with the kind of its records."""

_UNASKED = 500
"""Up to this many records are compared while the page loads; more only on request."""

_MERGED = 10


async def look(desk: Desk) -> Response:
    """The state of a collection, and its proposed merges."""
    if not desk.has("consolidation_status") or not desk.project:
        return desk.page("consolidation.html", status=None)
    chosen = _collection(desk.query("collection") or "memories")
    kind = COLLECTIONS[chosen]
    status, listed, merged = await asyncio.gather(
        desk.ask("consolidation_status", collection=chosen),
        desk.ask("list_records", kind=kind, limit=1),
        desk.ask("list_records", kind=kind, status="merged", limit=_MERGED),
    )
    trial, problem = None, None
    if desk.query("look") or listed["total"] <= _UNASKED:
        try:
            trial = await desk.ask("consolidation_trigger", collection=chosen, dry_run=True)
        except TooLarge as error:
            problem = error
    return desk.page(
        "consolidation.html",
        status=status,
        chosen=chosen,
        kind=kind,
        collections=list(COLLECTIONS),
        total=listed["total"],
        trial=trial,
        problem=problem,
        proposals=[_proposal(one) for one in trial["proposed_merges"]] if trial else [],
        merged=await _pairs(desk, merged["records"]),
        more=merged["total"] > len(merged["records"]),
    )


def _collection(name: str) -> str:
    if name not in COLLECTIONS:
        known = "one of " + ", ".join(COLLECTIONS)
        raise NotFound(f"no collection {name!r}", nearest(name, list(COLLECTIONS)) or known)
    return name


def _proposal(one: Mapping[str, Any]) -> dict[str, Any]:
    """A proposal, with the words highlighted in which each record differs from the kept one."""
    stays = one["stays"]
    sides = [{**side, **_marked(side, stays)} for side in one["merged"]]
    ids = [stays["id"], *(side["id"] for side in one["merged"])]
    return {"stays": stays, "merged": sides, "why": one["why"], "ids": "\n".join(ids)}


def _marked(side: Mapping[str, Any], stays: Mapping[str, Any]) -> dict[str, Any]:
    markup = {
        name: compared({"a": {"content": side[name]}, "b": {"content": stays[name]}})["texts"]["a"]
        for name in ("content", "compared")
    }
    return {"text": markup["content"], "solution": markup["compared"]}


async def _pairs(desk: Desk, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Merged records, each with its target."""
    wholes = await asyncio.gather(*(desk.ask("get_record", id=row["id"]) for row in rows))
    into = {whole["canonical_id"] for whole in wholes if whole["canonical_id"]}
    known: dict[str, Any] = {}
    for id in into:
        try:
            known[id] = (await desk.ask("get_record", id=id))["record"]
        except NotFound:
            continue
    return [
        {"row": row, "into": known.get(whole["canonical_id"])}
        for row, whole in zip(rows, wholes, strict=True)
    ]


async def merge(desk: Desk) -> Response:
    """Merge one proposal as shown, or all."""
    chosen = _collection(desk.field("collection"))
    only = desk.field("ids").split()
    done = await desk.ask("consolidation_trigger", collection=chosen, ids=only)
    if done["job_id"]:
        message = "Merging in the background: see Jobs, and reload in a moment."
        return desk.go("/consolidation", message, collection=chosen)
    if not done["clusters"]:
        message = "Nothing was merged: these records changed after they were shown."
        return desk.go("/consolidation", Banner(message, warning=True), collection=chosen)
    merges = done["proposed_merges"]
    many = sum(len(one["merged"]) for one in merges)
    message = f"{plural(many, 'record was', 'records were')} merged into {len(merges)}."
    if done["archived"]:
        message += f" {plural(done['archived'], 'record')} with too little confidence archived."
    parts = [
        Undo(short(one["stays"]["title"] or one["stays"]["content"], 90), *_back(chosen, [one]))
        for one in merges
    ]
    banner = Banner(message, *_back(chosen, merges), parts=tuple(parts) if len(parts) > 1 else ())
    return desk.go("/consolidation", banner, collection=chosen)


def _back(chosen: str, merges: Sequence[Mapping[str, Any]]) -> tuple[str, dict[str, str]]:
    ids = "\n".join(one["stays"]["id"] for one in merges)
    return "/consolidation/unmerge", {"ids": ids, "collection": chosen}


async def unmerge(desk: Desk) -> Response:
    """Undo merges. A failed one does not stop the others."""
    restored, notes = 0, []
    for id in desk.field("ids").split():
        try:
            done = await desk.ask("unmerge", id=id)
        except ContextdError as error:
            notes.append(f"{short_id(id)}: {error.message}")
            continue
        restored += len(done["restored"])
        notes += done["notes"]
    message = f"{plural(restored, 'record was', 'records were')} restored." if restored else ""
    message = " ".join([message, *(f"{note[:1].upper()}{note[1:]}." for note in notes)]).strip()
    chosen = _collection(desk.field("collection") or "memories")
    return desk.go("/consolidation", Banner(message, warning=bool(notes)), collection=chosen)


LOOKS: list[tuple[str, Handler]] = [("/consolidation", look)]
FORMS: list[tuple[str, Handler]] = [
    ("/consolidation/merge", merge),
    ("/consolidation/unmerge", unmerge),
]
