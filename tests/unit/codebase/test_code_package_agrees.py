"""`contextd_code` says of a directory what the operations of contextd say of the same one."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest
from test_code_operations_agree import SAMPLES

import contextd_code
from support.desks import Desk
from support.repositories import committed

FIXTURES = Path(__file__).parents[2] / "fixtures" / "code"
FURTHER = ("c", "cpp", "csharp", "kotlin", "php", "ruby", "swift", "vue")
ASKED = 12
"""Names asked for in each of the further languages."""


def unpacked(name: str) -> dict[str, str]:
    text = (FIXTURES / name / "project.txt").read_text("utf-8")
    parts = (part.partition("\n") for part in text.split("=== ")[1:])
    return {path: content for path, _, content in parts}


REPOSITORIES = {
    **{name: sample.files for name, sample in SAMPLES.items()},
    **{name: unpacked(name) for name in FURTHER},
}


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(asdict(value)))


def names_in(project: contextd_code.CodeProject) -> list[str]:
    """Some of the names that the project defines, evenly spread over the alphabet."""
    some = (one for letter in ascii_lowercase for one in project.symbols(letter, limit=500))
    names = {one.name.rpartition(".")[2] for one in some}
    found = sorted(name for name in names if project.symbols(name)[0].match == "exact")
    return found[:: max(1, len(found) // ASKED)]


@pytest.mark.parametrize("language", REPOSITORIES)
def test_the_package_and_the_operations_give_the_same_answers(
    language: str, words_only: Desk, tmp_path: Path
) -> None:
    root = committed(tmp_path / "sample", REPOSITORIES[language])
    desk = words_only.at(root)
    desk.as_owner("init")
    project = contextd_code.scan(root)
    names = names_in(project)
    assert len(names) >= 5
    for name in names:
        references = as_json(project.references(name))
        told = desk("find_references", name=name)
        # Empty fields are left out of the answer of an operation.
        assert told == {key: value for key, value in references.items() if key in told}
        assert not any(value for key, value in references.items() if key not in told)

        symbols = [as_json(one) for one in project.symbols(name)]
        assert desk("find_symbol", name=name)["symbols"] == symbols

        impact = as_json(project.impact(name))
        told = desk("impact", path=name)
        assert [told[key] for key in ("targets", "breaks", "tests")] == [
            impact[key] for key in ("targets", "breaks", "tests")
        ]


def test_an_unknown_name_is_not_found_by_either(words_only: Desk, tmp_path: Path) -> None:
    root = committed(tmp_path / "sample", REPOSITORIES["python"])
    desk = words_only.at(root)
    desk.as_owner("init")
    project = contextd_code.scan(root)
    for ask in (project.references, lambda name: desk("find_references", name=name)):
        with pytest.raises(contextd_code.NotFound) as caught:
            ask("roundd")
        assert "rounded" in caught.value.hint
