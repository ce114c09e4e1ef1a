"""Reading and searching the project's code, together with what is known about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from typing import Any

from contextd.code.symbols.read import FileView, read, read_outline
from contextd.code.tree.grep import grep
from contextd.code.tree.paths import relative_inside
from contextd.domain.code import Chunk
from contextd.domain.errors import Invalid, NotFound
from contextd.domain.query import CODE
from contextd.domain.tokens import count_tokens, trim_to_tokens
from contextd.operations.anchors import notes as stale_notes
from contextd.operations.core import operation
from contextd.operations.experience import past_of
from contextd.operations.finding import find_documents, mark_served
from contextd.operations.freshness import steady
from contextd.operations.knowledge import attached_to
from contextd.operations.scanning import queue_embedding, scan_project
from contextd.operations.views import Known, known
from contextd.operations.window import hand_out
from contextd.retrieval.votes import MEMORY
from contextd.runtime import Runtime
from contextd.sessions.window import Serving

READ_BUDGET = 8_000
GREP_SECONDS = 10.0
_KNOWN_SHARE = 0.3
"""The share of a budget that what is known about a file may take."""

_FRAME, _LOOKS = 24, 4


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file, what it depends on, and what is known about it. `tokens` is the size of all of it as
    text; `tree` nests the files of the project that are imported.
    """

    path: str
    content: str
    language: str
    tokens: int
    lines: list[int]
    dependencies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    tree: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    external: list[str] = field(default_factory=list[str])
    knowledge: list[Known] = field(default_factory=list[Known])
    notice: str = ""

    def as_text(self) -> str:
        """The file, then its dependencies and the tree of imports, then the knowledge."""
        parts = [f"=== {self.path} ({self.language or 'text'}) ===", self.content.rstrip("\n")]
        for dependency in self.dependencies:
            if dependency.get("text"):
                parts += [f"\n--- uses {dependency['path']} ---", str(dependency["text"]).rstrip()]
        if self.tree:
            parts += ["\nImports:", *_branches(self.tree, 1)]
        if self.knowledge:
            parts += ["\nKnown about this file:", *("- " + k.as_text() for k in self.knowledge)]
        if self.notice:
            parts.append(f"\n({self.notice})")
        return "\n".join(parts)


@operation("GET /api/code/read", profile="core")
def read_file(
    runtime: Runtime,
    path: str,
    include_deps: bool = False,
    depth: int = 1,
    budget: int | None = None,
    start_line: int | None = None,
    end_line: int | None = None,
    outline: bool = False,
) -> FileRead:
    """Read a file with what it uses from its imports and the decisions, bugs and rules known about it.

    Args:
        path: Relative to the project's root.
        include_deps: Add what it uses from the files it imports.
        depth: Levels of imports; only signatures below the first.
        budget: Most tokens to return.
        start_line: First line.
        end_line: Last line.
        outline: Definitions only.
    """
    if not 1 <= depth <= 5:
        raise Invalid(f"depth is {depth}", "choose 1 to 5")
    if budget is not None and budget < 100:
        raise Invalid(f"budget is {budget}", "choose at least 100 tokens")
    span = (start_line or 1, end_line) if start_line or end_line else None
    if outline and (span or include_deps):
        raise Invalid("an outline is of a whole file", "leave out the lines and include_deps")
    most = budget or READ_BUDGET

    def look(room: int) -> FileView:
        place = runtime.checkout, path, runtime.store.files, runtime.scope
        if outline:
            return read_outline(*place, budget=room)
        return read(*place, include_deps=include_deps, depth=depth, budget=room, line_range=span)

    with steady(runtime):
        view, answer = _fitted(look, most, *_known_about(runtime, path, most))
    mark_served(runtime, (note.content for note in answer.knowledge))
    runtime.trace.read([note.id for note in answer.knowledge], type="file")
    runtime.sinks.used([note.id for note in answer.knowledge])
    hand_out(
        runtime,
        [
            Serving("file", view.path, count_tokens(view.content)),
            *(Serving("file", d.path, d.tokens) for d in view.dependencies if d.text),
            *(Serving("discovery", n.id, count_tokens(n.as_text())) for n in answer.knowledge),
        ],
    )
    return answer


