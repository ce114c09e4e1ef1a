from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from contextd.domain.changes import Changes, CodeChange
from contextd.domain.documents import code_documents
from contextd.domain.query import CODE, Query
from contextd_code.index import scan as scanning
from contextd_code.index.scan import scan
from contextd_code.tree.walk import changed_ns
from contextd_code.values.source import SourceFile
from contextd_common.errors import Invalid
from contextd_common.text.words import query_words
from support.code_repos import SCOPE, CodeModel, edges_of, scan_fixture, scanned, unpack, write
from support.stores import address, opened


@pytest.fixture(params=["memory", "sqlite"])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    store = opened(address(request.param, tmp_path_factory.mktemp("store")))
    yield CodeModel(store)
    store.close()


def get(files: CodeModel, path: str) -> SourceFile:
    [file] = files.of(SCOPE).get([path])
    return file


def searched(files: CodeModel, text: str) -> list[str]:
    """The ids of the chunks that a search for these words finds."""
    query = Query(scopes=frozenset({SCOPE}), kinds=(CODE,))
    return [match.id for match in files.view.index.lexical(query_words(text), query, 50)]


def chunk_ids(files: CodeModel) -> list[str]:
    paths = [file.path for file in files.of(SCOPE).all()]
    return [chunk.id for file in files.of(SCOPE).get(paths) for chunk in file.chunks]


def touch(path: Path) -> None:
    about = path.stat()
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns - 5_000_000_000))


def test_the_first_scan_adds_everything_and_the_second_finds_nothing(
    tmp_path: Path, files: CodeModel
) -> None:
    root = unpack("shop", tmp_path)
    first = scanned(root, files)
    assert len(first.added) == first.files == first.parsed == len(files.of(SCOPE).stamps())
    assert get(files, "apps/web/src/main.tsx").symbols[0].name == "lazy"
    ids = chunk_ids(files)
    again = scanned(root, files)
    assert (again.changed_count, again.unchanged, again.removed) == (0, first.files, ())
    assert chunk_ids(files) == ids


def test_a_change_is_seen_and_old_chunks_are_forgotten(tmp_path: Path, files: CodeModel) -> None:
    root = unpack("pkg", tmp_path)
    scanned(root, files)
    old = get(files, "src/farm/cli.py").chunks[0].id
    assert searched(files, "berta") == [old]
    write(root, "src/farm/cli.py", "def other() -> None: ...\n")
    report = scanned(root, files)
    assert report.modified == ("src/farm/cli.py",)
    assert searched(files, "berta") == []
    assert files.chunks([old]) == []
    assert [s.name for s in get(files, "src/farm/cli.py").symbols] == ["other"]


def test_a_change_of_equal_size_right_after_a_scan_is_not_missed(
    tmp_path: Path, files: CodeModel
) -> None:
    write(tmp_path, "a.py", "one = 1\n")
    # Written at the time of the scan, however long it takes to begin.
    stamp = time.time_ns() + 10_000_000_000
    os.utime(tmp_path / "a.py", ns=(stamp, stamp))
    scanned(tmp_path, files)
    write(tmp_path, "a.py", "two = 2\n")
    os.utime(tmp_path / "a.py", ns=(stamp, stamp))
    assert scanned(tmp_path, files).modified == ("a.py",)


def test_touching_a_file_changes_its_stamp_and_nothing_else(
    tmp_path: Path, files: CodeModel
) -> None:
    root = unpack("pkg", tmp_path)
    scanned(root, files)
    before = get(files, "src/farm/cli.py")
    touch(root / "src/farm/cli.py")
    report = scanned(root, files)
    assert report.changed_count == 0
    assert [one.path for one in report.stamps] == ["src/farm/cli.py"]
    after = get(files, "src/farm/cli.py")
    now = changed_ns((root / "src/farm/cli.py").stat())
    assert after.mtime_ns in (now, now - 1)
    assert (after.chunks, after.symbols) == (before.chunks, before.symbols)
    assert scanned(root, files).changed == ()


def _hidden(texts: Sequence[str]) -> list[str]:
    return [text.replace("hunter2", "[secret]") for text in texts]


def test_of_a_changed_file_only_chunks_that_differ_and_their_neighbours_are_redacted(
    tmp_path: Path, files: CodeModel
) -> None:
    first, middle, second = (
        f"def {name}():\n" + "".join(f"    {name}_{n} = 'secret {n}'\n" for n in range(80))
        for name in ("early", "noon", "late")
    )
    asked: list[str] = []

    def hide(texts: Sequence[str]) -> list[str]:
        asked.extend(texts)
        return [text.replace("secret", "***") for text in texts]

    write(tmp_path, "a.py", first + middle + second)
    scanned(tmp_path, files, redact=hide)
    asked.clear()
    write(tmp_path, "a.py", first + middle + second.replace("late_79", "later"))
    report = scanned(tmp_path, files, redact=hide)
    assert report.same_chunks
    assert not [text for text in asked if "early" in text]
    assert len(searched(files, "later")) == 1
    assert searched(files, "early_3")
    kept = get(files, "a.py")
    assert "secret" not in "".join(piece.text for piece in kept.chunks)
    assert not scanned(tmp_path, files, redact=hide, incremental=False).same_chunks


