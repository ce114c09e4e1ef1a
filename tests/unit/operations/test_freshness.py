"""The index follows the disk: at a query, through branches, and between two work trees."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.repositories import git

from contextd.app import App
from contextd.code.index.freshness import COMPARED
from contextd.domain.errors import Unavailable
from contextd.operations.freshness import INLINE, checkouts, rest
from contextd.ports import Embedder, Vector


class Counting:
    """The real embedder, and every text it was given."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.model = inner.model
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        self.texts += texts
        return self.inner.embed(texts)


def paths(desk: Any, query: str, root: Path | None = None, **options: Any) -> list[str]:
    runtime = desk.runtime(**options)
    runtime = replace(runtime, root=root) if root else runtime
    found = desk.host.call("codebase_search", runtime, {"query": query, "limit": 20})
    return [hit["path"] for hit in found.value["results"]]


def tree_of(desk: Any, root: Path | None = None) -> Any:
    return checkouts(desk.runtime().store).trees[root or desk.root]


def look_now(desk: Any) -> None:
    """As if the rest between two looks were over."""
    for tree in checkouts(desk.runtime().store).trees.values():
        tree.looked_at = 0.0


@pytest.fixture
def scanned(desk: Any) -> Any:
    desk("codebase_index")
    return desk


def test_a_new_a_changed_and_a_deleted_file_are_seen_by_the_next_search(scanned):
    assert "src/auth/guard.ts" in paths(scanned, "guard")
    (scanned.root / "src/auth/otter.ts").write_text("export function otterTrot() { return 7; }\n")
    (scanned.root / "src/users/model.ts").write_text("export function walrusWaltz() {}\n")
    (scanned.root / "src/auth/guard.ts").unlink()
    look_now(scanned)
    assert paths(scanned, "otterTrot")[0] == "src/auth/otter.ts"
    assert paths(scanned, "walrusWaltz")[0] == "src/users/model.ts"
    assert "src/auth/guard.ts" not in paths(scanned, "guard")


def test_context_search_and_read_file_look_too(scanned):
    (scanned.root / "src/auth/otter.ts").write_text("export function otterTrot() { return 7; }\n")
    assert any("otterTrot" in h["text"] for h in scanned("context_search", query="otterTrot")["results"])  # fmt: skip
    (scanned.root / "src/auth/puma.ts").write_text("import { otterTrot } from './otter';\n")
    look_now(scanned)
    read = scanned("read_file", path="src/auth/puma.ts", include_deps=True)
    assert [d["path"] for d in read["dependencies"]] == ["src/auth/otter.ts"]


def test_a_project_that_was_never_scanned_is_indexed_by_its_first_search(desk):
    assert "src/auth/token.ts" in paths(desk, "refreshToken")


def test_many_changes_are_left_to_a_job_and_the_answer_says_so(scanned):
    for n in range(INLINE + 1):
        (scanned.root / "src" / f"many{n}.ts").write_text(f"export const badger{n} = {n};\n")
    look_now(scanned)
    found = scanned("codebase_search", query="badger3")
    assert "follows in the background" in found["notice"]
    scanned.host.work_off()
    found = scanned("codebase_search", query="badger3")
    assert found["results"][0]["path"] == "src/many3.ts"
    assert "background" not in found["notice"]


def test_a_touched_file_is_read_and_not_indexed_again(scanned):
    store, scope = scanned.runtime().store, scanned.runtime().scope
    paths(scanned, "guard")
    before = store.files.stamps(scope)["src/auth/guard.ts"]
    os.utime(scanned.root / "src/auth/guard.ts", (1_700_000_000, 1_700_000_000))
    look_now(scanned)
    assert "src/auth/guard.ts" in paths(scanned, "guard")
    assert store.files.stamps(scope)["src/auth/guard.ts"] == before


def test_between_two_looks_there_is_a_rest_that_grows_with_their_cost(scanned):
    paths(scanned, "guard")
    tree = tree_of(scanned)
    tree.cost, looked = 1.0, tree.looked_at
    paths(scanned, "guard")
    assert tree.looked_at == looked


