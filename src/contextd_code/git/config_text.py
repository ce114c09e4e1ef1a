"""Parse and write the text of git's configuration files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from contextd_common.dataclass import dataclass

_SECTION = re.compile(r'\[\s*([\w.-]+)\s*(?:"((?:[^"\\\n]|\\.)*)")?\s*\]', re.ASCII)
_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


@dataclass(frozen=True, slots=True)
class GitOption:
    """An option that is set, under its full name: section and last part in lower case, the subsection between
    them as written.
    """

    name: str
    value: str

    @property
    def generic(self) -> str:
        """The name with `*` for the subsection: `remote.*.url`."""
        section, _, rest = self.name.partition(".")
        between, _, last = rest.rpartition(".")
        return f"{section}.*.{last}" if between or rest.startswith(".") else self.name


def options_in(text: str) -> list[GitOption]:
    """The options of a configuration file, in order. Lines that git would refuse are skipped."""
    found: list[GitOption] = []
    section = ""
    # A backslash at the end of a line continues it, also inside of quotes.
    lines = iter(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    for line in lines:
        rest = line.strip()
        if header := _SECTION.match(rest):
            section, rest = _section(header), rest[header.end() :].strip()
        name = _NAME.match(rest)
        if name is None or not section:
            continue
        value, is_set = _value(rest[name.end() :], lines)
        if is_set:
            found.append(GitOption(f"{section}.{name[0].lower()}", value))
    return found


def _section(header: re.Match[str]) -> str:
    if header[2] is None:
        # `[remote.origin]`, an older form, is in lower case altogether.
        return header[1].lower()
    subsection = re.sub(r"\\(.)", r"\1", header[2])
    return f"{header[1].lower()}.{subsection}"


def _value(rest: str, lines: Iterator[str]) -> tuple[str, bool]:
    """The value behind a name, and whether there is one. A name alone is true."""
    rest = rest.lstrip()
    if not rest or rest[0] in "#;":
        return "true", True
    if rest[0] != "=":
        return "", False
    rest = rest[1:].lstrip()
    parts: list[str] = []
    quoted, trailing = False, 0
    at = 0
    while True:
        if at >= len(rest):
            return "".join(parts[: len(parts) - trailing]), not quoted
        one = rest[at]
        at += 1
        if one == "\\":
            if at >= len(rest):
                rest, at = next(lines, ""), 0
                continue
            if rest[at] not in _ESCAPED:
                return "", False
            parts.append(_ESCAPED[rest[at]])
            at, trailing = at + 1, 0
        elif one == '"':
            quoted = not quoted
        elif one in "#;" and not quoted:
            at = len(rest)
        else:
            parts.append(one)
            trailing = trailing + 1 if one.isspace() and not quoted else 0


def text_of(options: Iterable[GitOption]) -> str:
    """The text of a configuration file that sets these options, in order."""
    lines: list[str] = []
    for option in options:
        section, _, rest = option.name.partition(".")
        between, _, last = rest.rpartition(".")
        subsection = f' "{_quoted(between)}"' if between else ""
        value = _quoted(option.value).replace("\n", "\\n").replace("\t", "\\t")
        lines += [f"[{section}{subsection}]", f'\t{last} = "{value}"']
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