def _known_about(runtime: Runtime, path: str, budget: int) -> tuple[list[Known], int]:
    """What is attached to a file, nearest first, in at most a share of the budget, and how many
    pieces found no room there.
    """
    try:
        relative = relative_inside(runtime.checkout, path)
    except NotFound:
        # Reading it says the same, and what it may be a misspelling of.
        return [], 0
    now = runtime.clock.now()
    attached = attached_to(runtime, relative)
    stale = stale_notes(runtime, attached)
    kept: list[Known] = []
    left = int(budget * _KNOWN_SHARE) - 8
    for record in attached:
        note = known(record, now, stale=stale.get(record.id, ""))
        cost = count_tokens("- " + note.as_text() + "\n")
        if cost <= left:
            kept.append(note)
            left -= cost
    return kept, len(attached) - len(kept)


def _fitted(
    look: Callable[[int], FileView], budget: int, notes: Sequence[Known], unsaid: int
) -> tuple[FileView, FileRead]:
    """The file with the notes in at most `budget` tokens. What stands around the content is only
    known once it is there, so that a second look may be needed.
    """
    room = budget - count_tokens("\n".join(note.as_text() for note in notes)) - _FRAME
    for _ in range(_LOOKS):
        view = look(max(0, room))
        answer = _answer(view, notes, unsaid)
        if answer.tree and answer.tokens > budget:
            answer = _counted(replace(answer, tree=[]))
        if answer.tokens <= budget:
            break
        room = min(room, view.tokens) - (answer.tokens - budget) - 2
    else:
        spare = budget - count_tokens(replace(answer, notice="").as_text()) - 4
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
            dependencies=[dependency.as_dict() for dependency in view.dependencies],
            tree=[node.as_dict() for node in view.tree],
            external=list(view.external),
            knowledge=list(notes),
            notice="; ".join(filter(None, (more, view.notice))),
        )
    )


def _counted(answer: FileRead) -> FileRead:
    return replace(answer, tokens=count_tokens(answer.as_text()))


def _branches(nodes: Sequence[Mapping[str, Any]], level: int) -> Iterator[str]:
    for node in nodes:
        note = f" ({node['note']})" if node.get("note") else ""
        yield f"{'  ' * level}{node['path']}{note}"
        yield from _branches(node.get("dependencies", ()), level + 1)


@dataclass(frozen=True, slots=True)
class GrepLine:
    """A matching line, or one around it when `context` was asked for."""

    path: str
    line: int
    text: str
    match: bool = True


@dataclass(frozen=True, slots=True)
class Grepped:
    """Matching lines by file and line."""

    matches: list[GrepLine]
    truncated: bool = False
    notice: str = ""

    def as_text(self) -> str:
        """`path:line: text`, as grep prints it."""
        lines = [f"{m.path}:{m.line}{':' if m.match else '-'} {m.text}" for m in self.matches]
        if self.notice:
            lines.append(f"({self.notice})")
        return "\n".join(lines) or "no matches"


@operation("GET /api/code/grep", profile="core")
def grep_codebase(
    runtime: Runtime,
    pattern: str,
    file_pattern: str | None = None,
    ignore_case: bool = False,
    context: int = 0,
    limit: int = 100,
) -> Grepped:
    """Search the project's files with a regular expression.

    Args:
        pattern: The expression.
        file_pattern: Only files like *.ts.
        ignore_case: Whether case does not matter.
        context: Lines around each match.
        limit: The most matches.
    """
    if not pattern:
        raise Invalid("the pattern is empty", "give a regular expression")
    if not 0 <= context <= 20 or not 1 <= limit <= 2000:
        raise Invalid("context or limit is out of range", "context 0 to 20, limit 1 to 2000")
    found = grep(
        runtime.checkout,
        pattern,
        file_pattern=file_pattern,
        ignore_case=ignore_case,
        context=context,
        limit=limit,
        deadline=GREP_SECONDS,
    )
    runtime.trace.read([], type="grep")
    hand_out(runtime, [Serving("file", m.path, count_tokens(m.text)) for m in found.matches])
    lines = [GrepLine(m.path, m.line, m.text, m.is_match) for m in found.matches]
    return Grepped(lines, found.truncated, found.notice)


