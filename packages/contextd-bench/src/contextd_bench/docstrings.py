"""Find the function that a docstring describes.

The query is the first sentence of a docstring; the answer is its function, among all functions of
the folder. Docstrings are removed from the code before the search. Any folder of Python files
works, such as an installed package.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from contextd.domain.access import OWNER
from contextd.domain.query import CODE, Query
from contextd.embedders import open_embedder
from contextd.search.file_ranking import Past, by_file
from contextd.search.hits import Candidate, Hit
from contextd.search.search import DEPTH, search
from contextd_bench import cosqa
from contextd_bench.bm25 import PlainBM25
from contextd_bench.data import as_dicts, hardware, report, scored
from contextd_bench.scratch import scratch_store
from contextd_code.values.source import Chunk
from contextd_common.errors import NotFound
from contextd_common.text.words import words

FEWEST_WORDS, FEWEST_LINES = 4, 3
"""Shorter sentences name no function in particular, and shorter functions have too little text."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n\s*\n")


@dataclass(frozen=True, slots=True)
class DocumentedFunction:
    """A function without its docstring, and the docstring's first sentence; empty if it is no
    usable query.
    """

    path: str
    line: int
    name: str
    text: str
    sentence: str


def run(folder: Path, *, out: TextIO) -> dict[str, Any]:
    """Measure recall@1, recall@10 and MRR beside plain BM25. Embeds every function: some 50 a second.

    Raises `NotFound` where no function has a docstring.
    """
    functions = read_functions(folder)
    asked = [(one.sentence, place) for place, one in enumerate(functions) if one.sentence]
    if not asked:
        raise NotFound(f"no documented function in {folder}", "give a folder of Python files")
    texts = [one.text for one in functions]
    embedder = open_embedder("minilm")
    with scratch_store() as store:
        view = store.view(OWNER.grant([cosqa.SCOPE]))
        cosqa.keep(view, embedder, texts)
        query = Query(scopes=frozenset({cosqa.SCOPE}), kinds=(CODE,))
        proposed = [
            search(view.index, embedder, text, query, limit=2 * DEPTH).candidates
            for text, _ in asked
        ]
    baseline = PlainBM25(texts)
    systems = {
        "plain BM25": [baseline.ranking(text, DEPTH) for text, _ in asked],
        "contextd": [[int(one.id) for one in found[:DEPTH]] for found in proposed],
        "contextd, as codebase_search": [
            [int(hit.id) for hit in by_file(_hits(found, functions), text, Past())]
            for (text, _), found in zip(asked, proposed, strict=True)
        ],
    }
    right = [place for _, place in asked]
    table = scored({name: cosqa.measured(found, right) for name, found in systems.items()})
    facts = {
        "folder": folder.resolve().name,
        "questions": len(asked),
        "functions": len(functions),
        "hardware": hardware(),
    }
    report(out, "Docstrings: the function that a first sentence describes", facts, table)
    return {**facts, **as_dicts(table)}


def read_functions(folder: Path) -> list[DocumentedFunction]:
    """The functions of all Python files below a folder. A sentence shared by several functions is
    not a query.
    """
    found = [
        one
        for path in sorted(folder.rglob("*.py"))
        for one in _functions(path.relative_to(folder).as_posix(), _read(path))
    ]
    every = [one.sentence for one in found]
    shared = {sentence for sentence in set(every) if every.count(sentence) > 1}
    return [
        DocumentedFunction(one.path, one.line, one.name, one.text, "")
        if one.sentence in shared
        else one
        for one in found
    ]


def _read(path: Path) -> str:
    return path.read_text("utf-8", errors="replace")


def _functions(path: str, source: str) -> Iterable[DocumentedFunction]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    lines = source.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        docstring, first = ast.get_docstring(node) or "", node.body[0]
        own = range(node.lineno - 1, node.end_lineno or node.lineno)
        cut = range(first.lineno - 1, first.end_lineno or first.lineno) if docstring else range(0)
        code_lines = [lines[at] for at in own if at not in cut]
        if len(code_lines) < FEWEST_LINES:
            continue
        sentence = " ".join(_SENTENCE_END.split(docstring.strip(), maxsplit=1)[0].split())
        asks = len(words(sentence)) >= FEWEST_WORDS
        yield DocumentedFunction(
            path, node.lineno, node.name, "\n".join(code_lines), sentence if asks else ""
        )


def _hits(found: Iterable[Candidate], functions: Sequence[DocumentedFunction]) -> list[Hit]:
    hits: list[Hit] = []
    for one in found:
        function = functions[int(one.id)]
        piece = Chunk(
            id=one.id,
            path=function.path,
            start_line=function.line,
            end_line=function.line + function.text.count("\n"),
            symbol=function.name,
            text=function.text,
        )
        hits.append(Hit(one.id, one.kind, one.parts, piece))
    return hits
