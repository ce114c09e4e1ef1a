import os
from pathlib import Path

import pytest

from contextd_code.git.identity import ProjectIdentity, identify, normalised_url
from contextd_code.git.same_project import Decision, decide, known_project
from contextd_common.errors import Invalid, NotFound
from support.repositories import committed

SAME = [
    "git@github.com:Acme/Shop.git",
    "git@github.com:acme/shop",
    "https://github.com/acme/shop",
    "https://github.com/acme/shop.git/",
    "https://someone:s3cret@github.com/acme/shop.git",
    "ssh://git@github.com/acme/shop.git",
    "ssh://git@ssh.github.com:443/acme/shop.git",
    "git+ssh://git@GitHub.com:22//acme/shop",
    "git://github.com/acme/shop.git",
    "http://www.github.com/acme/shop",
]


@pytest.mark.parametrize("url", SAME)
def test_every_way_to_write_a_remote_is_one(url):
    assert normalised_url(url) == "github.com/acme/shop"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://git.example.org:8443/Team/Repo.git", "git.example.org:8443/Team/Repo"),
        ("git@git.example.org:~me/x.git", "git.example.org/~me/x"),
        ("git@ssh.dev.azure.com:v3/org/proj/repo", "dev.azure.com/org/proj/repo"),
        ("https://org@dev.azure.com/org/proj/_git/repo", "dev.azure.com/org/proj/repo"),
        ("/srv/git/x.git", ""),
        ("../x", ""),
        ("file:///srv/git/x.git", ""),
        ("C:/work/x", ""),
        ("https://[broken", ""),
        ("", ""),
    ],
)
def test_other_remotes(url, expected):
    assert normalised_url(url) == expected


def compared(seen: ProjectIdentity, *known: ProjectIdentity, gone: bool = False) -> Decision:
    """The decision about a sighting, and a project known by other ones."""
    evidence = [one for sighting in known for one in (sighting.identity, *sighting.evidence)]
    roots = [str(sighting.root) for sighting in known]
    return decide(seen, known_project(evidence, roots, is_gone=lambda: gone))


def test_clones_and_work_trees_are_one_project(make_repo, tmp_path):
    repo = make_repo()
    repo.commit("start")
    repo.git("remote", "add", "origin", SAME[0])
    here = identify(repo.root)
    assert (here.kind, here.name, here.note) == ("git", "shop", "")
    for number, url in enumerate(SAME):
        clone = tmp_path / f"clone{number}"
        repo.git("clone", "-q", "--no-hardlinks", str(repo.root), str(clone))
        repo.git("-C", str(clone), "remote", "set-url", "origin", url)
        assert identify(clone).identity == here.identity
    repo.git("worktree", "add", "-q", str(tmp_path / "task"), "-b", "task")
    linked = identify(tmp_path / "task")
    assert linked.identity == here.identity
    assert linked.root == tmp_path / "task"
    assert linked.name == "shop"


@pytest.mark.parametrize("bare", [True, False])
def test_a_clone_of_a_bare_repository_on_this_machine_is_the_project_it_mirrors(
    make_repo, tmp_path, bare
):
    repo = make_repo()
    repo.commit("start")
    repo.git("remote", "add", "origin", SAME[0])
    # The inside of an ordinary repository is a remote as well.
    mirror = tmp_path / "mirror.git" if bare else repo.root / ".git"
    if bare:
        repo.git("clone", "-q", "--bare", str(repo.root), str(mirror))
        repo.git("-C", str(mirror), "remote", "set-url", "origin", SAME[0])
    clone = tmp_path / "clone"
    repo.git("clone", "-q", str(mirror), str(clone))
    assert identify(clone).identity == identify(repo.root).identity


def test_a_bare_repository_without_a_remote_leaves_its_clones_unpublished(make_repo, tmp_path):
    repo = make_repo()
    repo.commit("start")
    repo.git("init", "-q", "--bare", str(tmp_path / "server.git"))
    repo.git("remote", "add", "origin", str(tmp_path / "server.git"))
    assert identify(repo.root).identity.endswith("/-")