def test_going_back_to_a_branch_embeds_nothing_again(open_desk):
    desk = open_desk(embedder_name="minilm")
    counting = Counting(desk.host._embedder)
    desk.host._embedder = counting
    desk("codebase_index")
    desk.host.work_off()
    git(desk.root, "checkout", "-q", "-b", "other")
    (desk.root / "src/auth/guard.ts").write_text("export function lemur() { return 'lemur'; }\n")
    git(desk.root, "commit", "-q", "-am", "lemur")
    look_now(desk)
    assert "src/auth/guard.ts" in paths(desk, "lemur")
    desk.host.work_off()
    asked = len(counting.texts)
    assert any("lemur()" in text for text in counting.texts)
    for branch, word in (("-", "guard"), ("other", "lemur"), ("-", "guard")):
        git(desk.root, "checkout", "-q", branch)
        look_now(desk)
        assert "src/auth/guard.ts" in paths(desk, word)
        desk.host.work_off()
    code = [text for text in counting.texts[asked:] if text.startswith("src/")]
    assert code == []
    assert desk.runtime().store.index.stats(counting.model).pending == 0


def test_two_work_trees_each_find_their_own_branch(scanned, tmp_path):
    other = tmp_path / "feature"
    git(scanned.root, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "src/auth/guard.ts").write_text("export function lemur() { return 'lemur'; }\n")
    (other / "src/auth/extra.ts").write_text("export const ibex = 1;\n")
    (other / "src/auth/token.ts").unlink()
    for _ in range(2):
        assert "src/auth/guard.ts" in paths(scanned, "lemur", other)
        assert paths(scanned, "ibex", other)[0] == "src/auth/extra.ts"
        assert "src/auth/token.ts" not in paths(scanned, "refreshToken", other)
        assert "src/auth/guard.ts" not in paths(scanned, "lemur")
        assert "src/auth/extra.ts" not in paths(scanned, "ibex")
        assert "src/auth/token.ts" in paths(scanned, "refreshToken")


def test_two_work_trees_asked_at_once_never_get_each_others_code(scanned, tmp_path):
    other = tmp_path / "feature"
    git(scanned.root, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "src/auth/guard.ts").write_text("export function lemur() { return 'lemur'; }\n")
    scanned.host.runtime("mcp", cwd=str(other))

    def asked(turn: int) -> bool:
        mine = turn % 2 == 0
        runtime = scanned.host.runtime("mcp", cwd=str(other if mine else scanned.root))
        found = scanned.host.call("codebase_search", runtime, {"query": "lemur"}).value["results"]
        return ("src/auth/guard.ts" in [hit["path"] for hit in found]) is mine

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(asked, range(160)))


def test_changing_between_work_trees_rewrites_only_what_differs(scanned, tmp_path):
    store, scope = scanned.runtime().store, scanned.runtime().scope
    other = tmp_path / "feature"
    git(scanned.root, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "src/auth/guard.ts").write_text("export function lemur() { return 'lemur'; }\n")
    paths(scanned, "guard")
    before = store.files.stamps(scope)
    paths(scanned, "lemur", other)
    after = store.files.stamps(scope)
    assert [path for path in before if before[path] != after[path]] == ["src/auth/guard.ts"]


def test_a_watcher_is_asked_for_by_the_first_search_and_given_back_when_no_session_is_open(scanned):
    started = scanned("session_start", task_description="x")
    paths(scanned, "guard")
    scanned.host.flush()
    if tree_of(scanned).watcher is None:
        pytest.skip("this system gives no file notifications")
    assert rest(scanned.runtime()) == 0
    scanned("session_end", session_id=started["session_id"], distill=False)
    assert rest(scanned.runtime()) == 1
    assert tree_of(scanned).watcher is None
    look_now(scanned)
    paths(scanned, "guard")
    scanned.host.flush()
    assert tree_of(scanned).watcher is not None


def test_what_is_written_right_behind_a_search_is_found_by_the_next(scanned):
    paths(scanned, "guard")
    scanned.host.flush()
    if tree_of(scanned).watcher is None:
        pytest.skip("this system gives no file notifications")
    for animal in ("gnu", "kudu", "oryx"):
        paths(scanned, "guard")
        text = f"export const {animal} = 1;\n"
        (scanned.root / "src/auth/guard.ts").write_text(text)
        assert paths(scanned, animal) == ["src/auth/guard.ts"]


