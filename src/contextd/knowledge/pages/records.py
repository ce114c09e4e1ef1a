"""The pages and forms of records."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from contextd.domain.kinds import KINDS
from contextd.domain.records import STATUSES, TRUSTS, WAITING
from contextd.pages.page import Answer, Banner, Handler, PageRequest, go, show
from contextd.pages.text import plural
from contextd_common.errors import Conflict, Invalid, NotFound, TooLarge
from contextd_common.text.syntax_errors import json_problem

PAGE = 30
HITS, MORE_HITS = 15, 60
_FILTERS = ("q", "kind", "status", "type", "tag", "source", "trust")


async def listing(request: PageRequest) -> Answer:
    """Records by filters, or search results with explanations."""
    chosen = {name: request.query(name).strip() for name in _FILTERS}
    filters = {name: value for name, value in chosen.items() if value}
    values: dict[str, Any] = {
        "chosen": chosen,
        "filtered": bool(filters),
        "kinds": list(KINDS),
        "statuses": (WAITING, *STATUSES),
        "trusts": TRUSTS,
        "narrowed": [
            (name, filters[name], _without(filters, name)) for name in filters if name != "q"
        ],
        "hits": None,
        "page": None,
        "problem": None,
        "older": "",
    }
    if not request.project:
        return show("knowledge/pages/records.html", **values)
    where = {
        "kind": chosen["kind"],
        "status": chosen["status"] or "active",
        "tags": chosen["tag"],
        "type": chosen["type"],
        "source": chosen["source"],
        "trust": chosen["trust"],
    }
    try:
        if chosen["q"]:
            most = MORE_HITS if request.query("more") else HITS
            values["hits"] = await request.ask(
                "explain_search", query=chosen["q"], limit=most, **where
            )
            full = len(values["hits"]["hits"]) == HITS
            values["more"] = "/records?" + urlencode({**filters, "more": "1"}) if full else ""
        else:
            cursor = request.query("cursor")
            found = await request.ask("list_records", limit=PAGE, cursor=cursor, **where)
            values["page"] = found
            values["older"] = urlencode({**filters, "cursor": found["cursor"]})
            values["paged"] = bool(cursor)
            values["newest"] = "/records?" + urlencode(filters)
    except (Invalid, NotFound) as error:
        values["problem"] = error
    return show("knowledge/pages/records.html", 422 if values["problem"] else 200, **values)


def _without(filters: dict[str, str], name: str) -> str:
    """The address of the list without one of its filters."""
    rest = {key: value for key, value in filters.items() if key != name}
    return "/records" + ("?" + urlencode(rest) if rest else "")


async def record(request: PageRequest) -> Answer:
    """One record with its history."""
    found = await request.ask("get_record", id=request.id)
    return show("knowledge/pages/record.html", whole=found, r=found["record"])


async def editor(request: PageRequest) -> Answer:
    """The form to change a record."""
    whole = await request.ask("get_record", id=request.id)
    return show("knowledge/pages/edit.html", **_editor(request, whole, _given(whole)))


def _editor(
    request: PageRequest,
    whole: dict[str, Any],
    form: dict[str, str],
    problems: dict[str, str] | None = None,
    differences: list[Any] | None = None,
    conflict: str = "",
) -> dict[str, Any]:
    return {
        "whole": whole,
        "r": whole["record"],
        "given": form,
        "problems": problems or {},
        "differences": differences,
        "conflict": conflict,
        "redacted": 0,
        "back": _back(request),
    }


def _back(request: PageRequest) -> str:
    """The page where an edit began, if not the record's own."""
    return "inbox" if "inbox" in (request.query("back"), request.field("back")) else ""


def _given(whole: dict[str, Any]) -> dict[str, str]:
    """A record as form fields."""
    named = {shape["name"]: shape for shape in whole["fields"]}
    given = {
        "title": whole["record"]["title"],
        "content": whole["content"],
        "tags": ", ".join(whole["record"]["tags"]),
        "version": whole["version"],
    }
    for name in named:
        value = whole["data"].get(name)
        given[f"data.{name}"] = as_field(value)
    others = {name: value for name, value in whole["data"].items() if name not in named}
    given["others"] = json.dumps(others, indent=2, ensure_ascii=False) if others else ""
    return given