def test_a_configuration_that_is_a_pipe_is_not_read_from_a_bare_repository(make_repo, tmp_path):
    repo = make_repo()
    repo.commit("start")
    repo.git("init", "-q", "--bare", str(tmp_path / "server.git"))
    (tmp_path / "server.git" / "config").unlink()
    os.mkfifo(tmp_path / "server.git" / "config")
    repo.git("remote", "add", "origin", str(tmp_path / "server.git"))
    assert identify(repo.root).identity.endswith("/-")


def test_a_work_tree_like_the_inside_of_a_repository_cannot_name_its_remote(tmp_path):
    settings = f'[remote "origin"]\n\turl = {SAME[0]}\n'
    files = {"HEAD": "ref: refs/heads/main", "objects/a": "", "refs/a": "", "config": settings}
    assert identify(committed(tmp_path / "shop", files)).identity.endswith("/-")


def test_the_url_is_not_readable_from_the_identity(make_repo):
    repo = make_repo()
    repo.commit()
    repo.git("remote", "add", "origin", "https://me:s3cret@git.example.org/acme/shop.git")
    found = repr(identify(repo.root))
    assert "s3cret" not in found
    assert "example" not in found


def test_an_orphan_branch_and_a_merged_foreign_history_change_nothing(make_repo):
    repo = make_repo()
    repo.commit("start")
    before = identify(repo.root).identity
    repo.git("checkout", "-q", "--orphan", "pages")
    repo.commit("pages", date="2001-01-01T00:00:00+0000")
    assert identify(repo.root).identity == before
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--allow-unrelated-histories", "-m", "merge", "pages")
    assert identify(repo.root).identity == before


def test_a_local_clone_of_an_unpublished_repository_is_the_same_project(make_repo, tmp_path):
    repo = make_repo()
    repo.commit("start")
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "copy"))
    repo.git("clone", "-q", f"file://{tmp_path / 'copy'}", str(tmp_path / "copy of copy"))
    assert identify(tmp_path / "copy of copy").identity == identify(repo.root).identity


def test_a_clone_of_a_bare_repository_is_a_project(make_repo, tmp_path):
    repo = make_repo()
    repo.commit("start")
    repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "shop.git"))
    repo.git("clone", "-q", str(tmp_path / "shop.git"), str(tmp_path / "clone"))
    assert identify(tmp_path / "clone").identity == identify(repo.root).identity


def test_publishing_keeps_the_project(make_repo):
    repo = make_repo()
    repo.commit("start")
    before = identify(repo.root)
    repo.git("remote", "add", "origin", SAME[0])
    now = identify(repo.root)
    assert now.identity != before.identity
    assert compared(now, before) == "here"


def test_forks_are_two_projects(make_repo, tmp_path):
    repo = make_repo()
    repo.commit("start")
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "fork"))
    repo.git("remote", "add", "origin", "https://github.com/one/shop")
    repo.git(
        "-C", str(tmp_path / "fork"), "remote", "set-url", "origin", "https://github.com/two/shop"
    )
    one, two = identify(repo.root), identify(tmp_path / "fork")
    assert compared(two, one) == "alike"
    unpublished = make_repo("third")
    unpublished.git("pull", "-q", str(repo.root), "main")
    assert compared(identify(unpublished.root), one) == "alike"


def test_a_shallow_clone_is_known_by_its_remote(make_repo, tmp_path):
    repo = make_repo()
    repo.commit("start")
    repo.commit("more")
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.root}", str(tmp_path / "shallow"))
    shallow = tmp_path / "shallow"
    alone = identify(shallow)
    repo.git("remote", "add", "origin", SAME[0])
    repo.git("-C", str(shallow), "remote", "set-url", "origin", SAME[2])
    full, found = identify(repo.root), identify(shallow)
    assert (found.kind, found.name) == ("remote", "shop")
    assert compared(found, full) == "same"
    assert compared(full, found) == "same"
    assert alone.kind == "path"
    assert "shallow clone" in alone.note


def test_before_the_first_commit_a_repository_is_known_by_its_place(make_repo):
    repo = make_repo()
    early = identify(repo.root)
    assert (early.kind, early.root, early.name) == ("path", repo.root, "shop")
    assert "no commit" in early.note
    repo.commit("start")
    later = identify(repo.root)
    assert later.kind == "git"
    assert compared(later, early) == "here"


