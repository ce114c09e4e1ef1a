"""The page and forms of policies and standards: rules, files, recent violations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from contextd.surfaces.web.desk import Banner, Desk, Handler
from contextd_code.errors import ContextdError

SEVERITIES = {
    "critical": "bad", "high": "bad", "error": "bad", "medium": "warn", "warning": "warn",
}  # fmt: skip
"""Severity of a rule → the colour of its badge; lower ones have none."""


async def look(desk: Desk) -> Response:
    """The rules in force, their files, and the last checks."""
    return await _page(desk)


async def _page(
    desk: Desk, text: str = "", checked: dict[str, Any] | None = None, problem: str = ""
) -> Response:
    if not desk.has("list_policies") or not desk.project:
        return desk.page("policies.html", found=None)
    found = await desk.ask("list_policies")
    standards = await desk.ask("standards_get")
    past = await desk.ask("policy_checks")
    packs = await desk.ask("policy_init", dry_run=True) if not found["policies"] else None
    return desk.page(
        "policies.html",
        422 if problem else 200,
        found=found,
        groups=_by_scope(found["policies"]),
        standards=standards["standards"],
        problems=list(dict.fromkeys([*found["problems"], *standards["problems"]])),
        checks=past["checks"],
        packs=packs["packs"] if packs else [],
        severities=SEVERITIES,
        given=text,
        checked=checked,
        problem=problem,
    )


def _by_scope(policies: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The policies by scope, the nearest first."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in policies:
        groups.setdefault(one["scope"], []).append(one)
    return groups


async def check(desk: Desk) -> Response:
    """Check pasted text. No input is lost."""
    given = desk.field("action").replace("\r\n", "\n")
    try:
        done = await desk.ask("policy_check", action=given)
    except ContextdError as error:
        if error.code not in ("invalid", "too_large"):
            raise
        return await _page(desk, given, problem=error.message)
    return await _page(desk, given, done)


async def begin(desk: Desk) -> Response:
    """Write a starter pack as files."""
    done = await desk.ask("policy_init", packs=desk.form.get("pack", []))
    message = f"Wrote {', '.join(done['written'])}." if done["written"] else "Nothing was written."
    if done["kept"]:
        message += f" Already exists and was kept: {', '.join(done['kept'])}."
    return desk.go("/policies", Banner(message, warning=not done["written"]))


async def write(desk: Desk) -> Response:
    """Write a recorded policy to a file, which becomes its source."""
    done = await desk.ask("policy_write", id=desk.request.path_params["id"])
    return desk.go("/policies", f"{done['file']} is now its source; edit and commit it there.")


LOOKS: list[tuple[str, Handler]] = [("/policies", look)]
FORMS: list[tuple[str, Handler]] = [
    ("/policies/check", check),
    ("/policies/begin", begin),
    ("/policies/{id}/write", write),
]
