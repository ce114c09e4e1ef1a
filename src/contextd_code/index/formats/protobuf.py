"""Protocol Buffers: messages, enums, services and their calls."""

from __future__ import annotations

import re

from contextd_code.index.formats.format_reader import (
    FileSection,
    FormatReading,
    SourceLines,
    blanked,
    in_order,
    ordered,
    qualified,
)
from contextd_code.index.languages.outline import Outline
from contextd_code.values.source import Import, Symbol

_COMMENTS = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)", re.S)
_TEXTS = re.compile(rb"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")
_TOKEN = re.compile(
    rb"(?P<brace>[{}])|;|\b(?P<kind>message|enum|service|rpc|extend)[ \t\r\n]+"
    rb"(?P<name>[\w.]+)(?=[ \t\r\n]*[{(])"
)
_IMPORT = re.compile(rb"^[ \t]*import\s+(?:public\s+|weak\s+)?[\"']([^\"'\n]+)[\"']", re.M)


def protobuf(data: bytes, path: str) -> FormatReading:
    """The nested definitions of a `.proto` file, and the files it imports."""
    uncommented = blanked(data, _COMMENTS)
    plain = blanked(uncommented, _TEXTS)
    lines = SourceLines(data)
    found: list[Symbol] = []
    open_: list[tuple[str, str, int]] = []
    waiting: tuple[str, str, int] | None = None

    def close(kind: str, name: str, start: int, end: int) -> None:
        parent = ".".join(one for _, one, _ in open_ if one)
        found.append(lines.symbol(name, kind, start, end, parent=parent, exported=True))

    for match in _TOKEN.finditer(plain):
        if match["kind"] is not None:
            begin = match.start("kind")
            waiting = match["kind"].decode(), match["name"].decode(), begin
        elif match["brace"] == b"{":
            open_.append(waiting or ("", "", match.start()))
            waiting = None
        elif match["brace"] == b"}":
            if open_:
                kind, name, start = open_.pop()
                if name and kind != "extend":
                    close(kind, name, start, match.end())
        elif waiting is not None:
            if waiting[0] == "rpc":
                close(*waiting, match.end())
            waiting = None
    symbols = in_order(found)
    sections = ordered(
        FileSection(lines.with_comment(one.start, (b"//", b"/*", b"*")), qualified(one))
        for one in symbols
        if one.kind != "rpc"
    )
    imports = tuple(
        Import(specifier=one[1].decode("utf-8", "replace"), line=lines.row_of(one.start()) + 1)
        for one in _IMPORT.finditer(uncommented)
    )
    return FormatReading(Outline(symbols, imports), sections)
