"""A file together with what it depends on, within a budget of tokens."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from contextd_code.symbols.dependencies import Dependency, DependencyNode, dependencies, tree
from contextd_code.symbols.outline_view import fitting, outline_lines, outline_text
from contextd_code.symbols.sources import Sources, SourceText
from contextd_code.values.code_index import CodeIndex
from contextd_code.values.source import SourceFile
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound
from contextd_common.text.tokens import count_tokens, fits

_OWN = re.compile(r"\.|(?:crate|self|super)(?:::|\Z)|mod ")
"""Prefixes of specifiers inside the project: relative ones, and those of Rust."""

_OUTLINE_SHARE = 0.3
_DEPENDENCIES_SHARE = 0.25
"""The share of the budget for dependencies if the file alone exceeds it."""


@dataclass(frozen=True, slots=True)
class FileView:
    """A file as an agent reads it.

    Lines count from 1, the last one included. `dependencies` are files with used definitions,
    nearest first; `tree` nests the imported files. `external` lists imports from outside the
    project. `tokens` counts content and dependencies. `notice` names omitted, changed or broken
    parts.
    """

    path: str
    content: str
    language: str
    start_line: int
    end_line: int
    lines: int
    tokens: int
    dependencies: tuple[Dependency, ...] = ()
    tree: tuple[DependencyNode, ...] = ()
    external: tuple[str, ...] = ()
    outline: tuple[str, ...] = ()
    truncated: bool = False
    notice: str = ""


def read(
    root: Path,
    path: str,
    files: CodeIndex,
    *,
    include_deps: bool = False,
    depth: int = 1,
    budget: int = 8_000,
    line_range: tuple[int, int | None] | None = None,
) -> FileView:
    """The file `path` of `root`, or some lines of it, with the definitions it uses.

    A file that exceeds `budget` is cut at a line, followed by an outline of the rest. A file that
    changed since the scan is analysed again. Raises `Invalid` and `NotFound` as `paths.inside`
    does, and `Invalid` for a binary file or missing lines.
    """
    sources = Sources(root, files)
    source = sources.current(path)
    relative = source.file.path
    all_lines = source.text.splitlines(keepends=True)
    start, end = _span(line_range, len(all_lines), relative)
    wanted = all_lines[start - 1 : end]
    content = "".join(wanted)
    outline: tuple[str, ...] = ()
    truncated = not fits(content, budget)
    cost = 0 if truncated else count_tokens(content)
    if truncated:
        uses_others = include_deps and any(one.target for one in source.file.imports)
        reserved = int(budget * _DEPENDENCIES_SHARE) if uses_others else 0
        outline = outline_lines(source.file.symbols, int(budget * _OUTLINE_SHARE))
        left = budget - reserved - count_tokens("\n".join(outline))
        content = "".join(wanted[: fitting(wanted, left)])
        if not content and wanted:
            # A single long line: show its beginning rather than nothing.
            letters = list(wanted[0][: 6 * max(0, left)])
            content = "".join(letters[: fitting(letters, left)])
        end = start + content.count("\n") - content.endswith("\n") if content else start
        cost = count_tokens(content) + count_tokens("\n".join(outline))
    found: tuple[Dependency, ...] = ()
    nested: tuple[DependencyNode, ...] = ()
    if include_deps:
        nested = tree(sources, source.file, depth)
        # The dependencies of the whole file, or of the requested lines.
        shown = content if line_range is not None else source.text
        found = dependencies(sources, source, shown, depth, max(0, budget - cost))
    return FileView(
        path=relative,
        content=content,
        language=source.file.language,
        start_line=start,
        end_line=end,
        lines=len(all_lines),
        tokens=cost + sum(dependency.tokens for dependency in found),
        dependencies=found,
        tree=nested,
        external=_external(source.file),
        outline=outline,
        truncated=truncated,
        notice=_notice(source, found, outline, (start, end, len(all_lines)), truncated),
    )


def read_outline(
    root: Path,
    path: str,
    files: CodeIndex,
    *,
    budget: int,
    line_range: tuple[int, int | None] | None = None,
) -> FileView:
    """The definitions of the file `path` with their lines, instead of its content.

    With a range of lines, only definitions in it. A file without definitions is shown from its
    beginning. Raises as `read` does.
    """
    sources = Sources(root, files)
    source = sources.current(path)
    start, end = _span(line_range, source.file.lines, path)
    within = [one for one in source.file.symbols if one.end_line >= start and one.start_line <= end]
    if not within:
        return read(root, path, files, budget=budget, line_range=line_range)
    content, whole = outline_text(replace(source.file, symbols=tuple(within)), budget)
    notes = ["changed since the last scan"] if source.changed else []
    notes += [source.file.error] if source.file.error else []
    notes += ["outline; read lines for the code"] if whole else ["inner definitions left out"]
    return FileView(
        path=source.file.path,
        content=content,
        language=source.file.language,
        start_line=start,
        end_line=end,
        lines=source.file.lines,
        tokens=count_tokens(content),
        external=_external(source.file),
        truncated=not whole,
        notice="; ".join(notes),
    )


def _span(line_range: tuple[int, int | None] | None, lines: int, path: str) -> tuple[int, int]:
    if line_range is None:
        return 1, lines
    start, end = line_range[0], line_range[1] if line_range[1] is not None else lines
    if start > max(1, lines):
        raise NotFound(f"{path!r} has {lines} lines, not {start}", "ask for an earlier line")
    if start < 1 or end < start:
        raise Invalid(f"lines {start} to {end} make no range", "lines count from 1")
    return start, min(end, lines)


def _external(file: SourceFile) -> tuple[str, ...]:
    return tuple(s for s in _leading_nowhere(file) if s and not _OWN.match(s))


def _leading_nowhere(file: SourceFile) -> list[str]:
    """The imported specifiers of a file that resolve to no file of the project."""
    led = {one.specifier for one in file.imports if one.target}
    return list(dict.fromkeys(i.specifier for i in file.imports if i.specifier not in led))


def _notice(
    source: SourceText,
    found: tuple[Dependency, ...],
    outline: tuple[str, ...],
    span: tuple[int, int, int],
    truncated: bool,
) -> str:
    notes = []
    if source.changed:
        notes.append("changed since the last scan")
    if source.file.error:
        notes.append(source.file.error)
    missing = [name for name in _leading_nowhere(source.file) if name.startswith(".")]
    if missing:
        notes.append("imports that lead to no file: " + ", ".join(missing[:5]))
    left_out = [dependency.path for dependency in found if dependency.left_out]
    if left_out:
        notes.append(f"no room for {len(left_out)} dependencies: raise the budget")
    if truncated:
        notes.append(f"lines {span[0]} to {span[1]} of {span[2]} fit: ask for others by line")
        if outline:
            notes.append("outline:\n" + "\n".join(outline))
    return "; ".join(notes)
