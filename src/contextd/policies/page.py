"""The page and forms of policies and standards: rules, files, recent violations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.pages.page import Answer, Banner, Handler, PageRequest, go, show
from contextd_common.errors import Invalid, TooLarge

SEVERITIES = {
    "critical": "bad", "high": "bad", "error": "bad", "medium": "warn", "warning": "warn",
}  # fmt: skip
"""Severity of a rule → the colour of its badge; lower ones have none."""


async def look(request: PageRequest) -> Answer:
    """The rules in force, their files, and the last checks."""
    return await _page(request)


async def _page(
    request: PageRequest, text: str = "", checked: dict[str, Any] | None = None, problem: str = ""
) -> Answer:
    if not request.has("list_policies") or not request.project:
        return show("policies/page.html", found=None)
    found = await request.ask("list_policies")
    standards = await request.ask("standards_get")
    past = await request.ask("policy_checks")
    packs = await request.ask("policy_init", dry_run=True) if not found["policies"] else None
    return show(
        "policies/page.html",
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


async def check(request: PageRequest) -> Answer:
    """Check pasted text. No input is lost."""
    given = request.field("action").replace("\r\n", "\n")
    try:
        done = await request.ask("policy_check", action=given)
    except (Invalid, TooLarge) as error:
        return await _page(request, given, problem=error.message)
    return await _page(request, given, done)


async def begin(request: PageRequest) -> Answer:
    """Write a starter pack as files."""
    done = await request.ask("policy_init", packs=request.form.get("pack", []))
    message = f"Wrote {', '.join(done['written'])}." if done["written"] else "Nothing was written."
    if done["kept"]:
        message += f" Already exists and was kept: {', '.join(done['kept'])}."
    return go("/policies", Banner(message, warning=not done["written"]))


async def write(request: PageRequest) -> Answer:
    """Write a recorded policy to a file, which becomes its source."""
    done = await request.ask("policy_write", id=request.id)
    return go("/policies", f"{done['file']} is now its source; edit and commit it there.")


LOOKS: list[tuple[str, Handler]] = [("/policies", look)]
FORMS: list[tuple[str, Handler]] = [
    ("/policies/check", check),
    ("/policies/begin", begin),
    ("/policies/{id}/write", write),
]
