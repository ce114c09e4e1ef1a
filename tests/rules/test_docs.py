"""The pages lead where they say, name what exists, and stay short enough to be read."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from sources import ROOT, product_file, repository_files

from contextd.__main__ import EXTRAS
from contextd.app import load_operations
from contextd.domain.kinds import KINDS
from contextd.surfaces.backend import Backend
from contextd.surfaces.cli.commands import Commands, Group
from contextd.surfaces.cli.renamed import RENAMED
from support.verdicts import act, none_of

load_operations()

PAGES = [path for path in repository_files() if path.suffix == ".md" and path.parts[0] != "tests"]
DECISIONS = sorted((ROOT / "docs" / "adr").glob("*.md"))
IMAGES = [path for path in repository_files() if path.parts[:2] == ("docs", "images")]
SHORT = {"README.md": 110, "docs/architecture.md": 200, "AGENTS.md": 80, "CONTRIBUTING.md": 60}


def no_backend() -> Backend:
    raise AssertionError("listing commands opens nothing")


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as a forge makes them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = (ROOT / page).read_text("utf-8")
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        if "://" in name:
            continue
        path = (ROOT / page).parent / name if name else ROOT / page
        if not path.exists() or (anchor and anchor not in anchors(path.read_text("utf-8"))):
            broken.append(target)
    none_of([f"{page}: {target}" for target in broken], "the link leads nowhere: correct it")


def is_command(root: click.Context, words: list[str]) -> bool:
    """Whether a line begins with a command of today, its group included."""
    assert isinstance(root.command, click.Group), "src/contextd/surfaces/cli/commands.py: no group"
    command = None if words[0] in RENAMED else root.command.get_command(root, words[0])
    if isinstance(command, Group) and len(words) > 1:
        return command.get_command(root, words[1]) is not None
    return command is not None


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_command_a_page_shows_exists(page: Path) -> None:
    """A changelog and a decision keep the names of their time."""
    group = Commands(load_operations, no_backend, EXTRAS)
    root = group.make_context("contextd", [], resilient_parsing=True)
    kept = page.name == "CHANGELOG.md" or page.parts[:2] in (("docs", "adr"), ("docs", "reference"))
    text = (ROOT / page).read_text("utf-8")
    shown = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL))
    named = re.findall(
        r"(?:^|[`\s])contextd ([a-z][a-z_-]*)(?: ([a-z][a-z-]*))?", shown, re.MULTILINE
    )
    unknown = {
        " ".join(words)
        for words in named
        if not (kept and words[0].replace("_", "-") in RENAMED)
        and not is_command(root, [word for word in words if word])
    }
    none_of(
        [f"{page}: `contextd {words}`" for words in sorted(unknown)],
        "no such command: name one that `contextd --help` lists",
    )


SOURCES = [path for path in repository_files() if path.parts[:2] == ("src", "contextd")]


def test_no_text_of_the_product_names_a_command_by_its_old_name() -> None:
    old = "|".join(sorted(RENAMED, key=len, reverse=True))
    named = re.compile(rf"contextd ({old})(?![\w-])")
    found = [
        f"{path}: {hit[0]}"
        for path in SOURCES
        if path.suffix in (".py", ".html", ".md", ".js") and path.name != "renamed.py"
        for hit in named.finditer((ROOT / path).read_text("utf-8"))
    ]
    none_of(found, "say the new name, see src/contextd/surfaces/cli/renamed.py")


@pytest.mark.parametrize(("page", "lines"), SHORT.items())
def test_a_page_that_must_be_short_is(page: str, lines: int) -> None:
    there = len((ROOT / page).read_text("utf-8").splitlines())
    assert there <= lines, f"{page} has {there} lines, at most {lines}: say something more briefly"


@act(
    "docs/adr/{path.name}",
    "begin it as the others: `# N. Title`, `Status: `, Context, Decision, Consequences",
)
@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_has_its_four_parts(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.startswith(f"# {int(path.stem[:4])}. ")
    assert re.search(r"^Status: (accepted|proposed|superseded by \[)", text, re.MULTILINE)
    parts = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert parts[:3] == ["Context", "Decision", "Consequences"]


def test_decisions_are_numbered_without_a_gap() -> None:
    wrong = [
        f"docs/adr/{path.name}: the next number is {number}"
        for number, path in enumerate(DECISIONS, 1)
        if int(path.stem[:4]) != number
    ]
    none_of(wrong[:1], "rename it")


def test_the_files_the_domain_page_names_exist() -> None:
    text = (ROOT / "docs" / "domain.md").read_text("utf-8")
    places = set(re.findall(r"`([a-z_/]+(?:\.py|/))`", text))
    assert places, "docs/domain.md names no file: the search in tests/rules/test_docs.py is wrong"
    none_of(
        sorted(place for place in places if not (ROOT / product_file(place)).exists()),
        "docs/domain.md names this file, which is gone: name the one that defines the word",
    )


def test_every_kind_is_on_its_reference_page() -> None:
    text = (ROOT / "docs" / "reference" / "kinds.md").read_text("utf-8")
    none_of(
        [name for name in KINDS if f"## {name}\n" not in text],
        "missing in docs/reference/kinds.md: run tools/generate_docs.py",
    )


def test_the_chart_shows_the_figures_of_the_results_page() -> None:
    done = subprocess.run(
        [sys.executable, "tools/draw_chart.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    none_of(
        (done.stdout + done.stderr).splitlines() if done.returncode or done.stdout else [],
        "the figures of the page are others: run tools/draw_chart.py and commit docs/images",
    )


@pytest.mark.parametrize("image", IMAGES, ids=str)
def test_an_image_is_small_and_loads_nothing(image: Path) -> None:
    content = (ROOT / image).read_bytes()
    assert len(content) < 200_000, f"{image} has {len(content)} bytes: make it smaller than 200,000"
    if image.suffix == ".svg":
        loaded = re.findall(rb"url\((?!#)[^)]*\)|@import|(?:href|src)=", content)
        none_of([f"{image}: {one.decode()}" for one in loaded], "take it out: it loads something")


@pytest.mark.parametrize(
    "command", ["uv run contextd demo", "uv run --group dev pytest", "uv tool install ."]
)
def test_the_readme_names_the_commands_that_run_and_test_a_clone(command: str) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    shown = re.search(rf"^(?:pip install uv && )?{re.escape(command)}(?: |$)", text, re.MULTILINE)
    assert shown, f"README.md: show the command `{command}` on a line of its own"
