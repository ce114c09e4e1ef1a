"""Analyse one file's bytes: everything except the targets of its imports."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Tree

from contextd_code.index.chunk import chunks
from contextd_code.index.formats.format_reader import FileSection, FormatReading
from contextd_code.index.formats.notebook import led_back, notebook
from contextd_code.index.formats.table import FORMATS
from contextd_code.index.languages.language import parsed
from contextd_code.index.languages.outline import Outline
from contextd_code.index.languages.table import BY_NAME, DATA, language_name, language_of
from contextd_code.tree.content import content_digest, decode, is_binary
from contextd_code.tree.generated import unindexed
from contextd_code.values.source import SourceFile
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unavailable

_HOPELESS = 20_000
"""The most statements of a broken file: beyond it, it is not a program, and matching would take long."""


PARSED = frozenset((*BY_NAME, *FORMATS, "notebook"))
"""The languages with analysis beyond plain text."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed text: its UTF-8 bytes, its tree, its outline and its sections. `defect` says that contextd's own
    reader failed on it: the text is then treated as plain.
    """

    data: bytes
    tree: Tree | None
    outline: Outline
    sections: tuple[FileSection, ...] = ()
    defect: str = ""


def parse(path: str, text: str) -> Parsed:
    """Parse a text in the language of its path; plain text has no tree.

    Syntax errors are tolerated: the valid parts around them are kept. A text that takes longer than
    `parsing_within` allows is treated as plain, with that as its defect.
    """
    data = text.encode("utf-8", "replace")
    language = language_of(path)
    row = FORMATS.get(language_name(path))
    if language is None and row is None:
        return Parsed(data, None, Outline())
    try:
        if language is None:
            read = row.read(data, path) if row is not None else FormatReading()
            return Parsed(data, None, read.outline, read.sections)
        tree = parsed(language, data)
        if tree.root_node.has_error and tree.root_node.child_count > _HOPELESS:
            return Parsed(data, tree, Outline())
        return Parsed(data, tree, language.outline(tree.root_node, data, path))
    except Unavailable as error:
        return Parsed(data, None, Outline(), (), error.message)
    except Exception as error:  # noqa: BLE001  what people write is endless; one file is not all
        return Parsed(
            data, None, Outline(), (), f"not understood ({type(error).__name__}: {error})"
        )


def analyse(path: str, data: bytes, size: int, mtime_ns: int, *, defect: str = "") -> SourceFile:
    """Analyse a file's content. `error` gives the reason why its text is not indexed, or that it has syntax
    errors. With a `defect`, it is chunked as plain text without any definitions.
    """
    language = language_name(path)
    bare = SourceFile(
        path=path, size=size, mtime_ns=mtime_ns, digest=content_digest(data), language=language
    )
    if is_binary(data):
        return replace(bare, language="", error="binary")
    row = language_of(path)
    bare = replace(bare, lines=data.count(b"\n") + (not data.endswith(b"\n") and bool(data)))
    if language == "notebook" and not defect and (read := _notebook(bare, data)) is not None:
        return read
    script = row is not None
    reason, readable = unindexed(path, data, script=script, data_file=language in DATA)
    if not readable:
        return replace(bare, error=reason)
    text = decode(data)
    plain = Parsed(text.encode("utf-8", "replace"), None, Outline(), (), defect)
    found = plain if defect else parse(path, text)
    root = found.tree.root_node if found.tree is not None else None
    outline = found.outline
    spans = (
        row.embedded(found.data).spans
        if root is not None and row is not None and row.embedded
        else None
    )
    return replace(
        bare,
        symbols=outline.symbols,
        imports=outline.imports,
        exports=outline.exports,
        chunks=()
        if reason
        else chunks(path, language, found.data, root, outline.symbols, spans, found.sections),
        error=reason
        or found.defect
        or ("syntax errors" if root is not None and root.has_error else ""),
    )


def _notebook(bare: SourceFile, data: bytes) -> SourceFile | None:
    """A notebook by its cells; the limits apply to their text, not to outputs. None when it is not a notebook."""
    try:
        found = notebook(decode(data).encode("utf-8", "replace"), BY_NAME)
    except Exception:  # noqa: BLE001  as of every file: it stays searchable as plain text
        return None
    reason, _ = unindexed(bare.path, found.text, script=False, data_file=False)
    if reason:
        return replace(bare, error=reason)
    pieces = chunks(bare.path, bare.language, found.text, None, found.in_text, None, found.sections)
    placed = []
    for piece in pieces:
        first, last = led_back(found.rows, piece.start_line, piece.end_line)
        placed.append(replace(piece, start_line=first, end_line=last))
    return replace(
        bare,
        symbols=found.outline.symbols,
        imports=found.outline.imports,
        chunks=tuple(placed),
    )
