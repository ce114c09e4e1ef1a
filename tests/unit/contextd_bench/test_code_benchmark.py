"""The code benchmark measures what it says, and its judges notice mistakes."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path

import pytest

from contextd.domain.access import OWNER
from contextd.domain.scope import Scope
from contextd_bench import code
from contextd_bench.code_accuracy import (
    Accuracy,
    edges_of,
    python_accuracy,
    typescript_accuracy,
)
from contextd_bench.monorepo import write_monorepo
from contextd_bench.run import main
from contextd_code.index.scan import scan
from contextd_code.values.source import SourceFile
from contextd_common.errors import NotFound
from support.stores import opened

REPOSITORY = Path(__file__).parents[3]


def model(root: Path) -> dict[str, SourceFile]:
    scope = Scope("local", "default", "x")
    files = opened("memory://").view(OWNER.grant([scope])).files
    return {file.path: file for file in scan(root, files.of(scope)).changed}


def package(root: Path) -> Path:
    (root / "src" / "farm_of_bench").mkdir(parents=True)
    for name, text in {
        "__init__": "from .cow import Cow\n",
        "cow": "from farm_of_bench import hay\n\n\nclass Cow:\n    def eat(self): ...\n",
        "hay": "def bale(): ...\n",
    }.items():
        (root / "src" / "farm_of_bench" / f"{name}.py").write_text(text)
    return root


def test_the_benchmark_prints_each_figure_beside_a_baseline(tmp_path: Path) -> None:
    out = io.StringIO()
    found = code.run(package(tmp_path), out=out)
    text = out.getvalue()
    assert text.count("baseline:") >= 5
    for what in ("hardware:", "walk,", "index:", "parse 3 code files", "resolve", "scan again",
                 "grep, 6 patterns", "read_file", "repo_map", "code files: python 3"):  # fmt: skip
        assert what in text
    rows = [a.row() for a in found[str(tmp_path)]["accuracy"]]
    assert rows == [
        "| Python definitions, against ast | 3 |  | 1.0000 |  |",
        "| Python imports, against grimp | 2 | 1.0000 | 1.0000 |  |",
    ]
    assert {p.name for p in tmp_path.iterdir()} == {"src"}


def test_the_judge_of_python_notices_a_wrong_and_a_missing_edge(tmp_path: Path) -> None:
    files = model(package(tmp_path))
    cow = files["src/farm_of_bench/cow.py"]
    astray = replace(cow.imports[0], target="src/farm_of_bench/cow.py")
    files[cow.path] = replace(cow, imports=(astray,), symbols=cow.symbols[:1])
    definitions, imports = python_accuracy(tmp_path, files)
    assert definitions.recall == pytest.approx(2 / 3)
    assert definitions.missed == (f"{cow.path}: eat",)
    assert (imports.precision, imports.recall) == (0.5, 0.5)
    assert imports.wrong == (f"{cow.path} -> {cow.path}",)


def test_the_generated_monorepo_is_the_same_every_time_and_full_of_edges(tmp_path: Path) -> None:
    write_monorepo(tmp_path / "a", packages=6, modules=12)
    write_monorepo(tmp_path / "b", packages=6, modules=12)
    one, other = model(tmp_path / "a"), model(tmp_path / "b")
    assert edges_of(one.values()) == edges_of(other.values())
    assert len(edges_of(one.values())) > 200
    crossing = {(a, b) for a, b in edges_of(one.values()) if a.split("/")[:2] != b.split("/")[:2]}
    assert len(crossing) > 20


def typescript() -> Path:
    folder = Path(os.environ.get("CONTEXTD_TYPESCRIPT", "node_modules/..")).resolve()
    if not (folder / "node_modules" / "typescript").is_dir():
        pytest.skip("CONTEXTD_TYPESCRIPT names no folder with node_modules/typescript")
    return folder


def judged(root: Path, files: dict[str, SourceFile]) -> tuple[Accuracy, Accuracy]:
    imports, definitions = typescript_accuracy(root, files, typescript())
    return imports, definitions


def test_the_generated_monorepo_resolves_as_typescript_does(tmp_path: Path) -> None:
    write_monorepo(tmp_path, packages=8, modules=16)
    imports, definitions = judged(tmp_path, model(tmp_path))
    assert imports.truth > 300
    assert (imports.precision, imports.recall, imports.beyond) == (1.0, 1.0, 0)
    assert definitions.recall == 1.0


def test_the_judge_of_typescript_notices_a_wrong_and_a_missing_edge(tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text('import "./b"; import "workspace";\nexport const x = 1;')
    (tmp_path / "b.ts").write_text("")
    (tmp_path / "c.ts").write_text("")
    files = model(tmp_path)
    first, second = files["a.ts"].imports
    wrong, beyond = replace(first, target="c.ts"), replace(second, target="b.ts")
    files["a.ts"] = replace(files["a.ts"], imports=(wrong,), symbols=())
    imports, definitions = judged(tmp_path, files)
    assert (imports.precision, imports.recall, definitions.recall) == (0.0, 0.0, 0.0)
    files["a.ts"] = replace(files["a.ts"], imports=(first, beyond))
    assert judged(tmp_path, files)[0].precision == 1.0


def test_a_folder_without_typescript_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text("export const x = 1;")
    with pytest.raises(NotFound, match="node_modules/typescript") as refused:
        list(typescript_accuracy(tmp_path, model(tmp_path), tmp_path))
    assert "npm install typescript" in refused.value.hint


def test_the_command_takes_a_path_and_refuses_one_that_is_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["code", str(package(tmp_path))]) == 0
    assert "parse 3 code files" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["code", str(tmp_path / "nowhere")])
    assert "is no folder" in capsys.readouterr().err
