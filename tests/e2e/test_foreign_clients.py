"""What programs see that are built on other SDKs than ours."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from homes import CONTEXTD, Home
from test_mcp_resources import NAMES, give_model

from support.npm_packages import npm_packages

ERRORS = Path(__file__).with_name("typescript_errors.mjs")
RESOURCES = Path(__file__).with_name("typescript_resources.mjs")


@pytest.fixture(scope="module")
def typescript_sdk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder where programs find the official TypeScript SDK."""
    folder = npm_packages(tmp_path_factory.mktemp("typescript"))
    for program in (ERRORS, RESOURCES):
        shutil.copy(program, folder)
    yield folder
    shutil.rmtree(folder)


def run(program: Path, sdk: Path, way: dict[str, Any]) -> Any:
    """What a program on the SDK printed that was told to connect this way."""
    command = ["node", program.name, json.dumps(way)]
    done = subprocess.run(command, cwd=sdk, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ways(home: Home) -> dict[str, dict[str, Any]]:
    token = (home.path / "token").read_text("utf-8").strip()
    return {
        "stdio": {
            "command": str(CONTEXTD),
            "args": ["mcp", "--profile", "full"],
            "cwd": str(home.project),
            "env": home.environment,
        },
        "standalone": {
            "command": str(CONTEXTD),
            "args": ["mcp", "--standalone", "--profile", "full"],
            "cwd": str(home.project),
            "env": home.environment,
        },
        "http": {
            "url": f"http://127.0.0.1:{home.about()['port']}/mcp/x/full",
            "headers": {
                "Authorization": f"Bearer {token}",
                "x-contextd-cwd": str(home.project),
            },
        },
    }


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("way", ["stdio", "standalone", "http"])
def test_a_client_that_checks_output_schemas_sees_our_error_and_hint_from_every_tool(
    typescript_sdk: Path, shared_home: Home, way: str
) -> None:
    shared_home.start()
    answers: dict[str, dict[str, Any]] = run(ERRORS, typescript_sdk, ways(shared_home)[way])
    right = answers.pop("tools_list, rightly")
    assert right["isError"] is False
    missing = answers.pop("read_file of nothing")
    assert missing["text"].startswith("not_found: ")
    assert len(answers) > 40
    for name, answer in answers.items():
        assert "thrown" not in answer, f"{name}: {answer['thrown']}"
        assert answer["isError"] is True, name
        assert answer["text"].startswith(f"invalid: {name}: unknown argument 'no_such_argument'")
        assert ". arguments: " in answer["text"], name


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_client_that_expands_templates_reads_every_module_it_is_offered(
    typescript_sdk: Path, home: Home
) -> None:
    give_model(home.project, NAMES)
    home.trust(home.project)
    home.start()
    read = run(RESOURCES, typescript_sdk, ways(home)["stdio"])
    for offered in (read["listed"], read["completed"]):
        assert {f"# Module {' '.join(name.split())}" for name in NAMES} <= {
            text.splitlines()[0] for text in offered.values()
        }
    assert set(NAMES) < set(read["completed"])
