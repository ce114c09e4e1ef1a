import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contextd_code import processes
from contextd_code.git import git_queries as git
from contextd_code.git.changes import external_changes, is_dependency_file
from contextd_code.git.diffs import diff
from contextd_common.errors import Invalid, Unavailable
from support.repositories import committed


def test_a_directory_without_a_repository_has_none_and_says_so(tmp_path):
    assert git.find(tmp_path) == (None, "not a git repository")


def test_a_missing_git_is_an_answer_not_a_crash(make_repo, tmp_path, monkeypatch):
    repo = make_repo()
    repo.commit()
    monkeypatch.setenv("PATH", str(tmp_path))
    for folder in (repo.root, tmp_path):
        assert git.find(folder) == (None, "git is not installed")
        assert external_changes(folder).notes == ("git is not installed",)
    assert git.head(tmp_path) == ""
    with pytest.raises(Unavailable, match="not installed"):
        git.head(repo.root)


def test_a_repository_is_found_from_below_and_from_a_file(make_repo):
    repo = make_repo()
    repo.commit(a__py="x")
    (repo.root / "deep" / "er").mkdir(parents=True)
    for place in (repo.root / "deep" / "er", repo.root / "a.py"):
        found = git.repository(place)
        assert found == git.Repository(repo.root, repo.root / ".git", repo.root / ".git")
        assert not found.is_linked


def test_a_bare_repository_has_no_work_tree(make_repo, tmp_path):
    make_repo().git("init", "-q", "--bare", str(tmp_path / "bare.git"))
    assert git.find(tmp_path / "bare.git") == (None, "this repository has no work tree")


def test_a_linked_work_tree_shares_the_repository(make_repo, tmp_path):
    repo = make_repo()
    repo.commit()
    repo.git("worktree", "add", "-q", str(tmp_path / "task"), "-b", "task")
    linked = git.repository(tmp_path / "task")
    assert linked.is_linked
    assert linked.root == tmp_path / "task"
    assert linked.common_dir == repo.root / ".git"


def test_the_repository_of_a_running_hook_does_not_leak_in(make_repo, monkeypatch):
    one, other = make_repo("one"), make_repo("other")
    first = one.commit("first")
    other.commit("second")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git" / "index"))
    assert git.head(one.root) == first


def test_a_repository_without_commits_answers_everything(make_repo):
    root = make_repo().root
    (root / "new.py").write_text("x")
    assert git.head(root) == ""
    assert git.branch(root) == "main"
    assert git.log(root) == []
    assert git.root_commits(root) == []
    assert git.status(root) == git.WorkTreeStatus("", "main", untracked=("new.py",))


def test_status_tells_modified_deleted_untracked_with_odd_names(make_repo):
    repo = make_repo()
    repo.write({"with space.py": "1", "ümläut.py": "1", 'quo"te.py': "1", "gone.py": "1"})
    head = repo.commit()
    repo.write({"with space.py": "2", "ümläut.py": "2", 'quo"te.py': "2", "new/deep.py": "2"})
    (repo.root / "gone.py").unlink()
    found = git.status(repo.root)
    assert (found.head, found.branch) == (head, "main")
    assert set(found.modified) == {"with space.py", "ümläut.py", 'quo"te.py'}
    assert found.deleted == ("gone.py",)
    assert found.untracked == ("new/",)


def test_status_tells_a_staged_rename_and_a_conflict(make_repo):
    repo = make_repo()
    repo.commit(a__py="1\n", old__py="same\n" * 20)
    repo.git("checkout", "-q", "-b", "side")
    repo.commit(a__py="2\n")
    repo.git("checkout", "-q", "main")
    repo.commit(a__py="3\n")
    with pytest.raises(Exception, match="merge"):
        repo.git("merge", "-q", "side")
    repo.git("mv", "old.py", "new.py")
    found = git.status(repo.root)
    assert "a.py" in found.modified
    assert "new.py" in found.modified
    assert found.deleted == ("old.py",)


def test_a_detached_head_has_no_branch(make_repo):
    repo = make_repo()
    repo.git("checkout", "-q", repo.commit())
    assert git.branch(repo.root) == ""
    assert git.status(repo.root).branch == ""


def test_log_tells_authors_subjects_and_files_newest_first(make_repo):
    repo = make_repo()
    first = repo.commit("start", a__py="1")
    repo.write({"dir/with space.py": "x"})
    second = repo.commit("Add\tthe \x1b[31mred\x1b[0m path", a__py="2")
    commits = git.log(repo.root)
    assert [commit.sha for commit in commits] == [second, first]
    assert commits[0].author == "Ana"
    assert set(commits[0].files) == {"a.py", "dir/with space.py"}
    assert commits[0].subject == "Add the [31mred [0m path"
    assert git.log(repo.root, since_commit=first) == commits[:1]
    assert git.log(repo.root, limit=1) == commits[:1]


