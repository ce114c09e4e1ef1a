from __future__ import annotations

import os
import time
from pathlib import Path

import grimp
import pytest

from contextd_code.index.languages.ecmascript_resolver import EcmascriptResolver
from contextd_code.index.resolve import _RACY_NS, Resolver
from contextd_code.index.scan import scan
from contextd_code.tree.walk import WalkedFile, changed_ns, walk
from contextd_code.values.source import Import
from support.code_repos import (
    FIXTURES,
    REPOSITORY,
    SCOPE,
    CodeModel,
    edges_of,
    scan_fixture,
    scanned,
    unpack,
    write,
)


def resolved(files: dict[str, str], path: str, specifier: str) -> str:
    resolver = EcmascriptResolver(files.keys(), files.__getitem__)
    return resolver.resolve(path, [Import(specifier=specifier, line=1)])[0].target


def test_the_typescript_workspace_has_exactly_the_edges_written_by_hand(tmp_path: Path) -> None:
    _, files = scan_fixture("shop", tmp_path)
    text = (FIXTURES / "shop.edges").read_text("utf-8")
    expected = {(start, end) for start, end in (line.split() for line in text.splitlines())}
    assert edges_of(files) == expected


def grimp_edges(package: str, base: str, root: Path) -> tuple[set[tuple[str, str]], set[str]]:
    graph = grimp.build_graph(package, cache_dir=None)

    def file_of(module: str) -> str:
        stem = f"{base}{module.replace('.', '/')}"
        return f"{stem}/__init__.py" if (root / stem / "__init__.py").exists() else f"{stem}.py"

    modules = {file_of(module) for module in graph.modules}
    found = {
        (file_of(module), file_of(other))
        for module in graph.modules
        for other in graph.find_modules_directly_imported_by(module)
    }
    return found, modules


def test_the_python_package_has_exactly_the_edges_that_grimp_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, files = scan_fixture("pkg", tmp_path)
    monkeypatch.syspath_prepend(str(root / "src"))
    expected, modules = grimp_edges("farm", "src/", root)
    ours = {(a, b) for a, b in edges_of(files) if a in modules and b in modules}
    assert ours == expected
    assert len(expected) >= 12


@pytest.mark.long
def test_contextd_s_own_source_has_exactly_the_edges_that_grimp_finds() -> None:
    files = scan(REPOSITORY, CodeModel().index, below="src").changed
    expected, modules = grimp_edges("contextd", "src/", REPOSITORY)
    found = {(file.path, one.target) for file in files for one in file.imports}
    ours = {(a, b) for a, b in found if a in modules and b in modules}
    assert ours == expected
    assert len(expected) > 50


def test_scripts_and_tests_find_their_neighbours_and_the_package(tmp_path: Path) -> None:
    _, files = scan_fixture("pkg", tmp_path)
    assert {
        ("script.py", "space/deep/tool.pyi"),
        ("tests/check_farm.py", "tests/helper.py"),
        ("tests/check_farm.py", "src/farm/__init__.py"),
        ("tests/check_farm.py", "src/farm/tools/spade.py"),
    } <= edges_of(files)
    assert ("script.py", "tests/helper.py") not in edges_of(files)


def test_from_imports_are_split_into_modules_and_names(tmp_path: Path) -> None:
    root = unpack("pkg", tmp_path)
    write(root, "src/farm/mixed.py", "from farm.tools import spade, dig\n")
    files = CodeModel()
    scanned(root, files)
    [mixed] = files.of(SCOPE).get(["src/farm/mixed.py"])
    assert [(one.target, one.names) for one in mixed.imports] == [
        ("src/farm/tools/spade.py", (("spade", "spade"),)),
        ("src/farm/tools/__init__.py", (("dig", "dig"),)),
    ]


