"""`contextd_code` as a program uses it, without contextd."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

import contextd_code
from support.code_repos import write

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "howto" / "code-package.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)

SHOP = {
    "src/money.py": "def rounded(amount):\n    return round(amount, 2)\n",
    "src/billing.py": (
        "from src.money import rounded\n\n\n"
        "class Invoice:\n    def total(self, lines):\n        return rounded(sum(lines))\n"
    ),
    "tests/test_billing.py": (
        "from src.billing import Invoice\n\n\n"
        "def test_the_total_is_rounded():\n    assert Invoice().total([1.111]) == 1.11\n"
    ),
    "notes.txt": "rounded half to even\n",
}
OTHERS = (
    "contextd apsw mcp mcp_types onnxruntime tokenizers pydantic click starlette uvicorn".split()
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for path, text in SHOP.items():
        write(tmp_path / "shop", path, text)
    return tmp_path / "shop"


def run(code: str, cwd: Path) -> str:
    """What a fresh interpreter prints for it."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_program_needs_nothing_of_contextd(shop: Path) -> None:
    code = (
        "import sys, contextd_code\n"
        "project = contextd_code.scan('.')\n"
        "project.symbols('rounded'); project.references('rounded'); project.impact('rounded')\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    loaded = set(run(code, shop).split())
    assert "contextd_code" in loaded
    assert loaded & set(OTHERS) == set()


def test_importing_the_package_loads_no_parser(shop: Path) -> None:
    printed = run("import sys, contextd_code; print(*sys.modules)", shop)
    assert [name for name in printed.split() if name.startswith("contextd")] == ["contextd_code"]
    assert "tree_sitter" not in printed


def test_a_scan_writes_nothing_into_the_directory(shop: Path) -> None:
    before = sorted(path.relative_to(shop).as_posix() for path in shop.rglob("*"))
    project = contextd_code.scan(shop)
    project.references("rounded")
    assert sorted(path.relative_to(shop).as_posix() for path in shop.rglob("*")) == before


def test_definitions_are_found_by_name_part_and_member(shop: Path) -> None:
    project = contextd_code.scan(shop)
    best = project.symbols("rounded")[0]
    assert (best.path, best.line, best.used_by, best.counted) == ("src/money.py", 1, 1, "uses")
    assert [one.name for one in project.symbols("Invoice.total")] == ["Invoice.total"]
    assert [one.kind for one in project.symbols("Invoice", kind="class")] == ["class"]
    part = project.symbols("rounded", path="tests")
    assert [(one.name, one.match) for one in part] == [("test_the_total_is_rounded", "words")]
    assert project.symbols("nowhere") == []


def test_references_separate_uses_from_text(shop: Path) -> None:
    found = contextd_code.scan(shop).references("rounded")
    assert {(one.path, one.line, one.role) for one in found.references} == {
        ("src/billing.py", 1, "import"),
        ("src/billing.py", 6, "use"),
    }
    assert ("notes.txt", 1) in {(one.path, one.line) for one in found.text_matches}


def test_a_path_and_a_name_mean_the_function_beside_a_method_of_that_name(shop: Path) -> None:
    client = (
        "class Client:\n    def get(self):\n        return self.get()\n\n\n"
        "def get():\n    return Client().get()\n"
    )
    write(shop, "src/client.py", client)
    project = contextd_code.scan(shop)
    assert project.references("get").definition.name == "Client.get"
    found = project.references("get", path="src/client.py")
    assert found.definition.name == "get"
    assert [one.name for one in found.others] == ["Client.get"]
    asked = project.references("Client.get", path="src/client.py")
    assert asked.definition.name == "Client.get"


def test_impact_names_the_callers_and_the_tests(shop: Path) -> None:
    found = contextd_code.scan(shop).impact("src/money.py:rounded")
    assert found.targets == ["src/money.py:rounded"]
    assert [(one.path, one.symbol) for one in found.breaks] == [("src/billing.py", "Invoice.total")]
    tests = contextd_code.scan(shop).impact("Invoice.total").tests
    assert [one.place for one in tests] == ["tests/test_billing.py::test_the_total_is_rounded"]


def test_a_rescan_follows_the_files(shop: Path) -> None:
    project = contextd_code.scan(shop)
    write(
        shop,
        "src/extra.py",
        "from src.money import rounded\n\n\ndef tax(n):\n    return rounded(n)\n",
    )
    (shop / "tests/test_billing.py").unlink()
    done = project.rescan()
    assert (done.files, done.changed, done.removed) == (4, 1, 1)
    assert "src/extra.py" in {one.path for one in project.references("rounded").references}
    assert project.symbols("tax")[0].path == "src/extra.py"
    assert project.symbols("test_the_total_is_rounded") == []


def test_a_scan_names_files_that_were_left_out_with_the_reason(shop: Path) -> None:
    write(shop, "src/huge.py", "value = 1\n" * 150_000)
    left_out = dict(contextd_code.scan(shop).summary.left_out)
    assert "larger than 1,000,000 bytes" in left_out["src/huge.py"]


def test_ignored_files_are_not_indexed(shop: Path) -> None:
    write(shop, ".gitignore", "private/\n")
    write(shop, "private/keys.py", "def hidden():\n    return 1\n")
    write(shop, "node_modules/lib/index.js", "export function vendored() {}\n")
    subprocess.run(["git", "init", "-q", str(shop)], check=True)
    project = contextd_code.scan(shop)
    assert [project.symbols("hidden"), project.symbols("vendored")] == [[], []]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda shop: contextd_code.scan(shop / "nowhere"), "no directory"),
        (lambda shop: contextd_code.scan(shop).references("roundd"), "no definition 'roundd'"),
        (lambda shop: contextd_code.scan(shop).references(" "), "the name is empty"),
        (lambda shop: contextd_code.scan(shop).impact("src/none.py"), "'src/none.py'"),
        (lambda shop: contextd_code.scan(shop).impact("rounded", depth=9), "depth must be 1 to 5"),
    ],
)
def test_a_wrong_call_raises_an_error_with_a_hint(shop: Path, ask: object, message: str) -> None:
    with pytest.raises(contextd_code.ContextdError, match=message) as caught:
        ask(shop)  # type: ignore[operator]
    assert caught.value.hint


def test_every_public_name_is_there_and_typed() -> None:
    for name in contextd_code.__all__:
        assert getattr(contextd_code, name).__doc__, name
    for name in ("symbols", "references", "impact", "rescan"):
        assert "return" in get_type_hints(getattr(contextd_code.CodeProject, name)), name
    with pytest.raises(AttributeError, match="scn"):
        contextd_code.scn  # noqa: B018


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_of_the_page_runs(number: int, shop: Path) -> None:
    # Later examples use the project that the first one scans.
    assert run("\n".join(dict.fromkeys((EXAMPLES[0], EXAMPLES[number]))), shop)
