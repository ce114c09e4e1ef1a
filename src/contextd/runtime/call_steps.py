"""What rooms do around each call. `app` lists their steps, so that the way in names no feature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from contextd_common.dataclass import dataclass

if TYPE_CHECKING:
    from contextd.runtime.operation import Answer, Operation
    from contextd.runtime.runtime import Runtime

    Values = Mapping[str, Any]
    """The validated arguments of a call, without bare secrets."""

    Proceed = Callable[[Runtime], tuple[Runtime, Answer]]
    """Carries a call out; returns it as it ran, with its trace, and its answer."""


class Around(Protocol):
    """A step around a call: it may replace the call before it proceeds, and the answer afterwards."""

    def __call__(
        self, op: Operation, call: Runtime, values: Values, proceed: Proceed
    ) -> tuple[Runtime, Answer]:
        """Carry the call out by `proceed`, at most once. May raise an error instead."""
        ...


@dataclass(frozen=True, slots=True)
class CallSteps:
    """The steps of all rooms, each in its order.

    `arriving` runs before a call is authorised, `around` with the outermost first. `noticing` adds notices to a result
    before it is put into words, at each attempt. `leaving` runs after the answer is stored.
    """

    arriving: tuple[Callable[[Runtime], object], ...] = ()
    around: tuple[Around, ...] = ()
    noticing: tuple[Callable[[Operation, Runtime, Values], None], ...] = ()
    leaving: tuple[Callable[[Operation, Runtime, Values, Answer], None], ...] = ()


def subject(values: Values) -> str:
    """The subject of a call with these arguments; empty if none of them names it."""
    return next((str(values[k]) for k in ("query", "pattern", "path") if values.get(k)), "")
