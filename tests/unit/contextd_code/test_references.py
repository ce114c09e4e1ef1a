from __future__ import annotations

from pathlib import Path

import pytest

from contextd.ports.code import Files
from contextd_code.symbols.references import Reference, word_uses
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import build_graph
from support.code_repos import SCOPE, CodeModel, scanned, write

TYPESCRIPT = {
    "package.json": '{"name": "app"}',
    "src/money.ts": """export function round(value: number): number {
  // round is not mentioned here
  const text = "round";
  return value > 1 ? round(value - 1) : value;
}
export class Purse {
  add(value: number) { return round(value); }
  twice() { return this.add(1) + this.add(2); }
}
""",
    "src/index.ts": """export { round as roundMoney, Purse } from "./money";
export * as money from "./money";
export * from "./money";
""",
    "src/named.ts": """import { round } from "./money";
/* round */
export const a = round(1);
export const b = other.round(2);
export const c = { round: 3 };
export const d = { round };
export function shadow(round: number) { return round + 1; }
export const e = `${round(4)} round`;
""",
    "src/alias.ts": """import { round as tidy } from "./money";
export const x = tidy(1);
export const round = 2;
export const y = round;
""",
    "src/space.ts": """import * as m from "./money";
export const z = m.round(1) + n.round(2) + m.money;
const v = m
  .round(3);
""",
    "src/barrel.ts": """import { roundMoney, money, Purse } from "./index";
export const p = roundMoney(1);
export const q = money.round(2);
export const r = new Purse().add(3);
""",
    "src/star.ts": """import * as all from ".";
export const s = all.round(1) + all.roundMoney(2);
""",
    "src/stranger.ts": """function round(v: number) { return v; }
export const t = round(5);
""",
    "src/view.tsx": """import { Purse } from "./index";
export const View = () => <Purse title="Purse">Purse</Purse>;
""",
    "tests/money.test.ts": """import { round } from "../src/money";
test("round", () => round(1));
""",
}
PYTHON = {
    "pyproject.toml": "[project]\nname = 'app'\n",
    "app/__init__.py": "from .core import fetch, Client\n",
    "app/core.py": '''"""fetch is the word."""


def fetch(url):
    """fetch"""
    return fetch  # fetch


class Client:
    @property
    def value(self):
        return 1

    @value.setter
    def value(self, new):
        self.value = new

    def get(self):
        def fetch_all():
            return fetch_all()
        return fetch(self.value)
''',
    "app/direct.py": "from app.core import fetch as pull\n\nprint(pull(1), fetch)\n",
    "app/module.py": "from app import core\nimport app.core\n\ncore.fetch(1)\napp.core.fetch(2)\nother.core.fetch(3)\n",
    "app/package.py": "import app\n\napp.fetch(url=1)\ncall(fetch=2)\n",
    "app/starred.py": "from app.core import *\n\nfetch(1)\n\n\ndef own(fetch):\n    return fetch\n",
    "app/user.py": "from app import Client\n\nClient().get()\nnothing.got()\n",
    "app/stranger.py": "def fetch():\n    pass\n\n\nfetch()\n",
}


def project(tmp_path: Path, texts: dict[str, str]) -> Files:
    for path, text in texts.items():
        write(tmp_path, path, text)
    files = CodeModel()
    scanned(tmp_path, files)
    return files


def found(tmp_path: Path, files: Files, name: str, path: str, parent: str = "") -> list[Reference]:
    graph = build_graph(files.of(SCOPE).all())
    one = next(d for d in graph.by_name[name] if d.path == path and d.symbol.parent == parent)
    return list(word_uses(graph, Sources(tmp_path, files.index), one))


def places(result: list[Reference]) -> dict[str, list[tuple[int, str]]]:
    lines: dict[str, list[tuple[int, str]]] = {}
    for one in result:
        lines.setdefault(one.path, []).append((one.line, one.role))
    return lines


def test_typescript_uses_are_found_through_every_way_of_importing(tmp_path: Path) -> None:
    files = project(tmp_path, TYPESCRIPT)
    assert places(found(tmp_path, files, "round", "src/money.ts")) == {
        "src/money.ts": [(4, "use"), (7, "use")],
        "src/index.ts": [(1, "import")],
        "src/named.ts": [(1, "import"), (3, "use"), (6, "use"), (8, "use")],
        "src/alias.ts": [(1, "import"), (2, "use")],
        "src/space.ts": [(2, "use"), (4, "use")],
        "src/barrel.ts": [(1, "import"), (2, "use"), (3, "use")],
        "src/star.ts": [(2, "use")],
        "tests/money.test.ts": [(1, "import"), (2, "use")],
    }


def test_a_symbol_of_the_same_name_in_another_file_is_not_a_use(tmp_path: Path) -> None:
    files = project(tmp_path, TYPESCRIPT)
    paths = {one.path for one in found(tmp_path, files, "round", "src/stranger.ts")}
    assert paths == {"src/stranger.ts"}


