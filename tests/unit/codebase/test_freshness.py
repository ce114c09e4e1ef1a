"""The index follows the disk: at a query, through branches, and between two work trees."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from contextd.codebase.freshness import INLINE, steady
from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, CodeChange
from contextd.jobs.table import new_job
from contextd.runtime.caches import Cache
from contextd.thin.home import LOCAL
from contextd_code.index.freshness import COMPARED, Tree
from contextd_common.errors import Unavailable
from support.desks import Desk, Listening, embedder
from support.repositories import SHOP, committed, git


def paths(desk: Desk, query: str) -> list[str]:
    return [hit["path"] for hit in desk("codebase_search", query=query, limit=20)["results"]]


def trees(desk: Desk) -> Cache[Path, Tree]:
    return desk.host.organisation(LOCAL).caches.of("checkouts", 16)


def tree_of(desk: Desk) -> Tree:
    found = trees(desk).get(desk.root)
    assert found is not None
    return found


def look_now(desk: Desk) -> None:
    """As if the rest between two looks were over."""
    for tree in trees(desk).values():
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
    unknown = {"query": "how are wombat payments settled"}
    before = scanned("context_search", **unknown)["notice"]
    assert "follows in the background" in before
    assert "logged as a gap" not in before
    look_now(scanned)
    found = scanned("codebase_search", query="badger3")
    assert "follows in the background" in found["notice"]
    scanned.host.work_off()
    assert "logged as a gap" in scanned("context_search", **unknown)["notice"]
    found = scanned("codebase_search", query="badger3")
    assert found["results"][0]["path"] == "src/many3.ts"
    assert "background" not in found["notice"]


def test_of_many_changes_those_that_are_asked_for_are_known_at_once_and_nothing_old_is_told(
    scanned,
):
    for n in range(INLINE + 1):
        (scanned.root / "src" / f"many{n}.ts").write_text(f"export const badger{n} = 'marmot';\n")
    scanned("codebase_index")
    for n in range(INLINE + 1):
        (scanned.root / "src" / f"many{n}.ts").write_text(f"export const heron{n} = 'egret';\n")
    (scanned.root / "src/many1.ts").unlink()
    (scanned.root / "src/stork.ts").write_text("export const stork = 'egret and crane';\n")
    for query in ("marmot", "badger1"):
        look_now(scanned)
        found = scanned("codebase_search", query=query, limit=50)
        told = [hit["text"] for hit in found["results"]]
        assert not [text for text in told if "marmot" in text]
        assert "follows in the background" in found["notice"]
    look_now(scanned)
    assert paths(scanned, "crane")[0] == "src/stork.ts"
    look_now(scanned)
    assert "src/many7.ts" in paths(scanned, "heron7")
    look_now(scanned)
    found = scanned("context_search", query="marmot", type="code")["results"]
    assert not [hit for hit in found if "marmot" in hit["text"]]
    scanned.host.work_off()
    fresh = scanned("codebase_search", query="egret", limit=100)
    assert fresh["notice"].count("background") == 0
    assert len({hit["path"] for hit in fresh["results"]}) > 10


def test_until_the_job_ran_only_what_differs_is_compared_and_no_file_is_lost(scanned):
    many = [scanned.root / "src" / f"many{n}.ts" for n in range(3 * INLINE)]
    for n, path in enumerate(many):
        path.write_text(f"export const badger{n} = 'marmot';\n")
    scanned("codebase_index")
    paths(scanned, "anything")
    compared: list[int] = []

    def step(change: Callable[[], object], query: str) -> list[str]:
        change()
        look_now(scanned)
        found = paths(scanned, query)
        compared.append(tree_of(scanned).touched is None)
        return found

    def switch() -> None:
        for n, path in enumerate(many):
            path.write_text(f"export const heron{n} = 'egret and more';\n")

    step(switch, "heron3")
    assert "src/users/model.ts" in step(
        lambda: (scanned.root / "src/users/model.ts").write_text("export const walrus = 1;\n"),
        "walrus",
    )
    assert "src/stork.ts" in step(
        lambda: (scanned.root / "src/stork.ts").write_text("export const stork = 'crane';\n"),
        "crane",
    )
    assert "src/many2.ts" not in step(many[2].unlink, "heron2")
    assert "src/many4.ts" in step(lambda: many[4].write_text("export const lynx = 1;\n"), "lynx")
    assert compared == [False] * 5
    scanned.host.work_off()
    assert step(lambda: None, "heron5")[0] == "src/many5.ts"
    assert compared[-1] is False
    behind = {file.path: file.digest for file in scanned.view.files.of(scanned.scope).all()}
    scanned("codebase_index", incremental=False)
    fresh = {file.path: file.digest for file in scanned.view.files.of(scanned.scope).all()}
    assert behind == fresh
    assert len(fresh) > 3 * INLINE


def test_a_touched_file_is_read_and_not_indexed_again(scanned):
    files, scope = scanned.view.files, scanned.scope
    paths(scanned, "guard")
    before = files.of(scope).changes(0).version
    os.utime(scanned.root / "src/auth/guard.ts", (1_700_000_000, 1_700_000_000))
    look_now(scanned)
    assert "src/auth/guard.ts" in paths(scanned, "guard")
    assert not files.of(scope).changes(before).put


def test_between_two_looks_there_is_a_rest_that_grows_with_their_cost(scanned):
    paths(scanned, "guard")
    tree = tree_of(scanned)
    tree.cost, looked = 1.0, tree.looked_at
    paths(scanned, "guard")
    assert tree.looked_at == looked


def test_going_back_to_a_branch_embeds_nothing_again(open_desk):
    counting = Listening(embedder())
    desk = open_desk(counting)
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
    assert desk.view.index.stats(counting.model).pending == 0


def test_two_work_trees_each_find_their_own_branch(scanned, tmp_path):
    other = tmp_path / "feature"
    git(scanned.root, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "src/auth/guard.ts").write_text("export function lemur() { return 'lemur'; }\n")
    (other / "src/auth/extra.ts").write_text("export const ibex = 1;\n")
    (other / "src/auth/token.ts").unlink()
    there = scanned.at(other)
    for _ in range(2):
        assert "src/auth/guard.ts" in paths(there, "lemur")
        assert paths(there, "ibex")[0] == "src/auth/extra.ts"
        assert "src/auth/token.ts" not in paths(there, "refreshToken")
        assert "src/auth/guard.ts" not in paths(scanned, "lemur")
        assert "src/auth/extra.ts" not in paths(scanned, "ibex")
        assert "src/auth/token.ts" in paths(scanned, "refreshToken")


@pytest.mark.long
def test_two_work_trees_asked_at_once_never_get_each_others_code(scanned, tmp_path):
    other = tmp_path / "feature"
    git(scanned.root, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "src/auth/guard.ts").write_text("export function lemur() { return 'lemur'; }\n")
    there = scanned.at(other)
    assert there.scope == scanned.scope

    def asked(turn: int) -> bool:
        mine = turn % 2 == 0
        return ("src/auth/guard.ts" in paths(there if mine else scanned, "lemur")) is mine

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(asked, range(160)))


def test_the_first_call_of_a_second_work_tree_waits_for_who_looks_into_the_index(scanned, tmp_path):
    other = tmp_path / "feature"
    git(scanned.root, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "src/auth/guard.ts").write_text("export function lemur() { return 'lemur'; }\n")
    there, looks, ended = scanned.at(other), Event(), Event()

    def look() -> bool:
        with steady(scanned.runtime()):
            before = scanned.view.files.of(scanned.scope).stamps()
            looks.set()
            ended.wait(0.5)
            return scanned.view.files.of(scanned.scope).stamps() == before

    with ThreadPoolExecutor(2) as pool:
        mine = pool.submit(look)
        assert looks.wait(60)
        theirs = pool.submit(paths, there, "lemur")
        theirs.add_done_callback(lambda _: ended.set())
        assert mine.result(10)
        assert "src/auth/guard.ts" in theirs.result(10)


def test_the_index_of_a_second_work_tree_changes_nothing_of_the_first(scanned, tmp_path):
    files, scope = scanned.view.files, scanned.scope
    other = tmp_path / "feature"
    git(scanned.root, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "src/auth/guard.ts").write_text("export function lemur() { return 'lemur'; }\n")
    paths(scanned, "guard")
    before = files.of(scope).stamps()
    there = scanned.at(other)
    paths(there, "lemur")
    assert files.of(scope).stamps() == before
    digests = {path: digest for path, (_, _, digest) in there.view.files.of(scope).stamps().items()}
    assert [path for path in before if before[path][2] != digests[path]] == ["src/auth/guard.ts"]


def test_a_second_work_tree_parses_and_embeds_only_what_differs(scanned, tmp_path):
    scanned.host.work_off()
    other = tmp_path / "feature"
    git(scanned.root, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "src/auth/guard.ts").write_text("export function lemur() { return 'lemur'; }\n")
    there = scanned.at(other)
    before = scanned.view.index.stats("").documents
    paths(there, "lemur")
    assert there.view.index.stats("").documents == before + 1
    roots = [one.root for one in scanned.view.files.checkouts(scanned.scope)]
    assert roots == [str(scanned.root), str(other)]


def test_the_index_of_a_deleted_work_tree_is_dropped_and_the_last_one_is_kept(scanned, tmp_path):
    other = tmp_path / "feature"
    git(scanned.root, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "src/auth/extra.ts").write_text("export const ibex = 1;\n")
    assert paths(scanned.at(other), "ibex")
    known = scanned.view.index.stats("").documents
    shutil.rmtree(other)
    for _ in range(2):
        runtime = scanned.runtime()
        runtime.queue(new_job("drop_lost_checkouts", runtime.scope, runtime.place))
        scanned.host.work_off()
        roots = [one.root for one in scanned.view.files.checkouts(scanned.scope)]
        assert roots == [str(scanned.root)]
    assert scanned.view.index.stats("").documents == known - 1
    assert not scanned.upkeep.check()


def test_an_edit_that_keeps_size_and_time_is_seen(scanned):
    path = scanned.root / "src/auth/guard.ts"
    about, text = path.stat(), path.read_text()
    assert "src/auth/guard.ts" in paths(scanned, "guard")
    path.write_text("ibex".ljust(len(text) - 1) + "\n")
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    look_now(scanned)
    assert paths(scanned, "ibex") == ["src/auth/guard.ts"]


def test_a_watcher_is_asked_for_by_the_first_search_and_given_back_when_no_session_is_open(scanned):
    started = scanned("session_start", task_description="x")
    paths(scanned, "guard")
    scanned.host.work_off()
    if tree_of(scanned).watcher is None:
        pytest.skip("this system gives no file notifications")
    scanned.work_on("end_idle_sessions")
    assert tree_of(scanned).watcher is not None
    scanned("session_end", session_id=started["session_id"], distill=False)
    scanned.work_on("end_idle_sessions")
    assert tree_of(scanned).watcher is None
    look_now(scanned)
    paths(scanned, "guard")
    scanned.host.work_off()
    assert tree_of(scanned).watcher is not None


def test_a_file_written_right_after_a_search_is_found_by_the_next_search(scanned):
    paths(scanned, "guard")
    scanned.host.work_off()
    if tree_of(scanned).watcher is None:
        pytest.skip("this system gives no file notifications")
    for animal in ("gnu", "kudu", "oryx"):
        paths(scanned, "guard")
        text = f"export const {animal} = 1;\n"
        (scanned.root / "src/auth/guard.ts").write_text(text)
        assert paths(scanned, animal) == ["src/auth/guard.ts"]


class Silent:
    """A watcher that has not heard of anything yet."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.folders = inner, inner.folders

    def changes(self) -> set[str]:
        return set()

    def close(self) -> None:
        self.inner.close()


