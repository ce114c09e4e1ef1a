"""Nothing in the repository points at the machine it was written on, or at a package registry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sources import ROOT, faults, repository_files

from support.verdicts import act, none_of, of_this_rule

# Put together here, so that this file does not break its own rule.
HOSTS = [
    "pypi" + ".org",
    "python" + "hosted",
    "npm" + "js.",
    "crates" + ".io",
    "proxy.golang" + ".",
]
PLACES = ["work", "root"]
FORBIDDEN = re.compile(
    "|".join(
        [
            *map(re.escape, HOSTS),
            *(rf"(?<![\w.~$}}*)\]-])(?<![A-Za-z]:)/{place}/" for place in PLACES),
        ]
    )
)
LARGEST = 2_000_000


def readable_files() -> list[Path]:
    return [path for path in repository_files() if (ROOT / path).stat().st_size < LARGEST]


def named_in(path: Path) -> list[str]:
    """The machines and registries that a file names, by line."""
    text = (ROOT / path).read_bytes().decode("utf-8", "replace")
    return [
        f"line {number}: {match[0]}"
        for number, line in enumerate(text.splitlines(), 1)
        for match in FORBIDDEN.finditer(line)
    ]


def test_a_file_names_no_machine_and_no_registry() -> None:
    none_of(
        faults(readable_files(), named_in),
        "write a path below the home or the repository, and no address of a package registry",
    )


@of_this_rule
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/" + "work/main", True),
        ('"/' + 'root/x"', True),
        ("https://" + "pypi" + ".org/simple", True),
        ("src/work/a.py", False),
        ("~/work/a.py", False),
        ("C:/work/a.py", False),
    ],
)
def test_the_search_finds_absolute_places_only(text: str, found: bool) -> None:
    assert bool(FORBIDDEN.search(text)) is found


@act("uv.lock", "take it out of git: it has the addresses of a registry")
def test_the_lock_file_stays_out() -> None:
    assert Path("uv.lock") not in repository_files()
