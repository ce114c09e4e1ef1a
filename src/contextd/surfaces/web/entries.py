"""Add a record: a free note, or an entry of one of the schema's types."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from contextd.redaction.redact import MARK
from contextd.surfaces.web.desk import Banner, Desk, Handler
from contextd.surfaces.web.records import typed_fields
from contextd_code.errors import ContextdError

_NOTE = {"name": "", "description": "Free text: a decision, a rule, a trap.", "fields": {}}


async def blank(desk: Desk) -> Response:
    """The form for a new record. `type` selects the type, `answer` is the question it answers."""
    given = {"content": "", "tags": desk.query("tags")}
    return await _form(desk, desk.query("type"), given, desk.query("answer"))


async def _form(
    desk: Desk,
    chosen: str,
    fields: dict[str, str],
    answer: str = "",
    problems: dict[str, str] | None = None,
) -> Response:
    # One call of the template: a page without a project once lacked a name that it needs.
    types = (await desk.ask("describe_schema"))["types"] if desk.project else []
    found = next((kind for kind in types if kind["name"] == chosen), _NOTE)
    return desk.page(
        "new.html",
        422 if problems else 200,
        types=[_NOTE, *types],
        chosen=found,
        shapes=_shapes(found),
        given={**{f"data.{s['name']}": s["default"] for s in _shapes(found)}, **fields},
        answer=answer,
        problems=problems or {},
    )


def _shapes(kind: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of a type, in the form that the template macro expects."""
    return [
        {"name": name, **field, "default": _text(field["default"])}
        for name, field in kind["fields"].items()
    ]


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


async def save(desk: Desk) -> Response:
    """Save it. Errors are shown at their fields, and no input is lost."""
    chosen, answer = desk.field("type"), desk.field("answer")
    given = {name: desk.field(name).replace("\r\n", "\n") for name in desk.form}
    tags = [tag for tag in given.get("tags", "").split(",") if tag.strip()]
    try:
        if chosen:
            kinds = (await desk.ask("describe_schema"))["types"]
            kind = next((k for k in kinds if k["name"] == chosen), _NOTE)
            data = typed_fields(_shapes(kind), given)
            done = await desk.ask("save_typed_context", type=chosen, fields=data, tags=tags)
        else:
            content = _answered(given.get("content", ""), answer)
            done = await desk.ask("save_context", text=content, tags=tags)
    except ContextdError as error:
        if error.code not in ("invalid", "too_large"):
            raise
        named = error.details.get("fields")
        problems = dict(named) if isinstance(named, dict) else {"": error.message}
        return await _form(desk, chosen, given, answer, problems)
    hidden = MARK in f"{done['content']}{done['structuredData']}{done['tags']}"
    stored = await desk.ask("get_record", id=done["id"])
    first = stored["history"][-1]["reason"] if stored["record"]["status"] == "inbox" else ""
    message = f"Saved, but agents do not see it yet: {first}." if first else "Saved for all agents."
    message += " A possible secret was redacted before storing." if hidden else ""
    return desk.go(f"/records/{done['id']}", Banner(message, warning=bool(hidden or first)))


def _answered(content: str, answer: str) -> str:
    """Store the question with its answer, so that the same question finds it."""
    text = content.strip()
    return f"{answer.strip().rstrip('?')}? {text}" if answer.strip() and text else text


LOOKS: list[tuple[str, Handler]] = [("/records/new", blank)]
FORMS: list[tuple[str, Handler]] = [("/records/new", save)]
