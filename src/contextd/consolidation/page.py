"""The page and forms of consolidation: duplicates side by side, merged, unmerged."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from contextd.consolidation.collections import COLLECTIONS, CollectionRow, collection_named
from contextd.domain.records import short_id
from contextd.pages.page import Answer, Banner, Handler, PageRequest, Undo, go, show
from contextd.pages.text import compared, plural, short
from contextd_common.errors import ContextdError, Invalid, NotFound, TooLarge

_UNASKED = 500
"""Up to this many records are compared while the page loads; more only on request."""

_MERGED = 10
_FIRST = "memories"
"""The collection that is shown first."""


async def look(request: PageRequest) -> Answer:
    """The state of a collection, and its proposed merges."""
    if not request.has("consolidation_status") or not request.project:
        return show("consolidation/page.html", status=None)
    row = _row(request.query("collection") or _FIRST)
    chosen, kind = row.name, row.kind
    status, listed, merged = await asyncio.gather(
        request.ask("consolidation_status", collection=chosen),
        request.ask("list_records", kind=kind, limit=1),
        request.ask("list_records", kind=kind, status="merged", limit=_MERGED),
    )
    trial, problem = None, None
    if request.query("look") or listed["total"] <= _UNASKED:
        try:
            trial = await request.ask("consolidation_trigger", collection=chosen, dry_run=True)
        except TooLarge as error:
            problem = error
    return show(
        "consolidation/page.html",
        status=status,
        chosen=chosen,
        kind=kind,
        collections=sorted(COLLECTIONS, key=lambda name: name != _FIRST),
        total=listed["total"],
        trial=trial,
        problem=problem,
        proposals=[_proposal(one) for one in trial["proposed_merges"]] if trial else [],
        merged=await _pairs(request, merged["records"]),
        more=merged["total"] > len(merged["records"]),
    )


def _row(name: str) -> CollectionRow:
    try:
        return collection_named(name)
    except Invalid as error:
        # A page that is not there, not a wrong form.
        raise NotFound(error.message, error.hint) from None


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


async def _pairs(request: PageRequest, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Merged records, each with its target."""
    wholes = await asyncio.gather(*(request.ask("get_record", id=row["id"]) for row in rows))
    into = {whole["canonical_id"] for whole in wholes if whole["canonical_id"]}
    known: dict[str, Any] = {}
    for id in into:
        try:
            known[id] = (await request.ask("get_record", id=id))["record"]
        except NotFound:
            continue
    return [
        {"row": row, "into": known.get(whole["canonical_id"])}
        for row, whole in zip(rows, wholes, strict=True)
    ]


async def merge(request: PageRequest) -> Answer:
    """Merge one proposal as shown, or all."""
    chosen = _row(request.field("collection")).name
    only = request.field("ids").split()
    done = await request.ask("consolidation_trigger", collection=chosen, ids=only)
    if done["job_id"]:
        message = "Merging in the background: see Jobs, and reload in a moment."
        return go("/consolidation", message, collection=chosen)
    if not done["clusters"]:
        message = "Nothing was merged: these records changed after they were shown."
        return go("/consolidation", Banner(message, warning=True), collection=chosen)
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
    return go("/consolidation", banner, collection=chosen)


def _back(chosen: str, merges: Sequence[Mapping[str, Any]]) -> tuple[str, dict[str, str]]:
    ids = "\n".join(one["stays"]["id"] for one in merges)
    return "/consolidation/unmerge", {"ids": ids, "collection": chosen}


async def unmerge(request: PageRequest) -> Answer:
    """Undo merges. A failed one does not stop the others."""
    restored, notes = 0, []
    for id in request.field("ids").split():
        try:
            done = await request.ask("unmerge", id=id)
        except ContextdError as error:
            notes.append(f"{short_id(id)}: {error.message}")
            continue
        restored += len(done["restored"])
        notes += done["notes"]
    message = f"{plural(restored, 'record was', 'records were')} restored." if restored else ""
    message = " ".join([message, *(f"{note[:1].upper()}{note[1:]}." for note in notes)]).strip()
    chosen = _row(request.field("collection") or _FIRST).name
    return go("/consolidation", Banner(message, warning=bool(notes)), collection=chosen)


LOOKS: list[tuple[str, Handler]] = [("/consolidation", look)]
FORMS: list[tuple[str, Handler]] = [
    ("/consolidation/merge", merge),
    ("/consolidation/unmerge", unmerge),
]
