"""The schema editor: a form and its YAML side by side, validated by operations."""

from __future__ import annotations

from difflib import unified_diff
from typing import Any

from contextd.pages.page import Answer, Handler, Json, PageRequest, go, show
from contextd_common.errors import ContextdError, Invalid

FIELD_TYPES = ("string", "string[]", "number", "boolean", "enum")


async def editor(request: PageRequest) -> Answer:
    """The context types as a form, with their YAML beside it."""
    if not request.has("schema_get"):
        return show("schema/page.html", state=None)
    scope = request.query("scope")
    state = await request.ask("schema_get", scope=scope or None)
    starters = (await request.ask("schema_templates"))["templates"]
    chosen = next((t for t in starters if t["name"] == request.query("template")), None)
    text = chosen["text"] if chosen else state["text"]
    types = chosen["types"] if chosen else state["types"]
    return show("schema/page.html", **_page(state, starters, text, types, chosen=chosen))


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


async def check(request: PageRequest) -> Answer:
    """Preview the given types or YAML; nothing is written."""
    given = request.json
    wanted = {name: given[name] for name in ("text", "types", "base") if name in given}
    scope = given.get("scope") or None
    try:
        done = await request.ask("schema_put", dry_run=True, scope=scope, **wanted)
    except Invalid as error:
        return Json({"problems": _problems(error)})
    return Json({"problems": [], **_told(done)})


def _told(done: dict[str, Any]) -> dict[str, Any]:
    return {name: done[name] for name in ("text", "types", "changes", "warnings")}


def _problems(error: ContextdError) -> list[dict[str, Any]]:
    found = error.details.get("problems")
    if isinstance(found, list) and found and isinstance(found[0], dict):
        return found
    return [{"file": "", "line": 0, "message": error.message, "hint": error.hint}]


async def save(request: PageRequest) -> Answer:
    """Show the differences, or save."""
    scope = request.field("scope") or None
    text = request.field("text").replace("\r\n", "\n")
    state = await request.ask("schema_get", scope=scope)
    starters = (await request.ask("schema_templates"))["templates"]
    etag = request.field("etag")
    types = state["types"]
    try:
        trial = await request.ask("schema_put", text=text, scope=scope, dry_run=True)
        types = trial["types"]
        # Without a file there is no etag to match; `*` would ask for one that exists.
        if etag != state["etag"]:
            shown = _page(state, starters, text, types, conflict=True, review=_review(state, trial))
            return show("schema/page.html", 409, **shown)
        if request.field("step") != "save":
            shown = _page(state, starters, text, types, review=_review(state, trial))
            return show("schema/page.html", **shown)
        done = await request.ask("schema_put", text=text, scope=scope, if_match=etag)
    except Invalid as error:
        shown = _page(state, starters, text, types, etag=etag)
        return show("schema/page.html", 422, **{**shown, "problems": _problems(error)})
    summary = "; ".join(done["changes"]) or "no changes in the types"
    backup = " The previous file is kept as a backup." if done["backup"] else ""
    return go("/schema", f"Saved: {summary}.{backup}", scope=request.field("scope"))


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