def test_log_can_start_at_an_instant(make_repo):
    repo = make_repo()
    repo.commit("old", date="2025-01-01T10:00:00+0000")
    repo.commit("new", date="2025-01-03T10:00:00+0000")
    found = git.log(repo.root, since_time=datetime(2025, 1, 2, tzinfo=UTC))
    assert [commit.subject for commit in found] == ["new"]


def test_log_after_an_unknown_commit_is_empty(make_repo):
    repo = make_repo()
    repo.commit()
    assert git.log(repo.root, since_commit="0" * 40) == []


@pytest.mark.parametrize("commit", ["--output=/tmp/x", "HEAD", "main", "", "zz"])
def test_only_commit_ids_are_taken_for_commits(make_repo, commit):
    with pytest.raises(Invalid, match="not a commit id"):
        git.is_ancestor(make_repo().root, commit)


def test_ancestry(make_repo):
    repo = make_repo()
    first = repo.commit("one")
    second = repo.commit("two")
    assert git.is_ancestor(repo.root, first)
    assert not git.is_ancestor(repo.root, second, first)
    assert not git.is_ancestor(repo.root, "0" * 40)
    assert git.has_commit(repo.root, second)
    assert not git.has_commit(repo.root, "0" * 40)


def test_root_commits_name_the_main_line_first(make_repo):
    repo = make_repo()
    first = repo.commit("first")
    repo.git("checkout", "-q", "--orphan", "imported")
    other = repo.commit("imported")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--allow-unrelated-histories", "-m", "merge", "imported")
    assert git.root_commits(repo.root) == [first, other]


def test_origin_is_preferred_among_remotes(make_repo):
    repo = make_repo()
    assert git.remote_url(repo.root) == ""
    repo.git("remote", "add", "backup", "https://b.example/x.git")
    assert git.remote_url(repo.root) == "https://b.example/x.git"
    repo.git("remote", "add", "origin", "https://o.example/x.git")
    assert git.remote_url(repo.root) == "https://o.example/x.git"


def test_blobs_are_those_git_would_commit(make_repo, tmp_path):
    repo = make_repo()
    repo.write({"dir/b c.py": "two"})
    commit = repo.commit(a__py="one")
    (repo.root / "link.py").symlink_to("a.py")
    (tmp_path / "outside.py").write_text("x")
    wanted = ["a.py", "dir/b c.py", "missing.py", "link.py", "../outside.py", "dir"]
    now = git.blobs(repo.root, wanted)
    assert now == {
        "a.py": repo.git("rev-parse", "HEAD:a.py"),
        "dir/b c.py": repo.git("rev-parse", "HEAD:dir/b c.py"),
    }
    repo.write({"a.py": "changed"})
    assert git.blobs(repo.root, ["a.py"])["a.py"] != now["a.py"]
    assert git.blobs(repo.root, ["a.py", "missing.py"], commit) == {"a.py": now["a.py"]}


def test_a_command_that_takes_too_long_is_ended(make_repo):
    root = make_repo().root
    running = git.Running(root, ("cat-file", "--batch"), b"")
    assert running.collect()[0] == 0
    with pytest.raises(Unavailable, match="did not answer"):
        git.Running(root, ("status",)).collect(timeout=0.0)


def test_a_partial_clone_is_read_without_fetching_what_it_lacks(make_repo, tmp_path):
    repo = make_repo()
    commit = repo.commit("start", a__py="1")
    repo.git("config", "uploadpack.allowFilter", "true")
    lacking = tmp_path / "lacking"
    flags = "--filter=blob:none", "--no-checkout"
    repo.git("clone", "-q", *flags, f"file://{repo.root}", str(lacking))
    assert git.log(lacking)[0].files == ("a.py",)
    assert git.ask(lacking, "cat-file", "-p", f"{commit}:a.py") is None
    assert repo.git("-C", str(lacking), "cat-file", "-p", f"{commit}:a.py") == "1"


def test_changes_without_a_moment_tell_the_uncommitted_state(make_repo):
    repo = make_repo()
    repo.commit(a__py="1")
    repo.write({"a.py": "2", "b.py": "1"})
    found = external_changes(repo.root)
    assert found.lines == ("Not committed: 1 changed file (a.py)", "Untracked: 1 path (b.py)")
    assert not found.switched
    assert not found.rewritten


def test_nothing_changed_gives_no_line(make_repo):
    repo = make_repo()
    head = repo.commit(a__py="1")
    found = external_changes(repo.root, head, datetime.now(UTC), "main")
    assert found.lines == ()
    assert found.head == head


