from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from contextd_code.git.programs import git_environment
from contextd_code.tree import walk as walking
from contextd_code.tree.ripgrep import ripgrep
from contextd_code.tree.walk import walk
from support.code_repos import write


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.email=a@b.c", "-c", "user.name=a", "-c", "init.defaultBranch=main"]
    subprocess.run(
        ["git", *identity, *arguments],
        cwd=root,
        check=True,
        capture_output=True,
        env={**git_environment(), "GIT_ALLOW_PROTOCOL": "file"},
    )


def paths(root: Path) -> list[str]:
    return [file.path for file in walk(root).files]


def test_git_lists_tracked_and_new_files_but_not_ignored_ones(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "*.log\n")
    write(tmp_path, "src/a.ts", "export {}\n")
    write(tmp_path, "dist/kept.js", "1\n")
    git(tmp_path, "init")
    git(tmp_path, "add", "-f", ".")
    write(tmp_path, "new.ts", "")
    write(tmp_path, "x.log", "noise")
    write(tmp_path, "node_modules/m/index.js", "")
    found = walk(tmp_path)
    assert found.source == "git"
    assert [f.path for f in found.files] == [".gitignore", "dist/kept.js", "new.ts", "src/a.ts"]
    assert ("node_modules/", "ignored folder") in found.skipped
    assert found.files[3].size == 10
    assert found.files[3].mtime_ns == (tmp_path / "src/a.ts").stat().st_mtime_ns


def test_a_deleted_file_a_submodule_and_a_repository_inside_are_named_as_skipped(
    tmp_path: Path,
) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    write(root, "gone.py", "")
    write(root, "kept.py", "")
    git(root, "init")
    write(other, "x.py", "")
    git(other, "init")
    git(other, "add", ".")
    git(other, "commit", "-m", "x")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", str(other), "sub")
    git(root, "add", ".")
    (root / "gone.py").unlink()
    write(root, "inner/y.py", "")
    git(root / "inner", "init")
    found = walk(root)
    assert [f.path for f in found.files] == [".gitmodules", "kept.py"]
    skipped = dict(found.skipped)
    assert skipped["sub"] == "submodule"
    assert skipped["inner/"] == "another repository"
    assert "gone.py" in skipped


def test_outside_git_ripgrep_respects_gitignore_and_the_ignored_folders(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "secret.txt\n")
    for path in ("a.py", ".hidden/b.py", "secret.txt", "node_modules/x.js", "build/y.js"):
        write(tmp_path, path, "")
    found = walk(tmp_path)
    assert found.source == "rg"
    assert [f.path for f in found.files] == [".gitignore", ".hidden/b.py", "a.py"]
    assert "not a git repository" in found.note


def test_a_folder_that_the_repository_around_it_ignores_still_has_files(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "inner/\n")
    write(tmp_path, "inner/a.py", "")
    git(tmp_path, "init")
    assert paths(tmp_path / "inner") == ["a.py"]


def test_without_git_and_ripgrep_python_walks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("a.py", "x/b.py", "node_modules/c.js"):
        write(tmp_path, path, "")
    (tmp_path / "x" / "loop").symlink_to(tmp_path, target_is_directory=True)
    monkeypatch.setattr(walking, "ripgrep", lambda: "")
    monkeypatch.setenv("PATH", "")
    found = walk(tmp_path)
    assert found.source == "python"
    assert [f.path for f in found.files] == ["a.py", "x/b.py"]
    assert dict(found.skipped)["x/loop"] == "link to something that is not a file"


def test_odd_files_are_skipped_with_a_reason_and_nothing_fails(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, "ok.py", "")
    write(tmp_path, "outside.txt", "secret")
    os.mkfifo(root / "pipe")
    (root / "leaves").symlink_to(tmp_path / "outside.txt")
    (root / "broken").symlink_to(root / "nothing")
    (root / "same").symlink_to(root / "ok.py")
    (root / "round").symlink_to(root / "round")
    (Path(os.fsdecode(os.fsencode(root) + b"/b\xffd.py"))).write_text("")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "sock"))
        git(root, "init")
        git(root, "add", "leaves", "broken", "same", "round")
        found = walk(root)
    reasons = dict(found.skipped)
    assert [f.path for f in found.files] == ["ok.py"]
    assert reasons["leaves"] == "link that leaves the project"
    assert reasons["same"] == "link to a file that is listed"
    assert reasons["b\\udcffd.py"] == "its name is not UTF-8"
    assert {"broken", "round"} <= set(reasons)


def test_files_left_out_of_a_sparse_checkout_are_named_by_their_folder(tmp_path: Path) -> None:
    write(tmp_path, "here/a.py", "")
    write(tmp_path, "away/b.py", "")
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "x")
    git(tmp_path, "sparse-checkout", "set", "here")
    found = walk(tmp_path)
    assert [f.path for f in found.files] == ["here/a.py"]
    assert found.skipped == (("away/", "sparse checkout"),)


def test_an_empty_or_missing_folder_has_no_files(tmp_path: Path) -> None:
    assert walk(tmp_path).files == ()
    assert walk(tmp_path / "missing").skipped == (("", "not a folder"),)


def test_a_git_hook_s_environment_does_not_lead_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    for folder, name in ((root, "mine.py"), (other, "theirs.py")):
        write(folder, name, "")
        git(folder, "init")
        git(folder, "add", ".")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    assert paths(root) == ["mine.py"]


def test_files_in_the_context_folder_are_not_part_of_the_code(tmp_path: Path) -> None:
    write(tmp_path, ".context/CONTEXT.md", "## Now")
    write(tmp_path, "a.py", "")
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    assert paths(tmp_path) == ["a.py"]


def test_the_ripgrep_of_the_wheel_is_found_without_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    ripgrep.cache_clear()
    try:
        assert Path(ripgrep()).is_file()
    finally:
        ripgrep.cache_clear()
