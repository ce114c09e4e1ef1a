"""Find the uses of a definition: certain ones, possible ones, then plain text matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from contextd.codebase.code_graphs import calls_of
from contextd.codebase.code_uses import uses_in_time
from contextd.codebase.freshness import Lag, steady
from contextd.codebase.operations.symbols import no_definition
from contextd.domain.context_items import Serving
from contextd.domain.limits import PageSize, Text
from contextd.runtime.gc_pause import building
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_code.calls.call_graph import CallGraph
from contextd_code.queries.references import (
    ReferenceLine,
    References,
    defined_as,
    references_of,
    text_only,
)
from contextd_code.queries.symbols import asked_name, is_inside, names_asked
from contextd_code.queries.use_counts import distinct
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound, Unavailable
from contextd_common.text.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class FoundReferences(References):
    """The uses of one definition, as text for an agent."""

    def as_text(self) -> str:
        """The definition, then its uses by file."""
        if self.definition is None:
            count = f"{_counted(self.text_total, 'line')} in {_counted(self.text_files, 'file')}"
            head = f"no definition of this name is known; text matches: {count}"
            rest = _rest(self.text_total - len(self.text_matches), "text matches")
            return "\n".join([head, *_by_file(self.text_matches), *rest, f"({self.notice})"])
        lines = [self.definition.as_text()]
        sure = [one for one in self.references if one.role != "possible"]
        lines += _by_file(sure) if sure else ["no uses found by calls and imports"]
        lines += _rest(self.total - len(sure), "certain uses")
        doubtful = [one for one in self.references if one.role == "possible"]
        if self.possible:
            lines.append(f"possible, of a base class or an unknown type: {self.possible}")
            lines += [*_by_file(doubtful), *_rest(self.possible - len(doubtful), "possible uses")]
        if self.text_total:
            count = f"{_counted(self.text_total, 'line')} in {_counted(self.text_files, 'file')}"
            lines.append(f"text matches: {count}{' (grep_codebase lists them)' * self._is_cut}")
            lines += _by_file(self.text_matches)
            lines += _rest(self.text_total - len(self.text_matches), "text matches")
        else:
            lines.append("no text matches")
        if self.others:
            lines.append("also defined at: " + ", ".join(f"{o.path}:{o.line}" for o in self.others))
        if self.notice:
            lines.append(f"({self.notice})")
        return "\n".join(lines)

    @property
    def _is_cut(self) -> bool:
        return self.text_total > len(self.text_matches)


def _by_file(some: Sequence[ReferenceLine]) -> list[str]:
    lines: list[str] = []
    last = ""
    for one in some:
        if one.path != last:
            lines.append(one.path)
            last = one.path
        lines.append(f"  {one.line}: {one.text}")
    return lines


def _rest(count: int, what: str) -> list[str]:
    return [f"  … {count} more {what}"] if count > 0 else []


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


@operation("GET /api/code/references", profile="core", needs="checkout")
def find_references(
    runtime: Runtime, name: Text, path: str | None = None, limit: PageSize = 50
) -> FoundReferences:
    """Find every use of a definition: calls, imports and other uses, then text matches.

    Args:
        name: Its name, or Class.method.
        path: The file or folder that defines it, when several do.
        limit: The most lines.
    """
    with building():
        for asked in names_asked(name):
            calls, exact, lag = _known_as(runtime, asked)
            if exact:
                break
        meant = distinct(one for one in exact if is_inside(one.path, path))
        elsewhere = ""
        if exact and not meant:
            # Agents also name the file in which they met the name.
            meant = distinct(exact)
            elsewhere = f"{path} does not define it"
        if not meant:
            return _as_found(runtime, name, _undefined(runtime, name, path, limit, lag))
        answer = references_of(
            calls,
            Sources(runtime.root, runtime.code_index),
            meant,
            limit,
            lambda one, end: uses_in_time(runtime, calls, one, end),
            whole=asked_name(asked) if path else "",
        )
    notice = "; ".join(filter(None, (elsewhere, lag.notice, answer.notice)))
    return _as_found(runtime, name, replace(answer, notice=notice))


def _undefined(runtime: Runtime, name: str, path: str | None, limit: int, lag: Lag) -> References:
    """The text matches of a name that no indexed file defines. Raises `Unavailable` while the index is behind, and
    `NotFound` for a name that no file has.
    """
    last = asked_name(name).rpartition(".")[2]
    if lag.notice and lag.lasting:
        # Asking again would find no more.
        texts = text_only(runtime.root, last, limit, lag.notice)
        if texts is not None:
            return texts
    hint = "; ".join(filter(None, (no_definition(runtime, name, lag), lag.notice)))
    if lag.notice:
        raise Unavailable(f"the index does not know whether {name!r} is defined", hint)
    # A field, a constant or a key may have no definition that is indexed, and uses all the same.
    texts = text_only(runtime.root, last, limit, hint)
    if texts is None:
        raise NotFound(f"no definition {name!r}" + (f" in {path}" if path else ""), hint)
    return texts


def _as_found(runtime: Runtime, name: str, answer: References) -> FoundReferences:
    """An answer, with what the usage log notes of it."""
    runtime.trace.read(
        [one.path for one in answer.references], type="symbol", query=name, narrowed=True
    )
    shown = [*answer.references, *answer.text_matches]
    runtime.trace.gave += [Serving("file", one.path, count_tokens(one.text)) for one in shown]
    return FoundReferences(**{one.name: getattr(answer, one.name) for one in fields(answer)})


def _known_as(runtime: Runtime, asked: str) -> tuple[CallGraph, list[Definition], Lag]:
    """The call graph, the definitions of a name, those first that more of the project depends on, and where the
    index is behind. Before reporting that a name is not defined, all files are compared.
    """
    for certain in (False, True):
        with steady(runtime, certain=certain, asked=asked) as lag:
            calls = calls_of(runtime)
        found = defined_as(calls, asked, lag.paths)
        if lag.certain or found:
            break
    return calls, found, lag