@pytest.mark.parametrize("heard", [True, False])
def test_a_definition_is_found_right_away_though_the_system_tells_of_it_late(
    scanned, tmp_path, heard
):
    beside = scanned.at(committed(tmp_path / "beside", SHOP))
    for desk in (scanned, beside):
        paths(desk, "guard")
    scanned.host.work_off()
    tree = tree_of(scanned)
    if tree.watcher is None:
        pytest.skip("this system gives no file notifications")
    if heard:
        tree.watcher = Silent(tree.watcher)
    else:
        tree.close()
        tree.refused = True
    paths(scanned, "guard")
    for name in ("gnuTrot", "kuduTrot"):
        tree.cost = 1_000.0
        text = f"export function {name}() {{\n  return 1;\n}}\n"
        (scanned.root / "src/auth/late.ts").write_text(text)
        [hit] = scanned("find_symbol", name=name)["symbols"]
        assert hit["path"] == "src/auth/late.ts"
        assert beside("find_symbol", name=name)["symbols"] == []
    (scanned.root / "src/auth/late.ts").write_text("export function oryxTrot() {}\n")
    found = scanned("find_references", name="oryxTrot")
    assert found["definition"]["path"] == "src/auth/late.ts"


def test_closing_the_host_stops_watching(desk):
    desk("session_start", task_description="x")
    paths(desk, "guard")
    desk.host.work_off()
    tree, known = tree_of(desk), trees(desk)
    desk.host.close()
    assert tree.watcher is None
    assert len(known) == 0