def test_commits_authors_and_dependency_files_since_a_commit(make_repo):
    repo = make_repo()
    head = repo.commit("start", package__json="{}")
    repo.commit("Use zod", package__json='{"a": 1}')
    repo.commit("Fix refresh", a__py="2")
    found = external_changes(repo.root, head, None, "main")
    assert [commit.subject for commit in found.commits] == ["Fix refresh", "Use zod"]
    assert found.dependencies == ("package.json",)
    assert found.lines == (
        "2 new commits by Ana: Fix refresh; Use zod",
        "Dependencies changed: package.json",
    )


def test_a_branch_switch_is_not_a_rewritten_history(make_repo):
    repo = make_repo()
    repo.commit("start")
    repo.git("checkout", "-q", "-b", "side")
    there = repo.commit("on the side")
    repo.git("checkout", "-q", "main")
    found = external_changes(repo.root, there, None, "side")
    assert found.switched
    assert not found.rewritten
    assert found.lines == ("Branch: side → main",)


def test_an_amended_commit_is_a_rewritten_history(make_repo):
    repo = make_repo()
    repo.commit("start", date="2025-01-01T10:00:00+0000")
    there = repo.commit("first try", date="2025-01-03T10:00:00+0000")
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "second try")
    found = external_changes(repo.root, there, datetime(2025, 1, 2, tzinfo=UTC), "main")
    assert found.rewritten
    assert [commit.subject for commit in found.commits] == ["second try"]
    assert found.lines[0].startswith("History was rewritten")


def test_only_files_edited_after_the_moment_count_as_touched(make_repo):
    repo = make_repo()
    head = repo.commit(a__py="1", b__py="1")
    repo.write({"a.py": "2", "b.py": "2"})
    import os

    then = datetime.now(UTC) - timedelta(hours=1)
    old = (then - timedelta(hours=1)).timestamp()
    os.utime(repo.root / "a.py", (old, old))
    found = external_changes(repo.root, head, then, "main")
    assert set(found.modified) == {"a.py", "b.py"}
    assert found.touched == ("b.py",)
    assert found.lines == ("Edited since, not committed: 1 file (b.py)",)


def test_the_deadline_is_told_instead_of_passed(make_repo):
    repo = make_repo()
    head = repo.commit()
    found = external_changes(repo.root, head, None, "other", deadline=0.0)
    assert not found.switched
    assert any("did not answer" in note for note in found.notes)
    assert found.commits == ()


def test_many_commits_are_counted_only_up_to_the_limit(make_repo):
    repo = make_repo()
    head = repo.commit("start")
    script = "".join(
        f"commit refs/heads/main\ncommitter B <b@x> {1_800_000_000 + n} +0000\ndata 2\nn{n % 10}\n"
        + (f"from {head}\n" if n == 0 else "")
        for n in range(120)
    )
    import subprocess

    subprocess.run(
        ["git", "fast-import", "--quiet"], cwd=repo.root, input=script.encode(), check=True
    )
    found = external_changes(repo.root, head)
    assert len(found.commits) == 100
    assert found.lines[0].startswith("100 or more new commits by B: n9; n8; n7; …")


def test_where_git_went_away_nothing_is_claimed(make_repo, tmp_path):
    (tmp_path / "plain").mkdir()
    for place in (tmp_path / "plain", make_repo().root):
        found = external_changes(place, "0" * 40, datetime.now(UTC), "main")
        assert found.lines == ()
        assert not found.rewritten


def test_changes_refuse_a_commit_that_is_no_id(make_repo):
    with pytest.raises(Invalid):
        external_changes(make_repo().root, "--all")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("apps/web/package.json", True),
        ("requirements-dev.txt", True),
        ("src/App.csproj", True),
        ("uv.lock", True),
        ("package.py", False),
        ("docs/requirements.md", False),
    ],
)
def test_dependency_files_are_known_by_name(path, expected):
    assert is_dependency_file(path) is expected


def with_index_of(root, files):
    """Make git's index as large as one of so many files, without writing it."""
    os.truncate(root / ".git" / "index", files * git.FILE_BYTES)


@pytest.mark.parametrize(("files", "least", "most"), [(100, 2.0, 2.1), (72_000, 10.0, 30.0)])
def test_commands_that_look_at_every_file_get_more_time_in_larger_repositories(
    make_repo, files, least, most
):
    repo = make_repo()
    repo.commit("start", a__py="1")
    with_index_of(repo.root, files)
    assert least <= git.seconds_for_all_files(repo.root, 2.0) <= most


def test_a_linked_work_tree_has_the_size_of_its_own_index(make_repo, tmp_path):
    repo = make_repo()
    repo.commit("start", a__py="1")
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", str(linked))
    index = Path(repo.git("-C", str(linked), "rev-parse", "--absolute-git-dir")) / "index"
    os.truncate(index, 50_000 * git.FILE_BYTES)
    assert git.listed_files(linked) == 50_000
    assert git.listed_files(repo.root) < 100