def test_removing_and_adding_a_file_relinks_those_that_import_it(
    tmp_path: Path, files: CodeModel
) -> None:
    root = unpack("shop", tmp_path)
    scanned(root, files)
    whole = get(files, "apps/web/src/util/helper.ts")
    [old] = get(files, "apps/web/src/data/index.ts").chunks
    ids = chunk_ids(files)
    (root / "apps/web/src/data/index.ts").unlink()
    report = scanned(root, files)
    assert report.removed == ("apps/web/src/data/index.ts",)
    assert chunk_ids(files) == [id for id in ids if id != old.id]
    assert old.id not in searched(files, old.text)
    assert "apps/web/src/util/helper.ts" in report.relinked
    assert get(files, "apps/web/src/util/helper.ts").imports[0].target == ""
    assert get(files, "apps/web/src/util/helper.ts").chunks == whole.chunks
    write(root, "apps/web/src/data.ts", "export type Data = {}\n")
    scanned(root, files)
    target = get(files, "apps/web/src/util/helper.ts").imports[0].target
    assert target == "apps/web/src/data.ts"


def test_a_new_configuration_relinks_unchanged_files(tmp_path: Path, files: CodeModel) -> None:
    write(tmp_path, "tsconfig.json", "{}")
    write(tmp_path, "app.ts", 'import { x } from "kit/x";\n')
    write(tmp_path, "lib/x.ts", "export const x = 1;\n")
    scanned(tmp_path, files)
    assert edges_of(files) == set()
    write(tmp_path, "tsconfig.json", '{"compilerOptions": {"paths": {"kit/*": ["./lib/*"]}}}')
    assert scanned(tmp_path, files).relinked == ("app.ts",)
    assert edges_of(files) == {("app.ts", "lib/x.ts")}


def test_a_name_that_a_file_defines_from_now_on_relinks_those_that_use_it(
    tmp_path: Path, files: CodeModel
) -> None:
    write(tmp_path, "Use.cs", "using Shop.Billing;\nclass Use { Invoice one; }\n")
    write(tmp_path, "Aside.cs", "using Shop.Parcels;\nclass Aside { Label one; }\n")
    write(tmp_path, "Other.cs", "namespace Shop.Archive;\npublic class Invoice { }\n")
    scanned(tmp_path, files)
    assert edges_of(files) == set()
    write(tmp_path, "Other.cs", "namespace Shop.Billing;\npublic class Invoice { }\n")
    assert scanned(tmp_path, files).relinked == ("Use.cs",)
    assert edges_of(files) == {("Use.cs", "Other.cs")}


def test_a_scan_of_one_folder_leaves_the_rest_alone(tmp_path: Path, files: CodeModel) -> None:
    root = unpack("pkg", tmp_path)
    scanned(root, files)
    (root / "script.py").unlink()
    write(root, "src/farm/new.py", "")
    report = scanned(root, files, below="src/")
    assert (report.added, report.removed) == (("src/farm/new.py",), ())
    assert get(files, "script.py").path == "script.py"
    with pytest.raises(Invalid):
        scan(root, files.index, below="../other")


def test_a_full_scan_analyses_everything_again(tmp_path: Path, files: CodeModel) -> None:
    root = unpack("pkg", tmp_path)
    total = scanned(root, files).files
    ids = chunk_ids(files)
    report = scanned(root, files, incremental=False)
    assert len(report.modified) == total
    assert chunk_ids(files) == ids


def test_progress_counts_up_to_what_is_read(tmp_path: Path, files: CodeModel) -> None:
    root = unpack("shop", tmp_path)
    told: list[tuple[str, int, int]] = []
    report = scanned(root, files, progress=lambda *step: told.append(step))
    assert told[-1] == ("scan", report.files, report.files)


def test_secrets_that_are_redacted_never_reach_the_scan_report(
    tmp_path: Path, files: CodeModel
) -> None:
    write(tmp_path, "a.py", "KEY = 'hunter2'\n")
    report = scan(tmp_path, files.index, redact=_hidden)
    assert report.changed[0].chunks[0].text == "KEY = '[secret]'\n"
    assert "hunter2" not in repr(report)


