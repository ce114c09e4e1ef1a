"""Templates and static files: read once, served from memory under names that change with them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from contextd.surfaces.web import charts

_HERE = Path(__file__).parent
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@cache
def static_files() -> Mapping[str, tuple[bytes, str]]:
    """Name → (content, media type)."""
    return {
        path.name: (path.read_bytes(), _TYPES[path.suffix])
        for path in sorted((_HERE / "static").iterdir())
        if path.suffix in _TYPES
    }


@cache
def _address(name: str) -> str:
    content, _ = static_files()[name]
    return f"/static/{name}?v={hashlib.blake2b(content, digest_size=6).hexdigest()}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(static=_address, charts=charts)
    environment.filters.update(number=number, when=when, plural=plural, instant=instant)
    return environment


def render(template: str, **values: Any) -> str:
    """The page as HTML; everything put in is escaped."""
    return _environment().get_template(template).render(**values)


def number(value: float | int) -> str:
    """`12,345`."""
    return f"{value:,}"


def plural(count: int, one: str, many: str = "") -> str:
    """`1 file`, `2 files`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def when(iso: str, words: str = "") -> Markup:
    """A time element: `words` to read, the exact instant on hover."""
    shown = words or iso.replace("T", " ").removesuffix("Z")
    exact = iso.replace("T", " ").replace("Z", " UTC")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        escape(iso), escape(exact), escape(shown)
    )


def instant(iso: str) -> str:
    """The time of day of an ISO instant, `14:05`."""
    try:
        return datetime.fromisoformat(iso.replace("Z", "+00:00")).strftime("%H:%M")
    except ValueError:
        return iso
