"""Cache of the operations' signatures, which the command line needs to parse arguments.

Filling the table of operations takes a second of imports, which the daemon has already done. So the signatures
are cached in the home, for as long as the code does not change.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, field
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from contextd import __version__
from contextd.domain.limits import stated
from contextd.files.disk import replace_file
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unavailable

if TYPE_CHECKING:
    from contextd.runtime.operation import Operation

_SOURCES = Path(__file__).parents[2]

ParameterKind = Literal["text", "integer", "number", "choice", "list", "flag", "object"]
_KINDS: dict[Any, ParameterKind] = {
    bool: "flag", int: "integer", float: "number", list: "list", dict: "object", Literal: "choice",
}  # fmt: skip
"""The option type of an argument, by its Python type. Any other is text."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument. `path` marks a path on the caller's machine, `choices` lists the allowed values, `limits`
    describes the bounds. For an argument with typed fields, `fields_of` is the argument that names their type.
    """

    name: str
    kind: ParameterKind
    required: bool = False
    help: str = ""
    default: str = ""
    choices: tuple[str, ...] = ()
    path: bool = False
    limits: str = ""
    fields_of: str = ""
    replaces: bool = False

    @property
    def flag(self) -> str:
        """The name as an option."""
        return "--" + self.name.replace("_", "-")


@dataclass(frozen=True, slots=True)
class Signature:
    """An operation as a command. `room` is the package that defines it, `aliases` are further names of its
    arguments.
    """

    name: str
    room: str
    listed: bool
    summary: str
    description: str
    parameters: tuple[Parameter, ...]
    aliases: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def command(self) -> str:
        """The name as a command."""
        return self.name.replace("_", "-")


def signatures(home: Path, load: Callable[[], None]) -> dict[str, Signature]:
    """All operations by name. If the home's cache is from other code, `load` fills the table, and the cache is
    written again if the home exists.
    """
    cached = home / "commands.json"
    stamp = stamp_of(_SOURCES)
    with suppress(OSError, ValueError, KeyError, TypeError):
        content = json.loads(cached.read_text("utf-8"))
        if content["stamp"] == stamp:
            return {row["name"]: _signature(row) for row in content["operations"]}
    load()
    read = list(signatures_of_table().values())
    if home.is_dir():
        content = {"stamp": stamp, "operations": [asdict(one) for one in read]}
        with suppress(Unavailable):
            replace_file(cached, json.dumps(content).encode())
    return {one.name: one for one in read}


def stamp_of(package: Path) -> str:
    """A stamp that changes with the code: installed code has a version, edited code has file times."""
    digest = hashlib.blake2b(__version__.encode(), digest_size=16)
    for line in sorted(_operation_files(package)):
        digest.update(line.encode())
    return digest.hexdigest()


def _operation_files(package: Path) -> Iterator[str]:
    """One line per source file with operations in the package's rooms, which changes with the file."""
    for room in package.iterdir():
        with suppress(OSError), os.scandir(room / "operations") as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    about = entry.stat()
                    yield f"{entry.path} {about.st_size} {about.st_mtime_ns}\n"


def _signature(row: dict[str, Any]) -> Signature:
    parameters = tuple(
        Parameter(**{**one, "choices": tuple(one["choices"])}) for one in row["parameters"]
    )
    return Signature(**{**row, "parameters": parameters})


def signatures_of_table() -> dict[str, Signature]:
    """All operations of the table by name; the table must be filled."""
    # `load` has imported it already.
    from contextd.runtime.operation import OPERATIONS  # noqa: PLC0415

    return {
        op.name: Signature(
            name=op.name,
            room=op.run.__module__.split(".")[1],
            listed=op.audience != "system" and "server" not in op.needs,
            summary=op.summary,
            description=op.description,
            parameters=tuple(_parameters(op)),
            aliases=dict(op.aliases),
        )
        for op in OPERATIONS.values()
    }


def _parameters(op: Operation) -> Iterator[Parameter]:
    # `load` has imported it already.
    from contextd.runtime.operation import (  # noqa: PLC0415
        PROJECT,
        PROJECT_ABOUT,
        FieldsOf,
        LocalPath,
    )

    for name, info in op.arguments.model_fields.items():
        of = [part for part in get_args(info.annotation) if part is not NoneType]
        bare = of[0] if get_origin(info.annotation) in (Union, UnionType) else info.annotation
        bare = get_args(bare)[0] if get_origin(bare) is Annotated else bare
        kind = _KINDS.get(get_origin(bare) or bare, "text")
        marks = [mark for mark in info.metadata if isinstance(mark, FieldsOf)]
        yield Parameter(
            name=name,
            kind=kind,
            required=info.is_required(),
            help=PROJECT_ABOUT if name == PROJECT else info.description or "",
            limits=stated(info.annotation, *info.metadata),
            default="" if info.is_required() else _shown(info.default),
            choices=tuple(filter(None, map(str, get_args(bare)))) if kind == "choice" else (),
            path=any(isinstance(mark, LocalPath) for mark in info.metadata),
            fields_of=marks[0].argument if marks else "",
            replaces=bool(marks and marks[0].replaces),
        )


def _shown(default: Any) -> str:
    if isinstance(default, bool):
        return "yes" if default else ""
    return "" if default is None else str(default)
