"""Memory tied to git: stale, moved, reverted, and only on another branch. Real repositories."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from contextd.awareness.operations.stability import check_stability
from contextd.domain.records import Anchor
from contextd.jobs.table import Task
from contextd.knowledge.citations import AnchorStanding, Citations, cited_paths, reverted
from support.desks import Unlost
from support.repositories import git

GUARD = "src/auth/guard.ts"


def remember(desk: Any, about: str = f"The guard in {GUARD} must answer true.") -> str:
    saved = desk("memory_record", title="Guard", description="d", content=about, outcome="success")
    return saved["id"]


def stale(desk: Any) -> str:
    [memory] = desk("memory_search", query="guard must answer")["memories"]
    return memory["stale"]


def commit(root: Path, path: str, text: str, message: str = "change") -> str:
    (root / path).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD")


def aged(desk: Any, id: str, days: int) -> None:
    old = desk.record(id)
    desk.put(old.with_(created_at=old.created_at - timedelta(days=days)))


def check(desk: Any) -> dict[str, int]:
    runtime = desk.runtime()
    return dict(check_stability(runtime, Task(runtime.scope, {}, {}, Unlost())))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"see {GUARD}:12 and `package.json`.", [GUARD, "package.json"]),
        (f"({GUARD}), ./{GUARD}", [GUARD]),
        ("src/auth/nobody.ts, ../shop/package.json, /etc/hosts.conf, version 1.2", []),
        ("https://example.invalid/src/auth/guard.ts", []),
        (".git/config src/auth", []),
    ],
)
def test_paths_in_a_text_are_those_of_files_that_exist(repository, text, found):
    assert cited_paths(repository, text) == found


def test_a_record_that_names_files_is_anchored_at_commit_branch_and_blob_hashes(desk):
    anchor = desk.record(remember(desk)).anchor
    assert anchor.commit == git(desk.root, "rev-parse", "HEAD")
    assert anchor.branch == git(desk.root, "symbolic-ref", "--short", "HEAD")
    assert anchor.paths == {GUARD: git(desk.root, "rev-parse", f"HEAD:{GUARD}")}
    noted = desk("save_context", content=f"{GUARD} is used by every route")
    assert list(desk.record(noted["id"]).anchor.paths) == [GUARD]
    plain = remember(desk, "Guards are cheap, so call them on every request you serve.")
    assert desk.record(plain).anchor == Anchor(anchor.commit, anchor.branch)


def test_every_way_to_write_anchors_what_it_writes(desk):
    head = git(desk.root, "rev-parse", "HEAD")
    desk("session_start", task_description="harden the guard")
    kept = desk("session_checkpoint", summary=f"Half of {GUARD} is done, the rest is untouched")
    typed = desk("save_typed_context", type="no_such_type", data={"about": f"{GUARD} stays small"})
    for id in (kept["checkpoint_id"], typed["id"]):
        anchor = desk.record(id).anchor
        assert (anchor.commit, list(anchor.paths)) == (head, [GUARD])


def test_without_commits_without_branch_and_without_git_writing_goes_on(desk, tmp_path):
    git(desk.root, "checkout", "-q", "--detach")
    detached = desk.record(desk("save_context", content="Guards are kept small")["id"]).anchor
    assert detached == Anchor(git(desk.root, "rev-parse", "HEAD"))
    for name, command in (("unborn", ["init", "-q"]), ("plain", None)):
        root = tmp_path / name
        root.mkdir()
        (root / "a.py").write_text("x = 1\n")
        if command:
            git(root, *command)
        there = desk.at(root)
        there.as_owner("init")
        saved = there("save_context", content=f"a.py starts {name} things")
        anchor = there.record(saved["id"]).anchor
        assert (anchor.commit, anchor.branch) == ("", "")


def test_a_change_of_the_cited_code_is_told_with_the_hit_and_taken_back_with_it(desk):
    remember(desk)
    assert stale(desk) == ""
    text = (desk.root / GUARD).read_text()
    (desk.root / GUARD).write_text(text + "// more\n")
    assert stale(desk) == f"cited code changed since: {GUARD}"
    [hit] = desk("context_search", query="guard must answer", type="memory")["results"]
    assert hit["stale"].startswith("cited code changed")
    assert "cited code changed since" in desk("briefing_get")["briefing"]
    [note] = desk("read_file", path=GUARD)["knowledge"]
    assert note["stale"].startswith("cited code changed")
    (desk.root / GUARD).write_text(text)
    assert stale(desk) == ""


def test_a_renamed_file_is_followed_and_stale_only_when_it_also_changed(desk):
    remember(desk)
    git(desk.root, "mv", GUARD, "src/auth/sentry.ts")
    git(desk.root, "commit", "-q", "-m", "rename")
    assert stale(desk) == f"{GUARD} is now src/auth/sentry.ts"
    (desk.root / "src/auth/sentry.ts").write_text("export function guard() { return false; }\n")
    assert stale(desk).startswith(f"cited code changed since: {GUARD}")


def test_a_deleted_file_is_gone(desk):
    remember(desk)
    (desk.root / GUARD).unlink()
    assert stale(desk) == f"cited file is gone: {GUARD}"


def test_a_reverted_commit_is_told_and_costs_confidence_once_with_its_reason(desk):
    sha = commit(desk.root, GUARD, "export function guard() { return 'locked'; }\n")
    id = remember(desk)
    before = desk.record(id).confidence
    assert check(desk) == {"reverted": 0}
    git(desk.root, "revert", "--no-edit", sha)
    assert "its commit was reverted" in stale(desk)
    assert check(desk) == {"reverted": 1}
    assert check(desk) == {"reverted": 0}
    assert desk.record(id).confidence == pytest.approx(before - 0.3)
    last = desk.view.records.history(id)[-1]
    assert (last.action, last.reason) == ("signal", f"reverted: commit {sha[:8]} was reverted")
    desk.as_owner("undo", id=id)
    assert desk.record(id).confidence == pytest.approx(before)


def test_a_revert_that_was_reverted_itself_does_not_count():
    a, r1, r2 = "a" * 40, "b" * 40, "c" * 40
    one = f"{r1}\x1fRevert\n\nThis reverts commit {a}."
    two = f"{r2}\x1fReapply\n\nThis reverts commit {r1}."
    assert reverted([one]) == {a}
    assert reverted([two, one]) == {r1}


def test_code_that_is_again_as_it_was_before_counts_as_reverted(desk):
    old = (desk.root / GUARD).read_text()
    commit(desk.root, GUARD, "export function guard() { return 'locked'; }\n")
    id = remember(desk)
    commit(desk.root, GUARD, old, "back by hand")
    assert check(desk) == {"reverted": 1}
    assert "again as it was before" in desk.view.records.history(id)[-1].reason


def test_code_that_lasts_says_nothing_of_what_was_learned_beside_it(desk):
    id = remember(desk)
    before = desk.record(id)
    aged(desk, id, 8)
    assert check(desk) == {"reverted": 0}
    assert desk.record(id).confidence == before.confidence


def test_a_day_with_a_session_has_one_look_at_stability(desk, home):
    def looks() -> int:
        desk.host.flush()
        home.clock.move(hours=1)
        desk.host.work_off()
        return [job.name for job in desk.view.jobs.list()].count("check_stability")

    for _ in range(2):
        desk("session_start", task_description="x")
    assert looks() == 1
    desk("session_start", task_description="y")
    assert looks() == 1
    home.clock.move(hours=23)
    assert looks() == 2


@pytest.fixture
def branched(desk: Any) -> Any:
    """On the first branch; a memory was made on `feature`, which is not merged."""
    git(desk.root, "checkout", "-q", "-b", "feature")
    commit(desk.root, GUARD, "export function guard() { return 'locked'; }\n")
    remember(desk)
    git(desk.root, "checkout", "-q", "-")
    return desk


def test_a_briefing_hides_what_only_an_unmerged_branch_knows_and_search_labels_it(branched):
    started = branched("session_start", task_description="the guard must answer")
    assert "must answer true" not in started["briefing"]
    assert stale(branched) == "from branch feature, not merged here"
    wide = branched("session_start", task_description="the guard must answer", all_branches=True)
    assert "must answer true" in wide["briefing"]
    assert "from branch feature, not merged here" in wide["briefing"]
    git(branched.root, "checkout", "-q", "feature")
    assert "must answer true" in branched("briefing_get")["briefing"]
    git(branched.root, "checkout", "-q", "-")
    git(branched.root, "merge", "-q", "feature")
    assert "must answer true" in branched("briefing_get")["briefing"]
    assert stale(branched) == ""


def test_a_squashed_merge_is_a_merge(branched):
    git(branched.root, "merge", "-q", "--squash", "feature")
    git(branched.root, "commit", "-q", "-m", "squashed")
    assert "must answer true" in branched("briefing_get")["briefing"]


def test_a_branch_that_is_gone_hides_nothing(branched):
    git(branched.root, "branch", "-D", "feature")
    assert "must answer true" in branched("briefing_get")["briefing"]
    assert "cited code changed since" in stale(branched)


def test_the_setting_brings_other_branches_back(branched, open_desk):
    wide = open_desk(recall_other_branches="true")
    assert "must answer true" in wide("briefing_get")["briefing"]


def test_a_file_is_read_again_only_when_its_size_or_time_changed(repository):
    seen, file = Citations(repository), repository / GUARD
    anchor = Anchor(git(repository, "rev-parse", "HEAD"), "", {})
    anchor = Anchor(anchor.commit, "", {GUARD: git(repository, "rev-parse", f"HEAD:{GUARD}")})
    assert not seen.standings({"a": anchor})["a"].stale
    about = file.stat()
    file.write_text(file.read_text().replace("true", "TRUE"))
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert not seen.standings({"a": anchor})["a"].stale
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns + 1))
    assert seen.standings({"a": anchor})["a"].changed == (GUARD,)


def test_without_git_nothing_is_said(tmp_path):
    (tmp_path / "a.py").write_text("x")
    seen = Citations(tmp_path)
    assert seen.standings({"a": Anchor()}) == {}
    found = seen.standings({"a": Anchor("abcd1234", "main", {"a.py": "0" * 40})})
    assert not found.get("a") or not found["a"].elsewhere


@pytest.mark.parametrize(
    ("standing", "note", "stale"),
    [
        (AnchorStanding(), "", False),
        (AnchorStanding(lost=True), "its commit is not in the history any more", False),
        (AnchorStanding(lost=True, reverted=True), "its commit was reverted", True),
        (AnchorStanding(changed=("a", "b", "c")), "cited code changed since: a, b", True),
        (AnchorStanding(missing=("a",), moved={"b": "c"}), "cited file is gone: a; b is now c", True),
        (AnchorStanding(moved={"b": "c"}), "b is now c", False),
        (AnchorStanding(elsewhere="next", changed=("a",)), "from branch next, not merged here", True),
    ],
)  # fmt: skip
def test_the_reader_is_told_what_became_of_the_code_that_a_record_cites(
    standing: AnchorStanding, note: str, stale: bool
) -> None:
    assert (standing.note, standing.stale) == (note, stale)
