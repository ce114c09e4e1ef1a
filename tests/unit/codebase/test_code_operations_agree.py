"""`find_symbol`, `find_references`, `codebase_search` and `impact` mean the same definition and count alike.

One small repository for each language, with a function, a method, a class, a constant, an overloaded name, and
a name that two files define.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.desks import Desk
from support.repositories import committed


@dataclass(frozen=True)
class Sample:
    """The files of a repository, and of each name asked for: where its definition is, and the certain uses
    outside of imports, as `path:line`.
    """

    files: dict[str, str]
    names: dict[str, tuple[str, set[str]]] = field(default_factory=dict)


MANIFESTS = {"go.mod", "Cargo.toml", "composer.json"}
SAMPLES = {
    "python": Sample(
        {
            "shop/money.py": (
                "LOWEST_FEE = 5\n\n\n"
                "def rounded(amount):\n    return max(amount, LOWEST_FEE)\n\n\n"
                "class Purse:\n    def empty(self):\n        return rounded(0)\n"
            ),
            "shop/spare.py": "def shared(a):\n    return a\n",
            "shop/often.py": "def shared(a):\n    return a + 1\n",
            "shop/till.py": (
                "from shop.money import LOWEST_FEE, Purse, rounded\nfrom shop.often import shared\n\n\n"
                "def close():\n    purse = Purse()\n    purse.empty()\n"
                "    return rounded(LOWEST_FEE) + shared(1)\n"
            ),
        },
        {
            "rounded": ("shop/money.py:4", {"shop/money.py:10", "shop/till.py:8"}),
            "empty": ("shop/money.py:9", {"shop/till.py:7"}),
            "Purse": ("shop/money.py:8", {"shop/till.py:6"}),
            "LOWEST_FEE": ("shop/money.py:1", {"shop/money.py:5", "shop/till.py:8"}),
            "shared": ("shop/often.py:1", {"shop/till.py:8"}),
        },
    ),
    "typescript": Sample(
        {
            "src/money.ts": (
                "export const LOWEST_FEE = 5;\n"
                "export function rounded(amount: string): string;\n"
                "export function rounded(amount: number): number;\n"
                "export function rounded(amount: any): any {\n  return amount || LOWEST_FEE;\n}\n"
                "export class Purse {\n  drain(): number {\n    return rounded(0);\n  }\n}\n"
            ),
            "src/spare.ts": "export function shared(a: number) {\n  return a;\n}\n",
            "src/often.ts": "export function shared(a: number) {\n  return a + 1;\n}\n",
            "src/till.ts": (
                "import { LOWEST_FEE, Purse, rounded } from './money';\n"
                "import { shared } from './often';\n\n"
                "export function close() {\n  const purse = new Purse();\n  purse.drain();\n"
                "  return rounded(LOWEST_FEE) + shared(1);\n}\n"
            ),
        },
        {
            "rounded": ("src/money.ts:2", {"src/money.ts:9", "src/till.ts:7"}),
            "drain": ("src/money.ts:8", {"src/till.ts:6"}),
            "Purse": ("src/money.ts:7", {"src/till.ts:5"}),
            "LOWEST_FEE": ("src/money.ts:1", {"src/money.ts:5", "src/till.ts:7"}),
            "shared": ("src/often.ts:1", {"src/till.ts:7"}),
        },
    ),
    "go": Sample(
        {
            "go.mod": "module example.com/shop\n",
            "money/money.go": (
                "package money\n\nconst LowestFee = 5\n\n"
                "func Rounded(amount int) int {\n\treturn amount + LowestFee\n}\n\n"
                "type Purse struct{}\n\nfunc (p Purse) Drain() int {\n\treturn Rounded(0)\n}\n"
            ),
            "spare/spare.go": "package spare\n\nfunc Shared(a int) int { return a }\n",
            "often/often.go": "package often\n\nfunc Shared(a int) int { return a + 1 }\n",
            "till/till.go": (
                'package till\n\nimport (\n\t"example.com/shop/money"\n\t"example.com/shop/often"\n)\n\n'
                "func Close() int {\n\tpurse := money.Purse{}\n\tpurse.Drain()\n"
                "\treturn money.Rounded(money.LowestFee) + often.Shared(1)\n}\n"
            ),
        },
        {
            "Rounded": ("money/money.go:5", {"money/money.go:12", "till/till.go:11"}),
            "Drain": ("money/money.go:11", {"till/till.go:10"}),
            "Purse": ("money/money.go:9", {"money/money.go:11", "till/till.go:9"}),
            "LowestFee": ("money/money.go:3", {"money/money.go:6", "till/till.go:11"}),
            "Shared": ("often/often.go:3", {"till/till.go:11"}),
        },
    ),
    "java": Sample(
        {
            "src/shop/Money.java": (
                "package shop;\n\npublic class Money {\n    public static final int LOWEST_FEE = 5;\n\n"
                "    public static int rounded(int amount) {\n        return amount + LOWEST_FEE;\n    }\n\n"
                "    public static int rounded(String amount) {\n"
                "        return rounded(amount.length());\n    }\n\n"
                "    public int drain() {\n        return Money.rounded(0);\n    }\n}\n"
            ),
            "src/shop/Spare.java": (
                "package shop;\n\nclass Spare {\n    static int shared() {\n        return 1;\n    }\n}\n"
            ),
            "src/shop/Often.java": (
                "package shop;\n\nclass Often {\n    static int shared() {\n        return 2;\n    }\n}\n"
            ),
            "src/shop/Till.java": (
                "package shop;\n\nclass Till {\n    int close() {\n        Money purse = new Money();\n"
                "        purse.drain();\n"
                "        return Money.rounded(Money.LOWEST_FEE) + Often.shared();\n    }\n}\n"
            ),
        },
        {
            "rounded": (
                "src/shop/Money.java:6",
                {"src/shop/Money.java:15", "src/shop/Till.java:7"},
            ),
            "drain": ("src/shop/Money.java:14", {"src/shop/Till.java:6"}),
            "LOWEST_FEE": (
                "src/shop/Money.java:4",
                {"src/shop/Money.java:7", "src/shop/Till.java:7"},
            ),
            "shared": ("src/shop/Often.java:4", {"src/shop/Till.java:7"}),
        },
    ),
    "rust": Sample(
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": "pub mod money;\npub mod often;\npub mod spare;\npub mod till;\n",
            "src/money.rs": (
                "pub const LOWEST_FEE: i32 = 5;\n\n"
                "pub fn rounded(amount: i32) -> i32 {\n    amount + LOWEST_FEE\n}\n\n"
                "pub struct Purse;\n\nimpl Purse {\n    pub fn drain(&self) -> i32 {\n"
                "        rounded(0)\n    }\n}\n"
            ),
            "src/spare.rs": "pub fn shared(a: i32) -> i32 {\n    a\n}\n",
            "src/often.rs": "pub fn shared(a: i32) -> i32 {\n    a + 1\n}\n",
            "src/till.rs": (
                "use crate::money::{rounded, Purse, LOWEST_FEE};\nuse crate::often::shared;\n\n"
                "pub fn close() -> i32 {\n    let purse = Purse;\n    purse.drain();\n"
                "    rounded(LOWEST_FEE) + shared(1)\n}\n"
            ),
        },
        {
            "rounded": ("src/money.rs:3", {"src/money.rs:11", "src/till.rs:7"}),
            "drain": ("src/money.rs:10", {"src/till.rs:6"}),
            "LOWEST_FEE": ("src/money.rs:1", {"src/money.rs:4", "src/till.rs:7"}),
            "shared": ("src/often.rs:1", {"src/till.rs:7"}),
        },
    ),
    "c": Sample(
        {
            "money.h": (
                "#ifndef MONEY_H\n#define MONEY_H\n#define LOWEST_FEE 5\n"
                "typedef struct purse { int coins; } purse_t;\nint rounded(int amount);\n"
                "int drain(purse_t *purse);\n#endif\n"
            ),
            "money.c": (
                '#include "money.h"\n\nstatic int least(int amount) {\n'
                "    return amount > LOWEST_FEE ? amount : LOWEST_FEE;\n}\n\n"
                "int rounded(int amount) {\n    return least(amount);\n}\n\n"
                "int drain(purse_t *purse) {\n    return rounded(purse->coins);\n}\n"
            ),
            "till.c": (
                '#include "money.h"\n\nint close_till(void) {\n    purse_t purse = {0};\n'
                "    drain(&purse);\n    return rounded(LOWEST_FEE);\n}\n"
            ),
        },
        {
            "rounded": ("money.c:7", {"money.c:12", "till.c:6"}),
            "drain": ("money.c:11", {"till.c:5"}),
            "LOWEST_FEE": ("money.h:3", {"money.c:4", "till.c:6"}),
        },
    ),
    "cpp": Sample(
        {
            "money.h": (
                "#pragma once\nnamespace shop {\nconst int kLowestFee = 5;\nint rounded(int amount);\n"
                "class Purse {\n public:\n  int drain();\n};\n}\n"
            ),
            "money.cpp": (
                '#include "money.h"\n\nnamespace shop {\nint rounded(int amount) {\n'
                "  return amount + kLowestFee;\n}\n\nint Purse::drain() {\n  return rounded(0);\n}\n}\n"
            ),
            "till.cpp": (
                '#include "money.h"\n\nnamespace shop {\nint closeTill() {\n  Purse purse;\n'
                "  purse.drain();\n  return rounded(kLowestFee);\n}\n}\n"
            ),
        },
        {
            "rounded": ("money.h:4", {"money.cpp:9", "till.cpp:7"}),
            "Purse": ("money.h:5", {"till.cpp:5"}),
            "kLowestFee": ("money.h:3", {"money.cpp:5", "till.cpp:7"}),
        },
    ),
    "csharp": Sample(
        {
            "Money.cs": (
                "namespace Shop {\n    public class Purse {\n        public const int LowestFee = 5;\n"
                "        public int Coins { get; set; }\n"
                "        public static int Rounded(int amount) { return amount + LowestFee; }\n"
                "        public int Drain() { return Rounded(Coins); }\n    }\n}\n"
            ),
            "Till.cs": (
                "namespace Shop {\n    public class Till {\n        public int Close() {\n"
                "            var purse = new Purse();\n            purse.Drain();\n"
                "            return Purse.Rounded(Purse.LowestFee) + purse.Coins;\n        }\n    }\n}\n"
            ),
        },
        {
            "Rounded": ("Money.cs:5", {"Money.cs:6", "Till.cs:6"}),
            "Drain": ("Money.cs:6", {"Till.cs:5"}),
            "LowestFee": ("Money.cs:3", {"Money.cs:5", "Till.cs:6"}),
            "Coins": ("Money.cs:4", {"Money.cs:6", "Till.cs:6"}),
        },
    ),
    "php": Sample(
        {
            "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}\n',
            "src/Purse.php": (
                "<?php\nnamespace Shop;\n\nclass Purse {\n    public static function rounded($amount) {\n"
                "        return $amount;\n    }\n    public function drain() {\n"
                "        return self::rounded(0);\n    }\n}\n"
            ),
            "src/Till.php": (
                "<?php\nnamespace Shop;\n\nclass Till {\n    public function close() {\n"
                "        $purse = new Purse();\n        $purse->drain();\n"
                "        return Purse::rounded(1);\n    }\n}\n"
            ),
        },
        {
            "rounded": ("src/Purse.php:5", {"src/Purse.php:9", "src/Till.php:8"}),
            "drain": ("src/Purse.php:8", {"src/Till.php:7"}),
        },
    ),
}


def asked(desk: Desk, name: str) -> dict[str, Any]:
    """What each operation says of a name, once the call graph is there."""
    references = desk("find_references", name=name)
    return {
        "references": references,
        "symbol": desk("find_symbol", name=name)["symbols"][0],
        "piece": desk("codebase_search", query=name)["results"][0],
        "impact": desk("impact", path=name, depth=1),
    }


@pytest.fixture
def at_sample(words_only: Desk, tmp_path: Path, request: pytest.FixtureRequest) -> Desk:
    """A desk in the repository of a language."""
    desk = words_only.at(committed(tmp_path / "sample", SAMPLES[request.param].files))
    desk.as_owner("init")
    return desk


@pytest.mark.parametrize(
    ("at_sample", "language"), [(name, name) for name in SAMPLES], indirect=["at_sample"]
)
def test_each_operation_names_the_same_definition_and_the_same_uses(
    at_sample: Desk, language: str
) -> None:
    for name, (place, wanted_uses) in SAMPLES[language].names.items():
        said = asked(at_sample, name)
        references, piece, impact = said["references"], said["piece"], said["impact"]
        meant = references["definition"]
        path, line = place.rsplit(":", 1)

        assert (meant["path"], meant["line"]) == (path, int(line)), name
        assert (said["symbol"]["path"], said["symbol"]["line"]) == (path, int(line)), name
        assert piece["path"] == path, name
        assert piece["start_line"] <= int(line) <= piece["end_line"], name
        assert impact["targets"][0] == f"{path}:{meant['name']}", name
        assert {one.partition(":")[0] for one in impact["targets"]} == {path}, name

        certain = [one for one in references["references"] if one["role"] in ("use", "import")]
        used = {f"{one['path']}:{one['line']}" for one in certain if one["role"] == "use"}
        assert wanted_uses <= used, name
        broken = {f"{one['path']}:{one['line']}" for one in impact["breaks"] if one["certain"]}
        assert wanted_uses <= broken, name
        assert len({one["path"] for one in certain}) == meant["used_by"], name
        assert said["symbol"]["used_by"] == piece["used_by"] == meant["used_by"], name


@pytest.mark.parametrize(
    ("at_sample", "language"), [(name, name) for name in SAMPLES], indirect=["at_sample"]
)
def test_impact_of_a_whole_file_has_every_certain_use_that_references_of_its_definitions_have(
    at_sample: Desk, language: str
) -> None:
    used_elsewhere = 0
    for path in SAMPLES[language].files.keys() - MANIFESTS:
        impact = at_sample("impact", path=path, depth=1)
        roles: dict[str, set[str]] = {}
        for target in impact["targets"]:
            name = target.partition(":")[2]
            for one in at_sample("find_references", name=name, path=path)["references"]:
                roles.setdefault(f"{one['path']}:{one['line']}", set()).add(one["role"])
        certain = {place for place, some in roles.items() if some & {"use", "import"}}
        own = {place for place in certain if place.startswith(f"{path}:")}
        # An import stands for its file only where that has no other use.
        wanted = {place for place in certain - own if "use" in roles[place]}

        broken = {f"{one['path']}:{one['line']}" for one in impact["breaks"] if one["certain"]}
        assert wanted <= broken <= certain, path
        inside = len(own - broken)
        said = f"; {inside} line{'s' * (inside != 1)} inside use it too"
        assert (said in impact["text"]) == bool(inside), (path, impact["text"])
        used_elsewhere += len(wanted)
    assert used_elsewhere >= 2


@pytest.mark.parametrize("at_sample", ["python"], indirect=True)
def test_impact_says_that_other_definitions_have_the_name_and_takes_the_one_that_is_given(
    at_sample: Desk,
) -> None:
    assert "2 definitions have this name" in at_sample.answer("impact", path="shared").text
    given = at_sample("impact", path="shop/spare.py:shared")
    assert given["targets"] == ["shop/spare.py:shared"]
    assert "notice" not in given or "have this name" not in given["notice"]
