"""A project.yaml that a person edits: what is odd in it is told, what holds is shown, nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd_code.project.project_model import load
from contextd_common.errors import Invalid
from support.repositories import committed

ODD = """\
version: '9.9'
project:
  name: {long}
  type: spaceship
tech:
  stack:
    - React 18
    - react  18
modules:
  auth:
    keyFiles:
      - path: src/a.ts
        role: boss
      - path: src/a.ts
    businessRules:
      - Tokens expire
      - tokens expire.
metadata:
  createdAt: yesterday
"""


def model_of(folder: Path, text: str) -> Path:
    path = folder / "shop" / ".context" / "project.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_every_odd_value_is_told_with_its_line_and_kept(tmp_path):
    model = load(model_of(tmp_path, ODD.format(long="x" * 120)))
    assert [warning.partition(":")[0] for warning in model.warnings] == [
        "line 3", "line 1", "line 4", "line 8", "line 13", "line 14", "line 17", "line 19",
    ]  # fmt: skip
    assert (model.type, model.version, len(model.name)) == ("spaceship", "9.9", 120)
    assert any("known: entry" in warning for warning in model.warnings)


def test_all_that_makes_a_file_unusable_is_told_at_once(tmp_path):
    text = "project: shop\ntech:\n  stack: Next.js\nmodules:\n  a: {}\n  a: {}\n"
    with pytest.raises(Invalid) as refusal:
        load(model_of(tmp_path, text))
    for line in ("line 1", "line 3", "line 6"):
        assert line in refusal.value.message


def test_what_to_run_is_shown_until_a_project_is_initialised(words_only):
    cli = words_only.on("cli")
    words_only("save_context", content="The depot opens at six.")
    assert "run `contextd init`" in cli.answer("show").text
    words_only.as_owner("init")
    assert "contextd init" not in cli.answer("show").text


def test_a_scan_shows_what_holds_and_what_is_odd(desk):
    desk.as_owner("init")
    path = desk.root / ".context" / "project.yaml"
    found = load(path).type
    text = (
        path.read_text().replace(f"type: {found}", "type: spaceship").replace("shop", "Counter", 1)
    )
    path.write_text(text)
    answer = desk.on("cli").answer("scan")
    assert (answer.value["type"], answer.value["name"]) == ("spaceship", "Counter")
    assert "✓ spaceship" in answer.text
    assert f"the scan found {found}" in answer.text
    assert "! project.yaml, line" in answer.text
    assert "project.type is 'spaceship'" in desk.on("cli").answer("show").text
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("manifest", "text", "name"),
    [
        ("package.json", '{"name": "@acme/counter", "dependencies": {"express": "4"}}', "counter"),
        ("go.mod", "module example.org/acme/counter/v2\n", "counter"),
        ("pyproject.toml", '[project]\nname = "counter"\n', "counter"),
        ("package.json", '{"name": "my-app"}', "folder"),
        ("package.json", "{broken", "folder"),
        ("web/package.json", '{"name": "counter"}', "folder"),
    ],
)
def test_a_project_is_called_what_its_manifest_calls_it(desk, tmp_path, manifest, text, name):
    there = desk.at(committed(tmp_path / "folder", {manifest: text, "src/a.ts": "1\n"}))
    there.as_owner("init")
    assert load(there.root / ".context" / "project.yaml").name == name
    # And it answers to that name from elsewhere.
    assert desk.as_owner("project_overview", project=name)["name"] == name