def as_field(value: Any) -> str:
    """A value as the text of a form field."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return str(value)


async def edit(request: PageRequest) -> Answer:
    """Validate an edit and show the differences, or save it."""
    id = request.id
    whole = await request.ask("get_record", id=id)
    given = {name: request.field(name) for name in _given(whole)}
    saving = request.field("step") in ("save", "accept")
    try:
        data = _data(whole, given)
        done = await request.ask(
            "edit_record",
            id=id,
            title=given["title"],
            text=given["content"],
            tags=[tag for tag in given["tags"].split(",") if tag.strip()],
            fields=data,
            version=given["version"],
            dry_run=not saving,
        )
    except Conflict as error:
        given["version"] = whole["version"]
        shown = _editor(request, whole, given, conflict=error.message)
        return show("knowledge/pages/edit.html", 409, **shown)
    except (Invalid, TooLarge) as error:
        fields = error.details.get("fields") or {"": error.message}
        return show(
            "knowledge/pages/edit.html", 422, **_editor(request, whole, given, dict(fields))
        )
    if not saving:
        shown = _editor(request, whole, given, differences=done["differences"])
        return show("knowledge/pages/edit.html", **{**shown, "redacted": done["redacted"]})
    return await _saved(request, done)


async def _saved(request: PageRequest, done: dict[str, Any]) -> Answer:
    """Redirect after an edit: to the record, or to the inbox if it began there."""
    page = "/inbox" if _back(request) else f"/records/{done['id']}"
    undo = f"/records/{done['id']}/undo" if done["differences"] else ""
    message = "Saved." if done["differences"] else "No changes."
    fields: dict[str, str] = {}
    if done["redacted"]:
        many = plural(done["redacted"], "secret was", "secrets were")
        message += f" {many} redacted before storing."
    if request.field("step") == "accept":
        settled = await request.ask("settle_candidate", id=done["id"], verdict="keep")
        message += " Accepted: agents can see it from now on."
        undo, fields = "/inbox/undo", {"settled": f"{settled['id']}:{settled['version']}"}
    return go(page, Banner(message, undo, fields, bool(done["redacted"])))


def _data(whole: dict[str, Any], form: dict[str, str]) -> dict[str, Any]:
    """Typed fields from a form. Raises `Invalid` naming each wrong one."""
    others = form["others"].strip()
    problems: dict[str, str] = {}
    extra: Any = {}
    if others:
        try:
            extra = json.loads(others)
        except (ValueError, RecursionError) as error:
            problems["others"] = f"not JSON: {json_problem(error)}"
        if not isinstance(extra, dict):
            problems["others"] = "must be a JSON object"
    data: dict[str, Any] = {}
    try:
        data = typed_fields(whole["fields"], form)
    except Invalid as error:
        problems |= error.details["fields"]
    if problems:
        raise Invalid("some fields are wrong", "correct them", {"fields": problems})
    return {**extra, **data}


def typed_fields(shapes: list[dict[str, Any]], form: dict[str, str]) -> dict[str, Any]:
    """The values of `data.NAME`, converted to their types; empty ones are skipped.

    Raises `Invalid` naming each wrong one.
    """
    data: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for shape in shapes:
        name = shape["name"]
        text = form.get(f"data.{name}", "").replace("\r\n", "\n").strip()
        if not text:
            continue
        if shape["type"] == "number":
            try:
                value = float(text)
                data[name] = int(value) if value.is_integer() else value
            except (ValueError, OverflowError):
                problems[name] = "must be a number"
        elif shape["type"] == "boolean":
            data[name] = text == "true"
        elif shape["type"] == "string[]":
            data[name] = [line.strip() for line in text.split("\n") if line.strip()]
        else:
            data[name] = text
    if problems:
        raise Invalid("some fields are wrong", "correct them", {"fields": problems})
    return data


def _act(operation: str, banner: str, undo: str = "") -> Handler:
    async def act(request: PageRequest) -> Answer:
        id = request.id
        done = await request.ask(operation, id=id)
        if done.get("status") == "gone":
            return go("/records", "The record's creation was undone; it was removed.")
        text = banner.format(**{"undone": "", **done})
        back = f"/records/{done['id']}/{undo}" if undo else ""
        return go(f"/records/{done['id']}", Banner(text, back))

    return act


def _rate(useful: bool) -> Handler:
    async def rate(request: PageRequest) -> Answer:
        id = request.id
        done = await request.ask("report_usefulness", ids=[id], useful=useful)
        sure = round(100 * done["scores"][0]["confidence"])
        message = f"Saved. Its confidence is now {sure}%, which changes its rank."
        return go(f"/records/{done['scores'][0]['id']}", Banner(message, f"/records/{id}/undo"))

    return rate


LOOKS: list[tuple[str, Handler]] = [
    ("/records", listing),
    ("/records/{id}", record),
    ("/records/{id}/edit", editor),
]
FORMS: list[tuple[str, Handler]] = [
    ("/records/{id}/edit", edit),
    ("/records/{id}/delete", _act("delete_record", "Deleted: agents no longer see it.", "restore")),
    ("/records/{id}/restore", _act("restore_record", "Restored.")),
    ("/records/{id}/useful", _rate(True)),
    ("/records/{id}/unhelpful", _rate(False)),
    ("/records/{id}/undo", _act("undo", "The latest change ({undone}) was undone.")),
]
