"""A page: handlers that turn the request of a signed-in browser into a view, a redirect or JSON.

A room's page offers `LOOKS` and `FORMS`, lists of (path, handler). `surfaces/web` routes to them, renders
the templates beside them, and adds everything of HTTP.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any, Protocol

from contextd_common.dataclass import dataclass


class PageRequest(Protocol):
    """One request of a signed-in browser. It runs operations as the owner, in the chosen project."""

    form: dict[str, list[str]]
    json: dict[str, Any]
    projects: dict[str, Any]

    @property
    def project(self) -> str:
        """The current scope; empty if there is none."""
        ...

    @property
    def id(self) -> str:
        """The `{id}` of the path."""
        ...

    def query(self, name: str, default: str = "") -> str:
        """Return a parameter of the address."""
        ...

    def field(self, name: str, default: str = "") -> str:
        """Return a field of the posted form."""
        ...

    def has(self, operation: str) -> bool:
        """Return whether this contextd offers the operation."""
        ...

    async def ask(self, operation: str, **arguments: Any) -> Any:
        """Run an operation and return its value. Raises `ContextdError`."""
        ...

    async def ask_lately(self, operation: str) -> Any:
        """Like `ask`, but may return an answer of the last seconds, unless this browser changed something."""
        ...


@dataclass(frozen=True, slots=True)
class Undo:
    """A form that undoes one of several changes: label, address, fields."""

    text: str
    action: str
    fields: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Banner:
    """The message at the top of the next page. `undo` is the form that undoes the change, `fields` its
    data; `parts` undo single changes.
    """

    text: str
    undo: str = ""
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    warning: bool = False
    parts: tuple[Undo, ...] = ()


@dataclass(frozen=True, slots=True)
class PageView:
    """A template with its values and the HTTP status."""

    template: str
    code: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Redirect:
    """The address that follows a form, and the message shown there."""

    path: str
    query: Mapping[str, str]
    banner: Banner | None


@dataclass(frozen=True, slots=True)
class Json:
    """Plain data for a script of a page."""

    content: Mapping[str, Any]


Answer = PageView | Redirect | Json
Handler = Callable[[PageRequest], Awaitable[Answer]]


def show(template: str, code: int = 200, /, **values: Any) -> PageView:
    """Show a template: `ROOM/page.html`, or a name in `surfaces/web/templates`."""
    return PageView(template, code, values)


def go(path: str, banner: Banner | str = "", **query: str) -> Redirect:
    """Redirect the browser after a form, with a message; empty parameters are left out."""
    message = Banner(banner) if isinstance(banner, str) and banner else banner or None
    return Redirect(path, {name: value for name, value in query.items() if value}, message)