def test_without_git_the_id_in_project_yaml_counts(tmp_path):
    root = tmp_path / "notes"
    (root / "deep").mkdir(parents=True)
    early = identify(root, trusts=lambda _: True)
    assert early.kind == "path"
    (root / ".context").mkdir()
    (root / ".context/project.yaml").write_text("project:\n  name: My notes\n  id: 1234-abcd\n")
    found = identify(root / "deep", trusts=lambda _: True)
    assert found.identity == "id:1234-abcd"
    assert (found.root, found.name, found.kind) == (root, "My notes", "id")
    assert compared(found, early) == "here"
    moved = tmp_path / "moved"
    root.rename(moved)
    assert compared(identify(moved, trusts=lambda _: True), found, gone=True) == "moved"


def test_a_project_that_gets_a_repository_is_still_itself(make_repo):
    repo = make_repo()
    repo.write({".context/project.yaml": "project: {name: Shop, id: abcd}\n"})
    before = identify(repo.root, trusts=lambda _: True)
    repo.commit("start")
    found = identify(repo.root, trusts=lambda _: True)
    assert (found.kind, found.name, before.kind) == ("git", "Shop", "id")
    assert compared(found, before) == "here"


def test_a_local_clone_and_a_work_tree_name_where_their_history_is_from(make_repo, tmp_path):
    repo = make_repo()
    repo.commit("start")
    repo.git("clone", "-q", str(repo.root), str(tmp_path / "copy"))
    repo.git("worktree", "add", "-q", str(tmp_path / "task"), "-b", "task")
    assert identify(repo.root).sources == ()
    assert identify(tmp_path / "copy").sources == (str(repo.root),)
    assert identify(tmp_path / "task").sources == (str(repo.root),)


def test_a_folder_whose_git_file_names_a_strangers_work_tree_has_no_source(make_repo, tmp_path):
    repo = make_repo()
    repo.commit("start")
    repo.git("worktree", "add", "-q", str(tmp_path / "task"), "-b", "task")
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / ".git").write_bytes((tmp_path / "task" / ".git").read_bytes())
    assert identify(forged).sources == ()


@pytest.mark.parametrize("text", ["project: [", "- a", "project: 3", "\x00", "a: &a [*a]", "id: 1"])
def test_a_broken_project_yaml_says_nothing(tmp_path, text):
    (tmp_path / ".context").mkdir()
    (tmp_path / ".context/project.yaml").write_text(text)
    assert identify(tmp_path).kind == "path"


def test_home_and_the_root_of_everything_are_no_project_by_accident(make_repo, monkeypatch):
    home = make_repo("home")
    home.commit("dotfiles")
    monkeypatch.setattr(Path, "home", lambda: home.root)
    with pytest.raises(Invalid, match="not taken for a project"):
        identify(home.root, trusts=lambda _: True)
    with pytest.raises(Invalid, match="not taken for a project"):
        identify(Path("/"), trusts=lambda _: True)
    (home.root / "notes").mkdir()
    below = identify(home.root / "notes", trusts=lambda _: True)
    assert (below.root, below.kind) == (home.root / "notes", "path")
    assert "not taken for a project" in below.note
    (home.root / ".context").mkdir()
    (home.root / ".context/project.yaml").write_text("project: {name: Home}\n")
    assert identify(home.root, trusts=lambda _: True).kind == "git"


def test_a_home_with_a_project_file_does_not_swallow_what_is_below(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / ".context").mkdir()
    (tmp_path / ".context/project.yaml").write_text("project: {name: Home, id: h}\n")
    (tmp_path / "notes").mkdir()
    assert identify(tmp_path, trusts=lambda _: True).identity == "id:h"
    assert identify(tmp_path / "notes", trusts=lambda _: True).root == tmp_path / "notes"


def test_a_missing_place_is_refused(tmp_path):
    with pytest.raises(NotFound, match="does not exist"):
        identify(tmp_path / "nowhere")


def test_the_project_file_of_a_folder_that_is_not_trusted_names_nothing(tmp_path: Path) -> None:
    other = tmp_path / "shop"
    (other / ".context").mkdir(parents=True)
    (other / ".context" / "project.yaml").write_text("project:\n  id: of-another\n  name: bank\n")

    found = identify(other / ".context")

    assert (found.kind, found.name) == ("path", ".context")
    assert identify(other).identity.startswith("path:")
    assert identify(other, lambda root: root == other).identity == "id:of-another"
