"""What a release needs agrees with itself: versions, Pythons, the changelog, workflows and hooks."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from sources import ROOT

import contextd
from support.verdicts import act, none_of

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")


def steps_of(workflow: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


@act("pyproject.toml", "the version is dynamic, from src/contextd/__init__.py")
def test_the_package_takes_its_version_from_the_code() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/contextd/__init__.py"


@act("{file}", "give it the version of src/contextd/__init__.py")
@pytest.mark.parametrize("file", sorted((ROOT / "packages").glob("*/pyproject.toml")), ids=str)
def test_a_package_of_the_workspace_has_the_same_version(file: Path) -> None:
    assert tomllib.loads(file.read_text("utf-8"))["project"]["version"] == contextd.__version__


@act(
    "CHANGELOG.md", "begin with `## [Unreleased]`, then `## [VERSION] – YYYY-MM-DD` of this version"
)
def test_the_changelog_has_a_dated_section_of_this_version_below_unreleased() -> None:
    headings = re.findall(r"^## (.+)$", CHANGELOG, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert re.fullmatch(rf"\[{re.escape(contextd.__version__)}\] – \d{{4}}-\d\d-\d\d", headings[1])


@act(
    "pyproject.toml",
    "name the Pythons of .github/workflows/ci.yml in `classifiers` and `requires-python`",
)
def test_the_classifiers_name_the_pythons_that_the_workflow_tests() -> None:
    matrix = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]["tests"]
    tested = matrix["strategy"]["matrix"]["python"]
    named = [
        found[1]
        for line in PROJECT["project"]["classifiers"]
        if (found := re.search(r"Python :: (3\.\d+)$", line))
    ]
    assert tested == named
    assert PROJECT["project"]["requires-python"] == f">={tested[0]}"


@act("{workflow}", "pin each action by its commit, and check out with `persist-credentials: false`")
@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_an_action_is_pinned_by_its_commit_and_keeps_no_credentials(workflow: Path) -> None:
    uses = [step for step in steps_of(workflow) if "uses" in step]
    assert uses
    for step in uses:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", step["uses"])
        if step["uses"].startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_a_file_that_a_workflow_runs_exists() -> None:
    commands = [str(step.get("run", "")) for path in WORKFLOWS for step in steps_of(path)]
    named = {path for run in commands for path in re.findall(r"(?:\.ci|tests|tools)/[\w./]+", run)}
    assert named, ".github/workflows: no command names a file, or this rule does not see it"
    none_of(
        sorted(path for path in named if not (ROOT / path).exists()),
        "a command in .github/workflows runs this file, which is gone: correct it",
    )


def test_a_hook_before_a_commit_runs_what_ci_runs() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0][
        "hooks"
    ]
    checks = (ROOT / ".ci" / "run").read_text("utf-8")
    for name in ("ruff-check", "ruff-format", "mypy", "lint-imports", "workflows"):
        hook = next(hook for hook in hooks if hook["id"] == name)
        tool = re.sub(r"^uv run (--group \w+ )?", "", hook["entry"]).split(" --")[0]
        assert tool in checks, (
            f".pre-commit-config.yaml: the hook {name} runs `{tool}`, .ci/run does not"
        )
