"""Every importer has a recorded file: `tests/fixtures/imports/NAME/` holds one small file in the format of that
row, other files its reader needs, and `expected.json` with the file's name and what the reader returns.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest
from sources import ROOT

from contextd.imports.entry_import import ENTRY_FILES, EntryFile, entry_file_for
from contextd.imports.foreign import (
    FOREIGN,
    ForeignFormat,
    Item,
    Note,
    Surroundings,
    Unread,
    foreign_format,
)
from contextd.imports.importers import IMPORTERS, ImportBatch, Importer, importer_for
from support.verdicts import act, none_of, of_this_rule

SAMPLES = ROOT / "tests" / "fixtures" / "imports"
ROWS: dict[str, Importer | ForeignFormat | EntryFile] = {**IMPORTERS, **FOREIGN, **ENTRY_FILES}

HOW = """Add this folder with
- one small file in the format of the row, below the path its program uses (write an SQLite database as NAME.db.sql),
- expected.json: {"file": "path of that file", "reads": ["one line per event, note or unread part"]}.
Take the format from the program's documentation or a real file, never its content."""


def without_sample(names: Iterable[str], samples: Path) -> list[str]:
    """The folders that rows without a recorded file lack."""
    return [
        f"tests/fixtures/imports/{one}/"
        for one in names
        if not (samples / one / "expected.json").is_file()
    ]


def placed(name: str, folder: Path) -> tuple[Path, list[str]]:
    """The sample of a row copied into a folder, databases built from their SQL; and the expected lines."""
    shutil.copytree(SAMPLES / name, folder, dirs_exist_ok=True)
    for script in folder.rglob("*.sql"):
        database = apsw.Connection(str(script.with_suffix("")))
        database.execute(script.read_text("utf-8"))
        database.close()
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    return folder / expected["file"], expected["reads"]


def events(batch: ImportBatch) -> Iterator[str]:
    for event in batch.events:
        exit_code = event.data.get("exit_code")
        ended = "" if exit_code is None else f" (exit {exit_code})"
        text = event.text or f"{event.data.get('mode', '')} {event.data.get('path', '')}".strip()
        yield f"{event.type} {event.role}{ended}: {text}"


def lines_of(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        match item:
            case ImportBatch():
                yield from events(item)
            case Note():
                yield ": ".join(filter(None, (item.kind, item.title, item.content)))
            case Unread():
                yield f"unread {item.place}: {item.why}"


def kept(item: Any) -> tuple[dict[str, Any], int]:
    return dict(item), 0


def read_with(row: Importer | ForeignFormat | EntryFile, path: Path, home: Path) -> Sequence[str]:
    """What the row returns for a file, after the file was recognised as the row's."""
    match row:
        case Importer():
            assert importer_for(path) is row, (
                f"{importer_for(path).name} detects it, and comes first"
            )
            batches = [row.read(path, session=one.id) for one in row.sessions(path)]
            return [line for batch in batches for line in events(batch)]
        case ForeignFormat():
            around = Surroundings(home=home, environment={}, roots=(home,))
            known = foreign_format(path) is row or path in list(row.places(around))
            assert known, f"neither `detects` nor `places` of {row.name!r} finds {path.name}"
            return list(lines_of(row.read(path, path.name)))
        case EntryFile():
            assert entry_file_for(path) is row, f"{row!r} does not detect {path.name}"
            return [str(one["content"]) for one in row.read(path.read_text("utf-8"), kept).entries]


def test_every_importer_has_a_recorded_file() -> None:
    missing = without_sample(ROWS, SAMPLES)
    none_of(missing, HOW)
    unknown = {path.name for path in SAMPLES.iterdir()} - ROWS.keys()
    none_of(
        [f"tests/fixtures/imports/{name}" for name in sorted(unknown)],
        "no row of an importer has this name: rename or remove the folder",
    )


@of_this_rule
def test_an_importer_without_a_recorded_file_is_told_where_to_put_one(tmp_path: Path) -> None:
    assert without_sample(["brand-new"], tmp_path) == ["tests/fixtures/imports/brand-new/"]
    assert "expected.json" in HOW


@act(
    "tests/fixtures/imports/{name}/expected.json",
    "the row {name} reads another file or other lines: correct the reader, or what it `reads` here",
)
@pytest.mark.parametrize("name", sorted(ROWS.keys() & {path.name for path in SAMPLES.iterdir()}))
def test_a_recorded_file_is_read_as_expected(name: str, tmp_path: Path) -> None:
    path, expected = placed(name, tmp_path)
    assert expected
    assert list(read_with(ROWS[name], path, tmp_path)) == expected
