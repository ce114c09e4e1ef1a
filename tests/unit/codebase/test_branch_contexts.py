from __future__ import annotations

import pytest

from contextd_common.errors import Invalid, NotFound
from support.repositories import BLOG, SHOP, committed, git, written


@pytest.fixture
def branched(desk):
    """A branch `feature` that begins where `trunk` is, in a project that was scanned."""
    git(desk.root, "branch", "-M", "trunk")
    git(desk.root, "checkout", "-q", "-b", "feature")
    desk.as_owner("init")
    return desk


def committed_now(desk, files=None):
    written(desk.root, files or {})
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-q", "-m", "Change something")
    desk.as_owner("init")


def files_of(found):
    """The changed files but for those that a scan writes."""
    return {
        f["path"]: f for f in found["files"] if not f["path"].startswith((".context", "CONTEXT"))
    }


def test_a_file_that_was_moved_is_told_as_moved_with_who_still_imports_its_old_place(branched):
    git(branched.root, "mv", "src/auth/token.ts", "src/auth/fresh.ts")
    moved = SHOP["src/auth/token.ts"].replace("return 1", "return 2")
    committed_now(branched, {"src/auth/fresh.ts": moved})
    found = branched("diff_context", base="trunk")
    [one] = files_of(found).values()
    assert (one["path"], one["was"]) == ("src/auth/fresh.ts", "src/auth/token.ts")
    assert one["symbols"] == ["unusedThing"]
    assert one["gone"] == []
    assert [(c["path"], c["why"], c["certain"]) for c in found["callers"]] == [
        ("src/auth/service.ts", "import", False)
    ]
    assert "moved from src/auth/token.ts" in found["text"]


def test_a_deleted_file_is_told_with_what_is_gone_and_who_still_imports_it(branched):
    (branched.root / "src/auth/token.ts").unlink()
    committed_now(branched)
    found = branched("diff_context", base="trunk")
    one = files_of(found)["src/auth/token.ts"]
    assert (one["change"], one["symbols"]) == ("delete", [])
    assert one["gone"] == ["LIFETIME", "refreshToken", "unusedThing"]
    assert [c["path"] for c in found["callers"]] == ["src/auth/service.ts"]


def test_pictures_and_files_that_a_program_wrote_are_told_in_a_line_each(branched):
    (branched.root / "logo.png").write_bytes(b"\x89PNG\0" + bytes(5_000))
    lines = "".join(f'  "package-{n}": "1.0.{n}",\n' for n in range(25_000))
    committed_now(branched, {"package-lock.json": f'{{\n{lines}  "x": 1\n}}\n'})
    found = branched("diff_context", base="trunk")
    assert files_of(found)["logo.png"]["binary"]
    assert "package-lock.json" in files_of(found)
    assert len(found["text"].splitlines()) < 10


def test_a_branch_is_told_which_rules_its_own_changes_break(branched):
    rule = "requirement: Nothing is printed\npatterns: ['\\bprint\\(']\nway_out: use the logger\n"
    git(branched.root, "checkout", "-q", "trunk")
    committed_now(branched, {".context/policies/no-print.yaml": rule, "old.py": "print(1)\n"})
    git(branched.root, "checkout", "-q", "-B", "feature")
    assert branched("diff_context", base="trunk")["violations"] == []
    committed_now(branched, {"new.py": "total = 1\nprint(total)\n"})
    found = branched("diff_context", base="trunk")
    [broken] = found["violations"]
    assert (broken["path"], broken["line"], broken["way_out"]) == ("new.py", 2, "use the logger")
    told = found["text"].partition("Breaks rules:")[2].splitlines()[1]
    assert "new.py" in told


def test_a_branch_diff_includes_uncommitted_files(branched):
    committed_now(branched, {"src/auth/guard.ts": "export function guard() { return false; }\n"})
    written(branched.root, {"src/late.ts": "export function late() { return 1; }\n"})
    token = SHOP["src/auth/token.ts"].replace("return 1", "return 3")
    written(branched.root, {"src/auth/token.ts": token})
    branched.as_owner("init")
    found = files_of(branched("diff_context", base="trunk"))
    assert sorted(found) == ["src/auth/guard.ts", "src/auth/token.ts", "src/late.ts"]
    git(branched.root, "checkout", "-q", "--detach")
    assert sorted(files_of(branched("diff_context", base="trunk"))) == sorted(found)


def test_a_branch_that_only_a_remote_has_is_found_by_its_plain_name(branched, tmp_path):
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(branched.root), str(clone))
    there = branched.at(clone)
    there.as_owner("init")
    assert "since origin/trunk" in there("diff_context", base="trunk")["text"]


def test_a_base_that_cannot_be_compared_is_refused_with_a_hint(branched, tmp_path):
    with pytest.raises(NotFound) as unknown:
        branched("diff_context", base="trunc")
    assert "did you mean 'trunk'?" in unknown.value.hint
    with pytest.raises(Invalid) as ranged:
        branched("diff_context", base="trunk..feature")
    assert "impact takes a range" in ranged.value.hint
    git(branched.root, "checkout", "-q", "--orphan", "apart")
    git(branched.root, "commit", "-q", "-m", "Begin anew")
    with pytest.raises(NotFound) as apart:
        branched("diff_context", base="trunk")
    assert "no commit in common" in apart.value.message
    git(branched.root, "checkout", "-q", "-f", "feature")
    committed_now(branched, {"late.txt": "late\n"})
    git(branched.root, "checkout", "-q", "-f", "trunk")
    committed_now(branched, {"other.txt": "other\n"})
    shallow = tmp_path / "shallow"
    source = f"file://{branched.root}"
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", source, str(shallow))
    there = branched.at(shallow)
    there.as_owner("init")
    with pytest.raises(NotFound) as cut:
        there("diff_context", base="origin/feature")
    assert "git fetch --unshallow" in cut.value.hint


def test_after_a_switch_of_many_files_the_changed_definitions_are_those_of_the_branch(branched):
    many = {f"src/many/part{n}.ts": f"export const part{n} = {n};\n" for n in range(90)}
    committed_now(branched, many)
    git(branched.root, "checkout", "-q", "-f", "-b", "third", "trunk")
    guard = "\n\nexport function before() { return 0; }\nexport function guard() { return 4; }\n"
    written(branched.root, {"src/auth/guard.ts": guard})
    git(branched.root, "commit", "-q", "-a", "-m", "Guard otherwise")
    fresh = branched("diff_context", base="trunk")
    assert files_of(fresh)["src/auth/guard.ts"]["symbols"] == ["before", "guard"]


def test_a_neighbours_branch_of_the_same_name_is_not_looked_at(branched, tmp_path):
    other = branched.at(committed(tmp_path / "second", BLOG))
    git(other.root, "branch", "-M", "trunk")
    other.as_owner("init")
    committed_now(branched, {"src/auth/guard.ts": "export function guard() { return 5; }\n"})
    assert files_of(other("diff_context", base="trunk")) == {}
