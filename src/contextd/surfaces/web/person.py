"""The page and forms of the person: who they are and how they like things, in every project."""

from __future__ import annotations

from starlette.responses import Response

from contextd.domain.errors import ContextdError
from contextd.person.person_md import STRENGTHS
from contextd.surfaces.web.desk import Banner, Desk, Handler


async def look(desk: Desk) -> Response:
    """What holds, what is proposed, and what the files of the home say."""
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
    """Keep something for every project. Nothing typed is lost when it is refused."""
    content, how = desk.field("content").strip(), desk.field("strength") or "mild"
    fields = {"strength": how} if how in STRENGTHS else {}
    try:
        done = await desk.ask("remember", text=content, fields=fields, scope="person")
    except ContextdError as error:
        if error.code not in ("invalid", "too_large"):
            raise
        return await _page(desk, content, how, error.message)
    if done["outcome"] == "duplicate":
        return desk.go("/person", "That was known already.")
    message = "Kept for every project of yours."
    if done["redacted"]:
        message += " What looked like a secret was taken out before it was stored."
    undo = f"/person/{done['id']}/remove"
    return desk.go("/person", Banner(message, undo, warning=bool(done["redacted"])))


async def remove(desk: Desk) -> Response:
    """Take something out of use, or turn a proposal down."""
    done = await desk.ask("delete_record", id=desk.request.path_params["id"])
    message = "Gone: agents no longer see it."
    return desk.go("/person", Banner(message, f"/person/{done['id']}/restore"))


async def restore(desk: Desk) -> Response:
    """Take the latest change back."""
    await desk.ask("undo", id=desk.request.path_params["id"])
    return desk.go("/person", "As it was before.")


async def accept(desk: Desk) -> Response:
    """Say yes to a proposal."""
    done = await desk.ask("person_accept", id=desk.request.path_params["id"])
    message = "Holds in every project of yours from now on."
    return desk.go("/person", Banner(message, f"/person/{done['id']}/restore"))


async def write(desk: Desk) -> Response:
    """Bring contextd's block of USER.md up to date."""
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
