"""The page of a project's modules: a graph, a table, and each module by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from contextd.pages.page import Answer, Banner, Handler, PageRequest, go, show
from contextd.pages.text import plural
from contextd.projects.graphs import Graph, Node, around, graph
from contextd_common.errors import Conflict, ContextdError, Invalid, NotFound, nearest

ZOOMS = (50, 75, 100, 150, 200, 300)
"""Zoom levels of the graph in percent."""


async def look(request: PageRequest) -> Answer:
    """All modules, or with `module` one of them with its neighbours."""
    return await _page(request)


async def _page(
    request: PageRequest, team: str = "", org: str = "", problem: ContextdError | None = None
) -> Answer:
    if not request.project:
        return show("projects/page.html", about=None, one=None)
    about = await request.ask_lately("project_overview")
    states = await request.ask("list_modules")
    modules = {one["name"]: one for one in states["modules"]}
    name = request.query("module")
    if name and name not in modules:
        raise NotFound(f"no module {name!r}", nearest(name, list(modules)) or "see the table")
    zoom = _zoom(request.query("zoom"))
    picture = _picture(modules, name, zoom)
    place = request.project.split("/")
    return show(
        "projects/page.html",
        422 if problem else 200,
        about=about,
        org=org or place[0],
        team=team or place[1],
        problem=problem,
        states=states,
        modules=list(modules.values()),
        picture=picture,
        zoom=zoom,
        zooms=_zooms(name, zoom) if picture else [],
        one=modules.get(name),
        whole=await request.ask("project_module", name=name) if name else None,
        silent=sum(one["silent"] for one in modules.values()),
        outdated=sum(one["outdated"] for one in modules.values()),
        known=sum(one["records"] for one in modules.values()),
        address=_address,
    )


def _zoom(text: str) -> int:
    return int(text) if text.isdigit() and int(text) in ZOOMS else 0


def _zooms(name: str, zoom: int) -> list[tuple[str, str, str]]:
    """Zoom controls, as (sign, label, address)."""
    at = ZOOMS.index(zoom or 100)
    smaller, larger = ZOOMS[max(0, at - 1)], ZOOMS[min(len(ZOOMS) - 1, at + 1)]
    return [
        ("−", "Zoom out", _address(name, smaller)),
        ("+", "Zoom in", _address(name, larger)),
        ("Fit", "Fit into the page", _address(name)),
    ]


def _address(module: str = "", zoom: int = 0) -> str:
    given = {"module": module, "zoom": str(zoom or "")}
    query = urlencode({name: value for name, value in given.items() if value})
    return "/project" + (f"?{query}" if query else "")


def _picture(modules: Mapping[str, Mapping[str, Any]], name: str, zoom: int) -> Graph | None:
    if not modules:
        return None
    edges = [(one["name"], other) for one in modules.values() for other in one["depends_on"]]
    shown: Sequence[str] = list(modules)
    label = (
        f"Dependency graph of {plural(len(modules), 'module')}; the table below has the same data"
    )
    if name:
        shown, edges = around(name, edges)
        label = f"{name} above its dependencies, and below the modules that depend on it"
    nodes = [_node(modules[one], one == name) for one in shown]
    return graph(nodes, edges, label, zoom=(zoom or 100) / 100, reduce=not name)


def _node(one: Mapping[str, Any], here: bool) -> Node:
    known = one["records"] + one["patterns"] + one["rules"] + one["issues"]
    state = (
        "stale" if one["outdated"] else "told" if known else "silent" if one["silent"] else "named"
    )
    summary = "undocumented" if one["silent"] else f"{known} known" if known else "named only"
    needs = ", ".join(one["depends_on"]) or "no module"
    about = f"{plural(one['files'], 'file')}; depends on {needs}"
    if one["outdated"]:
        summary += f", {one['outdated']} outdated"
    return Node(one["name"], summary, state, _address(one["name"]), about, here)


async def give_to_team(request: PageRequest) -> Answer:
    """Give the project to a team. No input is lost if it is refused."""
    team, org = request.field("name").strip(), request.field("org").strip()
    try:
        done = await request.ask("project_team", name=team, org=org)
    except (Invalid, Conflict) as error:
        return await _page(request, team, org, error)
    message = f"{done['name']} is {done['project']} now and shares what its team knows."
    undo = Banner(
        message, "/project/team", {"name": done["team_before"], "org": done["org_before"]}
    )
    return go("/project", undo, project=done["project"])


LOOKS: list[tuple[str, Handler]] = [("/project", look)]
FORMS: list[tuple[str, Handler]] = [("/project/team", give_to_team)]
