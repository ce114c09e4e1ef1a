"""What the command line must know of every operation to take its arguments.

Filling the table of operations takes half a second of imports, and the daemon has it filled. So what
a command needs of it is kept in the home, for as long as the code it was read from is the same.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_type_hints

from contextd import __version__
from contextd.disk import replace_file
from contextd.domain.errors import Unavailable

_OPERATIONS = Path(__file__).parents[2] / "operations"
_ABOUT_PROJECT = "Another project's name."

ParameterKind = Literal["text", "list", "flag"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument. `path` says that it is a path on the caller's machine."""

    name: str
    kind: ParameterKind
    required: bool
    path: bool
    help: str


@dataclass(frozen=True, slots=True)
class Signature:
    """An operation as the command line offers it."""

    name: str
    listed: bool
    summary: str
    description: str
    parameters: tuple[Parameter, ...]

    def takes(self, name: str) -> bool:
        """Whether it has an argument of this name."""
        return any(one.name == name for one in self.parameters)


def signatures(home: Path, load: Callable[[], None]) -> dict[str, Signature]:
    """Every operation by name. `load` fills the table they are read from when what the home keeps is
    not of this code; a home that is there then keeps them.
    """
    kept = home / "commands.json"
    stamp = stamp_of(_OPERATIONS)
    with suppress(OSError, ValueError, KeyError, TypeError):
        found = json.loads(kept.read_text("utf-8"))
        if found["stamp"] == stamp:
            return {row["name"]: _signature(row) for row in found["operations"]}
    load()
    read = _of_table()
    if home.is_dir():
        told = {"stamp": stamp, "operations": [asdict(one) for one in read]}
        with suppress(Unavailable):
            replace_file(kept, json.dumps(told).encode())
    return {one.name: one for one in read}


def stamp_of(folder: Path) -> str:
    """Another text for other code: what is installed has a version, what is edited has times."""
    digest = hashlib.blake2b(__version__.encode(), digest_size=16)
    with suppress(OSError):
        for path in sorted(folder.rglob("*.py")):
            about = path.stat()
            digest.update(f"{path} {about.st_size} {about.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _signature(row: dict[str, Any]) -> Signature:
    return Signature(**{**row, "parameters": tuple(Parameter(**one) for one in row["parameters"])})


def _of_table() -> list[Signature]:
    # By now `load` has imported it.
    from contextd.operations.core import OPERATIONS, PROJECT, LocalPath  # noqa: PLC0415

    found = []
    for op in OPERATIONS.values():
        last = () if op.placeless else (Parameter(PROJECT, "text", False, False, _ABOUT_PROJECT),)
        hints = get_type_hints(op.run, include_extras=True)
        parameters = list(inspect.signature(op.run).parameters.items())[1:]
        rows = tuple(
            Parameter(
                name=name,
                kind=_kind(hints[name]),
                required=one.default is one.empty,
                path=any(
                    isinstance(mark, LocalPath) for mark in getattr(hints[name], "__metadata__", ())
                ),
                help=op.about[name],
            )
            for name, one in parameters
        )
        listed = op.audience != "system"
        found.append(Signature(op.name, listed, op.summary, op.description, (*rows, *last)))
    return found


def _kind(annotation: Any) -> ParameterKind:
    if annotation is bool:
        return "flag"
    return "list" if "list[" in str(annotation) else "text"
