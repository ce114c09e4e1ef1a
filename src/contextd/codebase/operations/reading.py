"""Read a project file together with the records about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated, Any

from contextd.codebase.freshness import steady
from contextd.domain.context_items import Serving
from contextd.domain.details import DOCUMENT
from contextd.domain.limits import PROJECT_PATH, Range, Text
from contextd.domain.records import Record
from contextd.domain.result_display import text_form
from contextd.knowledge.git_anchors import notes as stale_notes
from contextd.knowledge.record_views import Known, known
from contextd.projects.file_records import attached_to
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.validity import validities
from contextd_code.symbols.dependencies import Dependency
from contextd_code.symbols.file_with_dependencies import FileView, read, read_outline
from contextd_code.tree.paths import relative_inside
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound
from contextd_common.text.tokens import count_tokens, trim_to_tokens

READ_BUDGET = 12_000
"""Tokens of an answer: a file of 1,000 lines, and half of the limit of clients for a tool's answer (25,000)."""
_KNOWN_SHARE = 0.3
"""The share of a budget for the records about a file."""

_FRAME, _LOOKS = 24, 4


@dataclass(frozen=True, slots=True)
class UsedFile(Dependency):
    """A file that is used, with its text shown whole."""

    text: Annotated[str, DOCUMENT]


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file, its dependencies, and the records about it. `tokens` is the size of all of it as text; `tree`
    nests the project files that it imports.
    """

    path: str
    content: Annotated[str, DOCUMENT]
    language: str
    tokens: int
    lines: list[int]
    dependencies: list[UsedFile] = field(default_factory=list[UsedFile])
    tree: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    external: list[str] = field(default_factory=list[str])
    knowledge: list[Known] = field(default_factory=list[Known])
    notice: str = ""

    def as_text(self) -> str:
        """The file, then its dependencies and the tree of imports, then the records."""
        parts = [f"=== {self.path} ({self.language or 'text'}) ===", self.content.rstrip("\n")]
        parts += ["\n" + used.as_text() for used in self.dependencies if used.text]
        left_out = [used.path for used in self.dependencies if not used.text]
        if left_out and not self.tree:
            parts.append("\nAlso uses: " + ", ".join(left_out))
        if self.tree:
            parts += ["\nImports:", *_branches(self.tree, 1)]
        if self.knowledge:
            parts += ["\nKnown about this file:", *("- " + k.as_text() for k in self.knowledge)]
        if self.notice:
            parts.append(f"\n({self.notice})")
        return "\n".join(parts)


@operation("GET /api/code/read", profile="core", needs="checkout")
def read_file(
    runtime: Runtime,
    path: Annotated[Text, PROJECT_PATH],
    include_deps: bool = False,
    depth: Annotated[int, Range(1, 5)] = 1,
    budget: Annotated[int, Range(100)] | None = None,
    start_line: Annotated[int, Range(0)] | None = None,
    end_line: Annotated[int, Range(0)] | None = None,
    outline: bool = False,
) -> FileRead:
    """Read a file with the imported definitions it uses, and the decisions, bugs and rules about it.

    Args:
        path: Relative to the project's root.
        include_deps: Add the imported definitions it uses.
        depth: Levels of imports; only signatures below the first.
        budget: Most tokens.
        start_line: First line.
        end_line: Last line.
        outline: Definitions only.
    """
    span = _span(start_line, end_line)
    most = budget or READ_BUDGET

    def look(room: int) -> FileView:
        place = runtime.root, path, runtime.code_index
        if outline:
            return read_outline(*place, budget=room, line_range=span)
        return read(*place, include_deps=include_deps, depth=depth, budget=room, line_range=span)

    with steady(runtime):
        attached = _attached(runtime, path)
        view, answer = _fitted(look, most, *_within(runtime, attached, most))
    trace = runtime.trace
    trace.read([note.id for note in answer.knowledge], type="file")
    trace.own_texts += [note.content for note in answer.knowledge]
    trace.gave += [
        Serving("file", view.path, count_tokens(view.content)),
        *(Serving("file", d.path, d.tokens) for d in view.dependencies if d.text),
        *(Serving("discovery", n.id, count_tokens(text_form(n))) for n in answer.knowledge),
    ]
    return answer


def _span(start: int | None, end: int | None) -> tuple[int, int | None] | None:
    """The requested lines, in either order; zero counts as not given."""
    if not start and not end:
        return None
    first, last = start or 1, end or None
    return (first, last) if last is None or first <= last else (last, first)


def _attached(runtime: Runtime, path: str) -> list[Record]:
    """The records about a file; empty for a path without a file: reading it suggests similar paths."""
    try:
        return attached_to(runtime, relative_inside(runtime.root, path))
    except NotFound:
        return []


def _within(runtime: Runtime, attached: Sequence[Record], budget: int) -> tuple[list[Known], int]:
    """The nearest attached records that fit into a share of the budget, and how many did not fit."""
    now = runtime.clock.now()
    stale, valid = stale_notes(runtime, attached), validities(runtime, attached)
    notes: list[Known] = []
    left = int(budget * _KNOWN_SHARE) - 8
    for record in attached:
        note = known(record, now, valid[record.id], stale=stale.get(record.id, ""))
        cost = count_tokens("- " + text_form(note) + "\n")
        if cost <= left:
            notes.append(note)
            left -= cost
    return notes, len(attached) - len(notes)


def _fitted(
    look: Callable[[int], FileView], budget: int, notes: Sequence[Known], unsaid: int
) -> tuple[FileView, FileRead]:
    """The file with the notes in at most `budget` tokens. The size of the surrounding text is only known with
    the content, so a second pass may be needed.
    """
    room = budget - count_tokens("\n".join(text_form(note) for note in notes)) - _FRAME
    for _ in range(_LOOKS):
        view = look(max(0, room))
        answer = _answer(view, notes, unsaid)
        if answer.tree and answer.tokens > budget:
            answer = _counted(replace(answer, tree=[]))
        if answer.tokens <= budget:
            break
        room = min(room, view.tokens) - (answer.tokens - budget) - 2
    else:
        spare = budget - count_tokens(text_form(replace(answer, notice=""))) - 4
        answer = _counted(replace(answer, notice=trim_to_tokens(answer.notice, max(0, spare))))
    return view, answer


def _answer(view: FileView, notes: Sequence[Known], unsaid: int) -> FileRead:
    more = f"{unsaid} more pieces of knowledge about this file: context_search" if unsaid else ""
    return _counted(
        FileRead(
            path=view.path,
            content=view.content,
            language=view.language,
            tokens=0,
            lines=[view.start_line, view.end_line],
            dependencies=[
                UsedFile(one.path, one.level, one.names, one.shown, one.text, one.tokens)
                for one in view.dependencies
            ],
            tree=[node.as_dict() for node in view.tree],
            external=list(view.external),
            knowledge=list(notes),
            notice="; ".join(filter(None, (more, view.notice))),
        )
    )


def _counted(answer: FileRead) -> FileRead:
    return replace(answer, tokens=count_tokens(text_form(answer)))


def _branches(nodes: Sequence[Mapping[str, Any]], level: int) -> Iterator[str]:
    for node in nodes:
        note = f" ({node['note']})" if node.get("note") else ""
        yield f"{'  ' * level}{node['path']}{note}"
        yield from _branches(node.get("dependencies", ()), level + 1)
