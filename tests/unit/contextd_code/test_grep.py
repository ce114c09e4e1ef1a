from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from contextd_code.tree import grep as grepping
from contextd_code.tree.grep import Engine, GrepResult, grep
from contextd_code.tree.grep_python import wanted
from contextd_common.errors import Invalid, Unavailable
from support.code_repos import unpack, write

ENGINES = [engine for engine in get_args(Engine) if engine]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = unpack("shop", tmp_path)
    write(root, ".gitignore", "ignored.ts\n")
    write(root, "ignored.ts", "money\n")
    write(root, "node_modules/m/index.ts", "money\n")
    return root


def places(found: GrepResult) -> list[tuple[str, int]]:
    return [(match.path, match.line) for match in found.matches if match.is_match]


def test_every_engine_finds_the_same_lines_in_the_same_order(shop: Path, engine: Engine) -> None:
    found = grep(shop, r"money\b", engine=engine, file_pattern="*.ts")
    assert found.engine == engine
    assert places(found) == [
        ("packages/shared/src/index.ts", 1),
        ("packages/shared/src/money.ts", 3),
        ("tools/make/deep/src/run.ts", 3),
        ("tools/make/deep/src/run.ts", 4),
    ]
    assert found.matches[1].text.startswith("export const money = (value")
    assert not found.truncated


@pytest.mark.parametrize(
    ("file_pattern", "count"),
    [
        ("*.{ts,tsx}", 7),
        ("packages", 2),
        ("packages/", 2),
        ("apps/**/*.tsx", 3),
        ("*.ts,*.tsx", 7),
        ("*.ts, !**/make/**", 2),
        ("nothing/*.py", 0),
    ],
)
def test_file_patterns_mean_the_same_to_every_engine(
    shop: Path, engine: Engine, file_pattern: str, count: int
) -> None:
    assert len(places(grep(shop, "money", engine=engine, file_pattern=file_pattern))) == count


def test_case_and_context(shop: Path, engine: Engine) -> None:
    assert places(grep(shop, "MATH.ROUND", engine=engine)) == []
    found = grep(shop, "MATH.ROUND", engine=engine, ignore_case=True, context=1)
    assert [(m.line, m.is_match) for m in found.matches] == [(1, False), (2, True), (3, False)]


def test_look_around_is_allowed(shop: Path, engine: Engine) -> None:
    found = grep(shop, r"(?<=export )enum(?! Nothing)", engine=engine)
    assert places(found) == [("packages/shared/src/math.ts", 5)]


def test_a_limit_keeps_the_first_and_says_how_many_there_are(shop: Path, engine: Engine) -> None:
    found = grep(shop, "export", engine=engine, limit=3)
    assert len(places(found)) == 3
    assert found.truncated
    assert found.notice.startswith("3 of ")
    assert places(found) == places(grep(shop, "export", engine=engine, limit=500))[:3]


def test_a_bad_expression_is_refused_with_the_engine_s_message(shop: Path, engine: Engine) -> None:
    with pytest.raises(Invalid) as caught:
        grep(shop, "(unclosed", engine=engine)
    assert caught.value.hint
    assert any(word in caught.value.message for word in ("unclosed", "missing", "unterminated"))


def test_a_bad_glob_is_refused(shop: Path) -> None:
    with pytest.raises(Invalid):
        grep(shop, "money", file_pattern="src/{a")


def test_patterns_that_look_like_options_are_patterns(shop: Path, engine: Engine) -> None:
    write(shop, "flags.md", "use --files here\n")
    assert places(grep(shop, "--files", engine=engine)) == [("flags.md", 1)]


def test_a_broad_pattern_stops_at_the_cap(tmp_path: Path) -> None:
    for n in range(4):
        write(tmp_path, f"f{n}.txt", "line\n" * 3_000)
    found = grep(tmp_path, ".", limit=50)
    assert len(found.matches) == 50
    assert "more than" in found.notice


def test_an_expression_that_explodes_is_stopped_at_the_deadline(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "a" * 60 + "!\n")
    found = grep(tmp_path, r"^(a|a)*$", engine="python", deadline=1.0)
    assert found.truncated
    assert "stopped after 1 seconds" in found.notice


def test_without_ripgrep_and_git_python_searches(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grepping, "ripgrep", lambda: "")
    assert grep(shop, "money").engine == "git"
    assert places(grep(shop, "(?P<a>money)(?P=a)?", file_pattern="*.md")) == []


def test_modules_of_the_searched_project_are_not_imported(tmp_path: Path) -> None:
    for name in ("json.py", "re.py", "contextd/__init__.py"):
        write(tmp_path, name, "raise SystemExit('imported')\n")
    assert len(places(grep(tmp_path, "imported", engine="python"))) == 3


def test_long_lines_are_cut_around_the_match(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "x" * 5_000 + "needle" + "y" * 5_000)
    text = grep(tmp_path, "needle").matches[0].text
    assert "needle" in text
    assert len(text) <= 402


def test_files_that_are_not_utf8_are_searched(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "caf\xe9 wanted\n".encode("latin-1"))
    assert grep(tmp_path, "wanted").matches[0].text == "café wanted"


def test_a_nul_and_a_missing_folder_are_typed_errors(tmp_path: Path) -> None:
    with pytest.raises(Invalid):
        grep(tmp_path, "a\0b")
    with pytest.raises(Unavailable):
        grep(tmp_path / "missing", "a")


def test_globs_of_the_fallback() -> None:
    assert wanted("src/a.test.ts", ["*.ts"])
    assert not wanted("src/a.test.ts", ["*.ts", "!*.test.ts"])
    assert wanted("src/deep/a.tsx", ["src/**/*.{ts,tsx}"])
    assert wanted("src/a.tsx", ["src/**"])


def test_names_that_are_not_ascii_are_found_in_files_in_latin_1(tmp_path):
    (tmp_path / "old.pas").write_bytes("procedure Größe;\n".encode("latin-1"))
    (tmp_path / "new.pas").write_text("procedure Größe;\n", "utf-8")
    for pattern, ignore_case in (("Größe", False), ("GRÖßE", True), (r"\bGröße\b", False)):
        found = grep(tmp_path, pattern, ignore_case=ignore_case, engine="rg")
        assert {one.path for one in found.matches} == {"new.pas", "old.pas"}, pattern
        assert {one.text for one in found.matches} == {"procedure Größe;"}
