"""Dataclasses that are cheap to define: their methods are compiled on first call.

A daemon imports 570 dataclasses. The standard library compiles five or six methods for each, one by one
before Python 3.13, which took a third of the CPU of a start; most are never called. Fields, slots and
everything in `dataclasses` that works on instances still come from the standard library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """Like `dataclasses.dataclass`, with `frozen`, `slots`, `kw_only`, `eq` and `order`."""
        return _made(cls, **options) if cls is not None else lambda it: _made(it, **options)


def _made(
    cls: type,
    *,
    frozen: bool = False,
    slots: bool = False,
    kw_only: bool = False,
    eq: bool = True,
    order: bool = False,
) -> type:
    own = dict(vars(cls))
    # Without a docstring the standard library builds one from the signature, which is slow.
    cls.__doc__ = cls.__doc__ or cls.__name__
    made: type = dataclasses.dataclass(
        init=False, repr=False, eq=False, slots=slots, kw_only=kw_only
    )(cls)
    methods: dict[str, Any] = {"__init__": _lazy(made, "__init__", _init(frozen))}
    methods["__repr__"] = _repr
    if eq:
        methods["__eq__"] = _lazy(made, "__eq__", _comparing("=="))
        # A class that defines `__eq__` has None as `__hash__` before it is decorated.
        own = {name: value for name, value in own.items() if (name, value) != ("__hash__", None)}
        methods["__hash__"] = _lazy(made, "__hash__", _hash) if frozen else None
    if order:
        signs = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
        methods |= {name: _lazy(made, name, _comparing(sign)) for name, sign in signs.items()}
    if frozen:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        if slots:
            methods["__getstate__"] = _lazy(made, "__getstate__", _state)
            methods["__setstate__"] = _lazy(made, "__setstate__", _take_state)
    for name, method in methods.items():
        if name not in own:
            setattr(made, name, method)
    return made


Source = tuple[str, list[str], dict[str, Any]]
"""The source of a method: its parameters, its lines, and the values its names refer to."""


def _lazy(cls: type, name: str, source: Callable[[type], Source]) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **keywords: Any) -> Any:
        parameters, lines, values = source(cls)
        names: dict[str, Any] = {}
        exec("\n ".join([f"def {name}({parameters}):", *lines]), values, names)
        compiled = names[name]
        compiled.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, compiled)
        return compiled(self, *args, **keywords)

    return method


def _init(frozen: bool) -> Callable[[type], Source]:
    def source(cls: type) -> Source:
        values: dict[str, Any] = {"_set": object.__setattr__, "_unset": object()}
        plain, keyword, lines = ["self"], list[str](), list[str]()
        for field in dataclasses.fields(cls):
            name, default, value = field.name, "", field.name
            if field.default_factory is not dataclasses.MISSING:
                values[f"_new_{name}"] = field.default_factory
                default = "=_unset"
                value = f"_new_{name}() if {name} is _unset else {name}"
            elif field.default is not dataclasses.MISSING:
                values[f"_default_{name}"] = field.default
                default = f"=_default_{name}"
            if field.init:
                (keyword if field.kw_only else plain).append(name + default)
            elif not default:
                continue
            else:
                lines.append(f"{name}{default}")
            lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append("self.__post_init__()")
        parameters = [*plain, *(["*", *keyword] if keyword else [])]
        return ", ".join(parameters), lines or ["pass"], values

    return source


def _comparing(sign: str) -> Callable[[type], Source]:
    def source(cls: type) -> Source:
        ours, theirs = (_tuple(cls, one, _compared) for one in ("self", "other"))
        return (
            "self, other",
            ["if other.__class__ is self.__class__:", f" return {ours} {sign} {theirs}", "return NotImplemented"],
            {},
        )  # fmt: skip

    return source


def _hash(cls: type) -> Source:
    return "self", [f"return hash({_tuple(cls, 'self', _hashed)})"], {}


def _tuple(cls: type, owner: str, wanted: Callable[[dataclasses.Field[Any]], bool]) -> str:
    return f"({''.join(f'{owner}.{field.name},' for field in dataclasses.fields(cls) if wanted(field))})"


def _compared(field: dataclasses.Field[Any]) -> bool:
    return field.compare


def _hashed(field: dataclasses.Field[Any]) -> bool:
    return field.compare if field.hash is None else field.hash


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(cls: type) -> Source:
    return "self", [f"return list({_tuple(cls, 'self', lambda _: True)})"], {}


def _take_state(cls: type) -> Source:
    names = [field.name for field in dataclasses.fields(cls)]
    # A state of another length belongs to another version of the class.
    lines = [f"{''.join(f'_{name}, ' for name in names)} = state"] if names else []
    lines += [f"_set(self, {name!r}, _{name})" for name in names]
    return "self, state", lines or ["pass"], {"_set": object.__setattr__}
