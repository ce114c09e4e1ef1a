"""Small repositories to read, unpacked from one text file each: `=== path` starts a file."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, CodeChange
from contextd.domain.scope import Scope
from contextd.ports.store import Store
from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.scip import told_edges
from contextd_code.index.scan import ScanReport, scan
from contextd_code.symbols.symbol_graph import build_graph
from contextd_code.values.code_index import CodeIndex
from support.stores import opened

FIXTURES = Path(__file__).parents[1] / "fixtures" / "code"
PAST_NS = 1_700_000_000_000_000_000
SCOPE = Scope("local", "default", "shop")
REPOSITORY = Path(__file__).parents[2]


def unpack(name: str, root: Path) -> Path:
    folder = root / name
    for part in (FIXTURES / f"{name}.txt").read_text("utf-8").split("=== ")[1:]:
        path, _, text = part.partition("\n")
        write(folder, path, text)
        # As after a checkout some time ago: a scan trusts the time of files it did not just miss.
        os.utime(folder / path, ns=(PAST_NS, PAST_NS))
    # The time of an inode cannot be set.
    time.sleep(0.03)
    return folder


def write(root: Path, path: str, text: str | bytes) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)


class CodeModel:
    """The files a store knows of a project, as `Files`, and a verb that writes what a scan found."""

    def __init__(self, store: Store | None = None) -> None:
        self.view = (store or opened("memory://")).view(OWNER.grant([SCOPE]))
        self.chunks, self.index = self.view.files.chunks, self.view.files.of(SCOPE)

    def of(self, scope: Scope) -> CodeIndex:
        assert scope == SCOPE
        return self.index

    def write(self, report: ScanReport) -> None:
        change = CodeChange(
            scope=SCOPE,
            put=report.changed,
            same_text=report.same_text,
            same_chunks=report.same_chunks,
            remove=report.removed,
        )
        self.view.commit(Changes(code=[change]))
        kept = CodeChange(scope=SCOPE, readings=report.readings, stamps=report.stamps)
        self.view.commit(Changes(code=[kept]))


def scanned(root: Path, files: CodeModel, **options: object) -> ScanReport:
    report = scan(root, files.index, **options)  # type: ignore[arg-type]
    files.write(report)
    return report


def scan_fixture(name: str, tmp_path: Path) -> tuple[Path, CodeModel]:
    root = unpack(name, tmp_path)
    files = CodeModel()
    scanned(root, files)
    return root, files


def edges_of(files: CodeModel) -> set[tuple[str, str]]:
    return {(f.path, one.target) for f in files.of(SCOPE).all() for one in f.imports if one.target}


def call_graph_of(root: Path, files: Mapping[str, str]) -> CallGraph:
    """Who calls whom in these files, written below `root` and scanned."""
    for path, text in files.items():
        write(root, path, text)
    model = CodeModel()
    scanned(root, model)
    graph = build_graph(model.index.all())
    return CallGraph(graph, CodeFacts(root, graph), told_edges(root, graph).edges)
