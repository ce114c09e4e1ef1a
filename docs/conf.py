"""The documentation site: `uv run --group docs sphinx-build -W --keep-going docs build/site`.

The pages are plain Markdown that reads as well on a forge, so the tables of contents stand here. Building needs no network,
and the pages load nothing from other hosts.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
PROJECT = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"]
VERSION = re.search(
    r'__version__ = "(.+)"', (DOCS.parent / "src/contextd/__init__.py").read_text("utf-8")
)

project = "contextd"
author = copyright = "the contextd authors"
version = release = VERSION[1] if VERSION else ""
extensions = ["myst_parser"]
exclude_patterns = ["images/**"]
myst_heading_anchors = 4
highlight_language = "none"
nitpicky = True
html_theme = "furo"
html_title = f"contextd {release}"
html_show_sphinx = False
html_copy_source = html_show_sourcelink = False
# Without these the search page and icons would be the theme's; there is nothing to fetch elsewhere.
html_theme_options = {"top_of_page_buttons": [], "navigation_with_keys": True}

CONTENTS = {
    "index": [
        ("Start", ["tutorial"]),
        (
            "Guides",
            [
                "howto/connect-clients",
                "howto/plugins",
                "howto/trust-a-folder",
                "howto/command-line",
                "howto/dashboard",
                "howto/what-is-learned",
                "howto/known-errors",
                "howto/tell-about-yourself",
                "howto/policies",
                "howto/define-context-types",
                "howto/skills",
                "howto/merge-and-promote",
                "howto/import-and-export",
                "howto/move-from-opencontext",
                "howto/python-api",
                "howto/code-package",
                "howto/folding",
                "howto/choose-models",
                "howto/back-up-and-restore",
                "howto/many-machines",
                "howto/serve-a-team",
                "howto/postgresql",
                "howto/develop",
            ],
        ),
        ("Reference", ["reference/*", "deprecation"]),
        ("Explanation", ["architecture", "domain", "results", "decisions"]),
    ],
    "results": [("", ["howto/measure-*"])],
    "decisions": [("", ["adr/*"])],
}
"""The tables of contents by page: a caption, and pages or patterns. A page that none lists fails the build."""


def setup(app: Any) -> None:
    """Add each table of contents to its page."""
    app.connect("source-read", _with_contents)


def _with_contents(app: Any, page: str, source: list[str]) -> None:
    for caption, names in CONTENTS.get(page, []):
        options = [":glob:", ":hidden:" if page != "decisions" else ":maxdepth: 1"]
        options += [f":caption: {caption}"] if caption else []
        source[0] += "\n".join(["", "```{toctree}", *options, "", *names, "```", ""])
