"""Arguments of callbacks, inferred from the declared types of those parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from contextd_code.calls.call_facts import RECEIVER, UNKNOWN, Expr
from contextd_code.calls.containers_c import Place
from contextd_code.calls.evaluator import Evaluator
from contextd_code.calls.interpretation import NOT_KNOWN, Interpretation, Meant, joined
from contextd_code.calls.scope_layout import FUNCTIONS, At, CodeLayout
from contextd_code.calls.type_arguments import with_arguments, with_given
from contextd_code.symbols.symbol_graph import Definition
from contextd_common.dataclass import dataclass

_DEEPEST = 8
"""The most types resolved for one: aliases of aliases of unions."""
_MOST = 24
"""The most overloads compared: some interfaces have hundreds that begin alike."""


@dataclass(frozen=True, slots=True)
class Signatures:
    """Resolves callbacks through their declared function types."""

    layout: CodeLayout
    evaluator: Evaluator

    def callable(self, meant: Meant) -> list[At]:
        """The scopes that declare a call signature."""
        if meant.kind == "signature":
            return [(meant.path, meant.at)]
        if meant.one is None:
            return []
        if meant.kind == "class" and self.layout.family(meant.one.path) == "csharp":
            return self.layout.methods(meant.one, meant.one.symbol.name)[:_MOST]
        places = self.layout.scopes_of(meant.one)
        if meant.kind == "function":
            return places[:_MOST]
        return [
            (path, number)
            for path, at in places
            if meant.kind == "instance"
            for number, scope in enumerate(self.layout.scopes(path))
            if scope.parent == at and scope.kind == "function" and scope.is_call
        ][:_MOST]

    def gives_receiver(self, function: Interpretation) -> bool:
        """Whether a method returns its receiver, or another instance of that class."""
        places = [at for one in function.meanings for at in self.callable(one)]
        return bool(places) and all(
            set(self.layout.scopes(path)[number].returns) == {RECEIVER} for path, number in places
        )

    def with_type_parameters(
        self, found: Interpretation, number: int, may_be_outside: bool
    ) -> Interpretation:
        """The methods with this many type parameters, if any. The only one is returned, unless the receiver may
        be of a foreign type with a method of that name.
        """
        fitting = tuple(one for one in found.meanings if self._has_type_parameters(one, number))
        if not fitting:
            return replace(found, whole=False)
        is_chosen = len(fitting) == 1 and (len(found.meanings) > 1 or not may_be_outside)
        return replace(found, meanings=fitting, whole=found.whole or is_chosen)

    def _has_type_parameters(self, meant: Meant, number: int) -> bool:
        """Whether a method takes this many arguments, or an overload beside it does."""
        one = meant.one
        if one is None or meant.kind != "function":
            return True
        return any(
            scope.name == one.symbol.name
            and scope.kind == "function"
            and sum(name.startswith("<") and name != "<this>" for name in scope.bindings) == number
            for scope in self.layout.scopes(one.path)
        )

    def handed(
        self, path: str, scope: int, callee: Expr, position: int, number: int, depth: int
    ) -> Interpretation:
        """Parameter `number` of a function that is argument `position` of a call."""
        types: list[Place] = []
        for meant in self.evaluator.evaluate(path, scope, callee, depth).meanings:
            for where, at in self._overloads(meant):
                written = self.layout.scopes(where)[at].parameters
                if written:
                    type_ = written[min(position, len(written) - 1)]
                    filled = with_arguments(self.layout, where, at, type_, meant.type_arguments)
                    types.append((where, at, with_given(filled, meant.parts)))
        return self._first(types, number, depth)

    def _overloads(self, meant: Meant) -> list[At]:
        """What `callable` gives; in C# with the overloads beside it, of which only some take a function."""
        one = meant.one
        if one is None or meant.kind != "function" or self.layout.family(one.path) != "csharp":
            return self.callable(meant)
        same = [
            each
            for each in self.layout.graph.by_name.get(one.symbol.name, ())
            if (each.path, each.qualified) == (one.path, one.qualified)
        ]
        return [at for each in same for at in self.layout.scopes_of(each)][:_MOST]

    def declared(
        self, path: str, scope: int, type_: Expr, number: int, depth: int
    ) -> Interpretation:
        """Parameter `number` of a function assigned to a typed variable or field."""
        return self._first([(path, scope, type_)], number, depth)

    def _first(self, types: list[Place], number: int, depth: int) -> Interpretation:
        found: dict[Interpretation, None] = {}
        for place in types[:_MOST]:
            for where, at, parameters in self._functions(place, 0):
                if number < len(parameters) and parameters[number] != UNKNOWN:
                    one = self.evaluator.evaluate(where, at, parameters[number], depth)
                    if one.meanings:
                        found[one] = None
        return joined(found) if found else NOT_KNOWN

    def _functions(self, place: Place, deep: int) -> Iterator[tuple[str, int, tuple[Expr, ...]]]:
        """The parameters of the functions that a type allows."""
        path, scope, type_ = place
        if deep > _DEEPEST:
            return
        match type_:
            case ("typed", inner):
                yield from self._functions((path, scope, inner), deep + 1)
            case ("function", parameters):
                yield path, scope, parameters
            case ("any" | "bounds", several):
                for one in several:
                    yield from self._functions((path, scope, one), deep + 1)
            case ("of", ("unknown",), given):
                for one in given:
                    yield from self._functions((path, scope, one), deep + 1)
            case ("of", head, _):
                yield from self._functions((path, scope, head), deep + 1)
            case ("name", str(name)):
                yield from self._by_name(path, scope, name, deep)
            case _:
                return

    def _by_name(
        self, path: str, scope: int, name: str, deep: int
    ) -> Iterator[tuple[str, int, tuple[Expr, ...]]]:
        scopes = self.layout.scopes(path)
        around = scope
        while around > 0:
            for one, at in scopes[around].bindings.get(f"<{name}>", ()):
                yield from self._functions((path, at, one), deep + 1)
            around = scopes[around].parent
        for where, stands_for in self.layout.alias(path, name):
            yield from self._functions((where, 0, stands_for), deep + 1)
        for meant in self.evaluator.evaluate(path, scope, ("typed", ("name", name))).meanings:
            if meant.one is not None and meant.one.symbol.kind == "interface":
                for where, at in self.callable(meant) or self._only_method(meant.one):
                    yield where, at, tuple(self.layout.scopes(where)[at].parameters)

    def _only_method(self, one: Definition) -> list[At]:
        """The method that a lambda implements, where a Java interface has only that one."""
        if self.layout.family(one.path) != "java":
            return []
        held = self.layout.held(one.path, one.qualified).values()
        methods = [each for each in held if each.symbol.kind in FUNCTIONS]
        return self.layout.scopes_of(methods[0]) if len(methods) == 1 else []
