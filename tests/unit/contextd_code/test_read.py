from __future__ import annotations

from pathlib import Path

import pytest

from contextd.ports.code import Files
from contextd_code.symbols.file_with_dependencies import FileView, read
from contextd_common.errors import ContextdError, Invalid, NotFound
from contextd_common.text.tokens import count_tokens
from support.code_repos import CodeModel, scan_fixture, scanned, write

MAIN = "apps/web/src/main.tsx"


def view(root: Path, files: Files, path: str, **options: object) -> FileView:
    return read(root, path, files.index, **options)  # type: ignore[arg-type]


def test_a_file_is_given_as_it_is_with_its_tokens(tmp_path: Path) -> None:
    root, files = scan_fixture("shop", tmp_path)
    found = view(root, files, MAIN)
    assert found.content == (root / MAIN).read_text("utf-8")
    assert (found.start_line, found.end_line, found.lines) == (1, 23, 23)
    assert found.tokens == count_tokens(found.content)
    assert (found.language, found.external, found.notice) == ("tsx", ("react",), "")
    assert (found.dependencies, found.tree) == ((), ())


def test_the_first_level_brings_whole_definitions_of_what_is_used(tmp_path: Path) -> None:
    root, files = scan_fixture("shop", tmp_path)
    found = view(root, files, MAIN, include_deps=True)
    texts = {d.path: d.text for d in found.dependencies}
    button = texts["apps/web/src/parts/button.tsx"]
    assert "/** A button. */\nexport function Button" in button
    assert "return <button>{label}</button>;" in button
    # Behind a barrel and behind `data.total`.
    assert "round(value)" in texts["packages/shared/src/money.ts"]
    assert "export function sum" in texts["apps/web/src/data/rows.ts"]
    assert "rowsOf = " not in texts["apps/web/src/data/rows.ts"]
    assert {d.level for d in found.dependencies} == {1}
    assert found.tokens == count_tokens(found.content) + sum(d.tokens for d in found.dependencies)


def test_an_overloaded_function_is_brought_with_all_its_signatures(tmp_path: Path) -> None:
    text = "export function f(a: string): void;\nexport function f(a: number): void;\n"
    write(tmp_path, "lib.ts", text + "export function f(a: unknown) {\n  run(a);\n}\n")
    write(tmp_path, "app.ts", 'import { f } from "./lib";\nf(1);\n')
    files = CodeModel()
    scanned(tmp_path, files)
    found = view(tmp_path, files, "app.ts", include_deps=True)
    assert found.dependencies[0].text.count("function f") == 3
    assert "run(a);" in found.dependencies[0].text


def test_deeper_levels_bring_signatures(tmp_path: Path) -> None:
    root, files = scan_fixture("pkg", tmp_path)
    found = view(root, files, "src/farm/cli.py", include_deps=True, depth=2)
    deep = {d.path: d for d in found.dependencies if d.level == 2}
    assert deep["src/farm/animals/feeding.py"].text == (
        "async def feed(*animals: object) -> int  (line 7)"
    )
    assert {d.shown for d in deep.values() if d.text} == {"signatures"}


def test_the_tree_nests_imports_opens_each_file_once_and_ends_at_cycles(tmp_path: Path) -> None:
    write(tmp_path, "a.ts", 'import { b } from "./b";\nexport const a = b;\n')
    write(tmp_path, "b.ts", 'import { c } from "./c";\nexport const b = c;\n')
    write(tmp_path, "c.ts", 'import { a } from "./a";\nexport const c = () => a;\n')
    files = CodeModel()
    scanned(tmp_path, files)
    deep = view(tmp_path, files, "a.ts", include_deps=True, depth=5)
    assert [node.as_dict() for node in deep.tree] == [
        {
            "path": "b.ts",
            "dependencies": [
                {"path": "c.ts", "dependencies": [{"path": "a.ts", "note": "shown above"}]}
            ],
        }
    ]
    flat = view(tmp_path, files, "a.ts", include_deps=True, depth=1)
    assert [node.as_dict() for node in flat.tree] == [{"path": "b.ts", "note": "deeper"}]


@pytest.mark.parametrize("budget", [100, 200, 300, 400, 600, 2_000])
def test_the_answer_stays_within_the_budget(tmp_path: Path, budget: int) -> None:
    root, files = scan_fixture("shop", tmp_path)
    found = view(root, files, MAIN, include_deps=True, depth=3, budget=budget)
    assert found.tokens <= budget
    assert found.content


def test_a_small_budget_keeps_signatures_and_says_what_is_missing(tmp_path: Path) -> None:
    root, files = scan_fixture("shop", tmp_path)
    bare = view(root, files, MAIN).tokens
    found = view(root, files, MAIN, include_deps=True, budget=bare + 60)
    shown = [d.shown for d in found.dependencies]
    assert {"signatures", "nothing"} <= set(shown)
    assert f"no room for {shown.count('nothing')} dependencies" in found.notice


