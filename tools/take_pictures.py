"""Takes the pictures of the README: the real program in a temporary home with made-up data.

uv run --group dev --group docs python tools/take_pictures.py
"""

from __future__ import annotations

import io
import json
import shutil
import sys
import textwrap
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text
from staged_home import StagedHome, staged_home

from contextd.thin import client

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WIDTH = 104
QUESTION = "what happens to records that still fail?"
PROMPT, NOTE = "bold #7ee787", "italic #8b949e"
THEME = TerminalTheme(
    (13, 17, 23),
    (230, 237, 243),
    [(72, 79, 88), (255, 123, 114), (63, 185, 80), (210, 153, 34)],
)
# Rich's own frame fetches a font from a content delivery network; this one uses the reader's.
FRAME = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {terminal_height}" role="img" aria-label="A terminal with contextd init, a briefing and a search">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
<rect width="{width}" height="{terminal_height}" rx="8" fill="#0d1117"/>
<g transform="translate({terminal_x}, 16)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""
RECORDS = (
    ("rule", "Amounts are stored in cents, as integers"),
    ("decision", "One table for dead letters: operators replay rows with plain SQL"),
    ("note", "The warehouse API is slow between 02:00 and 03:00"),
)


def main() -> int:
    """Write docs/images/terminal.svg and docs/images/dashboard.png."""
    IMAGES.mkdir(exist_ok=True)
    with staged_home() as stage:
        terminal = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor")
        _typed(terminal, "contextd init")
        _printed(terminal, "\n".join(stage.run("init").splitlines()[:-1]))
        _typed(terminal, "claude", "an agent works; you take no notes")
        stage.hold_session()
        _typed(terminal, "claude", "a new session: its briefing, before you type")
        _printed(terminal, stage.hook("SessionStart", "second", source="startup"), "│ ")
        _typed(terminal, f'contextd search "{QUESTION}" --limit 1')
        _printed(terminal, stage.run("search", QUESTION, "--limit", "1"))
        svg = terminal.export_svg(
            theme=THEME,
            code_format=FRAME,
            unique_id="contextd",
        )
        (IMAGES / "terminal.svg").write_text(svg, "utf-8")
        for kind, text in RECORDS:
            stage.run("remember", text, "--kind", kind)
        _dashboard(stage)
    return 0


def _typed(terminal: Console, command: str, note: str = "") -> None:
    told = f"  # {note}" if note else ""
    terminal.print(Text.assemble(("courier $ ", PROMPT), (command, "bold"), (told, NOTE)))


def _printed(terminal: Console, text: str, margin: str = "") -> None:
    for line in text.splitlines():
        parts = textwrap.wrap(line, WIDTH - len(margin) - 2, subsequent_indent="  ") or [""]
        for part in parts:
            style = "bold" if part.startswith("## ") else ""
            terminal.print(Text.assemble((margin, NOTE), (part, style)))
    terminal.print()


def _dashboard(stage: StagedHome) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("chromium is not installed")
    port = json.loads((stage.home / "daemon.json").read_text("utf-8"))["port"]
    code = client.control("signin", home=stage.home, cwd=str(stage.root))["code"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
        page.goto(f"http://127.0.0.1:{port}/signin?code={code}&next=/")
        page.wait_for_load_state("networkidle")
        page.screenshot(path=str(IMAGES / "dashboard.png"))
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
