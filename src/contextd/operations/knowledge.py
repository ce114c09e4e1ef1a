"""What is known about a file: the records attached to it, to what it defines, or to its module."""

from __future__ import annotations

import re

from contextd.domain.records import Record
from contextd.operations.projects import project_model
from contextd.runtime import Runtime

ATTACHED = ("discovery", "remediation", "memory", "anti_pattern", "context")
_SCANNED = 500
_TELLING = re.compile(r"[a-z0-9][A-Z]|\w_\w|[A-Za-z]\d")


def attached_to(runtime: Runtime, path: str, *, limit: int = 8) -> list[Record]:
    """Rules, bugs, decisions and memories on this file, on what it defines, or on its module: the
    file's own first.
    """
    module = module_of(runtime, path)
    symbols = _telling_names(runtime, path)
    query = runtime.query(*ATTACHED, valid_at=runtime.clock.now(), limit=_SCANNED)
    found = runtime.store.records.find(query).records
    ranked = [(_nearness(record, path, symbols, module), record) for record in found]
    close = sorted(
        ((near, record) for near, record in ranked if near),
        key=lambda pair: (-pair[0], -pair[1].confidence, pair[1].id),
    )
    return [record for _, record in close[:limit]]


def module_of(runtime: Runtime, path: str) -> str:
    """The module of the project's model that holds `path`; empty when none does."""
    model = project_model(runtime)
    best, length = "", -1
    for module in model.modules.values() if model else ():
        for key in module.key_files:
            prefix = key.path.rsplit("/", 1)[0] if "/" in key.path else ""
            inside = path == key.path or (prefix and path.startswith(prefix + "/"))
            if inside and len(prefix) > length:
                best, length = module.name, len(prefix)
    return best


def _telling_names(runtime: Runtime, path: str) -> re.Pattern[str] | None:
    """The definitions of a file that a text can mean by naming them. A plain word such as `render`
    means one only in backticks or with its parentheses.
    """
    file = runtime.store.files.get(runtime.scope, path)
    names = {symbol.name for symbol in file.symbols if len(symbol.name) > 2} if file else set()
    telling = [re.escape(name) for name in sorted(names) if _TELLING.search(name)]
    plain = [re.escape(name) for name in sorted(names) if not _TELLING.search(name)]
    ways = [rf"(?<![\w$])(?:{'|'.join(telling)})(?![\w$])"] if telling else []
    if plain:
        either = "|".join(plain)
        ways += [rf"`(?:[\w.]+[.#])?(?:{either})(?:\(\))?`", rf"(?<![\w$])(?:{either})\(\)"]
    return re.compile("|".join(ways)) if ways else None


def _nearness(record: Record, path: str, symbols: re.Pattern[str] | None, module: str) -> float:
    files = [str(f) for f in record.data.get("affected_files", ())]
    files += [str(record.data["file"])] if record.data.get("file") else []
    files += list(record.anchor.paths)
    if path in files:
        return 2.0
    name = path.rsplit("/", 1)[-1]
    if path in record.content or (len(name) > 6 and name in record.content):
        return 1.5
    if symbols is not None and symbols.search(f"{record.title}\n{record.content}"):
        return 1.3
    return 1.0 if module and record.data.get("module") == module else 0.0
