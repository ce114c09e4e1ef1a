"""A file that takes forever, or ends its reader, costs itself only."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from contextd_code.index.languages.language import Language
from contextd_code.index.languages.table import LANGUAGES
from contextd_code.index.scan_worker import analysed, analysed_by
from contextd_code.tree.walk import WalkedFile, walk
from contextd_code.values.source import OVER_LIMIT, READER_CRASHED, SourceFile
from support.code_repos import SCOPE, CodeModel, scanned, write

ENDLESS = "# some remark\n" * 12_000 + "lonely_name = 1\n" + "# another\n" * 12_000


def read(root: Path, seconds: float = 0.5) -> dict[str, SourceFile]:
    group: list[tuple[WalkedFile, str]] = [(file, "") for file in walk(root).files]
    [found] = analysed_by(1, root, [group], seconds)
    return {file.path: file for file in found}


def test_a_file_over_its_limit_is_plain_text_and_its_neighbours_are_whole(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "def before(): ...\n")
    write(tmp_path, "b.py", ENDLESS)
    write(tmp_path, "c.py", "def behind(): ...\n")
    found = read(tmp_path)
    assert [one.name for name in ("a.py", "c.py") for one in found[name].symbols] == [
        "before",
        "behind",
    ]
    endless = found["b.py"]
    assert (endless.error, endless.symbols) == (OVER_LIMIT, ())
    assert "".join(chunk.text for chunk in endless.chunks) == ENDLESS


def test_a_crash_is_told_of_its_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.py", "def before(): ...\n")
    write(tmp_path, "b.py", "crash = 1\n")
    write(tmp_path, "c.py", "def behind(): ...\n")
    starts = tmp_path / "starts"
    # The process reads with an `analyse` that crashes as a parser would.
    write(
        starts,
        "sitecustomize.py",
        "import os, signal, contextd_code.index.analyse as module\n"
        "whole = module.analyse\n"
        "def analyse(path, *rest, **named):\n"
        "    if path == 'b.py': os.kill(os.getpid(), signal.SIGSEGV)\n"
        "    return whole(path, *rest, **named)\n"
        "module.analyse = analyse\n",
    )
    monkeypatch.setenv("PYTHONPATH", f"{starts}:{':'.join(sys.path)}")
    found = read(tmp_path, 5.0)
    assert (found["b.py"].error, found["b.py"].chunks[0].text) == (READER_CRASHED, "crash = 1\n")
    assert found["c.py"].symbols[0].name == "behind"


def test_a_scan_gives_large_new_files_to_a_process_that_may_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contextd_code.index.scan_worker.CPU_SECONDS", 0.5)
    write(tmp_path, "b.py", ENDLESS)
    write(tmp_path, "c.py", "def behind(): ...\n")
    files = CodeModel()
    report = scanned(tmp_path, files)
    assert report.parsed == 2
    assert [one.error for one in files.of(SCOPE).get(["b.py", "c.py"])] == [OVER_LIMIT, ""]
    # What was too much once is not tried in this process after an edit.
    write(tmp_path, "b.py", ENDLESS + "# more\n")
    assert scanned(tmp_path, files).modified == ("b.py",)
    assert files.of(SCOPE).get(["b.py"])[0].error == OVER_LIMIT


def test_a_small_file_that_only_repeats_itself_costs_a_scan_no_more_than_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contextd_code.index.scan_worker.CPU_SECONDS", 0.5)
    # Without a limit a parser takes minutes for it.
    write(tmp_path, "a.py", ("/*" * 30 + "\n") * 500)
    write(tmp_path, "b.py", "def behind(): ...\n")
    files = CodeModel()
    scanned(tmp_path, files)
    write(tmp_path, "a.py", ("/*" * 30 + "\n") * 400)
    scanned(tmp_path, files)
    monotonous, other = files.of(SCOPE).get(["a.py", "b.py"])
    assert (monotonous.error, monotonous.symbols) == (OVER_LIMIT, ())
    assert other.symbols[0].name == "behind"


def nested(size: int) -> str:
    """A text that opens again and again, each time in other words: no compression tells it from code."""
    chance = random.Random(1)
    parts: list[str] = ["<?php \n"]
    while sum(map(len, parts)) < size:
        name = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=5))
        parts += [f"{name}({name[::-1]} + {name[1:]}\n" for _ in range(20)]
    return "".join(parts)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda row: row.name)
def test_a_file_too_slow_to_parse_is_plain_text_in_every_language(
    language: Language, tmp_path: Path
) -> None:
    text = nested(20_000)
    if language.embedded is not None:
        text = f"<script>\n{text}</script>\n"
    name = f"a.{language.extensions[0]}"
    write(tmp_path, name, text)
    [found] = analysed(tmp_path, [(walk(tmp_path).files[0], "")], 0.0)
    assert (found.error, found.symbols, found.imports) == (OVER_LIMIT, (), ())
    assert "".join(chunk.text for chunk in found.chunks) == text


def test_the_next_file_of_a_thread_has_its_own_time(tmp_path: Path) -> None:
    write(tmp_path, "a.py", nested(20_000))
    group = [(walk(tmp_path).files[0], "")]
    assert analysed(tmp_path, group, 0.0)[0].error == OVER_LIMIT
    assert analysed(tmp_path, group)[0].error == "syntax errors"


def test_a_slow_file_is_parsed_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contextd_code.index.scan._IN_PROCESS", 0.0)
    many = "".join(f"def name{number}(a, b): return a + b\n" for number in range(600))
    write(tmp_path, "a.py", many)
    write(tmp_path, "b.py", "def short(): ...\n")
    files = CodeModel()
    report = scanned(tmp_path, files)
    known = {file.path: file for file in files.of(SCOPE).all()}
    assert (known["a.py"].error, len(known["a.py"].symbols)) == ("", 600)
    assert [one.name for one in known["b.py"].symbols] == ["short"]
    assert report.added == ("a.py", "b.py")


def test_no_place_to_cut_a_valid_class_of_kotlin_keeps_its_parser_busy() -> None:
    # In a process of its own, which can be ended: nothing else ends a parser that never asks.
    script = """
from contextd_code.index.languages.language import parsed, parsing_within
from contextd_code.index.languages.table import BY_NAME
rows = "".join(
    f'    @field:Column(name = "apples_{n}")\\n    var apples{n}: Int? = null\\n\\n' for n in range(80)
)
# One of these shifts puts the first cut within an annotation or the property below it.
for shift in range(0, 60, 10):
    text = f'// {"." * shift}\\n@Table(name = "shops")\\nclass Shop {{\\n{rows}}}\\n'
    with parsing_within(30):
        print(parsed(BY_NAME["kotlin"], text.encode()).root_node.has_error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stdout.split() == ["False"] * 6
