"""A kind is a row. One more row, and records of it are stored, searched, briefed, compared, edited and
documented, with nothing else changed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.verdicts import act

ROOT = Path(__file__).resolve().parents[2]

pytestmark = act(
    "src/contextd/domain/kinds.py",
    "a row must be enough: where a kind is missing, read it from `KINDS`, not from a list",
)

WITH_A_ROW_MORE = '''
import importlib.util, json, sys
from pathlib import Path

sys.path.insert(0, sys.argv[3])
spec = importlib.util.find_spec("contextd.domain.kinds")
source = Path(spec.origin).read_text("utf-8")
row = """
_kind(
    "postmortem", "postmortems", "What an outage taught.",
    fields={"cause": _NEEDED, "severity": _enum("high", "low", default="low")},
    facets=("severity",), traits="binding briefed compared entry listed",
    searched_as="postmortem",
)
"""
assert source.count("\\n\\ndef kind_named") == 1
module = importlib.util.module_from_spec(spec)
sys.modules["contextd.domain.kinds"] = module
exec(compile(source.replace("\\n\\ndef kind_named", row + "\\n\\ndef kind_named"), spec.origin, "exec"),
     module.__dict__)

from contextd.app import Host
from contextd.domain.access import OWNER
from contextd.runtime.runtime import Request
from contextd.runtime.settings import load_settings
import generate_docs

host = Host.open(load_settings(home=Path(sys.argv[1]), flags={"embedder.name": "none"}), work=False)
request = Request(surface="cli", caller=OWNER, cwd=sys.argv[2], client="t")

def ask(name, **arguments):
    value = host.call(name, request, arguments).value
    host.work_off()
    return value

ask("init")
wrong = ""
try:
    ask("remember", content="The queue was full.", kind="postmortem")
except Exception as error:
    wrong = str(error)
lesson = "The queue must never be emptied by hand while workers run."
fields = {"cause": "somebody purged it"}
made = ask("remember", content=lesson, kind="postmortem", fields=fields)
opposite = "The queue must always be emptied by hand while workers run."
ask("remember", content=opposite, kind="postmortem", fields=fields)
id = made["id"]
seen = {
    "wrong": wrong,
    "made": ask("get_record", id=id),
    "listed": ask("list_records", kind="postmortem"),
    "found": ask("context_search", query="queue emptied by hand", type="postmortem"),
    "elsewhere": ask("context_search", query="queue emptied by hand", type="memory"),
    "mixed": ask("context_search", query="queue emptied by hand"),
    "briefing": ask("briefing_get"),
    "contradictions": ask("list_contradictions"),
    "edited": ask("edit_record", id=id, data={"cause": "a script purged it"}),
    "history": ask("history", id=id),
    "schema": ask("describe_schema"),
    "self": ask("introspect"),
    "docs": generate_docs.pages()["kinds.md"],
    "operations": generate_docs.pages()["operations.md"],
}
ask("undo", id=id)
seen["undone"] = ask("get_record", id=id)
host.close()
print(json.dumps(seen))
'''


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("kind")
    project = folder / "project"
    project.mkdir()
    (project / "app.py").write_text("queue = []\n")
    done = subprocess.run(
        [sys.executable, "-c", WITH_A_ROW_MORE, str(folder / "home"), str(project), str(ROOT / "tools")],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (
        f"src/contextd/domain/kinds.py: a row more is not enough, or it no longer fits `_kind`\n{done.stderr}"
    )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_it_is_checked_and_stored(seen: dict[str, Any]) -> None:
    assert "cause: required" in seen["wrong"]
    assert seen["made"]["record"]["kind"] == "postmortem"
    assert seen["made"]["data"] == {"cause": "somebody purged it", "severity": "low"}
    assert len(seen["listed"]["records"]) == 2


def test_it_is_searched_under_its_type_and_among_everything(seen: dict[str, Any]) -> None:
    id = seen["made"]["record"]["id"]
    assert id in json.dumps(seen["found"])
    assert id in json.dumps(seen["mixed"])
    assert id not in json.dumps(seen["elsewhere"])


def test_it_is_briefed_as_something_to_respect(seen: dict[str, Any]) -> None:
    text = seen["briefing"]["briefing"]
    binding = text.partition("## Respect")[2].partition("\n## ")[0]
    # Two that disagree are both told: neither is a repetition of the other.
    assert "must never be emptied" in binding
    assert "must always be emptied" in binding
    assert seen["self"]["identity"]["typeBreakdown"] == {"postmortem": 2}


def test_two_that_disagree_are_found(seen: dict[str, Any]) -> None:
    assert seen["made"]["record"]["id"] in json.dumps(seen["contradictions"])


def test_it_is_edited_and_the_edit_taken_back(seen: dict[str, Any]) -> None:
    assert seen["edited"]["differences"][0]["lines"][1] == "+ a script purged it"
    assert len(seen["history"]["changes"]) == 2
    assert seen["undone"]["data"]["cause"] == "somebody purged it"


def test_it_is_documented(seen: dict[str, Any]) -> None:
    assert "postmortem" in json.dumps(seen["schema"])
    assert "What an outage taught." in seen["docs"]
    assert "postmortem" in seen["operations"]