@pytest.mark.parametrize(
    ("files", "path", "specifier", "target"),
    [
        (["a.ts", "b.tsx"], "a.ts", "./b.jsx", "b.tsx"),
        (["a.ts", "b.ts", "b/index.ts"], "a.ts", "./b", "b.ts"),
        (["a.ts", "b.ts", "b/index.ts"], "a.ts", "./b/", "b/index.ts"),
        (["a.ts", "b.d.ts", "b.js"], "a.ts", "./b", "b.d.ts"),
        (["a.ts", "b.js"], "a.ts", "./b.js", "b.js"),
        (["a.mts", "b.mts"], "a.mts", "./b.mjs", "b.mts"),
        (["a.ts", "b.service.ts"], "a.ts", "./b.service", "b.service.ts"),
        (["src/x/a.ts", "src/index.ts", "src.ts"], "src/x/a.ts", "..", "src/index.ts"),
        (["a.ts", "logo.svg"], "a.ts", "./logo.svg?raw", "logo.svg"),
        (["a.ts"], "a.ts", "../../outside", ""),
        (["a.ts", "react.ts"], "a.ts", "react", ""),
        (["src/a.js", "src/lib/b.js"], "src/a.js", "@/lib/b", "src/lib/b.js"),
    ],
)
def test_a_specifier_leads_where_typescript_says(
    files: list[str], path: str, specifier: str, target: str
) -> None:
    assert resolved(dict.fromkeys(files, ""), path, specifier) == target


def test_the_longest_prefix_of_paths_wins_and_later_targets_are_tried() -> None:
    config = '{"compilerOptions": {"paths": {"@/*": ["src/*"], "@/ui/*": ["none/*", "ui/*"]}}}'
    files = {"tsconfig.json": config, "a.ts": "", "ui/b.ts": "", "src/ui/b.ts": "", "src/c.ts": ""}
    assert resolved(files, "a.ts", "@/ui/b") == "ui/b.ts"
    assert resolved(files, "a.ts", "@/c") == "src/c.ts"


def test_a_base_url_of_the_child_moves_the_paths_of_the_parent() -> None:
    files = {
        "base.json": '{"compilerOptions": {"paths": {"~/*": ["lib/*"]}}}',
        "app/tsconfig.json": '{"extends": "../base", "compilerOptions": {"baseUrl": "."}}',
        "app/a.ts": "",
        "app/lib/x.ts": "",
        "lib/x.ts": "",
    }
    assert resolved(files, "app/a.ts", "~/x") == "app/lib/x.ts"


def test_configurations_that_extend_each_other_or_are_broken_do_no_harm() -> None:
    files = {
        "tsconfig.json": '{"extends": "./other.json"}',
        "other.json": '{"extends": "./tsconfig.json", "compilerOptions": {"baseUrl": "src"}}',
        "broken/tsconfig.json": "{ nonsense",
        "a.ts": "",
        "broken/a.ts": "",
        "src/x.ts": "",
    }
    assert resolved(files, "a.ts", "x") == "src/x.ts"
    assert resolved(files, "broken/a.ts", "x") == ""


def test_root_dirs_make_one_folder_of_several() -> None:
    files = {
        "tsconfig.json": '{"compilerOptions": {"rootDirs": ["src", "generated"]}}',
        "src/views/a.ts": "",
        "generated/views/b.ts": "",
    }
    assert resolved(files, "src/views/a.ts", "./b") == "generated/views/b.ts"


