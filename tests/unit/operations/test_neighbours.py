"""Two projects in one home, with the real embedder: neither may harm or silence the other."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from contextd.app import App
from contextd.ports import Store
from contextd.runtime import Runtime
from contextd.settings import load_settings

BILLING = 'def export_billing(rows):\n    """Write the billing rows as CSV."""\n    return rows\n'
UPLOAD = 'def retry_upload(path):\n    """Send the file again."""\n    return path\n'


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    opened = App.open(load_settings(home=tmp_path / "home"), work=False)
    yield opened
    opened.close()


def repository(folder: Path, name: str, **files: str) -> Path:
    root = folder / name
    root.mkdir()
    for file, text in files.items():
        (root / f"{file}.py").write_text(text)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def at(app: App, root: Path) -> Runtime:
    return app.runtime("mcp", cwd=str(root), client="test-client")


def paths(app: App, root: Path, query: str) -> list[str]:
    answer = app.call("codebase_search", at(app, root), {"query": query})
    return [hit["path"] for hit in answer.value["results"]]


def test_embedding_one_project_leaves_the_code_of_the_other_searchable(app, tmp_path):
    first = repository(tmp_path, "first", billing=BILLING)
    second = repository(tmp_path, "second", upload=UPLOAD)
    for root in (first, second):
        app.call("init", at(app, root), {})
    app.work_off()
    assert paths(app, first, "export billing rows") == ["billing.py"]
    assert paths(app, second, "send a file again") == ["upload.py"]
    assert store_of(app).index.stats(model_of(app)).pending == 0


def test_equal_files_of_two_projects_are_found_in_both(app, tmp_path):
    roots = [repository(tmp_path, name, billing=BILLING) for name in ("one", "two")]
    for root in roots:
        app.call("init", at(app, root), {})
    app.work_off()
    for root in roots:
        assert paths(app, root, "export billing rows") == ["billing.py"]


def test_what_one_project_was_told_the_other_may_still_learn(app, tmp_path):
    teller = repository(tmp_path, "teller", billing=BILLING)
    learner = repository(tmp_path, "learner", upload=UPLOAD)
    lesson = {
        "title": "CSV needs a BOM",
        "description": "when writing CSV",
        "content": "We always write CSV files with a byte order mark because of Excel.",
        "outcome": "success",
    }
    app.call("memory_record", at(app, teller), lesson)
    app.call("memory_search", at(app, teller), {"query": "how do we write CSV files"})
    app.flush()
    learned = app.call("memory_record", at(app, learner), lesson).value
    assert learned["outcome"] == "added"
    again = app.call("memory_record", at(app, teller), lesson).value
    assert again["outcome"] == "duplicate"


def test_a_deleted_fact_can_come_back_after_it_was_shown(app, tmp_path):
    root = repository(tmp_path, "shop", billing=BILLING)
    note = {"content": "The staging database is rebuilt every Monday at six in the morning."}
    first = app.call("save_context", at(app, root), note).value
    app.call("recall_context", at(app, root), {"query": "when is the staging database rebuilt"})
    app.call("delete_context", at(app, root), {"id": first["id"]})
    second = app.call("save_context", at(app, root), note).value
    assert second["id"] != first["id"]


def test_a_change_that_keeps_the_text_embeds_nothing(app, tmp_path, monkeypatch):
    root = repository(tmp_path, "shop", billing=BILLING)
    bubble = app.call("create_bubble", at(app, root), {"name": "billing"}).value["id"]
    for number in range(5):
        note = f"Invoice series {number} is closed on day {number + 3} of each month."
        app.call("save_context", at(app, root), {"content": note, "bubble_id": bubble})
    app.flush()
    embedded: list[str] = []
    embed = app._embedder.embed

    class Counting:
        model = app._embedder.model

        def embed(self, texts):
            embedded.extend(texts)
            return embed(texts)

    app._embedder = Counting()
    app.call("delete_bubble", at(app, root), {"id": bubble, "delete_contents": True})
    assert embedded == []


def test_a_defect_in_a_by_product_of_one_call_costs_no_other(app, tmp_path):
    root = repository(tmp_path, "shop", billing=BILLING)

    def defect() -> None:
        raise KeyError("a defect")

    at(app, root).sinks.later(defect)
    app.call("memory_search", at(app, root), {"query": "a question nobody can answer here"})
    app.flush()
    assert app._usage._thread.is_alive()
    assert store_of(app).observations.summary().misses == 1


def store_of(app: App) -> Store:
    return app._store


def model_of(app: App) -> str:
    return app._embedder.model
