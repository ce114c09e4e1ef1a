"""Git is given the options of a repository and of its user that matter, and answers as it answers them."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd_code.git import git_queries as git
from contextd_code.git import settings
from contextd_code.git.config_text import GitOption, options_in, text_of
from contextd_code.git.diffs import diff
from contextd_code.git.remotes import remote_urls
from contextd_code.git.settings import settings_for
from contextd_code.git.substitute import _Kept, stand_in
from contextd_code.tree.walk import walk
from contextd_common.errors import Unavailable
from support.repositories import committed
from support.repositories import git as run

FILES = {"src/a.py": "x = 1\n", "src/b.txt": "one\ntwo\n", "README.md": "# Shop\n"}


def listed(path: Path) -> list[GitOption]:
    """The options of a file, as git lists them."""
    found = subprocess.run(
        ["git", "config", "--file", str(path), "--no-includes", "--list", "-z"],
        capture_output=True,
        check=True,
    ).stdout.decode("utf-8", "surrogateescape")
    pairs = [one.partition("\n") for one in found.split("\0") if one]
    return [GitOption(name, value if is_set else "true") for name, is_set, value in pairs]


TEXTS = (
    "[core]\n\tbare = false\n",
    "[core] bare = false\n\tignoreCase\n",
    "[Core]\nFileMode=TRUE;comment\n",
    '[remote "Origin"]\n url = "https://x/y # z" # comment\n',
    '[a "b\\"c\\\\d"]\nx = 1\n',
    "[a.B]\nx = 1\n[a]\n",
    '[a "b.C"]\nx = one \\\n two\n',
    '[a]\nx = "one\\\ntwo"  three   \ny = a\\tb\\n\\"c\\\\\n',
    "\ufeff[a]\r\nx = 1\r\n\ty=2\r\n",
    "; first\n# second\n\n[a]\n  # third\n  x = \n  y = \"\"\n  z = ' a '\n",
    '[a "ä ö"]\nx = grüße\n',
    '[branch "feature/x-1"]\n\tremote = origin\n\tmerge = refs/heads/feature/x-1\n',
    "[a]\nx = a;b#c\ny = a b   c\n",
    "[a]\nx=1\nx=2\nx=\n",
    '[filter ""]\nclean = y\n[filter "a=b"]\nclean = z\n',
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_configuration_is_read_as_git_reads_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_bytes(text.encode())

    assert options_in(text) == listed(path)


NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,5}", fullmatch=True)
ANY = st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r"), max_size=12)
OPTIONS = st.builds(
    lambda section, between, last, value: GitOption(
        f"{section}.{between}.{last}" if between else f"{section}.{last}", value
    ),
    NAMES,
    ANY,
    NAMES,
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=20),
)


@given(st.lists(OPTIONS, max_size=5))
def test_written_git_options_are_read_back_unchanged(
    tmp_path_factory, options: list[GitOption]
) -> None:
    path = tmp_path_factory.mktemp("settings") / "config"
    path.write_bytes(text_of(options).encode())

    assert options_in(text_of(options)) == options
    assert listed(path) == options


@given(st.text(max_size=80))
def test_any_text_is_read_to_its_end(text: str) -> None:
    assert all("." in option.name for option in options_in(text))


def _worktree(root: Path, tmp_path: Path) -> Path:
    run(root, "worktree", "add", "-q", str(tmp_path / "beside"), "-b", "task")
    return tmp_path / "beside"


def _shared(root: Path, tmp_path: Path) -> Path:
    run(tmp_path, "clone", "-q", "--shared", str(root), "beside")
    return tmp_path / "beside"


def _shallow(root: Path, tmp_path: Path) -> Path:
    run(root, "commit", "-q", "--allow-empty", "-m", "second")
    run(tmp_path, "clone", "-q", "--depth", "1", f"file://{root}", "beside")
    return tmp_path / "beside"


def _separate(root: Path, tmp_path: Path) -> Path:
    run(root, "init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"))
    return root


def _linked_folder(root: Path, tmp_path: Path) -> Path:
    (root / ".git").rename(tmp_path / "elsewhere")
    (root / ".git").symlink_to(tmp_path / "elsewhere")
    return root


def _of_bare(root: Path, tmp_path: Path) -> Path:
    run(tmp_path, "clone", "-q", "--bare", str(root), "bare.git")
    run(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "beside"))
    return tmp_path / "beside"


def _submodule(root: Path, tmp_path: Path) -> Path:
    outer = committed(tmp_path / "outer", FILES)
    run(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(root), "inner")
    return outer / "inner"


def _sparse(root: Path, tmp_path: Path) -> Path:
    run(root, "sparse-checkout", "set", "docs")
    (root / "docs").mkdir()
    (root / "docs" / "new.md").write_text("x\n")
    return root


def _own_settings_of_a_work_tree(root: Path, tmp_path: Path) -> Path:
    beside = _worktree(root, tmp_path)
    run(root, "config", "extensions.worktreeConfig", "true")
    run(beside, "config", "--worktree", "core.autocrlf", "input")
    (beside / "src" / "b.txt").write_bytes(b"one\r\ntwo\r\n")
    return beside


def _line_ends(root: Path, tmp_path: Path) -> Path:
    run(root, "config", "core.autocrlf", "true")
    (root / "src" / "b.txt").write_bytes(b"one\r\ntwo\r\n")
    return root


def _file_mode(root: Path, tmp_path: Path) -> Path:
    run(root, "config", "core.fileMode", "false")
    (root / "src" / "a.py").chmod(0o755)
    return root


def _split_index(root: Path, tmp_path: Path) -> Path:
    run(root, "update-index", "--split-index")
    (root / "src" / "a.py").write_text("x = 2\n")
    run(root, "add", "-A")
    return root


def _packed(root: Path, tmp_path: Path) -> Path:
    run(root, "gc", "-q")
    run(root, "pack-refs", "--all")
    return root


def _sha256(root: Path, tmp_path: Path) -> Path:
    other = tmp_path / "sha256"
    shutil.copytree(root, other, ignore=shutil.ignore_patterns(".git"))
    run(other, "init", "-q", "--object-format=sha256")
    run(other, "add", "-A")
    run(other, "commit", "-q", "-m", "start")
    return other


def _upstream(root: Path, tmp_path: Path) -> Path:
    run(tmp_path, "clone", "-q", str(root), "beside")
    run(tmp_path / "beside", "commit", "-q", "--allow-empty", "-m", "ahead")
    return tmp_path / "beside"


SHAPES: dict[str, Callable[[Path, Path], Path]] = {
    one.__name__.strip("_"): one
    for one in (
        _worktree, _shared, _shallow, _separate, _linked_folder, _of_bare, _submodule, _sparse, _line_ends,
        _own_settings_of_a_work_tree, _file_mode, _split_index, _packed, _sha256, _upstream,
    )
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_a_repository_of_any_shape_is_seen_as_git_sees_it(tmp_path: Path, shape: str) -> None:
    root = SHAPES[shape](committed(tmp_path / "shop", FILES), tmp_path)
    (root / "new.py").write_text("y = 1\n")

    found = git.repository(root / "src" if (root / "src").is_dir() else root)

    assert found is not None
    assert str(found.root) == run(root, "rev-parse", "--show-toplevel")
    assert str(found.git_dir) == run(root, "rev-parse", "--absolute-git-dir")
    common = run(root, "rev-parse", "--path-format=absolute", "--git-common-dir")
    assert found.common_dir == Path(os.path.realpath(common))
    assert str(found.shallow).lower() == run(root, "rev-parse", "--is-shallow-repository")
    assert git.head(root) == run(root, "rev-parse", "HEAD")
    assert git.here(root)[1] == run(root, "branch", "--show-current")
    state = git.status(root)
    names = {*state.modified, *state.deleted, *state.untracked}
    plain = run(root, "status", "--porcelain", "-z", "--no-renames")
    rows = [row.strip() for row in plain.split("\0") if row]
    assert names == {row.split(" ", 1)[1].strip() for row in rows}
    assert len(git.log(root)) == len(run(root, "log", "--format=%H").split())
    tracked = set(run(root, "ls-files", "--deduplicate").splitlines())
    assert {one.path for one in walk(root).files} >= {
        path for path in tracked if (root / path).is_file()
    }
    assert git.remote_url(root) == (run(root, "config", "--default", "", "remote.origin.url"))


def test_the_branch_that_one_follows_can_be_named(tmp_path: Path) -> None:
    root = _upstream(committed(tmp_path / "shop", FILES), tmp_path)
    assert git.ask(root, "rev-list", "--count", "@{upstream}..HEAD") == "1\n"
    assert git.ask(root, "rev-parse", "HEAD@{1}") is not None
    assert diff(root, "@{u}..HEAD") == ""


def test_files_ignored_by_the_users_global_git_settings_are_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = committed(tmp_path / "shop", FILES)
    (root / "notes.tmp").write_text("x\n")
    ignored = tmp_path / "home" / ".config" / "git" / "ignore"
    ignored.parent.mkdir(parents=True)
    ignored.write_text("*.tmp\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert git.status(root).untracked == ()

    mine = tmp_path / "mine"
    mine.write_text("nothing\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "global"))
    (tmp_path / "global").write_text(f"[core]\n\texcludesFile = {mine}\n")
    assert git.status(root).untracked == ("notes.tmp",)
    assert [one.path for one in walk(tmp_path / "home").files] == [".config/git/ignore"]


def test_an_option_of_the_user_that_holds_only_here_is_heeded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere = committed(tmp_path / "work" / "shop", FILES), committed(tmp_path / "b", FILES)
    (tmp_path / "global").write_text(
        f'[user]\n\tname = Ana\n[includeIf "gitdir:{tmp_path}/work/"]\n\tpath = of-work\n'
    )
    (tmp_path / "of-work").write_text("[user]\n\tname = Ana Kos\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "global"))

    names = [git.ask(root, "config", "--get", "user.name") for root in (here, elsewhere, tmp_path)]
    assert names == ["Ana Kos\n", "Ana\n", "Ana\n"]

    (tmp_path / "of-work").write_text("[user]\n\tname = A. Kos\n")
    assert git.ask(here, "config", "--get", "user.name") == "A. Kos\n"
    run(here, "config", "user.name", "shop")
    assert git.ask(here, "config", "--get", "user.name") == "shop\n"


def test_the_programs_of_the_user_are_not_chosen_by_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = "* filter=lfs diff=pdf\n"
    root = committed(tmp_path / "shop", {**FILES, ".gitattributes": every})
    program = f"touch {tmp_path / 'marked'}; cat"
    (tmp_path / "global").write_text(
        f'[filter "lfs"]\n\tclean = "{program}"\n\trequired = true\n'
        f'[diff "pdf"]\n\ttextconv = "{program}"\n[core]\n\tfsmonitor = "{program}"\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "global"))
    (root / "src" / "a.py").write_text("x = 2\n")

    assert git.status(root).modified == ("src/a.py",)
    assert "+x = 2" in diff(root)
    assert git.blobs(root, ["src/a.py"])
    assert not (tmp_path / "marked").exists()


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ('[remote "origin"]\nurl = gh:ana/shop\n', "https://github.com/ana/shop"),
        ('[remote "origin"]\nurl = ghe:x\n', "https://example.org/x"),
        ('[remote "origin"]\nurl = /a\nurl = /b\n', "/a"),
        ('[remote "b"]\nurl = /b\n[remote "a"]\nurl = /a\n', "/a"),
        ('[remote "origin"]\nfetch = +refs/heads/*:refs/remotes/origin/*\n', ""),
        ('[remote "origin"]\nurl =\nurl = /c\n', "/c"),
    ],
)
def test_the_address_of_a_remote_is_the_one_that_git_fetches_from(
    tmp_path: Path, text: str, url: str
) -> None:
    root = committed(tmp_path / "shop", FILES)
    rewriting = '[url "https://github.com/"]\ninsteadOf = gh:\n'
    rewriting += '[url "https://example.org/"]\ninsteadOf = ghe:\ninsteadOf = g\n'
    with (root / ".git" / "config").open("a") as config:
        config.write(rewriting + text)

    assert git.remote_url(root) == url


def test_no_address_and_no_password_leaves_the_repository(tmp_path: Path) -> None:
    root = committed(tmp_path / "shop", FILES)
    address = "https://ana:hunter2@example.org/shop"
    run(root, "remote", "add", "origin", address)
    run(root, "config", "branch.main.remote", address)
    found = git.repository(root)
    assert found is not None

    given = settings_for(found)

    assert git.remote_url(root) == address
    assert "hunter2" not in str(given.environment)
    substitute = Path(given.environment["GIT_COMMON_DIR"])
    assert "hunter2" not in (substitute / "config").read_text()


def test_a_stand_in_is_made_again_when_a_part_of_it_was_cleared_away(tmp_path: Path) -> None:
    root = committed(tmp_path / "shop", FILES)
    found = git.repository(root)
    assert found is not None
    substitute = Path(settings_for(found).environment["GIT_COMMON_DIR"])
    assert substitute.stat().st_mode & 0o077 == 0
    for damage in ("objects", "config"):
        (substitute / damage).unlink()
        assert stand_in(
            found.common_dir, (substitute / "config").read_text() if damage != "config" else ""
        )
        settings._remembered.clear()
        assert git.status(root).modified == ()
    shutil.rmtree(substitute)
    assert git.status(root).modified == ()


def test_stand_ins_of_repositories_that_are_gone_are_removed_at_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Kept, "folder", tmp_path / "git")
    monkeypatch.setattr(_Kept, "swept", None)

    def unused_for_hours(name: str) -> Path:
        made = stand_in(tmp_path / name, "")
        assert made is not None
        os.utime(made, (1, 1))
        return made

    (tmp_path / "shop" / "objects").mkdir(parents=True)
    first, second = unused_for_hours("gone"), unused_for_hours("gone too")
    kept = stand_in(tmp_path / "shop", "")
    # The look was at the first of them.
    assert first.exists()
    assert second.exists()

    monkeypatch.setattr(_Kept, "swept", (tmp_path / "git", time.monotonic() - 3_601))
    assert stand_in(tmp_path / "bakery", "") is not None

    assert not first.exists()
    assert not second.exists()
    assert kept is not None
    assert kept.exists()


def test_a_folder_of_stand_ins_that_others_can_write_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    folder = tmp_path / "home" / "git"
    monkeypatch.setattr(_Kept, "folder", folder)
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)

    assert stand_in(tmp_path, "") is None
    folder.chmod(0o700)
    assert stand_in(tmp_path, "") is not None


@pytest.mark.skipif("os.name == 'nt' or os.getuid() != 0", reason="only root gives files away")
def test_a_repository_of_another_user_is_read_once_the_user_says_it_is_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = committed(tmp_path / "shop", FILES)
    assert git.find(root)[0] is not None
    os.chown(root / ".git", 12345, 12345)

    assert "another user owns it" in git.find(root)[1]
    with pytest.raises(Unavailable, match="another user owns it"):
        git.status(root)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "global"))
    for value, is_safe in (
        ("/elsewhere", False), (str(root), True), (f"{tmp_path}/*", True), ("*", True), ("", False)
    ):  # fmt: skip
        (tmp_path / "global").write_text(f"[safe]\n\tdirectory = {value}\n")
        assert (git.find(root)[0] is not None) == is_safe, value


def test_the_urls_of_no_options_are_none() -> None:
    assert remote_urls([]) == {}