@pytest.mark.parametrize(
    ("exports", "specifier", "target"),
    [
        ('"./dist/main.js"', "lib", "pkg/src/main.ts"),
        ('{"import": "./dist/main.mjs"}', "lib", "pkg/src/main.ts"),
        ('{".": ["./none.js", "./src/main.ts"]}', "lib", "pkg/src/main.ts"),
        ('{"./*": "./src/*.ts", "./in/*": "./src/deep/*.ts"}', "lib/in/x", "pkg/src/deep/x.ts"),
        ('{"./in/": "./src/deep/"}', "lib/in/x", "pkg/src/deep/x.ts"),
        ('{"./*": "./src/*.ts", "./in/*": null}', "lib/in/x", ""),
        ('{".": {"node": {"require": "./dist/cjs/main.cjs"}}}', "lib", "pkg/src/main.ts"),
        ("{}", "lib/src/deep/x", "pkg/src/deep/x.ts"),
    ],
)
def test_an_exports_map_leads_to_the_source(exports: str, specifier: str, target: str) -> None:
    files = {
        "package.json": '{"workspaces": {"packages": ["./pkg"]}}',
        "pkg/package.json": '{"name": "lib", "exports": ' + exports + "}",
        "pkg/src/main.ts": "",
        "pkg/src/deep/x.ts": "",
        "app.ts": "",
    }
    assert resolved(files, "app.ts", specifier) == target


def test_a_package_linked_by_path_is_found_without_a_workspace() -> None:
    files = {
        "app/package.json": '{"dependencies": {"kit": "file:../kit"}}',
        "app/a.ts": "",
        "kit/package.json": '{"name": "kit", "main": "main.js"}',
        "kit/main.js": "",
    }
    assert resolved(files, "app/a.ts", "kit") == "kit/main.js"


def test_of_packages_with_one_name_the_one_of_the_nearest_workspace_is_meant() -> None:
    files = {}
    for shop in ("books", "shoes"):
        files[f"{shop}/package.json"] = '{"workspaces": ["api", "site"]}'
        files[f"{shop}/api/package.json"] = '{"name": "api", "main": "main.ts"}'
        files[f"{shop}/api/main.ts"] = ""
        files[f"{shop}/site/package.json"] = '{"name": "site"}'
        files[f"{shop}/site/a.ts"] = ""
    assert resolved(files, "books/site/a.ts", "api") == "books/api/main.ts"
    assert resolved(files, "shoes/site/a.ts", "api") == "shoes/api/main.ts"


@pytest.mark.parametrize(
    ("kind", "target"), [("NodeNext", "kit/exports/routes.ts"), ("Bundler", "kit/routes/index.ts")]
)
def test_paths_that_lead_to_a_folder_give_way_to_exports_only_by_the_rules_of_node(
    kind: str, target: str
) -> None:
    options = f'"moduleResolution": "{kind}", "paths": {{"kit/*": ["./kit/*"]}}'
    files = {
        "package.json": '{"workspaces": ["kit"]}',
        "tsconfig.json": f'{{"compilerOptions": {{{options}}}}}',
        "a.ts": "",
        "kit/package.json": '{"name": "kit", "exports": {"./*": "./exports/*.ts"}}',
        "kit/exports/routes.ts": "",
        "kit/routes/index.ts": "",
    }
    assert resolved(files, "a.ts", "kit/routes") == target


def walked_in(root: Path) -> list[WalkedFile]:
    return list(walk(root).files)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}')
    (tmp_path / "src" / "a.ts").write_text("import { b } from '@/b';\n")
    (tmp_path / "src" / "b.ts").write_text("export const b = 1;\n")
    (tmp_path / "Shop.java").write_text("package shop; class Shop { Cart cart; }\n")
    (tmp_path / "Cart.java").write_text("package shop; class Cart {}\n")
    for file in tmp_path.rglob("*.*"):
        os.utime(file, (1, 1))
    wait_until_old(tmp_path / "Cart.java")
    return tmp_path


def wait_until_old(file: Path) -> None:
    """Nobody can set when a file changed; what is younger than a few clock ticks is never taken for known."""
    while time.time_ns() - changed_ns(file.stat()) < 2 * _RACY_NS:
        time.sleep(0.005)


def leads_to(resolver: Resolver, specifier: str) -> str:
    return resolver.resolve("src/a.ts", "typescript", [Import(specifier=specifier, line=1)])[
        0
    ].target


