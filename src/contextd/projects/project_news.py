"""News of a project, such as a move of its folder: shown once, with the command that undoes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from contextd.domain.projects import Project
from contextd.domain.scope import Scope
from contextd.projects.membership import places_of
from contextd.runtime.runtime import Organisation, Runtime

_FOR_OWNER = "alike"
"""News that names another project, which an agent in a folder that resembles it need not know of."""


def take_news(runtime: Runtime, *, by_owner: bool = False) -> list[str]:
    """The news of the call's project, a line each. They are said from then on, for every process: show them. `by_owner`
    says that the owner asks, who is also told which other project this one resembles.
    """
    project = runtime.project
    if project is None or not runtime.caller.may("write", project.scope):
        return []
    return news_of(runtime.organisation, project, by_owner=by_owner)


def news_of(organisation: Organisation, project: Project, *, by_owner: bool) -> list[str]:
    """See `take_news`: the news of any project."""
    if not project.news:
        return []
    by_scope = {one.scope: one for one in organisation.directory.all()}
    # The call's project is a copy, up to ten seconds old.
    now = by_scope.get(project.scope)
    news = [one.partition(":") for one in now.news] if now is not None else []
    shown = [(kind, value) for kind, _, value in news if by_owner or kind != _FOR_OWNER]
    if now is None or not shown:
        return []
    rest = tuple(one for one in now.news if tuple(one.split(":", 1)) not in shown)
    organisation.directory.save(replace(now, news=rest))
    organisation.caches.forget("places")
    lines = (_LINES[kind](by_scope, now, value) for kind, value in shown if kind in _LINES)
    return list(filter(None, lines))


def add_news(organisation: Organisation, scope: Scope, news: str) -> None:
    """Keep news of the project in a scope, as `KIND:VALUE`, until it is shown."""
    # The project of a call is a copy, up to ten seconds old.
    project = next((one for one in organisation.directory.all() if one.scope == scope), None)
    if project is not None:
        organisation.directory.save(replace(project, news=(*project.news, news)))
        organisation.caches.forget("places")


def _moved(by_scope: Mapping[Scope, Project], project: Project, place: str) -> str:
    whole = by_scope.get(project.part_of, project) if project.part_of is not None else project
    return (
        f"This folder has the memory of {whole.name}, whose folder {place} is gone."
        " If this is another project: contextd projects part"
    )


def _joined(by_scope: Mapping[Scope, Project], project: Project, scope: str) -> str:
    places = [places_of(one) for one in by_scope.values() if str(one.scope) == scope]
    place = places[0][-1] if places and places[0] else scope
    return (
        f"What {place} recorded before you trusted it belongs to {project.name} now."
        f" To undo: contextd trust --revoke {place}"
    )


def _alike(by_scope: Mapping[Scope, Project], project: Project, scope: str) -> str:
    other = next((one for one in by_scope.values() if str(one.scope) == scope), None)
    if other is None:
        return ""
    place = f" in {other.roots[-1]}" if other.roots else ""
    return (
        f"This folder looks like {other.name}{place}, and shares no memory with it: they have the same first commit or"
        f" id, and no remote in common. If they are one project: contextd projects join {other.scope}"
    )


def _judged(by_scope: Mapping[Scope, Project], project: Project, count: str) -> str:
    what = "1 learned rule is" if count == "1" else f"{count} learned rules are"
    return (
        f"{what} no longer told in {project.name}: an order for one turn, or words that you only passed on."
        " To bring one back: contextd inbox list, then contextd inbox accept ID"
    )


_LINES: Mapping[str, Callable[[Mapping[Scope, Project], Project, str], str]] = {
    "moved": _moved,
    "joined": _joined,
    "alike": _alike,
    "judged": _judged,
}