def test_a_command_that_takes_too_long_says_how_large_the_repository_is(make_repo):
    repo = make_repo()
    repo.commit("start", a__py="1")
    with pytest.raises(Unavailable) as small:
        git.Running(repo.root, ("ls-files", "-o")).collect(timeout=0.0)
    assert small.value.message == "git ls-files did not answer in 0.0 s"
    running = git.Running(repo.root, ("ls-files", "-o"))
    with_index_of(repo.root, 72_000)
    with pytest.raises(Unavailable) as large:
        running.collect(timeout=0.0)
    assert large.value.message == "git ls-files did not answer in 0.0 s (about 72,000 files)"


@pytest.mark.skipif("sys.platform == 'win32'")
def test_git_is_not_asked_again_for_a_while_where_it_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    other = committed(tmp_path / "other", {"src/a.py": "x = 1\n"})
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    hangs = f'[ "$GIT_DIR" = {root / ".git"} ] && [ -e {tmp_path / "slow"} ] && exec sleep 1000'
    hangs = f'case "$*" in *--list*) ;; *) {hangs} ;; esac'
    slow.write_text(f'#!/bin/sh\n{hangs}\nexec {shutil.which("git")} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    assert git.head(root)
    (tmp_path / "slow").touch()
    now = [1_000.0]
    monkeypatch.setattr(git, "TIMEOUT", 0.3)
    monkeypatch.setattr("contextd_code.git.git_queries.time.monotonic", lambda: now[0])

    with pytest.raises(Unavailable, match=r"did not answer in 0\.3 s"):
        git.ask(root, "rev-parse", "HEAD", timeout=0.3)
    for command in ("status", "log", "rev-parse"):
        with pytest.raises(Unavailable, match="a moment ago"):
            git.ask(root / "src", command)
    assert git.head(other)

    (tmp_path / "slow").unlink()
    now[0] += 61
    assert git.ask(root, "rev-parse", "--is-inside-work-tree") == "true\n"


@pytest.mark.skipif("sys.platform == 'win32'")
def test_a_pipe_among_the_objects_is_named_and_git_is_not_started_while_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    head = git.head(root)
    loose = root / ".git" / "objects" / head[:2] / head[2:]
    loose.rename(tmp_path / "kept")
    os.mkfifo(loose)
    monkeypatch.setattr(git, "_STALLED_SECONDS", 0.1)

    with pytest.raises(Unavailable, match=f"{loose} is not an ordinary file"):
        git.has_commit(root, head)
    monkeypatch.setattr(processes, "start", None)
    for command in ("status", "log", "rev-parse"):
        with pytest.raises(Unavailable, match=f"{loose} is not an ordinary file"):
            git.ask(root / "src", command)

    monkeypatch.undo()
    loose.unlink()
    (tmp_path / "kept").rename(loose)
    assert git.has_commit(root, head)


def test_a_slow_command_that_reads_many_files_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    monkeypatch.setattr(git, "TIMEOUT", 0.0)
    with pytest.raises(Unavailable):
        git.ask(root, "status", timeout=0.0)
    assert git.head(root)


FORMS = """color.diff=always color.status=always color.ui=always column.ui=always core.abbrev=4 core.quotePath=true
    diff.noprefix=true diff.mnemonicPrefix=true diff.srcPrefix=x/ diff.dstPrefix=y/ diff.relative=true diff.context=0
    diff.renames=copies diff.colorMoved=zebra diff.wsErrorHighlight=all diff.suppressBlankEmpty=true
    format.pretty=oneline i18n.logOutputEncoding=UTF-16 i18n.logOutputEncoding=UTF-7 log.abbrevCommit=true
    log.date=raw log.decorate=full log.diffMerges=separate log.follow=true log.showRoot=false
    status.branch=true status.relativePaths=true status.short=true status.showUntrackedFiles=no""".split()


@pytest.mark.parametrize("setting", FORMS)
def test_no_setting_changes_what_is_read_of_a_repository(tmp_path: Path, setting: str) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n", "src/größe.py": "y = 1\n"})
    (root / "src" / "a.py").write_text("x = 2\n")
    (root / "src" / "größe.py").rename(root / "src" / "b.py")
    before = git.status(root), git.log(root), diff(root)

    with (root / ".git" / "config").open("a") as config:
        name, _, value = setting.partition("=")
        section, _, key = name.partition(".")
        config.write(f"[{section}]\n\t{key} = {value}\n")

    assert (git.status(root), git.log(root), diff(root)) == before
    assert before[1][0].files == ("src/a.py", "src/größe.py")