def test_a_resolver_that_follows_the_files_leads_where_a_fresh_one_does(shop: Path) -> None:
    resolver = Resolver.of(shop, walked_in(shop))
    assert leads_to(resolver, "#b") == ""
    (shop / "tsconfig.json").write_text('{"compilerOptions": {"paths": {"#b": ["src/b"]}}}')
    resolver.follow(walked_in(shop))
    assert leads_to(resolver, "#b") == "src/b.ts"
    (shop / "src" / "b.ts").rename(shop / "src" / "c.ts")
    resolver.follow(walked_in(shop))
    assert (leads_to(resolver, "#b"), leads_to(resolver, "./c")) == ("", "src/c.ts")


def test_a_family_is_set_up_once_and_told_what_changed(shop: Path) -> None:
    resolver = Resolver.of(shop, walked_in(shop))
    resolver.ready({"typescript", "java", "markdown", ""})
    before = dict(resolver._by_family)
    assert set(before) == {"ecmascript", "java"}
    assert cart(resolver) == "Cart.java"
    (shop / "Cart.java").write_text("package shop; class Basket {}\n")
    (shop / "Till.java").write_text("package shop; class Cart {}\n")
    (shop / "src" / "new.ts").write_text("export {};\n")
    resolver.follow(walked_in(shop))
    assert resolver._by_family == before
    assert (cart(resolver), leads_to(resolver, "./new")) == ("Till.java", "src/new.ts")


def test_one_apart_knows_what_was_read_and_shares_nothing_else(shop: Path) -> None:
    first = Resolver.of(shop, walked_in(shop))
    assert cart(first) == "Cart.java"
    before = walked_in(shop)
    # The walk is from before this, so what was made of the file must have been kept.
    (shop / "Cart.java").write_text("package shop; class Xart {}\n")
    second = first.apart(before)
    assert cart(second) == "Cart.java"
    (shop / "Cart.java").unlink()
    second.follow(walked_in(shop))
    assert (cart(first), cart(second)) == ("Cart.java", "")


def test_a_file_that_was_just_written_is_never_taken_for_known(shop: Path) -> None:
    # Written again within the clock's tick, it has the same size and time.
    ahead = (time.time_ns() + 10**9,) * 2
    (shop / "Cart.java").write_text("package shop; class Cart {}\n")
    os.utime(shop / "Cart.java", ns=ahead)
    resolver = Resolver.of(shop, walked_in(shop))
    assert cart(resolver) == "Cart.java"
    (shop / "Cart.java").write_text("package shop; class Tarc {}\n")
    os.utime(shop / "Cart.java", ns=ahead)
    resolver.follow(walked_in(shop))
    assert cart(resolver) == ""


def test_a_file_left_over_says_what_it_said_in_this_project(
    shop: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    neighbour = tmp_path_factory.mktemp("neighbour")
    (neighbour / "Cart.java").write_text("package shop; class Till {}\n")
    (neighbour / "Shop.java").write_text("package shop; class Shop { Cart cart; }\n")
    os.utime(neighbour / "Cart.java", (1, 1))
    first, other = (Resolver.of(root, walked_in(root)) for root in (shop, neighbour))
    assert (cart(first), cart(other)) == ("Cart.java", "")
    about = (shop / "Cart.java").stat()
    left = {"Cart.java": (about.st_size, changed_ns(about))}
    (shop / "Cart.java").write_text("package shop; class Basket {}\n")
    first.follow([file for file in walked_in(shop) if file.path != "Cart.java"], left)
    assert cart(first) == "Cart.java"
    first.follow(walked_in(shop))
    assert cart(first) == "", "it is read when it is left no more"
    other.follow([file for file in walked_in(neighbour) if file.path != "Cart.java"], left)
    assert cart(other) == ""


def cart(resolver: Resolver) -> str:
    used = Import(specifier="", line=1, names=(("Cart", ""),))
    return resolver.resolve("Shop.java", "java", [used])[0].target
