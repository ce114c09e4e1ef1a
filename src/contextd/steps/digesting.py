"""Gathering what is to be folded: a text, files of the checkout, or what answers a question."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from contextd.code.symbols.outline_view import outline_for
from contextd.code.symbols.sources import Sources
from contextd.code.tree.content import decode, is_binary
from contextd.code.tree.paths import inside
from contextd.domain.code import Chunk
from contextd.domain.errors import Invalid, NotFound, TooLarge
from contextd.domain.kinds import KINDS
from contextd.domain.query import CODE, EVENT
from contextd.domain.words import one_line
from contextd.governance.redact import redact
from contextd.retrieval.hits import Hit
from contextd.runtime import Runtime
from contextd.sessions.line_digest import plain_text
from contextd.sessions.section_digest import NamedText, Outline
from contextd.steps.finding import find_documents

MOST_CHARACTERS = 2_000_000
"""Characters of everything that stands behind one digest: half a million tokens."""

_MOST_FILES = 200
_MOST_HITS = 20
_HUGE = 20_000_000
"""Bytes of a file above which only its ends are read."""


def of_text(runtime: Runtime, text: str) -> list[NamedText]:
    """A text that somebody hands over."""
    return [_kept(runtime, NamedText("", text), MOST_CHARACTERS)]


def of_paths(runtime: Runtime, paths: Sequence[str]) -> tuple[list[NamedText], list[str]]:
    """Files of the checkout, or all known ones of a folder, and what to say of those left out.

    Raises what reading a file raises, when none of them can be read.
    """
    wanted, notes = _files_in(runtime, paths)
    sources = Sources(runtime.root, runtime.view.files, runtime.scope)
    found: list[NamedText] = []
    first: Exception | None = None
    each = MOST_CHARACTERS // max(1, len(wanted))
    for path in wanted:
        try:
            found.append(_kept(runtime, _of_file(runtime, sources, path), each))
        except (Invalid, NotFound) as error:
            first = first or error
            notes.append(error.message)
    if not found and first is not None:
        raise first
    return found, notes


def _files_in(runtime: Runtime, paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files meant by the paths, and a note when those are too many."""
    wanted: list[str] = []
    known: list[str] | None = None
    for path in paths:
        folder = runtime.root / path
        if path.strip() and folder.is_dir():
            known = known if known is not None else sorted(runtime.view.files.stamps(runtime.scope))
            prefix = os.path.normpath(path).replace(os.sep, "/")
            within = [p for p in known if prefix == "." or p.startswith(prefix + "/")]
            if not within:
                raise NotFound(f"no file is known in {path!r}", "name its files, or scan it first")
            wanted += within
        else:
            wanted.append(path)
    wanted = list(dict.fromkeys(wanted))
    more = len(wanted) - _MOST_FILES
    notes = [f"{more} more files were left out: name a smaller folder"] if more > 0 else []
    return wanted[:_MOST_FILES], notes


def _of_file(runtime: Runtime, sources: Sources, path: str) -> NamedText:
    real = inside(runtime.root, path)
    if real.stat().st_size > _HUGE:
        return NamedText(path, _ends_of(real))
    try:
        source = sources.current(path)
    except TooLarge:
        return NamedText(path, _ends_of(real))
    file = source.file
    outline: Outline | None = None
    if file.symbols:
        outline = partial(outline_for, file)
    return NamedText(file.path, source.text, outline)


def _ends_of(path: Path) -> str:
    """The first and the last megabyte of a huge file. Raises `Invalid` for a binary one."""
    part = MOST_CHARACTERS // 2
    with path.open("rb") as file:
        head = file.read(part)
        size = file.seek(0, os.SEEK_END)
        file.seek(-part, os.SEEK_END)
        tail = file.read(part)
    if is_binary(head) or is_binary(tail):
        raise Invalid(f"{path.name!r} is a binary file", "only text can be folded")
    left = size - 2 * part
    return f"{decode(head)}\n[… {left:,} bytes were not read …]\n{decode(tail)}"


def of_question(runtime: Runtime, question: str) -> tuple[list[NamedText], str]:
    """What answers a question, whole, best first, and what the search wants to say."""
    result = find_documents(runtime, question, (*KINDS, EVENT, CODE), limit=_MOST_HITS)
    parts = [_kept(runtime, _of_hit(hit), MOST_CHARACTERS // _MOST_HITS) for hit in result.hits]
    names: dict[str, int] = {}
    for place, part in enumerate(parts):
        names[part.name] = names.get(part.name, 0) + 1
        if names[part.name] > 1:
            parts[place] = replace(part, name=f"{part.name} ({names[part.name]})")
    return parts, result.notice


def _of_hit(hit: Hit) -> NamedText:
    content = hit.content
    if isinstance(content, Chunk):
        return NamedText(f"{content.path} from line {content.start_line}", content.text)
    if hit.record is not None:
        return NamedText(f"{hit.record.kind} {hit.record.id[:8]}", hit.text)
    return NamedText(f"message {one_line(hit.id, 40)}", hit.text)


def _kept(runtime: Runtime, part: NamedText, most: int) -> NamedText:
    """A part as it is kept: plain, without secrets, and of a huge one its ends.

    Raises `Invalid` for what is no text.
    """
    text = part.text
    if is_binary(text[:10_000].encode("utf-8", "replace")):
        raise Invalid(f"{part.name or 'the text'!r} is binary", "only text can be folded")
    if len(text) > most:
        half = most // 2
        left = len(text) - 2 * half
        text = f"{text[:half]}\n[… {left:,} characters were left out …]\n{text[-half:]}"
    clean = redact(plain_text(text), runtime.redaction_key).text
    name = redact(plain_text(part.name), runtime.redaction_key).text
    return replace(part, name=" ".join(name.split()), text=clean)
