"""Records about a file: attached to it, to its definitions, or to its module."""

from __future__ import annotations

import re

from contextd.domain.applies_to import applies_to
from contextd.domain.kinds import kinds_that
from contextd.domain.records import Record
from contextd.policies.globs import matches
from contextd.projects.project_model import project_model
from contextd.runtime.runtime import Runtime
from contextd_common.text.words import words

_SCANNED, _OLDER, _ASKED = 500, 200, 64
_TELLING = re.compile(r"[a-z0-9][A-Z]|\w_\w|[A-Za-z]\d")
_WORD = re.compile(r"[\w$]+")
_CODE = re.compile(r"`(?:[\w.$]+[.#])?([\w$]+)(?:\(\))?`|([\w$]+)\(\)")


def attached_to(runtime: Runtime, path: str, *, limit: int = 8) -> list[Record]:
    """Rules, bugs, decisions and memories about this file, its definitions, or its module; the file's own
    first, then the rules for files like it.
    """
    module = module_of(runtime, path)
    names = _names_of(runtime, path)
    query = runtime.query(*kinds_that("attached"), valid_at=runtime.clock.now(), limit=_SCANNED)
    found = {record.id: record for record in runtime.view.records.find(query).records}
    if len(found) == _SCANNED:
        # Older ones are found if they mention the file or one of its definitions.
        asked = list(dict.fromkeys(word for name in (path, *sorted(names)) for word in words(name)))
        matches = runtime.view.index.lexical(asked[:_ASKED], query, _OLDER)
        older = runtime.view.records.get([m.id for m in matches if m.id not in found])
        found |= {record.id: record for record in older}
    ranked = [(_nearness(record, path, names, module), record) for record in found.values()]
    close = sorted(
        ((near, record) for near, record in ranked if near),
        key=lambda pair: (-pair[0], -pair[1].confidence, pair[1].id),
    )
    return [record for _, record in close[:limit]]


def module_of(runtime: Runtime, path: str) -> str:
    """The module that contains `path` in the project's model; empty if none."""
    model = project_model(runtime)
    modules = list(model.modules.values()) if model else []
    best = max(modules, key=lambda module: module.holds(path), default=None)
    return best.name if best is not None and best.holds(path) else ""


def _names_of(runtime: Runtime, path: str) -> frozenset[str]:
    """The definitions of a file that a text can refer to by name."""
    files = runtime.view.files.of(runtime.scope).get([path]) if runtime.view.files else []
    names = (symbol.name for file in files for symbol in file.symbols)
    return frozenset(name for name in names if len(name) > 2)


def _mentions(text: str, names: frozenset[str]) -> bool:
    """Whether a text refers to one of the definitions. A plain word such as `render` must be in backticks
    or have parentheses.
    """
    if not names:
        return False
    if any(_TELLING.search(name) for name in names.intersection(_WORD.findall(text))):
        return True
    return not names.isdisjoint(quoted or called for quoted, called in _CODE.findall(text))


def _nearness(record: Record, path: str, names: frozenset[str], module: str) -> float:
    files = [str(f) for f in record.data.get("affected_files", ())]
    files += [str(record.data["file"])] if record.data.get("file") else []
    files += list(record.anchor.paths)
    if path in files:
        return 2.0
    if globs := applies_to(record.data):
        return 1.8 if matches(globs, path) else 0.0
    basename = path.rsplit("/", 1)[-1]
    if path in record.content or (len(basename) > 6 and basename in record.content):
        return 1.5
    if _mentions(f"{record.title}\n{record.content}", names):
        return 1.3
    return 1.0 if module and record.data.get("module") == module else 0.0
