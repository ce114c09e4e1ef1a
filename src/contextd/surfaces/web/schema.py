"""The schema editor: a form and its YAML side by side, validated by operations."""

from __future__ import annotations

from difflib import unified_diff
from typing import Any

from starlette.responses import JSONResponse, Response

from contextd.surfaces.web.desk import NO_STORE, Desk, Handler
from contextd_code.errors import ContextdError, Invalid

FIELD_TYPES = ("string", "string[]", "number", "boolean", "enum")


async def editor(desk: Desk) -> Response:
    """The context types as a form, with their YAML beside it."""
    if not desk.has("schema_get"):
        return desk.page("schema.html", state=None)
    scope = desk.query("scope")
    state = await desk.ask("schema_get", scope=scope or None)
    starters = (await desk.ask("schema_templates"))["templates"]
    chosen = next((t for t in starters if t["name"] == desk.query("template")), None)
    text = chosen["text"] if chosen else state["text"]
    types = chosen["types"] if chosen else state["types"]
    return desk.page("schema.html", **_page(state, starters, text, types, chosen=chosen))


def _page(
    state: dict[str, Any],
    starters: list[dict[str, Any]],
    text: str,
    types: list[Any],
    **more: Any,
) -> dict[str, Any]:
    return {
        "state": state,
        "starters": starters,
        "text": text,
        "types": types,
        "default_text": _default_text,
        "field_types": FIELD_TYPES,
        "etag": state["etag"],
        "problems": [] if more.get("chosen") else state["problems"],
        "chosen": None,
        "review": None,
        "conflict": False,
        **more,
    }


def _default_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


async def check(desk: Desk) -> Response:
    """Preview the given types or YAML; nothing is written."""
    given = desk.json
    wanted = {name: given[name] for name in ("text", "types", "base") if name in given}
    scope = given.get("scope") or None
    try:
        done = await desk.ask("schema_put", dry_run=True, scope=scope, **wanted)
    except Invalid as error:
        return JSONResponse({"problems": _problems(error)}, headers=NO_STORE)
    return JSONResponse({"problems": [], **_told(done)}, headers=NO_STORE)


def _told(done: dict[str, Any]) -> dict[str, Any]:
    return {name: done[name] for name in ("text", "types", "changes", "warnings")}


def _problems(error: ContextdError) -> list[dict[str, Any]]:
    found = error.details.get("problems")
    if isinstance(found, list) and found and isinstance(found[0], dict):
        return found
    return [{"file": "", "line": 0, "message": error.message, "hint": error.hint}]


async def save(desk: Desk) -> Response:
    """Show the differences, or save."""
    scope = desk.field("scope") or None
    text = desk.field("text").replace("\r\n", "\n")
    state = await desk.ask("schema_get", scope=scope)
    starters = (await desk.ask("schema_templates"))["templates"]
    etag = desk.field("etag")
    types = state["types"]
    try:
        trial = await desk.ask("schema_put", text=text, scope=scope, dry_run=True)
        types = trial["types"]
        # Without a file there is no etag to match; `*` would ask for one that exists.
        if etag != state["etag"]:
            shown = _page(state, starters, text, types, conflict=True, review=_review(state, trial))
            return desk.page("schema.html", 409, **shown)
        if desk.field("step") != "save":
            shown = _page(state, starters, text, types, review=_review(state, trial))
            return desk.page("schema.html", **shown)
        done = await desk.ask("schema_put", text=text, scope=scope, if_match=etag)
    except Invalid as error:
        shown = _page(state, starters, text, types, etag=etag)
        return desk.page("schema.html", 422, **{**shown, "problems": _problems(error)})
    summary = "; ".join(done["changes"]) or "no changes in the types"
    backup = " The previous file is kept as a backup." if done["backup"] else ""
    return desk.go("/schema", f"Saved: {summary}.{backup}", scope=desk.field("scope"))


def _review(state: dict[str, Any], trial: dict[str, Any]) -> dict[str, Any]:
    lines = list(
        unified_diff(state["text"].splitlines(), trial["text"].splitlines(), n=3, lineterm="")
    )
    return {
        "changes": trial["changes"],
        "warnings": trial["warnings"],
        "lines": [line for line in lines[2:] if not line.startswith("@@")],
    }


LOOKS: list[tuple[str, Handler]] = [("/schema", editor)]
FORMS: list[tuple[str, Handler]] = [("/schema/check", check), ("/schema/save", save)]
