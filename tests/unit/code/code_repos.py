"""Small repositories to read, unpacked from one text file each: `=== path` starts a file."""

from __future__ import annotations

import os
from pathlib import Path

from contextd.code.index.scan import ScanReport, scan
from contextd.domain.scope import Scope
from contextd.ports import Files, Store
from contextd.stores import open_store

FIXTURES = Path(__file__).parents[2] / "fixtures" / "code"
PAST_NS = 1_700_000_000_000_000_000
SCOPE = Scope("local", "default", "shop")
REPOSITORY = Path(__file__).parents[3]


def unpack(name: str, root: Path) -> Path:
    folder = root / name
    for part in (FIXTURES / f"{name}.txt").read_text("utf-8").split("=== ")[1:]:
        path, _, text = part.partition("\n")
        write(folder, path, text)
        # As after a checkout some time ago: a scan trusts the time of files it did not just miss.
        os.utime(folder / path, ns=(PAST_NS, PAST_NS))
    return folder


def write(root: Path, path: str, text: str | bytes) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)


def memory_store() -> Store:
    return open_store("memory://")


def scanned(root: Path, files: Files, **options: object) -> ScanReport:
    report = scan(root, files, SCOPE, **options)  # type: ignore[arg-type]
    files.put(SCOPE, report.changed)
    files.remove(SCOPE, report.removed)
    return report


def scan_fixture(name: str, tmp_path: Path) -> tuple[Path, Files]:
    root = unpack(name, tmp_path)
    files = memory_store().files
    scanned(root, files)
    return root, files


def edges_of(files: Files) -> set[tuple[str, str]]:
    return {(f.path, one.target) for f in files.all(SCOPE) for one in f.imports if one.target}
