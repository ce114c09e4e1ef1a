"""YAML: jobs and steps of pipelines, services of Compose, objects of Kubernetes, and otherwise the top-level
keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from contextd_code.index.formats.format_reader import (
    FileSection,
    FormatReading,
    SourceLines,
    in_order,
    ordered,
)
from contextd_code.index.formats.yaml_keys import Key, below, keys_of
from contextd_code.index.languages.outline import Outline
from contextd_code.values.source import Symbol

Found = tuple[list[Symbol], list[FileSection]]

_GITLAB = re.compile(r"(?:^|/)(?:\.gitlab-ci[^/]*|\.gitlab/ci/.*)\.ya?ml$")
_GITLAB_OWN = frozenset(
    """stages variables include default workflow image services cache before_script after_script
    spec pages""".split()
)
_CHART = re.compile(r"(?:^|/)Chart\.ya?ml$")
_DBT = frozenset(
    "models sources seeds snapshots macros exposures metrics semantic_models unit_tests".split()
)
_TEMPLATE = "{{"
_LONGEST = 100


def pipelines(data: bytes, path: str) -> FormatReading:
    """The declarations of a YAML file, by its detected kind."""
    lines = SourceLines(data)
    keys = keys_of(lines)
    top = {one.name for one in keys if not one.around}
    symbols: list[Symbol] = []
    sections = [FileSection(one.start, one.name) for one in keys if not one.around and not one.item]
    for fits, read in _SORTS:
        if fits(top, path):
            symbols, more = read(keys, lines, path)
            sections += more
            break
    return FormatReading(Outline(in_order(symbols)), ordered(sections))


def _jobs(keys: Sequence[Key], lines: SourceLines, path: str) -> Found:
    symbols, sections = [], []
    for job in below(keys, "jobs"):
        symbols.append(_symbol(lines, job.name, "job", job.start, job.end))
        sections.append(FileSection(job.start, job.name))
    for step in keys:
        named = step.item and step.name == "name" and step.value
        if named and len(step.around) >= 3 and step.around[0] == "jobs" and "steps" in step.around:
            within, name = step.around[1], step.value[:_LONGEST]
            if " " in name:
                # `test` or `build` would hide code of that name in search results.
                end = _item_end(keys, step)
                symbols.append(_symbol(lines, name, "step", step.start, end, parent=within))
            sections.append(FileSection(step.start, f"{within}.{name}"))
    return symbols, sections


def _symbol(
    lines: SourceLines, name: str, kind: str, start: int, end: int, *, parent: str = ""
) -> Symbol:
    return lines.symbol(name, kind, start, end, parent=parent, signature=f"{kind} {name}")


def _item_end(keys: Sequence[Key], first: Key) -> int:
    """The end of the list item that a key opens: that of its last sibling key."""
    end = first.end
    at = _place(keys, first)
    for one in keys[at + 1 :]:
        if one.indent < first.indent or (one.indent == first.indent and one.item):
            break
        end = max(end, one.end)
    return end


def _place(keys: Sequence[Key], wanted: Key) -> int:
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle].start < wanted.start:
            low = middle + 1
        else:
            high = middle
    return low


def _gitlab(keys: Sequence[Key], lines: SourceLines, path: str) -> Found:
    jobs = [one for one in keys if not one.around and one.name not in _GITLAB_OWN]
    kinds = ["template" if one.name[:1] == "." else "job" for one in jobs]
    return [
        _symbol(lines, one.name, kind, one.start, one.end)
        for one, kind in zip(jobs, kinds, strict=True)
    ], []


def _compose(keys: Sequence[Key], lines: SourceLines, path: str) -> Found:
    symbols = [
        _symbol(lines, one.name, kind, one.start, one.end)
        for group, kind in (("services", "service"), ("volumes", "volume"), ("networks", "network"))
        for one in below(keys, group)
        if not one.item
    ]
    return symbols, [FileSection(one.start, one.signature) for one in symbols]


def _objects(keys: Sequence[Key], lines: SourceLines, path: str) -> Found:
    """Objects of Kubernetes, one a document; one with a templated name is named after its file."""
    symbols, sections = [], []
    by_document: dict[int, list[Key]] = {}
    for one in keys:
        by_document.setdefault(one.document, []).append(one)
    stem = path.rpartition("/")[2].partition(".")[0]
    for some in by_document.values():
        kind = next((k.value for k in some if k.name == "kind" and not k.around), "")
        if not kind:
            continue
        names = (k.value for k in some if k.name == "name" and k.around == ("metadata",))
        name = next(names, "")
        name = stem if not name or _TEMPLATE in name else name
        start, end = some[0].start, max(k.end for k in some)
        title = f"{kind} {name}"
        symbols.append(lines.symbol(name, kind.lower(), start, end, signature=title))
        sections.append(FileSection(start, title))
        sections += [FileSection(k.start, f"{title} {k.name}") for k in some[1:] if not k.around]
    return symbols, sections


def _chart(keys: Sequence[Key], lines: SourceLines, path: str) -> Found:
    name = next((one.value for one in keys if one.name == "name" and not one.around), "")
    return [_symbol(lines, name, "chart", 0, len(lines.data))] if name else [], []


def _dbt(keys: Sequence[Key], lines: SourceLines, path: str) -> Found:
    sections = [
        FileSection(one.start, f"{one.around[0]} {one.value}")
        for one in keys
        if one.item and one.name == "name" and len(one.around) == 1 and one.around[0] in _DBT
    ]
    return [], sections


_SORTS: tuple[tuple[Callable[[set[str], str], bool], Callable[..., Found]], ...] = (
    (lambda top, path: _GITLAB.search(path) is not None, _gitlab),
    (lambda top, path: _CHART.search(path) is not None, _chart),
    (lambda top, path: {"apiVersion", "kind"} <= top, _objects),
    (lambda top, path: "jobs" in top, _jobs),
    (lambda top, path: "services" in top, _compose),
    (lambda top, path: bool(_DBT & top), _dbt),
)
"""Kinds of YAML files, by their top-level keys and their paths; the first match counts."""
