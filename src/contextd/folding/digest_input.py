"""Collect the input of a digest: a text, files of the checkout, or search results."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from contextd.domain.kinds import KINDS
from contextd.domain.query import CODE, EVENT
from contextd.folding.line_digest import plain_text
from contextd.folding.section_digest import NamedText, Outline
from contextd.folding.thinning import thinned, without_marks
from contextd.redaction.cutting import beginning, ending
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import find_documents
from contextd.search.hits import Hit
from contextd_code.symbols.outline_view import outline_for
from contextd_code.symbols.sources import Sources
from contextd_code.tree.content import decode, is_binary
from contextd_code.tree.paths import inside
from contextd_code.values.source import Chunk
from contextd_common.errors import Invalid, NotFound, TooLarge
from contextd_common.files.guarded import open_file
from contextd_common.text.words import one_line

MOST_CHARACTERS = 2_000_000
"""Maximum characters behind one digest: half a million tokens."""

_MOST_FILES = 1_000
_FEW, _MOST_HITS = 10, 20
_HUGE = 40_000_000
"""Bytes above which only the ends of a file are read, since reading needs four times as much memory."""

_BEYOND = 2_000
"""Characters at the inner ends of the two parts that are read and left out, to see whether a secret was cut."""


def of_text(runtime: Runtime, text: str, asked: Sequence[str] = ()) -> list[NamedText]:
    """A given text. If too large, lines with `asked` words are kept first."""
    whole = _without_secrets(runtime, NamedText("", text))
    return [replace(whole, text=thinned(whole.text, MOST_CHARACTERS, asked))]


def of_paths(
    runtime: Runtime, paths: Sequence[str], asked: Sequence[str] = ()
) -> tuple[list[NamedText], list[str]]:
    """Files of the checkout, or all known ones of a folder, and notes about skipped ones. If too large, lines
    with `asked` words are kept first.

    Raises the error of reading a file if none can be read.
    """
    wanted, notes = _files_in(runtime, paths)
    sources = Sources(runtime.root, runtime.code_index)
    found: list[NamedText] = []
    first: Exception | None = None
    # The room per file must be known before many large files are in memory.
    most = MOST_CHARACTERS if len(wanted) <= _FEW else MOST_CHARACTERS // _FEW
    for path in wanted:
        try:
            part = _without_secrets(runtime, _of_file(runtime, sources, path))
            found.append(replace(part, text=thinned(part.text, most, asked)))
        except (Invalid, NotFound) as error:
            first = first or error
            notes.append(error.message)
    if not found and first is not None:
        raise first
    each = _share([len(without_marks(part.text)) for part in found])
    excerpts = [replace(part, text=thinned(part.text, each, asked)) for part in found]
    cut = sum(len(without_marks(part.text)) < len(part.text) for part in excerpts)
    if cut and len(excerpts) > 1:
        notes.append(
            f"only parts of {cut} of {len(excerpts)} files can be expanded: choose fewer files for the rest"
        )
    return excerpts, notes


def _share(sizes: Sequence[int]) -> int:
    """The character limit of each text; small texts leave more room for large ones."""
    room = MOST_CHARACTERS
    for place, size in enumerate(sorted(sizes)):
        share = room // (len(sizes) - place)
        if size > share:
            return share
        room -= size
    return MOST_CHARACTERS


def _files_in(runtime: Runtime, paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files meant by the paths, and a note if there are too many."""
    wanted: list[str] = []
    known: list[str] | None = None
    for path in paths:
        folder = runtime.root / path
        if path.strip() and folder.is_dir():
            known = known if known is not None else sorted(runtime.code_index.stamps())
            prefix = os.path.normpath(path).replace(os.sep, "/")
            within = [p for p in known if prefix == "." or p.startswith(prefix + "/")]
            if not within:
                raise NotFound(f"no known file in {path!r}", "name its files, or scan it first")
            wanted += within
        else:
            wanted.append(path)
    wanted = list(dict.fromkeys(wanted))
    more = len(wanted) - _MOST_FILES
    notes = [f"{more} more files were skipped: choose a smaller folder"] if more > 0 else []
    return wanted[:_MOST_FILES], notes


def _of_file(runtime: Runtime, sources: Sources, path: str) -> NamedText:
    real = inside(runtime.root, path)
    if real.stat().st_size > _HUGE:
        return NamedText(path, _text_of_large(real))
    try:
        source = sources.current(path)
    except TooLarge:
        return NamedText(path, _text_of_large(real))
    file = source.file
    outline: Outline | None = None
    if file.symbols:
        outline = partial(outline_for, file)
    return NamedText(file.path, source.text, outline)


def _text_of_large(path: Path) -> str:
    """A large file; of a huge one the first and last part. Raises `Invalid` for a binary one."""
    part = _HUGE // 2
    with open_file(path) as file:
        head = file.read(part)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(part, size - part))
        tail = file.read(part)
    if is_binary(head) or is_binary(tail):
        raise Invalid(f"{path.name!r} is a binary file", "only text can be folded")
    left = size - 2 * part
    if left <= 0:
        return decode(head + tail)
    first, last = decode(head), decode(tail)
    first, last = beginning(first, len(first) - _BEYOND), ending(last, len(last) - _BEYOND)
    return f"{first}\n[… {left + 2 * _BEYOND:,} bytes were not read …]\n{last}"


def of_question(runtime: Runtime, question: str) -> tuple[list[NamedText], str]:
    """The search results for a question, whole, best first, and the search's notes."""
    result = find_documents(runtime, question, (*KINDS, EVENT, CODE), limit=_MOST_HITS)
    parts = [
        _without_secrets(runtime, _of_hit(hit)) for hit in result.hits if not hit.validity.replaced
    ]
    each = MOST_CHARACTERS // _MOST_HITS
    parts = [replace(part, text=thinned(part.text, each)) for part in parts]
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


def _without_secrets(runtime: Runtime, part: NamedText) -> NamedText:
    """A part as stored: plain and redacted. Raises `Invalid` for binary data."""
    if is_binary(part.text[:10_000].encode("utf-8", "replace")):
        raise Invalid(f"{part.name or 'the text'!r} is binary", "only text can be folded")
    clean = redact(plain_text(part.text), runtime.redaction_key).text
    name = redact(plain_text(part.name), runtime.redaction_key).text
    return replace(part, name=" ".join(name.split()), text=clean)