def test_a_file_too_long_for_the_budget_is_cut_at_a_line_with_an_outline(tmp_path: Path) -> None:
    body = "".join(
        f"def job_{n}(value: int) -> int:\n    return value + {n}\n\n\n" for n in range(200)
    )
    write(tmp_path, "long.py", body)
    files = CodeModel()
    scanned(tmp_path, files)
    found = view(tmp_path, files, "long.py", budget=500)
    assert found.truncated
    assert found.tokens <= 500
    assert body.startswith(found.content)
    assert found.content.count("\n") == found.end_line
    assert found.outline[0] == "1-2 def job_0(value: int) -> int"
    assert f"lines 1 to {found.end_line} of 800 fit" in found.notice
    rest = view(tmp_path, files, "long.py", budget=500, line_range=(found.end_line + 1, None))
    assert body.startswith(found.content + rest.content)


def test_one_endless_line_is_cut_rather_than_left_out(tmp_path: Path) -> None:
    write(tmp_path, "line.txt", "word " * 50_000)
    found = view(tmp_path, CodeModel(), "line.txt", budget=200)
    assert found.content.startswith("word word")
    assert found.tokens <= 200


def test_some_lines_bring_only_what_those_lines_use(tmp_path: Path) -> None:
    root, files = scan_fixture("shop", tmp_path)
    found = view(root, files, MAIN, include_deps=True, line_range=(23, 23))
    assert found.content.startswith("export const App")
    assert {d.path for d in found.dependencies} == {
        "apps/web/src/parts/card.tsx",
        "apps/web/src/util/helper.ts",
        "apps/web/src/legacy.ts",
        "apps/web/src/quoted.ts",
        "apps/web/src/cache.ts",
    }


@pytest.mark.parametrize(
    ("span", "error"), [((0, 3), Invalid), ((5, 2), Invalid), ((90, None), NotFound)]
)
def test_lines_that_a_file_does_not_have_are_refused(
    tmp_path: Path, span: tuple[int, int | None], error: type[ContextdError]
) -> None:
    root, files = scan_fixture("shop", tmp_path)
    with pytest.raises(error):
        view(root, files, MAIN, line_range=span)


def test_a_file_that_changed_since_the_scan_is_understood_as_it_is_now(tmp_path: Path) -> None:
    root, files = scan_fixture("shop", tmp_path)
    write(root, "apps/web/src/cache.ts", "// new\nexport const cached = 'fresh value';\n")
    write(root, MAIN, 'import { lazy } from "./lazy";\nimport { cached } from "./cache";\n')
    found = view(root, files, MAIN, include_deps=True)
    texts = {d.path: d.text for d in found.dependencies}
    assert texts["apps/web/src/cache.ts"] == "// new\nexport const cached = 'fresh value';"
    assert texts["apps/web/src/lazy.ts"] == "export const lazy = true;"
    assert "changed since the last scan" in found.notice


def test_a_project_that_was_never_scanned_can_be_read(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "from b import value\nprint(value)\n")
    write(tmp_path, "b.py", "value = 1\n")
    found = view(tmp_path, CodeModel(), "a.py", include_deps=True)
    assert found.content.startswith("from b")
    assert [node.path for node in found.tree] == ["b.py"]


def test_broken_source_and_missing_imports_are_told(tmp_path: Path) -> None:
    write(tmp_path, "a.ts", 'import { x } from "./gone";\nexport function f( {\n')
    files = CodeModel()
    scanned(tmp_path, files)
    found = view(tmp_path, files, "a.ts", include_deps=True)
    assert found.notice == "syntax errors; imports that lead to no file: ./gone"


def test_binary_files_and_wrong_paths_are_refused_with_a_hint(tmp_path: Path) -> None:
    root, files = scan_fixture("shop", tmp_path)
    write(root, "x.bin", b"\0\1")
    with pytest.raises(Invalid, match="binary"):
        view(root, files, "x.bin")
    with pytest.raises(Invalid, match="leads out"):
        view(root, files, "../x")
    with pytest.raises(NotFound) as caught:
        view(root, files, "main.tsx")
    assert "apps/web/src/main.tsx" in caught.value.hint


def test_a_generated_file_still_has_an_outline_when_it_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path, "a.min.js", "function one(){return 1}\n" * 400)
    files = CodeModel()
    scanned(tmp_path, files)
    write(tmp_path, "a.min.js", "function two(){return 1}\n" * 400)
    found = view(tmp_path, files, "a.min.js", budget=300)
    assert found.outline[0] == "1-1 function two()"


def test_a_file_too_long_for_the_budget_still_brings_what_it_uses(tmp_path: Path) -> None:
    root, files = scan_fixture("shop", tmp_path)
    long = (root / MAIN).read_text("utf-8") + "".join(
        f"const filler{n} = {n};\n" for n in range(2_000)
    )
    write(root, MAIN, long)
    scanned(root, files)
    found = view(root, files, MAIN, budget=2_000, include_deps=True)
    assert found.truncated
    assert any(one.text for one in found.dependencies)
    assert found.tokens <= 2_000
    alone = view(root, files, MAIN, budget=2_000)
    assert alone.end_line > found.end_line