@dataclass(frozen=True, slots=True)
class CodeHit:
    """A piece of code that answers a question. `past` names earlier work on its file that the
    question resembles.
    """

    path: str
    start_line: int
    end_line: int
    symbol: str
    text: str
    score: float
    why: str = ""
    past: str = ""

    def as_text(self) -> str:
        """Where it is, and the code."""
        name = f" {self.symbol}" if self.symbol else ""
        note = f" ({self.past})" if self.past else ""
        return f"{self.path}:{self.start_line}-{self.end_line}{name}{note}\n{self.text.rstrip()}"


@dataclass(frozen=True, slots=True)
class CodeHits:
    """Pieces of code, best first."""

    results: list[CodeHit]
    notice: str = ""

    def as_text(self) -> str:
        """Each piece under its place."""
        parts = [hit.as_text() for hit in self.results]
        return (
            "\n\n".join([*parts, f"({self.notice})"] if self.notice else parts) or "nothing found"
        )


@operation("GET /api/code/search", profile="standard")
def codebase_search(
    runtime: Runtime, query: str, file_pattern: str | None = None, limit: int = 8
) -> CodeHits:
    """Search the code by meaning and by words; finds functions by what they do.

    Args:
        query: What the code does, or names in it.
        file_pattern: Only files matching this glob.
        limit: The most pieces.
    """
    if not 1 <= limit <= 100:
        raise Invalid(f"limit is {limit}", "choose 1 to 100")
    wanted = limit if not file_pattern else 100
    past = past_of(runtime, query)
    with steady(runtime) as behind:
        found = find_documents(runtime, query, (CODE,), limit=wanted, past=past)
    hits = [
        CodeHit(
            path=chunk.path,
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            symbol=chunk.symbol,
            text=chunk.text,
            score=round(hit.score, 4),
            why=hit.why,
            past=next((part.why for part in hit.parts if part.name == MEMORY), ""),
        )
        for hit in found.hits
        if isinstance(chunk := hit.content, Chunk) and _matches(chunk.path, file_pattern)
    ][:limit]
    runtime.trace.read([hit.path for hit in hits], type="code", query=query)
    hand_out(runtime, [Serving("file", hit.path, count_tokens(hit.as_text())) for hit in hits])
    return CodeHits(hits, "; ".join(filter(None, (found.notice, behind))))


def _matches(path: str, pattern: str | None) -> bool:
    return not pattern or fnmatch(path, pattern) or fnmatch(path.rsplit("/", 1)[-1], pattern)


@dataclass(frozen=True, slots=True)
class Indexing:
    """A scan that was asked for."""

    job_id: str
    files: int
    changed: int
    pending: int

    def as_text(self) -> str:
        """Counts in a sentence."""
        dense = f"; {self.pending} pieces get vectors in the background" if self.pending else ""
        return f"{self.files} files known, {self.changed} changed and indexed{dense}"


@operation("POST /api/code/index", effect="write", profile="standard", idempotent=True)
def codebase_index(runtime: Runtime, path: str | None = None, incremental: bool = True) -> Indexing:
    """Bring the code index up to date after many files changed.

    Args:
        path: Only below this folder; everything when empty.
        incremental: Look at changed files only.
    """
    below = path.strip("/") if path else ""
    if below and not (runtime.checkout / below).exists():
        raise NotFound(f"{path!r} does not exist here", "give a folder of the project")
    report = scan_project(runtime, below=below, incremental=incremental)
    job = queue_embedding(runtime)
    stats = runtime.store.index.stats(runtime.embedder.model)
    runtime.trace.wrote([], type="code", action="update")
    changed = len(report.changed) + len(report.removed)
    return Indexing(job, report.files, changed, stats.pending)
