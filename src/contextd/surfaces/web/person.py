"""The page and forms of the person's layer."""

from __future__ import annotations

from starlette.responses import Response

from contextd.person.person_md import STRENGTHS
from contextd.surfaces.web.desk import Banner, Desk, Handler
from contextd_code.errors import ContextdError


async def look(desk: Desk) -> Response:
    """Preferences in force, proposals, and the files of the home."""
    return await _page(desk)


async def _page(desk: Desk, text: str = "", chosen: str = "mild", problem: str = "") -> Response:
    profile = await desk.ask("user_profile")
    groups = [(how, [o for o in profile["lines"] if o["strength"] == how]) for how in STRENGTHS]
    return desk.page(
        "person.html",
        422 if problem else 200,
        profile=profile,
        groups=[(how, lines) for how, lines in groups if lines],
        strengths=STRENGTHS,
        given=text,
        chosen=chosen,
        problem=problem,
    )


async def add(desk: Desk) -> Response:
    """Save a preference for every project. No input is lost if it is refused."""
    content, how = desk.field("content").strip(), desk.field("strength") or "mild"
    fields = {"strength": how} if how in STRENGTHS else {}
    try:
        done = await desk.ask("remember", text=content, fields=fields, scope="person")
    except ContextdError as error:
        if error.code not in ("invalid", "too_large"):
            raise
        return await _page(desk, content, how, error.message)
    if done["outcome"] == "duplicate":
        return desk.go("/person", "Already saved.")
    message = "Saved for all of your projects."
    if done["redacted"]:
        message += " A possible secret was redacted before storing."
    undo = f"/person/{done['id']}/remove"
    return desk.go("/person", Banner(message, undo, warning=bool(done["redacted"])))


async def remove(desk: Desk) -> Response:
    """Delete a preference, or reject a proposal."""
    done = await desk.ask("delete_record", id=desk.request.path_params["id"])
    message = "Deleted: agents no longer see it."
    return desk.go("/person", Banner(message, f"/person/{done['id']}/restore"))


async def restore(desk: Desk) -> Response:
    """Undo the latest change."""
    await desk.ask("undo", id=desk.request.path_params["id"])
    return desk.go("/person", "Restored.")


async def accept(desk: Desk) -> Response:
    """Accept a proposal."""
    done = await desk.ask("person_accept", id=desk.request.path_params["id"])
    message = "Applies in all of your projects from now on."
    return desk.go("/person", Banner(message, f"/person/{done['id']}/restore"))


async def write(desk: Desk) -> Response:
    """Update contextd's block of USER.md."""
    done = await desk.ask("write_profile")
    message = "Written into USER.md." if done["changed"] else "USER.md was up to date."
    return desk.go("/person", message)


LOOKS: list[tuple[str, Handler]] = [("/person", look)]
FORMS: list[tuple[str, Handler]] = [
    ("/person", add),
    ("/person/user-md", write),
    ("/person/{id}/remove", remove),
    ("/person/{id}/restore", restore),
    ("/person/{id}/accept", accept),
]
