"""What files say of their calls is the same once it was kept, in every language."""

from __future__ import annotations

import sys
import threading
from dataclasses import fields
from pathlib import Path

import pytest
from test_calls_of_languages import GO, JAVA, RUST, TYPESCRIPT

from contextd.domain.changes import Changes, CodeChange
from contextd_code.calls.call_facts import CodeScope, FileFacts
from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts, StoredCalls
from contextd_code.calls.edges import Edge
from contextd_code.symbols.symbol_graph import SymbolGraph, build_graph
from support.code_repos import SCOPE, CodeModel, scanned, unpack, write
from support.stores import WITH_CODE, address, opened

REPOSITORIES = {"java": JAVA, "rust": RUST, "typescript": TYPESCRIPT, "go": GO, "python": None}


@pytest.fixture(params=list(REPOSITORIES))
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    files = REPOSITORIES[request.param]
    if files is None:
        return unpack("pkg", tmp_path)
    for path, text in files.items():
        write(tmp_path, path, text)
    return tmp_path


def edges(graph: SymbolGraph, facts: CodeFacts) -> set[Edge]:
    calls = CallGraph(graph, facts)
    every = [one for found in graph.by_name.values() for one in found]
    return {edge for one in every for edge in (*calls.callees(one), *calls.callers(one))}


def told(facts: FileFacts | None) -> object:
    if facts is None:
        return None
    scopes = [[getattr(one, field.name) for field in fields(CodeScope)] for one in facts.scopes]
    return facts.digest, scopes, facts.sites, {n: list(s) for n, s in facts.by_name.items()}


@pytest.mark.parametrize("store", WITH_CODE)
def test_calls_that_were_kept_lead_where_those_lead_that_are_read(
    repository: Path, store: str, tmp_path: Path
):
    model = CodeModel(opened(address(store, tmp_path / "home")))
    scanned(repository, model)
    graph = build_graph(model.index.all())
    stored = StoredCalls(model.index)
    reading = CodeFacts(repository, graph, stored=stored)
    for path in graph.files:
        reading.get(path)
    assert reading.unsaved
    model.view.commit(Changes(code=[CodeChange(scope=SCOPE, calls=reading.unsaved)]))
    knowing = CodeFacts(repository, graph, stored=stored)
    known = {path: knowing.get(path) for path in graph.files}
    assert len(known) > 1
    assert {p: told(f) for p, f in known.items()} == {p: told(reading.get(p)) for p in known}
    assert knowing.unsaved == []
    assert edges(graph, knowing) == edges(graph, CodeFacts(repository, graph))


def test_who_builds_on_a_type_is_known_while_files_are_read_ahead(tmp_path: Path):
    files = {f"m{n}.py": f"from base import Base\nclass Own{n}(Base): ...\n" for n in range(300)}
    for path, text in {"base.py": "class Base: ...\n", **files}.items():
        write(tmp_path, path, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    interval = sys.getswitchinterval()
    # A thread gets its turn after every few steps of the other.
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(3):
            facts = CodeFacts(tmp_path, graph, stored=StoredCalls(model.index))
            ahead = threading.Thread(target=facts.read_ahead, args=(1_000, 60.0))
            ahead.start()
            while ahead.is_alive():
                assert set(facts.building("Base")) >= set(files)
                assert set(facts.naming("Base")) >= set(files)
            ahead.join()
            assert set(facts.building("Base")) == set(files)
    finally:
        sys.setswitchinterval(interval)


def test_two_who_ask_at_once_are_told_what_one_alone_is(repository: Path):
    model = CodeModel()
    scanned(repository, model)
    graph = build_graph(model.index.all())
    alone = edges(graph, CodeFacts(repository, graph))
    every = [one for found in graph.by_name.values() for one in found]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(10):
            calls = CallGraph(graph, CodeFacts(repository, graph))
            found: list[Edge] = []

            def ask(order: int, calls: CallGraph = calls, found: list[Edge] = found) -> None:
                for one in every[::order]:
                    found.extend((*calls.callees(one), *calls.callers(one)))

            threads = [threading.Thread(target=ask, args=(order,)) for order in (1, -1, 1)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert set(found) == alone
    finally:
        sys.setswitchinterval(interval)
