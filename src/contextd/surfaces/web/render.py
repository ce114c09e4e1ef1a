"""Templates and static files: read once, served from memory under content-based names."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from contextd.domain.invisible_characters import visible_text
from contextd.pages import charts
from contextd.pages.text import ago, day, facts, instant, number, plural, short, span, words

_HERE = Path(__file__).parent
_ROOMS = _HERE.parents[1]
_TYPES = {
    ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".woff2": "font/woff2",
}  # fmt: skip


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
        loader=FileSystemLoader([_HERE / "templates", _ROOMS]),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=visible,
    )
    environment.globals.update(static=_address, charts=charts)
    environment.filters.update(
        number=number, when=when, plural=plural, instant=instant, short=short, span=span, day=day,
        asis=asis, words=words, facts=facts, ago=ago,
    )  # fmt: skip
    return environment


def render(template: str, **values: Any) -> str:
    """Render a page as HTML; inserted text is escaped, and invisible characters are made visible."""
    return _environment().get_template(template).render(**values)


def load_templates() -> None:
    """Compile every template now."""
    environment = _environment()
    own = [path.name for path in (_HERE / "templates").glob("*.html")]
    rooms = [path for depth in ("*", "*/pages") for path in _ROOMS.glob(f"{depth}/*.html")]
    for name in [*own, *(path.relative_to(_ROOMS).as_posix() for path in rooms)]:
        environment.get_template(name)


def visible(value: Any) -> Any:
    """Text with invisible characters escaped, such as `⟨ESC⟩` and `⟨U+202E⟩`; markup is unchanged."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible_text(value)
    return value


def asis(text: str) -> Markup:
    """Text for a form field, unchanged, so that it is sent back as it was."""
    return escape(text)


def when(iso: str, words: str = "") -> Markup:
    """A time element: `words` as text, the exact instant on hover."""
    shown = words or iso.replace("T", " ").removesuffix("Z")
    exact = iso.replace("T", " ").replace("Z", " UTC")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        escape(iso), escape(exact), escape(shown)
    )