def test_many_files_are_shared_among_processes_with_the_same_result(
    tmp_path: Path, files: CodeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = unpack("shop", tmp_path)
    alone = scan(root, files.index)
    monkeypatch.setattr(scanning, "_WORTH_PROCESSES", 10)
    monkeypatch.setattr(scanning, "_BATCH", 12)
    together = scan(root, files.index, workers=2)
    assert together.changed == alone.changed


def test_a_scan_apart_from_its_caller_finds_the_same(
    tmp_path: Path, files: CodeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = unpack("shop", tmp_path)
    alone = scan(root, files.index)
    monkeypatch.setattr(scanning, "_HANDFUL", 3)
    asked: list[int] = []
    truly = scanning.analysed_by

    def noted(count, base, groups):
        asked.append(count)
        return truly(count, base, groups)

    monkeypatch.setattr(scanning, "analysed_by", noted)
    assert scan(root, files.index, apart=True).changed == alone.changed
    assert asked == [1]
    assert scan(root, files.index).changed == alone.changed
    assert asked == [1]


def test_a_scan_goes_on_alone_when_its_processes_cannot_be_used(
    tmp_path: Path, files: CodeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = unpack("shop", tmp_path)
    alone = scan(root, files.index)
    monkeypatch.setattr(scanning, "_WORTH_PROCESSES", 10)
    monkeypatch.setattr(scanning, "_BATCH", 12)
    for python in ("/nowhere/python", "/bin/true"):
        monkeypatch.setattr(sys, "executable", python)
        assert scan(root, files.index, workers=2).changed == alone.changed


def test_odd_content_is_listed_and_nothing_fails(tmp_path: Path, files: CodeModel) -> None:
    write(tmp_path, "a.bin", b"\0\1\2" * 100)
    write(tmp_path, "broken.ts", "export function ( {{{ \n const x = \n")
    write(tmp_path, "empty.py", "")
    write(tmp_path, "deep.js", "(" * 50_000)
    write(tmp_path, "huge.txt", b"x" * 9_000_000)
    report = scanned(tmp_path, files)
    assert report.files == 5
    assert get(files, "a.bin").error == "binary"
    assert get(files, "broken.ts").error == "syntax errors"
    assert get(files, "huge.txt").error == "larger than 8,000,000 bytes"
    assert get(files, "empty.py").error == ""


def test_documents_carry_path_symbol_and_facets(tmp_path: Path) -> None:
    _, files = scan_fixture("shop", tmp_path)
    file = get(files, "apps/web/src/parts/button.tsx")
    document = code_documents(SCOPE, file)[0]
    assert document.id == file.chunks[0].id
    assert (document.kind, document.scope) == (CODE, SCOPE)
    assert document.text.startswith("apps/web/src/parts/button.tsx Button\nexport interface")
    assert document.facets == (
        "path=apps/web/src/parts/button.tsx",
        "language=tsx",
        "tree=apps/web/src/parts",
        "tree=apps/web/src",
        "tree=apps/web",
        "tree=apps",
    )
    assert len({d.id for f in files.of(SCOPE).all() for d in code_documents(SCOPE, f)}) > 30


def test_an_empty_project_has_an_empty_report(tmp_path: Path) -> None:
    report = scan(tmp_path, CodeModel().index)
    assert (report.changed, report.removed, report.files) == ((), (), 0)


def test_a_scan_gives_files_away_as_they_come_and_what_depends_on_them_before(
    tmp_path: Path,
) -> None:
    write(tmp_path, "use.py", "import late, early\n")
    write(tmp_path, "early.py", "x = 1\n")
    for path in tmp_path.iterdir():
        # What was written just now is read again, since it could change within the same tick.
        os.utime(path, (1, 1))
    files = CodeModel()
    scanned(tmp_path, files)
    write(tmp_path, "late.py", "y = 1\n")
    given: list[tuple[list[str], frozenset[str]]] = []

    def keep(
        some: Sequence[SourceFile], same_text: frozenset[str], same_chunks: frozenset[str]
    ) -> None:
        given.append(([file.path for file in some], same_text))
        change = CodeChange(scope=SCOPE, put=some, same_text=same_text, same_chunks=same_chunks)
        files.view.commit(Changes(code=[change]))

    report = scan(tmp_path, files.index, keep=keep)
    assert given == [(["use.py"], frozenset({"use.py"})), (["late.py"], frozenset())]
    assert (report.changed, report.put, report.relinked) == ((), 2, ("use.py",))
    [use] = files.of(SCOPE).get(["use.py"])
    assert {one.target for one in use.imports} == {"late.py", "early.py"}


def test_a_folder_scanned_for_the_first_time_leads_others_into_it(tmp_path: Path) -> None:
    write(tmp_path, "use.py", "import part.late\n")
    files = CodeModel()
    scanned(tmp_path, files)
    write(tmp_path, "part/late.py", "y = 1\n")
    scanned(tmp_path, files, below="part")
    assert [one.target for one in files.of(SCOPE).get(["use.py"])[0].imports] == ["part/late.py"]