def test_closing_the_app_stops_watching(open_desk):
    desk = open_desk()
    desk("session_start", task_description="x")
    paths(desk, "guard")
    desk.host.flush()
    tree, store = tree_of(desk), desk.runtime().store
    desk.host.close()
    assert tree.watcher is None
    assert checkouts(store).trees == {}
    assert isinstance(desk.app, App)


def test_a_new_folder_is_watched_too(scanned):
    scanned("session_start", task_description="x")
    paths(scanned, "guard")
    scanned.host.flush()
    tree = tree_of(scanned)
    if tree.watcher is None:
        pytest.skip("this system gives no file notifications")
    (scanned.root / "src/zoo").mkdir()
    (scanned.root / "src/zoo/gnu.ts").write_text("export const gnu = 1;\n")
    look_now(scanned)
    assert paths(scanned, "gnu") == ["src/zoo/gnu.ts"]
    scanned.host.flush()
    assert "src/zoo" in tree.watcher.folders


def linked(desk: Any) -> dict[str, list[str]]:
    files = desk.runtime().store.files.all(desk.runtime().scope)
    return {file.path: [one.target for one in file.imports] for file in files}


def test_only_the_touched_file_is_compared_and_the_resolver_kept(scanned):
    paths(scanned, "anything")
    tree = tree_of(scanned)
    model = scanned.root / "src/users/model.ts"
    for word in ("walrusWaltz", "otterOde"):
        model.write_text(f"import './{word}';\nexport function {word}() {{}}\n")
        look_now(scanned)
        assert paths(scanned, word)[0] == "src/users/model.ts"
    assert tree.touched == {"src/users/model.ts"}
    kept = tree.resolver
    model.write_text("import '../auth/guard';\nexport function lynxLilt() {}\n")
    look_now(scanned)
    assert paths(scanned, "lynxLilt")[0] == "src/users/model.ts"
    assert tree.resolver is kept
    assert linked(scanned)["src/users/model.ts"] == ["src/auth/guard.ts"]


def test_after_many_narrow_looks_the_model_is_that_of_a_fresh_scan(scanned):
    paths(scanned, "anything")
    auth = scanned.root / "src/auth"
    steps = (
        lambda: (auth / "puma.ts").write_text("import { g } from './guard';\n"),
        lambda: (auth / "puma.ts").write_text("import { g } from './guard';\nimport './lynx';\n"),
        lambda: (auth / "lynx.ts").write_text("export const a = 1;\n"),
        lambda: (auth / "guard.ts").write_text("import './puma';\nexport const g = 2;\n"),
        lambda: (auth / "lynx.ts").unlink(),
        lambda: (scanned.root / "tsconfig.json").write_text(
            '{"compilerOptions": {"baseUrl": ".", "paths": {"./lynx": ["src/auth/guard"]}}}'
        ),
    )
    for step in steps:
        step()
        look_now(scanned)
        paths(scanned, "puma")
    narrow = linked(scanned)
    scanned("codebase_index", incremental=False)
    assert linked(scanned) == narrow


def test_what_failed_half_way_is_made_up_for_by_the_next_call(scanned, monkeypatch):
    paths(scanned, "anything")
    (scanned.root / "src/users/model.ts").write_text("export function walrusWaltz() {}\n")
    look_now(scanned)

    def full(*_: Any, **__: Any) -> None:
        raise Unavailable("the disk is full", "free some space")

    with monkeypatch.context() as broken:
        broken.setattr("contextd.operations.freshness.scan_project", full)
        with pytest.raises(Unavailable):
            paths(scanned, "walrusWaltz")
    assert paths(scanned, "walrusWaltz")[0] == "src/users/model.ts"


def test_what_another_process_wrote_into_the_model_is_seen_in_time(scanned):
    paths(scanned, "anything")
    runtime = scanned.runtime()
    runtime.store.files.remove(runtime.scope, ["src/users/model.ts"])
    tree_of(scanned).compared_at -= COMPARED
    look_now(scanned)
    paths(scanned, "anything")
    assert runtime.store.files.get(runtime.scope, "src/users/model.ts") is not None