def test_a_component_is_used_by_its_tag_and_not_by_text(tmp_path: Path) -> None:
    files = project(tmp_path, TYPESCRIPT)
    found_ = found(tmp_path, files, "Purse", "src/money.ts")
    assert ("src/view.tsx", 2) in [(one.path, one.line) for one in found_]
    write(tmp_path, "src/view.tsx", 'import { Purse } from "./index";\nexport const x = "Purse";\n')
    lines = [
        one.line
        for one in found(tmp_path, files, "Purse", "src/money.ts")
        if one.path == "src/view.tsx"
    ]
    assert lines == [1]


def test_python_uses_are_found_through_modules_packages_and_stars(tmp_path: Path) -> None:
    files = project(tmp_path, PYTHON)
    assert places(found(tmp_path, files, "fetch", "app/core.py")) == {
        "app/core.py": [(6, "use"), (21, "use")],
        "app/__init__.py": [(1, "import")],
        "app/direct.py": [(1, "import"), (3, "use")],
        "app/module.py": [(4, "use"), (5, "use")],
        "app/package.py": [(3, "use")],
        "app/starred.py": [(3, "use")],
    }


def test_a_method_is_looked_for_where_its_class_is_used(tmp_path: Path) -> None:
    files = project(tmp_path, PYTHON)
    result = found(tmp_path, files, "get", "app/core.py", "Client")
    assert places(result) == {"app/user.py": [(3, "use")]}
    value = found(tmp_path, files, "value", "app/core.py", "Client")
    assert [one.line for one in value] == [16, 21]


def test_a_function_inside_a_function_is_used_in_its_file_only(tmp_path: Path) -> None:
    files = project(tmp_path, PYTHON)
    result = found(tmp_path, files, "fetch_all", "app/core.py", "Client.get")
    assert places(result) == {"app/core.py": [(20, "use")]}


def test_lines_are_those_of_now_and_gone_files_are_left_out(tmp_path: Path) -> None:
    files = project(tmp_path, TYPESCRIPT)
    write(tmp_path, "src/alias.ts", "\n\n" + TYPESCRIPT["src/alias.ts"])
    (tmp_path / "src" / "star.ts").unlink()
    now = places(found(tmp_path, files, "round", "src/money.ts"))
    assert [line for line, role in now["src/alias.ts"] if role == "use"] == [4]
    assert "src/star.ts" not in now


@pytest.mark.parametrize("name", ["größe", "$cost"])
def test_names_with_other_letters_are_matched_whole(tmp_path: Path, name: str) -> None:
    text = f"export const {name} = 1;\nexport const x = {name} + 1;\nexport const {name}s = 2;\n"
    files = project(tmp_path, {"src/a.ts": text, "package.json": "{}"})
    result = found(tmp_path, files, name, "src/a.ts")
    assert [one.line for one in result] == [2]


@pytest.mark.parametrize(
    ("texts", "name", "expected"),
    [
        (
            {
                "go.mod": "module ex.com/app\n",
                "store/store.go": "package store\n\nfunc Open(p string) int { return 1 }\n",
                "store/near.go": 'package store\n\nvar x = Open("Open")\n',
                "main.go": 'package main\n\nimport "ex.com/app/store"\n\nvar x = store.Open("x")\n',
                "al/a.go": 'package al\n\nimport st "ex.com/app/store"\n\nvar y = st.Open("x")\n'
                "var z = foo.Open(y)\n",
                "other/o.go": "package other\n\nfunc Open() {}\n\nvar q = Open()\n",
            },
            "Open",
            {"store/near.go": [3], "main.go": [5], "al/a.go": [5]},
        ),
        (
            {
                "src/main/java/a/Tool.java": "package a;\npublic class Tool { }\n",
                "src/main/java/a/Near.java": "package a;\nclass Near { Tool x; } // Tool\n",
                "src/main/java/b/Far.java": "package b;\nimport a.Tool;\nclass Far {\n  Tool x;\n}\n",
                "src/main/java/c/Tool.java": "package c;\nclass Tool { Tool next; }\n",
            },
            "Tool",
            {"src/main/java/a/Near.java": [2], "src/main/java/b/Far.java": [2, 4]},
        ),
        (
            {
                "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\n',
                "src/main.rs": "mod util;\nuse crate::util::help;\n\nfn main() {\n    help();\n"
                "    util::help();\n    other::help();\n}\n",
                "src/util.rs": "pub fn help() -> i32 {\n    1\n}\n",
            },
            "help",
            {"src/main.rs": [2, 5, 6]},
        ),
    ],
    ids=["go", "java", "rust"],
)
def test_names_that_need_no_binding_are_found_by_package_and_module(
    tmp_path: Path, texts: dict[str, str], name: str, expected: dict[str, list[int]]
) -> None:
    files = project(tmp_path, texts)
    result = found(tmp_path, files, name, next(path for path in texts if _defines(path)))
    lines: dict[str, list[int]] = {}
    for one in result:
        lines.setdefault(one.path, []).append(one.line)
    assert lines == expected


def _defines(path: str) -> bool:
    return path in ("store/store.go", "src/main/java/a/Tool.java", "src/util.rs")
