from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from contextd_code.index.scan import scan
from contextd_code.project.modules import modules, role_of
from contextd_code.project.support_code import is_test_file
from contextd_code.symbols.graph import DAMPING, ENOUGH, ROUNDS, _ranks, edges, page_rank
from contextd_code.symbols.graph_arrays import ranks
from contextd_code.values.source import Import, SourceFile, Symbol
from support.code_repos import REPOSITORY, SCOPE, CodeModel, scan_fixture


def made(*paths: str) -> list[SourceFile]:
    language = {"ts": "typescript", "py": "python", "go": "go", "md": "markdown"}
    return [
        SourceFile(
            path=p, size=1, mtime_ns=0, digest="", lines=3, language=language[p.rsplit(".", 1)[1]]
        )
        for p in paths
    ]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["src/server/auth/a.ts", "src/server/users/b.ts", "src/index.ts"], {"auth", "users"}),
        (["src/features/cart/a.ts", "src/features/pay/b.ts", "src/main.ts"], {"cart", "pay"}),
        (["packages/ui/src/x.ts", "apps/web/src/y.ts", "apps/api/z.ts"], {"ui", "web", "api"}),
        (["apps/api/a.ts", "packages/api/b.ts"], {"apps-api", "packages-api"}),
        (["shop/urls.py", "cart/a.py", "cart/b.py", "shop/c.py", "manage.py"], {"shop", "cart"}),
        (["src/tool/a.py", "src/tool/x/b.py", "src/tool/x/c.py", "src/tool/y/d.py",
          "src/tool/y/e.py"], {"x", "y"}),
        (["cmd/run/main.go", "internal/store/a.go", "internal/http/b.go"],
         {"run", "store", "http"}),
        (["main.py", "util.py"], set()),
        (["docs/a.md", "tests/test_a.py", "README.md"], set()),
    ],
)  # fmt: skip
def test_modules_are_named_after_the_folders_that_hold_a_subject(
    paths: list[str], expected: set[str]
) -> None:
    assert {module.name for module in modules(made(*paths))} == expected


def test_equal_subjects_in_two_layers_are_one_module() -> None:
    files = made("src/server/auth/a.ts", "src/server/x/c.ts", "src/client/auth/b.ts",
                 "src/client/auth/d.ts")  # fmt: skip
    auth = next(module for module in modules(files) if module.name == "auth")
    assert auth.prefixes == ("src/client/auth", "src/server/auth")


def test_there_are_never_more_than_thirty() -> None:
    files = made(*(f"packages/p{n}/src/f{k}.ts" for n in range(60) for k in range(1 + n % 5)))
    found = modules(files)
    assert len(found) == 30
    assert len(found[0].files) == 5


def test_dependencies_come_from_real_imports_and_leave_tests_out(tmp_path: Path) -> None:
    _, files = scan_fixture("pkg", tmp_path)
    found = {module.name: module for module in modules(files.of(SCOPE).all())}
    assert set(found) == {"animals", "fields", "tools", "farm"}
    assert found["animals"].dependencies == ("fields", "tools", "farm")
    assert found["fields"].dependencies == ()
    assert found["animals"].key_files[0].path == "src/farm/animals/__init__.py"
    assert found["animals"].key_files[0].role == "entry"
    assert found["animals"].description == "3 Python files: Cow, feed, HAY"


@pytest.mark.long
def test_our_own_modules_depend_as_the_layers_say() -> None:
    files = scan(REPOSITORY, CodeModel().index).changed
    found = {module.name: module for module in modules(files)}
    assert {"domain", "stores", "knowledge"} <= set(found)
    assert set(found["domain"].dependencies) <= {"contextd_code", "contextd_common"}
    assert "domain" in found["stores"].dependencies
    roles = {file.role for module in found.values() for file in module.key_files}
    assert "test" in roles


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/auth/index.ts", "entry"),
        ("app/__init__.py", "entry"),
        ("vite.config.ts", "config"),
        ("shop/settings.py", "config"),
        ("src/auth/login.test.ts", "test"),
        ("tests/unit/a.py", "test"),
        ("src/auth/service.ts", "core"),
        ("src/latest/contest.ts", "core"),
    ],
)
def test_the_role_of_a_file_is_read_from_its_name(path: str, role: str) -> None:
    assert role_of(path) == role


def test_page_rank_sums_to_one_and_follows_imports() -> None:
    files = [
        SourceFile(
            path=path,
            size=1,
            mtime_ns=0,
            digest="",
            imports=tuple(Import(specifier="x", line=1, target=t) for t in targets),
        )
        for path, targets in (("a", "cb"), ("b", "c"), ("c", ""), ("d", "c"), ("e", "e"))
    ]
    rank = page_rank([file.path for file in files], edges(files))
    assert sum(rank.values()) == pytest.approx(1)
    assert max(rank, key=rank.__getitem__) == "c"
    near = page_rank([file.path for file in files], edges(files), {"e": 1.0})
    assert near["e"] == pytest.approx(1)
    assert page_rank([], {}) == {}


