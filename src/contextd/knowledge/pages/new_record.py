"""Add a record: a free note, or an entry of one of the schema's types."""

from __future__ import annotations

from typing import Any

from contextd.knowledge.pages.records import as_field, typed_fields
from contextd.pages.page import Answer, Banner, Handler, PageRequest, go, show
from contextd.redaction.redact import MARK
from contextd_common.errors import Invalid, TooLarge

_NOTE = {"name": "", "description": "Free text: a decision, a rule, a trap.", "fields": {}}


async def blank(request: PageRequest) -> Answer:
    """The form for a new record. `type` selects the type, `answer` is the question it answers."""
    given = {"content": "", "tags": request.query("tags")}
    return await _form(request, request.query("type"), given, request.query("answer"))


async def _form(
    request: PageRequest,
    chosen: str,
    fields: dict[str, str],
    answer: str = "",
    problems: dict[str, str] | None = None,
) -> Answer:
    # One call of the template: a page without a project once lacked a name that it needs.
    types = (await request.ask("describe_schema"))["types"] if request.project else []
    found = next((kind for kind in types if kind["name"] == chosen), _NOTE)
    return show(
        "knowledge/pages/new_record.html",
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
        {"name": name, **field, "default": as_field(field["default"])}
        for name, field in kind["fields"].items()
    ]


async def save(request: PageRequest) -> Answer:
    """Save it. Errors are shown at their fields, and no input is lost."""
    chosen, answer = request.field("type"), request.field("answer")
    given = {name: request.field(name).replace("\r\n", "\n") for name in request.form}
    tags = [tag for tag in given.get("tags", "").split(",") if tag.strip()]
    try:
        if chosen:
            kinds = (await request.ask("describe_schema"))["types"]
            kind = next((k for k in kinds if k["name"] == chosen), _NOTE)
            data = typed_fields(_shapes(kind), given)
            done = await request.ask("save_typed_context", type=chosen, fields=data, tags=tags)
        else:
            content = _answered(given.get("content", ""), answer)
            done = await request.ask("save_context", text=content, tags=tags)
    except (Invalid, TooLarge) as error:
        named = error.details.get("fields")
        problems = dict(named) if isinstance(named, dict) else {"": error.message}
        return await _form(request, chosen, given, answer, problems)
    hidden = MARK in f"{done['content']}{done['structuredData']}{done['tags']}"
    stored = await request.ask("get_record", id=done["id"])
    first = stored["history"][-1]["reason"] if stored["record"]["status"] == "inbox" else ""
    message = f"Saved, but agents do not see it yet: {first}." if first else "Saved for all agents."
    message += " A possible secret was redacted before storing." if hidden else ""
    return go(f"/records/{done['id']}", Banner(message, warning=bool(hidden or first)))


def _answered(content: str, answer: str) -> str:
    """Store the question with its answer, so that the same question finds it."""
    text = content.strip()
    return f"{answer.strip().rstrip('?')}? {text}" if answer.strip() and text else text


LOOKS: list[tuple[str, Handler]] = [("/records/new", blank)]
FORMS: list[tuple[str, Handler]] = [("/records/new", save)]
