"""After any edits, an incremental scan knows exactly what a scan from nothing would."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path

import pytest

from contextd.ports.code import Files
from contextd_code.index.freshness import Tree
from contextd_code.index.languages.table import LANGUAGES, language_of
from contextd_code.values.source import SourceFile
from support.code_repos import SCOPE, CodeModel, scanned, write
from support.stores import opened
from support.verdicts import agrees

# Each file of a project in every state it may be in; a state of None is that it is gone.
STATES: dict[str, list[str | None]] = {
    "cs/Cart.cs": [
        "namespace Shop { class Cart { Price p; } class Price {} }",
        "namespace Shop { class Cart { Price p; } }",
        "namespace Other { class Cart {} }",
    ],
    "cs/Price.cs": [None, "namespace Shop { class Price {} }", "namespace Shop { class Tax {} }"],
    "cs/Usings.txt": ["", "global"],
    "cs/Globals.cs": [None, "global using Other;", "global using Shop;"],
    "cs/RouteAttribute.cs": ["namespace Shop { class RouteAttribute {} }", "class Nothing {}"],
    "cs/Api.cs": ["using Shop;\nnamespace Web { [Route] class Api { Cart c; Tax t; } }"],
    "kt/Cart.kt": [
        "package shop\nclass Cart(val p: Price)\nclass Price",
        "package shop\nclass Cart",
    ],
    "kt/Price.kt": [None, "package shop\nclass Price", "package other\nclass Price"],
    "kt/Main.kt": [
        "package main\nimport shop.*\nimport other.Price as Cost\nval c = Cart(Price())"
    ],
    "j/Cart.java": [
        "package shop; class Cart { Price p; static class Line {} }",
        "/* package shop; */ class Cart { Price p; }",
        "package shop; class Cart { class Price {} }",
    ],
    "j/Price.java": [None, "package shop; public class Price {}", "package other; class Price {}"],
    "j/Main.java": ["package web; import shop.Cart; import shop.Cart.Line; class Main { Cart c; }"],
    "go/go.mod": ["module m\n", "module n\n"],
    "go/a/a.go": ['package a\nimport "m/b"\nvar X = b.Now + b.Late + local + other\n'],
    "go/a/local.go": ["package a\nconst local = 1\n", "package other\nconst local = 1\n", None],
    "go/b/b.go": ["package b\nconst Now, Late = 1, 2\n", "package b\nconst Now = 1\n"],
    "go/b/late.go": [None, "package b\nconst Late = 1\n", "package b\nvar Late, Now = 1, 2\n"],
    "rs/Cargo.toml": ['[package]\nname = "r"\nedition = "2021"\n'],
    "rs/src/lib.rs": [
        "pub mod a;\nmod b;\npub use b::*;\n",
        "pub mod a;\nmod b;\n",
        "pub mod a { pub mod c {} }\nmod b;\n",
        "cfg_x! { pub mod a; }\nmod b;\nuse b::c as d;\n",
    ],
    "rs/src/a.rs": ["use crate::c::T;\nuse crate::d::T as U;\nuse super::b::c::T as V;\n", None],
    "rs/src/b/mod.rs": [
        "pub mod c;\n",
        "pub mod c { pub struct T; }\n",
        '#[path = "x.rs"] pub mod c;',
    ],
    "rs/src/b/c.rs": ["pub struct T;\n", None],
    "rs/src/b/x.rs": ["pub struct T;\n", None],
    "ts/package.json": ['{"workspaces": ["kit"]}', "{}"],
    "ts/tsconfig.json": ['{"extends": "./options.json"}', "{}"],
    "ts/options.json": [
        '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        '{"compilerOptions": {"paths": {"@/*": ["./old/*"]}}}',
        "{}",
    ],
    "ts/kit/package.json": ['{"name": "kit", "main": "a.ts"}', '{"name": "kit", "main": "b.ts"}'],
    "ts/kit/a.ts": ["export const a = 1\n", None],
    "ts/kit/b.ts": ["export const a = 2\n", None],
    "ts/main.vue": ["<script>\nimport { a } from 'kit'\nimport b from '@/b'\n</script>\n"],
    "ts/src/b.ts": ["export default 1\n", None],
    "ts/src/b/index.ts": [None, "export { default } from '..'\n"],
    "ts/src/index.ts": ["export default 2\n", None],
    "ts/src/deep/up.ts": ["import a from '..'\nimport b from '../b'\nimport c from '@/deep/up'\n"],
    "ts/kit/dist.ts": [None, "import { a } from './'\n"],
    "ts/old/b/index.js": ["module.exports = 1\n", None],
    "py/pyproject.toml": ["", None],
    "py/src/farm/__init__.py": ["from .pig import Pig\n", "", None],
    "py/src/farm/pig.py": ["class Pig: ...\n", None],
    "py/src/farm/pig/__init__.py": [None, "class Pig: ...\n"],
    "py/src/farm/hen.py": [None, "from . import pig, Pig, missing\nfrom .. import farm\n"],
    "py/src/farm/missing.py": [None, ""],
    "py/tools/hen.py": [None, "import farm\n"],
    "py/tools/run.py": ["import hen\nimport use\n"],
    "py/tools/__init__.py": [None, ""],
    "py/use.py": ["from farm import pig, Pig\nimport farm.pig\n"],
    "php/composer.json": ['{"autoload": {"psr-4": {"App\\\\": "app/"}}}', "{}"],
    "php/app/Cart.php": ["<?php\nnamespace App;\nclass Cart { use Sums; }\n"],
    "php/app/Sums.php": ["<?php\nnamespace App;\ntrait Sums {}\n", None],
    "php/lib/App/Sums.php": [None, "<?php\nnamespace App;\ntrait Sums {}\n"],
    "rb/lib/cart.rb": ["require 'price'\nclass Cart; P = Price; end\n"],
    "rb/lib/price.rb": ["class Price; end\n", None],
    "c/src/a.c": ['#include "b.h"\n#include <c.h>\nint main(void) { return 0; }\n'],
    "c/src/b.h": ["int b;\n", None],
    "c/include/b.h": ["int b;\n", None],
    "c/include/c.h": ["int c;\n", None],
    "c/src/deep/include/c.h": [None, "int d;\n"],
    "c/src/deep/c.h": [None, "int e;\n"],
    "rb/app/models/shop/till.rb": [
        "module Shop; class Till; A = Drawer; B = Coin::Kind; end; end\n"
    ],
    "rb/app/models/shop/drawer.rb": [None, "class Shop::Drawer; end\n"],
    "rb/app/models/drawer.rb": ["class Drawer; end\n", None],
    "rb/app/models/coin/kind.rb": [None, "class Coin::Kind; end\n"],
    "php/inc.php": ["<?php\nrequire 'deep/part.php';\nrequire './part.php';\n"],
    "php/deep/part.php": [None, "<?php\n"],
    "deep/part.php": ["<?php\n", None],
    "sh/run.sh": ["source ./env.sh\n. lib/more.sh\n"],
    "sh/env.sh": [None, "A=1\n"],
    "lib/more.sh": ["B=1\n", None],
    "tf/main.tf": ['module "net" {\n  source = "./net"\n}\nmodule "up" {\n  source = "../"\n}\n'],
    "tf/net/main.tf": [None, 'resource "a" "b" {}\n'],
    "tf/net/extra.tf": ['resource "c" "d" {}\n', None],
    "outer.tf": [None, 'resource "e" "f" {}\n'],
    "go/root.go": [None, "package m\nvar Top = 1\n"],
    "go/c/c.go": ['package c\nimport "m"\nvar X = m.Top\n'],
    "swift/A.swift": ["import Foundation\nstruct A {}\n", "struct B {}\n"],
}


def test_a_language_of_each_family_is_edited() -> None:
    edited = {row.family for path in STATES if (row := language_of(path))}
    agrees(
        {row.family for row in LANGUAGES},
        edited,
        "STATES in tests/unit/contextd_code/test_scan_equals_fresh.py",
        "files that import each other, in several states: its `resolver` and `reach` decide what a scan brings up to date",
    )


def known(files: Files) -> dict[str, SourceFile]:
    whole = files.of(SCOPE).get([listed.path for listed in files.of(SCOPE).all()])
    # The time of a file that was just written is kept as one that cannot be trusted.
    return {file.path: replace(file, mtime_ns=0) for file in whole}


def put(root: Path, path: str, text: str | None) -> None:
    if text is not None:
        write(root, path, text)
    else:
        (root / path).unlink(missing_ok=True)


def age_some(root: Path, state: dict[str, str | None], chance: random.Random) -> None:
    """Make most files older by a second: not all are so young that nothing of them is remembered."""
    for path, text in state.items():
        if text is not None and chance.random() < 0.7:
            past = (root / path).stat().st_mtime_ns - 10**9
            os.utime(root / path, ns=(past, past))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_edits_in_any_language_lead_where_a_fresh_scan_finds_them(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    state = {path: chance.choice(states) for path, states in STATES.items()}
    for path, text in state.items():
        put(tmp_path, path, text)
    files = CodeModel()
    scanned(tmp_path, files)
    for _ in range(12):
        for path in chance.sample(sorted(STATES), chance.choice((1, 1, 2, 5))):
            state[path] = chance.choice(
                [s for s in STATES[path] if s != state[path]] or [state[path]]
            )
            put(tmp_path, path, state[path])
        scanned(tmp_path, files)
        fresh = CodeModel()
        scanned(tmp_path, fresh)
        assert known(files) == known(fresh)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_some_of_many_edits_brought_over_first_end_where_a_fresh_scan_does(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    state = {path: chance.choice(states) for path, states in STATES.items()}
    for path, text in state.items():
        put(tmp_path, path, text)
    files, tree = CodeModel(), Tree(tmp_path)
    scanned(tmp_path, files)
    for _ in range(12):
        for path in chance.sample(sorted(STATES), chance.choice((2, 5, 20))):
            state[path] = chance.choice(STATES[path])
            put(tmp_path, path, state[path])
        age_some(tmp_path, state, chance)
        tree.look(settled=False, certain=True)
        assert tree.walked is not None
        difference = tree.compare_all(tree.walked, files.of(SCOPE).stamps())
        differing = [*difference.changed, *difference.added]
        some = difference.only(chance.sample(differing, len(differing) // 3))
        resolver = tree.linked_beside(difference, some)
        scanned(tmp_path, files, walked=some.walked, stamps=some.stamps, resolver=resolver)
        difference = tree.compare_all(tree.walked, files.of(SCOPE).stamps())
        resolver = tree.linked()
        scanned(
            tmp_path,
            files,
            walked=difference.walked,
            stamps=difference.stamps,
            resolver=resolver,
        )
        fresh = CodeModel()
        scanned(tmp_path, fresh)
        assert known(files) == known(fresh)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_edits_and_switches_followed_by_one_tree_end_where_a_fresh_scan_does(
    seed: int, tmp_path: Path
) -> None:
    """As calls do it: what was set up is kept, and only the files that a look found other are compared."""
    chance = random.Random(seed)
    root = tmp_path / "tree"
    state = {path: chance.choice(states) for path, states in STATES.items()}
    for path, text in state.items():
        put(root, path, text)
    files = CodeModel(opened(f"sqlite://{tmp_path}/index.db"))
    tree = Tree(root)
    for turn in range(16):
        if chance.random() < 0.3:
            # As after a start of the daemon: what is known of files is what the store keeps.
            tree = Tree(root)
        for path in chance.sample(sorted(STATES), chance.choice((1, 1, 1, 3, 25)) if turn else 0):
            state[path] = chance.choice(STATES[path])
            put(root, path, state[path])
        age_some(root, state, chance)
        walked = tree.look(settled=False, certain=True)
        assert walked is not None
        if tree.touched is None:
            difference = tree.compare_all(walked, files.of(SCOPE).stamps())
        else:
            stamps = files.of(SCOPE).stamps()
            touched = {path: stamps[path] for path in tree.touched if path in stamps}
            some = tuple(file for file in walked.files if file.path in tree.touched)
            difference = tree.compare(replace(walked, files=some), touched)
        scanned(
            root,
            files,
            walked=difference.walked,
            stamps=difference.stamps,
            resolver=tree.linked(),
        )
        fresh = CodeModel()
        scanned(root, fresh)
        assert known(files) == known(fresh)
