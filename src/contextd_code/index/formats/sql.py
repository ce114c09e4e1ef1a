"""SQL: created objects, and the models and macros of dbt."""

from __future__ import annotations

import re
from bisect import bisect_left

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
from contextd_common.text.regex import regex

_COMMENTS = regex(rb"--[^\n]*|/\*.*?(?:\*/|\Z)|\{#.*?(?:#\}|\Z)", re.S)
_NAME = rb"""((?:[\w$]+|"[^"\n]+"|`[^`\n]+`|\[[^\]\n]+\])(?:[ \t]*\.[ \t]*(?:[\w$]+|"[^"\n]+"|`[^`\n]+`|\[[^\]\n]+\]))*)"""
_CREATE = regex(
    rb"^[ \t]*(?P<verb>create(?:[ \t\r\n]+or[ \t\r\n]+(?:replace|alter))?|alter|insert[ \t]+into)"
    rb"(?:[ \t\r\n]+(?:temp|temporary|unlogged|global|local|external|foreign|recursive|unique"
    rb"|clustered|nonclustered|concurrently|constraint|definer[ \t]*=[ \t]*\S+))*"
    rb"[ \t\r\n]+(?:(?P<kind>materialized[ \t\r\n]+view|table|view|function|procedure|proc|trigger"
    rb"|index|type|schema|sequence|domain|aggregate|role|user|extension|policy|package|database)"
    rb"[ \t\r\n]+(?:body[ \t\r\n]+)?)?(?:concurrently[ \t\r\n]+)?"
    rb"(?:if[ \t\r\n]+(?:not[ \t\r\n]+)?exists[ \t\r\n]+)?" + _NAME,
    re.I | re.M,
)
_BODIES = frozenset("function procedure trigger package".split())
_END = regex(rb";[ \t]*$", re.M)
_BODY_END = regex(rb"^(?:end\b[^\n]*[;$/]|go|/)[ \t]*\r?$|(\$\w*\$)", re.M | re.I)
_BLOCK = regex(
    rb"\{%-?\s*(?P<kind>macro|snapshot|test|materialization|end(?:macro|snapshot|test"
    rb"|materialization))\b[ \t]*(?P<name>\w+)?[^%]{0,2000}%\}"
)
_JINJA = regex(rb"\{\{\s*(?:config|ref|source)\s*\(")
_REF = regex(rb"""\bref\(\s*(?:['"]\w+['"]\s*,\s*)?['"](\w+)['"]""")
_CTE = regex(rb"^[ \t]*(?:with[ \t\r\n]+|,[ \t]*)?(\w+)[ \t]+as[ \t]*\([ \t]*\r?$", re.M | re.I)
_KINDS = {"proc": "procedure", "materialized view": "view"}
_QUOTES = regex(r"[\"`\[\]\s]")


def sql(data: bytes, path: str) -> FormatReading:
    """The tables, views, functions and so on that a file creates; other statements are sections only. For a dbt
    file the model, its macros and its references.
    """
    plain = blanked(data, _COMMENTS)
    lines = SourceLines(data)
    blocks = _dbt_blocks(plain, lines)
    created, sections = _statements(plain, lines)
    symbols = [*blocks, *created]
    imports: tuple[Import, ...] = ()
    if _JINJA.search(plain) and not symbols:
        stem = path.rpartition("/")[2].partition(".")[0]
        model = lines.symbol(stem, "model", 0, len(data), exported=True, signature=f"model {stem}")
        symbols = [model]
        sections += [FileSection(0, stem)]
        sections += [
            FileSection(lines.start_of(one.start(1)), f"{stem}.{one[1].decode()}")
            for one in _CTE.finditer(plain)
        ]
        imports = tuple(
            Import(specifier=one[1].decode(), line=lines.row_of(one.start()) + 1)
            for one in _REF.finditer(plain)
        )
    sections += [
        FileSection(lines.with_comment(one.start, (b"--", b"/*", b"*", b"{#")), qualified(one))
        for one in blocks
    ]
    return FormatReading(Outline(in_order(symbols), imports), ordered(sections))


def _statements(plain: bytes, lines: SourceLines) -> tuple[list[Symbol], list[FileSection]]:
    found: list[Symbol] = []
    sections: list[FileSection] = []
    reached = 0
    starts = list(_CREATE.finditer(plain))
    bodies = _Bodies(plain)
    for number, match in enumerate(starts):
        if match.start() < reached:
            continue
        verb = match["verb"].lower().split()[0]
        kind = b" ".join((match["kind"] or b"").lower().split()).decode()
        kind = _KINDS.get(kind, kind)
        name = _QUOTES.sub("", match[match.re.groups].decode("utf-8", "replace"))
        begin = lines.start_of(match.start())
        follows = starts[number + 1].start() if number + 1 < len(starts) else len(plain)
        reached = _end_of(plain, match.end(), follows, kind, bodies)
        if verb != b"create" or not kind:
            action = f"{verb.decode()} {kind}".strip()
            sections.append(FileSection(begin, f"{action} {name}"))
            continue
        schema, _, own = name.rpartition(".")
        found.append(lines.symbol(own, kind, begin, reached, parent=schema, exported=True))
        top = lines.with_comment(begin, (b"--", b"/*", b"*"))
        sections.append(FileSection(max(top, 0), name))
    return found, sections


class _Bodies:
    """Ends of function bodies, found once: a dump may create thousands of them."""

    def __init__(self, plain: bytes) -> None:
        marks = list(_BODY_END.finditer(plain))
        self._ends = [(one.start(), one.end(), one[1]) for one in marks]
        self._starts = [one.start() for one in marks]
        self._tags: dict[bytes, list[int]] = {}
        for one in marks:
            if one[1] is not None:
                self._tags.setdefault(one[1], []).append(one.start())

    def end_of(self, at: int, follows: int) -> tuple[int, bool]:
        """Where the body that begins after `at` ends, and whether its statement ends there too."""
        place = bisect_left(self._starts, at)
        if place == len(self._ends):
            return at, False
        _, end, tag = self._ends[place]
        if tag is None:
            return end, True
        closing = self._tags[tag]
        other = bisect_left(closing, end)
        return (closing[other] + len(tag) if other < len(closing) else follows), False


def _end_of(plain: bytes, at: int, follows: int, kind: str, bodies: _Bodies) -> int:
    """Where a statement ends: at its semicolon, after its body if it has one."""
    if kind in _BODIES:
        at, ended = bodies.end_of(at, follows)
        if ended:
            return at
    end = _END.search(plain, at, max(follows, at))
    return end.end() if end is not None else max(at, follows)


def _dbt_blocks(plain: bytes, lines: SourceLines) -> list[Symbol]:
    found: list[Symbol] = []
    open_: re.Match[bytes] | None = None
    for match in _BLOCK.finditer(plain):
        kind = match["kind"].decode()
        if kind.startswith("end"):
            if open_ is not None and open_["name"]:
                begin, what = lines.start_of(open_.start()), open_["kind"].decode()
                head = open_[0].decode("utf-8", "replace").strip("{}%- \t\n")
                found.append(
                    lines.symbol(
                        open_["name"].decode(), what, begin, match.end(), exported=True,
                        signature=" ".join(head.split())[:240],
                    )
                )  # fmt: skip
            open_ = None
        elif open_ is None:
            open_ = match
    return found