def test_a_new_folder_is_watched_too(scanned):
    scanned("session_start", task_description="x")
    paths(scanned, "guard")
    scanned.host.work_off()
    tree = tree_of(scanned)
    if tree.watcher is None:
        pytest.skip("this system gives no file notifications")
    (scanned.root / "src/zoo").mkdir()
    (scanned.root / "src/zoo/gnu.ts").write_text("export const gnu = 1;\n")
    look_now(scanned)
    assert paths(scanned, "gnu") == ["src/zoo/gnu.ts"]
    scanned.host.work_off()
    assert "src/zoo" in tree.watcher.folders


def linked(desk: Any) -> dict[str, list[str]]:
    files = desk.view.files.of(desk.scope).all()
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


def test_a_scan_that_failed_is_repeated_by_the_next_call(scanned, monkeypatch):
    paths(scanned, "anything")
    (scanned.root / "src/users/model.ts").write_text("export function walrusWaltz() {}\n")
    look_now(scanned)

    def full(*_: Any, **__: Any) -> None:
        raise Unavailable("the disk is full", "free some space")

    with monkeypatch.context() as broken:
        broken.setattr("contextd.codebase.freshness.scan_project", full)
        with pytest.raises(Unavailable):
            paths(scanned, "walrusWaltz")
    assert paths(scanned, "walrusWaltz")[0] == "src/users/model.ts"


def test_a_code_index_changed_by_another_process_is_corrected(scanned):
    paths(scanned, "anything")
    scope = scanned.scope
    with scanned.elsewhere() as store:
        gone = CodeChange(scope=scope, remove=["src/users/model.ts"])
        store.view(OWNER.grant([scope])).commit(Changes(code=[gone]))
    tree_of(scanned).compared_at -= COMPARED
    look_now(scanned)
    paths(scanned, "anything")
    [back] = scanned.view.files.of(scope).get(["src/users/model.ts"])
    assert back.path == "src/users/model.ts"
