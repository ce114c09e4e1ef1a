"""Digests of large material; any part of the original can be expanded later."""

from __future__ import annotations

from dataclasses import field, replace
from datetime import timedelta
from typing import Annotated

from contextd.domain.changes import KnowledgeChanges
from contextd.domain.context_items import Serving
from contextd.domain.details import DOCUMENT
from contextd.domain.limits import ProjectPath, Range, Text
from contextd.domain.originals import Original
from contextd.domain.records import Clean
from contextd.domain.records import digest as content_digest
from contextd.domain.result_display import text_form
from contextd.domain.savings import Saving
from contextd.domain.subtasks import session_and_number
from contextd.folding.digest_input import of_paths, of_question, of_text
from contextd.folding.line_digest import tokens_of
from contextd.folding.savings_log import note_saving
from contextd.folding.section_digest import NamedText, digest_parts, joined, piece
from contextd.folding.session_subtasks import subtask_named, trace_of
from contextd.folding.thinning import runs, without_marks
from contextd.redaction.cutting import beginning
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.logged_queries import asked, unanswered
from contextd.sessions.handles import original_named
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound
from contextd_common.text.tokens import count_tokens, fits
from contextd_common.text.words import content_words, one_line

_BUDGET, _EXPANDED = 800, 4_000
"""Default tokens of a digest, and of one expansion."""

_LEAST = 50
_Budget = Annotated[int, Range(_LEAST, 20_000)]
_ANSWERS, _GIVEN = "answers to: ", "the text"
"""Marks an original made of search results instead of a file or output; the name of a given text."""


