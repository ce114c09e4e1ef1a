"""Large material in few words: the digest now, any part of the rest when it is asked for."""

from __future__ import annotations

from dataclasses import field, replace
from datetime import timedelta
from typing import Annotated

from contextd.domain.dataclass import dataclass
from contextd.domain.details import DOCUMENT
from contextd.domain.errors import NotFound
from contextd.domain.limits import ProjectPath, Range, Text
from contextd.domain.originals import Original
from contextd.domain.records import Clean
from contextd.domain.records import digest as content_digest
from contextd.domain.savings import Saving
from contextd.domain.showing import text_form
from contextd.domain.subtasks import session_and_number
from contextd.domain.tokens import count_tokens, fits
from contextd.domain.window import Serving
from contextd.domain.words import content_words, one_line
from contextd.folding.digesting import of_paths, of_question, of_text
from contextd.folding.line_digest import tokens_of
from contextd.folding.savings import note_saving
from contextd.folding.section_digest import NamedText, digest_parts, joined, piece
from contextd.folding.subtasks import subtask_named, trace_of
from contextd.folding.thinned_text import runs, without_marks
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.questions import asked, unanswered
from contextd.sessions.handles import original_named

_BUDGET, _EXPANDED = 800, 4_000
"""Tokens of a digest, and of what is expanded at once, unless the call says more."""

_LEAST = 50
_Budget = Annotated[int, Range(_LEAST, 20_000)]
_ANSWERS, _GIVEN = "answers to: ", "the text"
"""How it is told of an original that it holds what was known, and no file or output."""


@dataclass(frozen=True, slots=True)
class Digested:
    """A digest. `raw_tokens` is what stands behind it, `parts` are the names by which it is expanded."""

    digest: Annotated[str, DOCUMENT]
    handle: str
    tokens: int
    raw_tokens: int
    parts: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The digest, and how to see the rest."""
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
    """Fold logs, files, folders, or everything known on a question into a digest; expand shows any part.

    Errors with their surroundings, how it ended, definitions, lines that answer; repeats are counted.

    Args:
        query: What you want to know; alone, whatever answers it is folded.
        paths: Files or folders of the project. Write a command's output to a file there, then fold it.
        text: A text to fold. What you write out yourself saves nothing.
        budget: Most tokens of the digest.
    """
    parts, notes, source, about = _gathered(runtime, query, paths or [], text)
    if not parts:
        if source != "search":
            runtime.trace.read([], type="digest")
            return Digested("nothing to fold: no text in it", "", 7, 0, notes=notes)
        noted = asked(runtime, query, [], type="digest")
        nothing = unanswered(runtime, "nothing relevant is known", noted=noted)
        return Digested(nothing, "", count_tokens(nothing), 0)
    runtime.trace.read([], type="digest")
    whole = joined(parts)
    raw = tokens_of(without_marks(whole))
    handle = "d-" + content_digest(f"{about}\n{whole}")[:16]
    original = Original(
        scope=runtime.scope,
        id=handle,
        about=one_line(about, 200),
        text=Clean(whole),
        tokens=raw,
        at=runtime.clock.now(),
    )
    runtime.commit(originals=[original])
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
    """What is to be folded, what to say of it, and where it comes from: in a word, and in words."""
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
    """Write down what was saved. A text that came over a tool had been written out by its agent; at a
    terminal it came through a pipe, and the agent sees the digest only.
    """
    if source == "text" and runtime.surface in ("mcp", "rest"):
        note_saving(runtime, Saving("bookkeeping", "text written out", raw, raw))
        return
    # What is folded again was kept out once.
    note_saving(runtime, Saving("digest", source, raw, 0), handle)
    note_saving(runtime, Saving("digest", source, 0, remaining))


@dataclass(frozen=True, slots=True)
class Expanded:
    """A part of what stands behind a digest. `next` is the range that goes on where it was cut."""

    text: Annotated[str, DOCUMENT]
    tokens: int
    about: str = ""
    next: str = ""

    def as_text(self) -> str:
        """The text, and where it goes on."""
        return f"{self.text}\n(goes on: range {self.next!r})" if self.next else self.text


@operation("GET /api/digests/{handle}", profile="standard")
def expand(
    runtime: Runtime, handle: Text, range: str = "", budget: _Budget = _EXPANDED
) -> Expanded:
    """Show a part of what stands behind a digest, or what a subtask did.

    Args:
        handle: What digest or branch gave.
        range: Lines such as 10-40, a part's name, or NAME:10-40; all when empty.
        budget: Most tokens.
    """
    wanted = handle.strip()
    if session_and_number(wanted)[0]:
        _, subtask = subtask_named(runtime, wanted)
        shown = _cut(piece(trace_of(subtask), range), budget)
        return Expanded(shown[0], count_tokens(shown[0]), subtask.description, shown[1])
    days = runtime.settings.number("retention.originals_days")
    original = original_named(runtime, wanted)
    if original is None or runtime.clock.now() - original.at > timedelta(days=days):
        raise NotFound(
            f"no digest or subtask {wanted!r}",
            f"digest gives handles; a project keeps them for {days} days",
        )
    text, goes_on = _cut(piece(original.text, range), budget)
    answer = Expanded(text, count_tokens(text), original.about, goes_on)
    if original.about.startswith(_ANSWERS):
        # What contextd says itself must not come back as new knowledge.
        runtime.trace.own_texts.append(text)
    note_saving(runtime, Saving("digest", "expanded", 0, count_tokens(text_form(answer))))
    return answer


def _cut(shown: NamedText, budget: int) -> tuple[str, str]:
    """As many lines as fit, and the range of those that do not; empty when all do."""
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
        # One endless line: part of it is better than nothing.
        text = text[: 3 * budget]
    where = f"{lines[low - 1][0] + 1}-{lines[-1][0]}" if low < len(lines) else ""
    return text, f"{shown.name}:{where}" if shown.name and where else where