def test_page_rank_is_that_of_the_written_out_matrix() -> None:
    weighted = {("a", "b"): 3, ("a", "c"): 1, ("b", "c"): 2, ("c", "a"): 1}
    rank = page_rank(["a", "b", "c"], weighted)
    for path in "abc":
        given = sum(
            rank[s] * w / sum(v for (x, _), v in weighted.items() if x == s)
            for (s, e), w in weighted.items()
            if e == path
        )
        assert rank[path] == pytest.approx(0.15 / 3 + 0.85 * given, abs=1e-6)


def test_arrays_rank_a_graph_as_plain_python_does() -> None:
    drawn = random.Random(5)
    pairs = [(drawn.randrange(90), drawn.randrange(99), drawn.randint(1, 4)) for _ in range(300)]
    base = [1 / 99] * 99
    by_arrays = ranks(base, pairs, damping=DAMPING, rounds=ROUNDS, enough=ENOUGH)
    assert _ranks(base, pairs) == pytest.approx(by_arrays, abs=1e-12)


def test_a_large_graph_is_ranked_too() -> None:
    paths = [f"f{number}" for number in range(6_000)]
    rank = page_rank(paths, {(path, "f0"): 1 for path in paths[1:]})
    assert sum(rank.values()) == pytest.approx(1)
    assert max(rank, key=rank.__getitem__) == "f0"


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["shop/a.go", "shop/b.go", "shop/a_test.go"], "2 Go files without tests"),
        (["shop/a.py", "shop/b.py"], "2 Python files"),
        ([*(f"shop/{n}.py" for n in "abcd"), *(f"shop/{k}/{n}.py" for k in ("cart", "pay") for n in "ab")],
         "4 Python files without the modules in it"),
    ],
)  # fmt: skip
def test_a_count_says_what_it_leaves_out(paths: list[str], said: str) -> None:
    found = {module.name: module.description for module in modules(made(*paths))}
    assert found["shop"] == said


def test_the_files_of_one_folder_are_one_module() -> None:
    names = "cart price order stock mail login page form text time cash gift rate item".split()
    files = [
        SourceFile(path=f"shop/{one}.py", size=1, mtime_ns=0, digest="", language="python",
                   imports=(Import(specifier="x", line=1, target=f"shop/{names[n // 5 * 5]}.py"),))
        for n, one in enumerate(names)
    ]  # fmt: skip
    assert [module.prefixes for module in modules(files)] == [("shop",)]


@pytest.mark.parametrize(
    "path",
    ["cmake/a.py", "fastlane/a.py", "tutorials/http/a.py", "src/it/shop/a.py", "Sources/Shop.docc/a.py", "fuzzer/a.py"],
)  # fmt: skip
def test_folders_that_only_help_a_project_are_no_modules(path: str) -> None:
    beside = [path, path.replace("a.py", "b.py")]
    files = made("shop/a.py", "shop/b.py", "cart/a.py", "cart/b.py", *beside)
    assert {module.name for module in modules(files)} == {"shop", "cart"}


def test_a_folder_of_build_files_is_no_module() -> None:
    files = made("shop/a.ts", "shop/b.ts", "bom/x.config.ts", "bom/y.config.ts")
    assert {module.name for module in modules(files)} == {"shop"}


def test_a_ruby_file_called_test_counts_where_it_is_no_test() -> None:
    assert not is_test_file("lib/shop/test_api.rb")
    assert is_test_file("test/test_api.rb")
    assert is_test_file("shop/test_api.py")


def test_examples_inside_of_a_module_are_not_counted_and_are_said_to_be_left_out() -> None:
    files = made("shop/a.ts", "shop/b.ts", "shop/example/main.ts", "cart/a.ts", "cart/b.ts")
    found = {module.name: module for module in modules(files)}
    assert found["shop"].description == "2 TypeScript files without examples"
    assert found["shop"].files == ("shop/a.ts", "shop/b.ts")


def test_a_build_file_is_counted_and_stands_for_nothing() -> None:
    def named(path: str, name: str) -> SourceFile:
        one = Symbol(
            name=name, kind="function", start_line=1, end_line=9, start=0, end=90, exported=True
        )
        return replace(made(path)[0], symbols=(one,))

    files = [
        *made("shop/b.ts", "cart/a.ts", "cart/b.ts"),
        named("shop/a.ts", "sell"),
        named("shop/vite.config.ts", "defineConfig"),
    ]
    shop = next(module for module in modules(files) if module.name == "shop")
    assert shop.description == "3 TypeScript files: sell"
    assert [file.path for file in shop.key_files] == ["shop/a.ts"]