@dataclass(frozen=True, slots=True)
class Digested:
    """A digest. `raw_tokens` is the size of the original, `parts` are the names for expanding it."""

    digest: Annotated[str, DOCUMENT]
    handle: str
    tokens: int
    raw_tokens: int
    parts: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The digest, and how to expand it."""
        if not self.handle:
            return "; ".join([self.digest, *self.notes])
        example = f"{self.parts[0]}:1-40" if self.parts else "1-40"
        foot = f"({self.raw_tokens:,} tokens; expand({self.handle!r}, {example!r}) shows the rest)"
        return "\n".join(filter(None, [self.digest, *self.notes, foot]))


@operation("POST /api/digests", effect="write", profile="standard", idempotent=True)
def digest(
    runtime: Runtime,
    query: str = "",
    paths: list[ProjectPath] | None = None,
    text: str = "",
    budget: _Budget = _BUDGET,
) -> Digested:
    """Fold logs, files, folders, or all search results for a question into a digest; expand shows any part.

    It has errors with context, the end, definitions and matching lines; repeated lines are counted.

    Args:
        query: What you want to know; alone, the search results for it are folded.
        paths: Files or folders of the project. Write a command's output to a file there, then fold it.
        text: A text to fold. What you write out yourself saves nothing.
        budget: Most tokens of the digest.
    """
    parts, notes, source, about = _gathered(runtime, query, paths or [], text)
    if not parts:
        if source != "search":
            runtime.trace.read([], type="digest")
            return Digested("nothing to fold: no text found", "", 7, 0, notes=notes)
        noted = asked(runtime, query, [], type="digest")
        nothing = unanswered(runtime, "no results", noted=noted)
        return Digested(nothing, "", count_tokens(nothing), 0)
    runtime.trace.read([], type="digest")
    whole = joined(parts)
    raw = tokens_of(without_marks(whole))
    handle = "d-" + content_digest(f"{about}\n{whole}")[:16]
    original = Original(
        scope=runtime.scope,
        id=handle,
        about=one_line(beginning(about, 1_000), 200),
        text=Clean(whole),
        tokens=raw,
        at=runtime.clock.now(),
    )
    runtime.commit(knowledge=KnowledgeChanges(originals=[original]))
    names = [part.name for part in parts if part.name]
    frame = count_tokens(text_form(Digested("", handle, 0, raw, names[:1], notes)))
    digest_text = digest_parts(parts, max(_LEAST // 2, budget - frame), content_words(query))
    digest_tokens = count_tokens(digest_text)
    answer = Digested(digest_text, handle, digest_tokens, raw, names[:20], notes)
    _count(runtime, source, handle, raw, count_tokens(text_form(answer)))
    if source == "search":
        runtime.trace.own_texts.append(digest_text)
    runtime.trace.gave += [
        Serving("file", name, digest_tokens // len(names))
        for name in names
        if paths and name != _GIVEN
    ]
    return answer


def _gathered(
    runtime: Runtime, query: str, paths: list[str], text: str
) -> tuple[list[NamedText], list[str], str, str]:
    """The input, notes about it, and its origin as a word and as a description."""
    given = of_text(runtime, text, content_words(query)) if text else []
    if paths:
        parts, notes = of_paths(runtime, paths, content_words(query))
        named = [replace(part, name=_GIVEN) for part in given]
        return [*parts, *named], notes, "files", ", ".join(paths)
    if text:
        return given, [], "text", "a text"
    if query.strip():
        found, notice = of_question(runtime, query)
        return found, [notice] if notice else [], "search", _ANSWERS + query
    return [], ["give a query, paths or a text"], "", ""


def _count(runtime: Runtime, source: str, handle: str, raw: int, remaining: int) -> None:
    """Log the savings. Text from a tool call was written out by its agent; text from a terminal came
    through a pipe, and the agent only sees the digest.
    """
    if source == "text" and runtime.surface in ("mcp", "rest"):
        note_saving(runtime, Saving("bookkeeping", "text written out", raw, raw))
        return
    # Text folded again was saved only once.
    note_saving(runtime, Saving("digest", source, raw, 0), handle)
    note_saving(runtime, Saving("digest", source, 0, remaining))


@dataclass(frozen=True, slots=True)
class Expanded:
    """A part of an original. `next` is the range that continues it."""

    text: Annotated[str, DOCUMENT]
    tokens: int
    about: str = ""
    next: str = ""

    def as_text(self) -> str:
        """The text, and how to continue."""
        return f"{self.text}\n(continues: range {self.next!r})" if self.next else self.text


@operation("GET /api/digests/{id}", profile="standard")
def expand(runtime: Runtime, id: Text, range: str = "", budget: _Budget = _EXPANDED) -> Expanded:
    """Show a part of a digest's original, or the trace of a subtask.

    Args:
        id: From digest or branch.
        range: Lines such as 10-40, a part's name, or NAME:10-40; all when empty.
        budget: Most tokens.
    """
    wanted = id.strip()
    if session_and_number(wanted)[0]:
        _, subtask = subtask_named(runtime, wanted)
        shown = _cut(piece(trace_of(subtask), range), budget)
        return Expanded(shown[0], count_tokens(shown[0]), subtask.description, shown[1])
    days = runtime.settings.number("retention.originals_days")
    original = original_named(runtime, wanted)
    if original is None or runtime.clock.now() - original.at > timedelta(days=days):
        raise NotFound(
            f"no digest or subtask {wanted!r}",
            f"digest returns handles; they are stored for {days} days",
        )
    text, goes_on = _cut(piece(original.text, range), budget)
    answer = Expanded(text, count_tokens(text), original.about, goes_on)
    if original.about.startswith(_ANSWERS):
        # contextd's own output must not return as new knowledge.
        runtime.trace.own_texts.append(text)
    note_saving(runtime, Saving("digest", "expanded", 0, count_tokens(text_form(answer))))
    return answer


def _cut(shown: NamedText, budget: int) -> tuple[str, str]:
    """As many lines as fit, and the range of the rest; empty if all fit."""
    lines = list(runs(shown.text.split("\n"), shown.first_line))
    whole = "\n".join(line for _, line in lines)
    if fits(whole, budget):
        return whole, ""
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if fits("\n".join(line for _, line in lines[:middle]), budget):
            low = middle
        else:
            high = middle - 1
    text = "\n".join(line for _, line in lines[:low])
    if not fits(text, budget):
        # Of one endless line, show a part.
        text = text[: 3 * budget]
    where = f"{lines[low - 1][0] + 1}-{lines[-1][0]}" if low < len(lines) else ""
    return text, f"{shown.name}:{where}" if shown.name and where else where
