"""The page and forms of the person's layer."""

from __future__ import annotations

from contextd.pages.page import Answer, Banner, Handler, PageRequest, go, show
from contextd.person.person_md import STRENGTHS
from contextd_common.errors import Invalid, TooLarge


async def look(request: PageRequest) -> Answer:
    """Preferences in force, proposals, and the files of the home."""
    return await _page(request)


async def _page(
    request: PageRequest, text: str = "", chosen: str = "mild", problem: str = ""
) -> Answer:
    profile = await request.ask("user_profile")
    groups = [(how, [o for o in profile["lines"] if o["strength"] == how]) for how in STRENGTHS]
    return show(
        "person/page.html",
        422 if problem else 200,
        profile=profile,
        groups=[(how, lines) for how, lines in groups if lines],
        strengths=STRENGTHS,
        given=text,
        chosen=chosen,
        problem=problem,
    )


async def add(request: PageRequest) -> Answer:
    """Save a preference for every project. No input is lost if it is refused."""
    content, how = request.field("content").strip(), request.field("strength") or "mild"
    fields = {"strength": how} if how in STRENGTHS else {}
    try:
        done = await request.ask("remember", text=content, fields=fields, scope="person")
    except (Invalid, TooLarge) as error:
        return await _page(request, content, how, error.message)
    if done["outcome"] == "duplicate":
        return go("/person", "Already saved.")
    message = "Saved for all of your projects."
    if done["redacted"]:
        message += " A possible secret was redacted before storing."
    undo = f"/person/{done['id']}/remove"
    return go("/person", Banner(message, undo, warning=bool(done["redacted"])))


async def remove(request: PageRequest) -> Answer:
    """Delete a preference, or reject a proposal."""
    done = await request.ask("delete_record", id=request.id)
    message = "Deleted: agents no longer see it."
    return go("/person", Banner(message, f"/person/{done['id']}/restore"))


async def restore(request: PageRequest) -> Answer:
    """Undo the latest change."""
    await request.ask("undo", id=request.id)
    return go("/person", "Restored.")


async def accept(request: PageRequest) -> Answer:
    """Accept a proposal."""
    done = await request.ask("person_accept", id=request.id)
    message = "Applies in all of your projects from now on."
    return go("/person", Banner(message, f"/person/{done['id']}/restore"))


async def write(request: PageRequest) -> Answer:
    """Update contextd's block of USER.md."""
    done = await request.ask("write_profile")
    message = "Written into USER.md." if done["changed"] else "USER.md was up to date."
    return go("/person", message)


LOOKS: list[tuple[str, Handler]] = [("/person", look)]
FORMS: list[tuple[str, Handler]] = [
    ("/person", add),
    ("/person/user-md", write),
    ("/person/{id}/remove", remove),
    ("/person/{id}/restore", restore),
    ("/person/{id}/accept", accept),
]
