"""Rules on their own: patterns, diffs, packages, licences, and what was planted for the starter packs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd.policies.actions import FileChange, changes_in, is_diff, rewritten, told, touched_by
from contextd.policies.licences import is_refused, licence_in, licences_in
from contextd.policies.packages import PackageName, packages_in, packages_installed_by
from contextd.policies.patterns import LONGEST_LINE, glob_pattern, may_match, pattern_of
from contextd.policies.rule_check import MOST_PER_RULE, check
from contextd.policies.rule_files import policy_file
from contextd.policies.rules import PolicyRule, policy_rule
from contextd.policies.starter_packs import packs
from contextd_common.errors import Invalid


def rule(**fields) -> PolicyRule:
    return policy_rule({"title": "t", "requirement": "r", **fields}, source="a test")


def broken(one: PolicyRule, action: str, context: str = "") -> list[tuple[str, str]]:
    return [(found.place, found.what) for found in check([one], told(action, context))]


def diff(path: str, added=(), removed=(), head: str = "") -> str:
    """A diff of one hunk that begins in line 10."""
    sides = {"new": ("/dev/null", f"b/{path}"), "deleted": (f"a/{path}", "/dev/null")}
    old, new = sides.get(head.split(" ")[0], (f"a/{path}", f"b/{path}"))
    lines = [f"diff --git a/{path} b/{path}", *([head] if head else []), f"--- {old}", f"+++ {new}"]
    lines.append(f"@@ -10,{len(removed)} +10,{len(added)} @@")
    return "\n".join([*lines, *(f"-{one}" for one in removed), *(f"+{one}" for one in added), ""])


CREATED = "new file mode 100644"


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("*.py", "a/b/c.py", True),
        ("*.py", "a/b/c.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/b/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/b/c/a.py", True),
        ("src/", "src/b/c/a.py", True),
        ("src/", "lib/src/a.py", False),
        ("**/src/", "lib/src/a.py", True),
        ("/setup.py", "setup.py", True),
        ("/setup.py", "lib/setup.py", False),
        ("**/*.{ts,js}", "a.js", True),
        ("**/*.{ts,js}", "a.jsx", False),
        ("a[0-9]/?.c", "a1/x.c", True),
        ("a[!0-9]/?.c", "a1/x.c", False),
        (".env", "app/.env", True),
        ("a.b", "axb", False),
        ("a+(b)|c", "a+(b)|c", True),
    ],
)
def test_a_glob_is_about_paths(glob: str, path: str, matches: bool) -> None:
    assert (glob_pattern([glob]).search(path) is not None) is matches


@pytest.mark.parametrize("text", ["(?=x)y", "(a)\\1", "a{2000}", "(", "x*", "", " ", "a" * 1_001])
def test_an_unsupported_or_empty_pattern_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        pattern_of(text)
    assert refused.value.hint


def test_no_pattern_takes_long_on_any_line() -> None:
    one = rule(patterns=["(a+)+$x", "(.*)*=(.*)*;"])
    change = rewritten("a.js", None, "a" * 3_000_000 + "!\n" + "x = 1\n" * 1_000)
    assert check([one], told("ls")) == []
    assert check([one], type(told("ls"))(files=(change,))) == []


def test_a_line_is_looked_at_as_far_as_people_write_them() -> None:
    one = rule(patterns=["needle"])
    assert broken(one, diff("a.js", ["x" * (LONGEST_LINE - 10) + "needle"])) != []
    assert broken(one, diff("a.js", ["x" * LONGEST_LINE + "needle"])) == []


def test_a_diff_says_which_lines_come_and_go() -> None:
    text = "\n".join(
        [
            "diff --git a/one.py b/one.py",
            "index 1..2 100644",
            "--- a/one.py",
            "+++ b/one.py",
            "@@ -1,4 +1,5 @@ def f():",
            " a",
            "--- this line begins with two dashes",
            "+b",
            "+++ c",
            " ",
            "",
            "@@ -40 +41 @@",
            "-x",
            "+y",
            "\\ No newline at end of file",
            "diff --git a/gone.py b/gone.py",
            "deleted file mode 100644",
            "--- a/gone.py",
            "+++ /dev/null",
            "@@ -1 +0,0 @@",
            "-z",
            "diff --git a/old name.py b/new name.py",
            "similarity index 100%",
            "rename from old name.py",
            "rename to new name.py",
            "diff --git a/img.png b/img.png",
            "new file mode 100644",
            "Binary files /dev/null and b/img.png differ",
            'diff --git "a/\\303\\244.py" "b/\\303\\244.py"',
            '--- "a/\\303\\244.py"',
            '+++ "b/\\303\\244.py"',
            "@@ -0,0 +1 @@",
            "+q",
            "diff --git a/mode.sh b/mode.sh",
            "old mode 100644",
            "new mode 100755",
        ]
    )
    found = list(changes_in(text))
    assert [(one.path, one.change, one.binary) for one in found] == [
        ("one.py", "edit", False),
        ("gone.py", "delete", False),
        ("old name.py", "delete", False),
        ("new name.py", "create", False),
        ("img.png", "create", True),
        ("ä.py", "edit", False),
        ("mode.sh", "edit", False),
    ]
    assert tuple(found[0].removed) == ((2, "-- this line begins with two dashes"), (40, "x"))
    assert tuple(found[0].added) == ((2, "b"), (3, "++ c"), (41, "y"))


@given(st.text(alphabet="+-@ ab\n\\/d", max_size=200))
def test_whatever_looks_like_a_diff_is_read(text: str) -> None:
    list(changes_in("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,9 @@\n" + text))
    assert is_diff("diff --git a/x b/x\n")


def test_lines_that_only_moved_are_neither_added_nor_removed() -> None:
    change = rewritten("a", "one\ntwo\nthree\n", "three\none\ntwo\nfour\n")
    assert (tuple(change.added), tuple(change.removed)) == (((4, "four"),), ())
    assert rewritten("a", None, "x\0y").binary


@pytest.mark.parametrize(
    ("command", "touched"),
    [
        ("cat a/b.sql", []),
        ("git add a/b.sql && git commit -m 'rm a/b.sql'", []),
        ("rm -f a/b.sql", [("a/b.sql", "delete")]),
        ("cd x && git rm a/b.sql", [("a/b.sql", "delete")]),
        ("sed -i 's/a/b/' a/b.sql", [("a/b.sql", "edit")]),
        ("echo x >> a/b.sql", [("a/b.sql", "edit")]),
        ("make 2>&1 >/dev/null", []),
        ("mv a.sql b.sql", [("a.sql", "delete"), ("b.sql", "create")]),
        ("echo 'unfinished", []),
    ],
)
def test_a_command_says_what_it_changes(command: str, touched: list[tuple[str, str]]) -> None:
    assert [(one.path, one.change) for one in touched_by(command)] == touched


def test_only_a_change_that_is_said_is_one() -> None:
    stays = rule(paths=["migrations/"], changes=["edit", "delete"])
    assert broken(stays, "edit migrations/1.sql") != []
    assert broken(stays, "I will remove ./migrations/1.sql, it is old") != []
    assert broken(stays, "look at migrations/1.sql") == []
    assert broken(stays, "cat migrations/1.sql") == []
    assert broken(stays, "add migrations/2.sql") == []
    assert broken(stays, "pytest tests && rm migrations/1.sql") != []


def test_content_written_to_a_file_is_checked_by_the_policies_for_that_file() -> None:
    one = rule(patterns=["eval"], paths=["*.py"])
    assert broken(one, "write app.py", "x = eval(y)") == [("app.py", "adds 'eval'")]
    assert broken(one, "write app.md", "x = eval(y)") == []
    assert broken(rule(patterns=["eval"]), "run x", "x = eval(y)") != []


def test_a_name_that_comes_back_is_kept() -> None:
    one = rule(keeps=[r"^def (\w+)"])
    assert broken(one, diff("a.py", ["def f(a, b):"], ["def f(a):"])) == []
    assert broken(one, diff("a.py", ["from .b import f"], ["def f(a):"])) == []
    assert broken(one, diff("a.py", ["def g(a):"], ["def f(a):"])) == [("a.py:10", "takes out 'f'")]


def test_places_of_one_rule_are_counted_out() -> None:
    assert len(broken(rule(patterns=["x"]), diff("a", ["x"] * 50))) == MOST_PER_RULE


def test_a_rule_that_is_off_or_only_words_checks_nothing() -> None:
    assert not rule(patterns=["x"], enforce="off").checkable
    assert not rule().checkable
    assert broken(rule(patterns=["x"], enforce="off"), diff("a", ["x"])) == []


@pytest.mark.parametrize(
    ("expression", "refused"),
    [
        ("GPL-3.0", True),
        ("MIT OR GPL-3.0", False),
        ("(MIT AND GPL-3.0)", True),
        ("GPL-2.0 WITH Classpath-exception-2.0", True),
        ("(MIT OR Apache-2.0) AND BSD-3-Clause", False),
        ("LGPL-3.0", False),
    ],
)
def test_of_a_choice_either_licence_may_be_taken(expression: str, refused: bool) -> None:
    assert is_refused(expression, lambda name: name.startswith("GPL")) is refused


def test_a_command_names_what_it_installs() -> None:
    def named(command: str) -> list[str]:
        return [one.name for one in packages_installed_by(command)]

    assert named("npm i -D @scope/a@1 b") == ["@scope/a", "b"]
    assert named("pip install -r requirements.txt 'Foo_Bar[x]>=2' ./local") == ["foo-bar"]
    assert named("cd a && uv add x; go get example.com/m@v1") == ["x", "example.com/m"]
    assert named("npm install") == named("npm run install-x") == []
    assert named("pip install httpx # not requests") == ["httpx"]
    assert named('npm i "$PACKAGE" ~/local left-pad') == ["left-pad"]


@pytest.mark.parametrize(
    ("path", "added", "removed", "names"),
    [
        ("pyproject.toml", ['  "httpx>=1",'], [], ["httpx"]),
        ("pyproject.toml", ['  # "httpx>=1",'], [], []),
        ("requirements-dev.txt", ["Foo_Bar==2", "# httpx==1"], [], ["foo-bar"]),
        ("requirements.txt", ["httpx==2"], ["httpx==1"], []),
        ("package.json", ['"left-pad": "^1"', '"version": "1"'], [], ["left-pad"]),
        ("README.md", ["httpx==2"], [], []),
    ],
)
def test_a_manifest_names_the_packages_that_are_new_in_it(path, added, removed, names) -> None:
    lines = [list(enumerate(some, 1)) for some in (added, removed)]
    assert [one.name for one in packages_in(FileChange(path, "edit", *lines))] == names


def test_a_command_that_no_shell_reads_still_names_what_it_installs() -> None:
    assert "httpx" in [one.name for one in packages_installed_by("pip install httpx 'half")]


@pytest.mark.parametrize(
    ("path", "line", "licence"),
    [
        ("LICENSE", "  Server Side Public License", "SSPL-1.0"),
        ("LICENSE.txt", "Business Source License 1.1", "BUSL-1.1"),
        ("COPYING", "GNU LESSER GENERAL PUBLIC LICENSE", "LGPL-3.0"),
        ("a.py", "# under the terms of the GNU Affero General Public License", "AGPL-3.0"),
        ("setup.py", "'License :: OSI Approved :: GNU General Public License v3',", "GPL-3.0"),
        ("Cargo.toml", 'license = "MIT OR Apache-2.0"', "MIT OR Apache-2.0"),
        ("README.md", "Business Source License 1.1", ""),
        ("README.md", 'license = "MIT"', ""),
    ],
)
def test_a_licence_is_read_where_it_is_declared_and_nowhere_else(path, line, licence) -> None:
    found = licences_in(FileChange(path, "edit", [(7, line)]))
    assert list(found) == ([(licence, 7)] if licence else [])


def pack_rules() -> list[PolicyRule]:
    found = []
    for pack in packs():
        for name, text in pack.files.items():
            file = policy_file(Path(name), name, text)
            assert file.problems == ()
            found.append(policy_rule(file.fields, source=f"{pack.name}/{name}"))
    return found


PLANTED = [
    ("licences", diff("a.c", ["/* SPDX-License-Identifier: GPL-2.0-or-later */"])),
    ("licences", diff("x.py", ["# it under the terms of the GNU General Public License as"])),
    ("licences", diff("LICENSE", ["      GNU AFFERO GENERAL PUBLIC LICENSE"])),
    ("licences", diff("package.json", ['  "license": "AGPL-3.0-only",'])),
    ("migrations", diff("shop/migrations/0003_order.py", ["x"], ["y"])),
    ("migrations", diff("db/migrate/2024_users.rb", ["x"], ["y"])),
    ("migrations", diff("prisma/migrations/1_a/migration.sql", ["x"], ["y"])),
    ("migrations", diff("alembic/versions/x.py", (), ["x"], "deleted file mode 100644")),
    ("migrations", diff("a/migrations/4.py", ["  migrations.DeleteModel(name='C'),"], (), CREATED)),
    ("migrations", diff("migrations/4.sql", ["alter table u drop column e;"], (), CREATED)),
    ("migrations", "npx prisma migrate reset"),
    ("public-api", diff("pkg/__init__.py", (), ["def connect(host):"])),
    ("public-api", diff("pkg/__init__.py", (), ["from .client import Client"])),
    ("public-api", diff("src/index.ts", (), ["export function connect() {"])),
    ("public-api", diff("src/lib.rs", (), ["pub use client::Client;"])),
    ("secrets", diff("config/server.pem", ["x"], (), CREATED)),
    ("secrets", diff("a.py", ["token = 'gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a'"])),
]
QUIET = [
    diff("a.c", ["/* SPDX-License-Identifier: MIT OR GPL-2.0 */"]),
    diff("README.md", ["unlike programs under the GNU General Public License, ours"]),
    diff("shop/migrations/0004_new.py", ["migrations.AddField("], (), CREATED),
    diff("shop/migrations/__init__.py", ["x"], ["y"]),
    diff("shop/models.py", ["    drop = True"], ["def save(self):"]),
    diff("pkg/__init__.py", ["def connect(host, port):"], ["def connect(host):"]),
    diff("pkg/__init__.py", (), ["from datetime import date", "_private = 1"]),
    diff("config/example.env", ["TOKEN=your-token-here"], (), CREATED),
    "git log --oneline -- shop/migrations",
    "pytest tests/migrations/test_all.py",
]


@pytest.mark.parametrize(("pack", "action"), PLANTED)
def test_the_starter_packs_find_what_they_are_for(pack: str, action: str) -> None:
    assert pack in {one.rule.source.split("/")[0] for one in check(pack_rules(), told(action))}


@pytest.mark.parametrize("action", QUIET)
def test_the_starter_packs_are_quiet_about_the_rest(action: str) -> None:
    assert check(pack_rules(), told(action)) == []


@given(
    st.lists(st.text(alphabet="ab \t(=", max_size=6), min_size=1, max_size=5),
    st.sampled_from([r"a\b", r"^a", r"b$", r"^\s*a\(", r"(?i)AB", r"\Aa", r"b\z", r"^(?:a|b)=$"]),
)
def test_one_look_at_all_lines_misses_none(lines: list[str], text: str) -> None:
    pattern = pattern_of(text)
    if any(pattern.search(line) for line in lines):
        assert may_match(pattern, "\n".join(lines))


def test_the_most_severe_violation_comes_first_wherever_it_is() -> None:
    rules = [
        rule(title=severity, severity=severity, patterns=["forbidden"], paths=[f"{place}.py"])
        for place, severity in (("a", "info"), ("b", "warning"), ("c", "critical"))
    ]
    changes = "".join(diff(f"{place}.py", ["forbidden = 1"]) for place in "abc")

    found = check(rules, told(changes))

    assert [one.rule.severity for one in found] == ["critical", "warning", "info"]


def test_a_rule_for_some_files_is_not_broken_by_words_that_name_none() -> None:
    words = "We should drop the old table tomorrow, once everybody agrees."
    assert broken(rule(patterns=["drop the old"]), words)
    assert not broken(rule(patterns=["drop the old"], paths=["*.sql"]), words)


def test_a_violation_shows_no_secret_of_the_line_that_it_quotes() -> None:
    secret = "0URJam2xG2094Q"
    [found] = check(
        [rule(patterns=["connect.*"])], told(diff("a.py", [f'connect(password="{secret}")']))
    )
    assert secret not in found.what + found.excerpt
    assert "[REDACTED:password:" in found.excerpt


@pytest.mark.parametrize(
    ("classifier", "licence"),
    [
        ("GNU Affero General Public License v3", "AGPL-3.0"),
        ("GNU Lesser General Public License v3 (LGPLv3)", "LGPL-3.0"),
        ("GNU Library or Lesser General Public License (LGPL)", "LGPL-3.0"),
        ("GNU General Public License v3 (GPLv3)", "GPL-3.0"),
        ("MIT License", ""),
    ],
)
def test_a_classifier_names_the_licence_of_an_installed_package(
    tmp_path: Path, classifier: str, licence: str
) -> None:
    folder = tmp_path / ".venv/lib/python3.11/site-packages/thing-1.0.dist-info"
    folder.mkdir(parents=True)
    text = f"Name: thing\nClassifier: License :: OSI Approved :: {classifier}\n\nAbout it.\n"
    (folder / "METADATA").write_text(text, "utf-8")
    assert licence_in(tmp_path)(PackageName("pypi", "thing")) == licence
