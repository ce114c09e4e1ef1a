"""The call graph: callers and callees of definitions, computed on request and cached."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import inf

from contextd_code.calls.call_facts import Site, UseKind
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.edges import Edge
from contextd_code.calls.function_fields import FunctionFields
from contextd_code.calls.interpretation import Interpretation
from contextd_code.calls.linkage import are_for_systems
from contextd_code.calls.meaning import Interpreter
from contextd_code.calls.rust_traits import trait_method
from contextd_code.calls.scip import INITIALISERS
from contextd_code.calls.scope_layout import CONSTANTS, FUNCTIONS, CodeLayout, arity_of
from contextd_code.calls.stored_facts import base_names
from contextd_code.symbols.references import Reference
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_common.dataclass import dataclass

_COMMON = frozenset(dir(list) + dir(dict) + dir(str) + dir(set) + dir(bytes)) | frozenset(
    """at concat every fill filter find findIndex flat flatMap forEach has includes join map push
    reduce shift slice some splice unshift delete entries catch finally then apply bind call
    charAt endsWith padStart match matchAll replaceAll search startsWith substring test exec
    toString valueOf trim write read close open send emit on off once next return throw string len
    equals hashCode getClass size put contains isEmpty stream clone unwrap iter into from
    """.split()
)
"""Names too common to identify their owner."""
_PER_LINK, _PER_CALLED = 200, 1_150
"""Bytes: measured 2.6 MB for 17,508 sites with their targets, 0.9 MB for 764 definitions with their callers."""
_FARTHEST = 2
_BINDING = frozenset(("python", "ecmascript"))
"""Families in which only imports make names of another file visible."""
_FIXTURES = "conftest.py"
"""Where pytest looks for fixtures that are not imported."""
_DOTTED = frozenset(("python", "go", "rust"))
"""Families in which other files always name a member after a dot or a colon."""


class _AnyName:
    def __contains__(self, name: object) -> bool:
        return True


_ANY_NAME = _AnyName()


@dataclass
class CallGraph:
    """The calls of a project, each computed on first request."""

    graph: SymbolGraph
    facts: CodeFacts
    ready_edges: Mapping[str, Sequence[Edge]] = field(default_factory=dict[str, "Sequence[Edge]"])
    """Files whose edges come from an external index, such as a compiler's: where it resolves a name, its answer
    replaces ours.
    """
    notice: str = ""
    """The facts of the checkout's files."""
    _linked: dict[tuple[str, int, int], tuple[Edge, ...]] = field(
        default_factory=dict[tuple[str, int, int], tuple[Edge, ...]]
    )
    _callers: dict[Definition, dict[tuple[str, str], tuple[Edge, ...]]] = field(
        default_factory=dict[Definition, "dict[tuple[str, str], tuple[Edge, ...]]"]
    )

    lines_of_names: dict[tuple[Definition, str, str], tuple[tuple[Reference, bool], ...]] = field(
        default_factory=dict[tuple[Definition, str, str], "tuple[tuple[Reference, bool], ...]"]
    )
    """The lines of C that name a definition and whether that is certain, by definition, file and digest."""
    _heirs: dict[Definition, list[Definition]] = field(
        default_factory=dict[Definition, "list[Definition]"]
    )

    @property
    def weight(self) -> int:
        """Its estimated bytes now, without those of `graph`; it grows with every query."""
        return (
            self.facts.weight
            + self.layout.weight
            + self.interpreter.weight
            + _PER_LINK * (len(self._linked) + self._told)
            + _PER_CALLED * len(self._callers)
        )

    @cached_property
    def _told(self) -> int:
        return sum(map(len, self.ready_edges.values()))

    @cached_property
    def layout(self) -> CodeLayout:
        """The scopes of definitions."""
        return CodeLayout(self.graph, self.facts)

    @cached_property
    def interpreter(self) -> Interpreter:
        """The evaluator of expressions."""
        return Interpreter(self.layout)

    @cached_property
    def fields(self) -> FunctionFields:
        """Functions stored in C fields."""
        return FunctionFields(self.layout, self.interpreter)

    def _meant(self, one: Definition) -> tuple[Definition, ...]:
        """The definition that a C declaration refers to, else the declaration itself."""
        return self.layout.linkage.definitions(one) if self._is_c(one.path) else (one,)

    def _is_c(self, path: str) -> bool:
        return self.layout.family(path) == "c"

    @cached_property
    def told_by_target(self) -> Mapping[tuple[str, str], Sequence[Edge]]:
        """The externally resolved edges, by file and name of their target."""
        found: dict[tuple[str, str], list[Edge]] = {}
        for edges in self.ready_edges.values():
            for edge in edges:
                key = edge.target.path, edge.target.qualified
                found.setdefault(key, []).append(edge)
        return found

    @cached_property
    def told_places(self) -> Container[tuple[str, int, str]]:
        """(path, line, name) of every externally resolved place."""
        return {
            (edge.path, edge.line, edge.target.symbol.name)
            for edges in self.ready_edges.values()
            for edge in edges
        }

    def look_for(self, several: Iterable[Definition]) -> None:
        """Prepare to find the callers of several definitions."""
        self.facts.look_for(name for one in several for name in self._called(one))

    def spread(self, one: Definition) -> int:
        """In how many files the name of a definition occurs; it must have been searched before."""
        return len(self.facts.naming(one.symbol.name))

    def callers(
        self, one: Definition, until: float = inf, among: Callable[[str], bool] | None = None
    ) -> tuple[Edge, ...]:
        """Every place that refers to a definition, certain ones first, else by file and line; optionally in
        some files only. At `until`, by the monotonic clock, those found so far; facts read so far are cached
        for the next call.
        """
        found: dict[tuple[str, int, UseKind], Edge] = {}
        every = (edge for each in self._meant(one) for edge in self._leading(each, until, among))
        own = self._own_overloads(one)
        for edge in every:
            if edge.alternatives and own.issuperset(edge.alternatives):
                # Whichever overload is called, the file that is asked about declares it.
                edge = replace(edge, certain=True)
            key = edge.path, edge.line, edge.kind
            if key not in found or (edge.certain and not found[key].certain):
                found[key] = edge
        return tuple(sorted(found.values(), key=lambda e: (not e.certain, e.path, e.line)))

    def _own_overloads(self, one: Definition) -> frozenset[Definition]:
        """The definitions of all functions of a name that its file declares; empty outside of C and C++."""
        if not self._is_c(one.path) or one.symbol.kind not in FUNCTIONS:
            return frozenset()
        same = [
            each
            for each in self.graph.by_name.get(one.symbol.name, ())
            if (each.path, each.qualified) == (one.path, one.qualified)
        ]
        return frozenset(body for each in same for body in self._meant(each))

    def candidates(self, one: Definition) -> dict[tuple[str, str], None]:
        """The files that may refer to a definition, each with its name there. Files that import it come first,
        so that a search that runs out of time has seen them.
        """
        near = {one.path, *self.graph.importers.get(one.path, ())}
        return {
            (path, name): None
            for name in self._names(one)
            for path in sorted(self.facts.naming(name), key=lambda path: path not in near)
            if self._may_reach(path, name, one)
        }

    def _leading(
        self, one: Definition, until: float, among: Callable[[str], bool] | None
    ) -> Iterator[Edge]:
        for edge in self.told_by_target.get((one.path, one.qualified), ()):
            if among is None or among(edge.path):
                yield edge
        asked = [place for place in self.candidates(one) if among is None or among(place[0])]
        known = self._callers.setdefault(one, {})
        self.facts.fetch(dict.fromkeys(path for path, name in asked if (path, name) not in known))
        for path, name in asked:
            edges = known.get((path, name))
            if edges is None:
                if time.monotonic() > until:
                    return
                edges = known[path, name] = tuple(
                    edge
                    for site in self.facts.sites(path, name)
                    for edge in self._own(path, site)
                    if edge.target == one or self._is_overload(edge.target, one)
                )
            yield from edges

    def _is_overload(self, one: Definition, other: Definition) -> bool:
        """Whether two definitions of a file have one name; types of C# also need as many type parameters."""
        if (one.path, one.qualified) != (other.path, other.qualified):
            return False
        is_function = one.symbol.kind in FUNCTIONS or other.symbol.kind in FUNCTIONS
        return is_function or self.layout.of_arity(one, arity_of(other.symbol)) == one

    def _may_reach(self, path: str, name: str, one: Definition) -> bool:
        """Whether a file with a name may use it for the definition and is worth reading. A top-level definition
        is reached through an import of its name or of a module, a member after a dot.
        """
        family = self.layout.family(one.path)
        if path == one.path or one.symbol.name in INITIALISERS:
            return True
        if one.path.endswith(_FIXTURES):
            return True
        if name != one.symbol.name and family == "c":
            return self.facts.has_member(path, name)
        if family == "c" and not one.symbol.exported and not one.symbol.parent:
            return one.path in self.layout.linkage.included(path)
        if one.symbol.parent:
            return family not in _DOTTED or self.facts.has_member(path, name)
        return family not in _BINDING or name in self._imported_names.get(path, ())

    @cached_property
    def _imported_names(self) -> Mapping[str, Container[str]]:
        """The names that a file's imports bind; any name where it imports a whole module."""
        found: dict[str, set[str]] = {}
        whole: dict[str, Container[str]] = {}
        for path, use in self.graph.uses:
            if use.symbol is None:
                whole[path] = _ANY_NAME
            found.setdefault(path, set()).update((use.name, use.local))
        return {**found, **whole}

    def _called(self, one: Definition) -> set[str]:
        names = {one.symbol.name}
        names |= {use.local or use.name for _, use in self.graph.users.get(one.place, ())}
        return (names | set(self.graph.passed_on_as.get(one.symbol.name, ()))) - {"*"}

    def _names(self, one: Definition) -> list[str]:
        """The names by which a definition may be called."""
        names = self._called(one)
        if self._is_c(one.path) and one.symbol.kind in FUNCTIONS and not one.symbol.parent:
            names |= self.fields.fields_of(one)
        if one.symbol.name in INITIALISERS and one.symbol.parent:
            for holder in self.graph.by_name.get(one.symbol.parent.rsplit(".", 1)[-1], ()):
                if holder.path == one.path:
                    heirs = [holder, *self.heirs(holder)]
                    names |= {name for heir in heirs for name in self._names(heir)}
        return sorted(names)

    def callees(self, one: Definition) -> list[Edge]:
        """The targets of the calls in a definition, in source order."""
        several = self._meant(one)
        if several != (one,):
            return [edge for each in several for edge in self.callees(each)]
        facts = self.facts.get(one.path)
        found = [
            edge
            for site in (facts.sites if facts is not None else ())
            if one.symbol.start <= site.start < one.symbol.end
            for edge in self._own(one.path, site)
        ]
        lines = range(one.symbol.start_line, one.symbol.end_line + 1)
        ready = [edge for edge in self.ready_edges.get(one.path, ()) if edge.line in lines]
        return sorted([*found, *ready], key=lambda edge: edge.line) if ready else found

    def _own(self, path: str, site: Site) -> Iterator[Edge]:
        """The targets of a site that no external index resolves. An index names the called class, not the
        initialiser that the call means.
        """
        is_told = (path, site.line, str(site.target[-1])) in self.told_places
        for edge in self.link(path, site):
            if not is_told or edge.target.symbol.name in INITIALISERS:
                yield edge

    def link(self, path: str, site: Site) -> tuple[Edge, ...]:
        """The targets of a site."""
        key = path, site.start, site.scope
        known = self._linked.get(key)
        if known is None:
            known = self._linked[key] = tuple(self._edges(path, site))
        return known

    def _edges(self, path: str, site: Site) -> Iterator[Edge]:
        expression = site.target
        scope = site.scope
        if site.kind == "extends":
            scope = max(0, self.layout.scopes(path)[scope].parent)
        found = self.interpreter.evaluate(path, scope, expression)
        caller = self.layout.around(path, site.start)
        places = list(self._targets(path, found, site))
        alternatives = tuple(_functions(found)) if found.whole and self._is_c(path) else ()
        reached = {one for one, _ in places}
        if expression[0] == "attr":
            around = self.interpreter.evaluate(path, scope, expression[1])
            places += self._read(around, str(expression[2]), reached)
            reached |= {one for one, _ in places}
            places += [
                (one, False)
                for one in self._overriding(around, str(expression[2]), reached)
                if one not in reached
            ]
            if not places and self.layout.family(path) == "rust":
                places = self._of_trait(path, str(expression[2]))
            if not places and not found.outside and not around.meanings and not around.outside:
                places = [(one, False) for one in self._only_method(path, str(expression[2]))]
            if not places and site.kind == "call" and self._is_c(path):
                places = [(one, False) for one in self.fields.held(str(expression[2]))]
        for one, certain in places:
            some = alternatives if not certain and one in alternatives else ()
            yield Edge(path, site.line, site.kind, caller, one, certain, some)

    def _targets(
        self, path: str, found: Interpretation, site: Site
    ) -> Iterator[tuple[Definition, bool]]:
        certain = found.whole and (
            len({(one.kind, one.one, one.path) for one in found.meanings}) == 1
            or (self._is_c(path) and are_for_systems(_functions(found)))
        )
        for meaning in found.meanings:
            one = meaning.one
            if one is None or meaning.kind == "module" or one.symbol.kind in CONSTANTS:
                continue
            if meaning.kind == "instance":
                # A value of a type does not name the type.
                continue
            yield one, certain
            if meaning.kind == "class" and site.kind == "call":
                own = self.layout.member(one, one.symbol.name)
                if own is not None and own.symbol.kind in FUNCTIONS:
                    # In the class itself: a base class may have the same name.
                    yield own, certain
                for name in INITIALISERS:
                    for inner in self.interpreter.member(one, name).meanings:
                        if inner.kind == "function" and inner.one is not None:
                            yield inner.one, certain

    def _read(
        self, around: Interpretation, name: str, reached: set[Definition]
    ) -> Iterator[tuple[Definition, bool]]:
        """The property or constant of a type that is read; its value is not followed."""
        for meaning in around.meanings:
            if meaning.one is None or meaning.kind not in ("class", "instance"):
                continue
            for above in self.interpreter.lineage(meaning.one):
                own = self.layout.member(above, name)
                if own is not None:
                    if own not in reached and self._is_read(own):
                        yield own, around.whole and len(around.meanings) == 1
                    break

    def _is_read(self, one: Definition) -> bool:
        if one.symbol.kind in CONSTANTS:
            return True
        return one.symbol.kind in FUNCTIONS and any(
            self.layout.scopes(path)[number].is_property
            for path, number in self.layout.scopes_of(one)
        )

    def _overriding(
        self, around: Interpretation, name: str, reached: set[Definition]
    ) -> Iterator[Definition]:
        """Candidate methods when the receiver may be of a subclass of its declared class."""
        if name in INITIALISERS:
            return
        for meaning in around.meanings:
            if meaning.kind == "instance" and meaning.one is not None:
                for heir in self.heirs(meaning.one):
                    own = self.layout.member(heir, name)
                    if own is not None and own.symbol.kind in FUNCTIONS:
                        yield own

    def heirs(self, one: Definition) -> list[Definition]:
        """The subclasses of a class, direct and indirect."""
        known = self._heirs.get(one)
        if known is not None:
            return known
        found: dict[Definition, None] = {}
        waiting = [one]
        while waiting:
            above = waiting.pop()
            names = {above.symbol.name}
            names |= {use.local for _, use in self.graph.users.get(above.place, ()) if use.local}
            for name in sorted(names):
                for path, number in self._built_on(name):
                    heir = self.layout.definition_of(path, number)
                    if heir is None or heir in found or heir == one:
                        continue
                    bases = self.interpreter.bases(heir)
                    if any(m.one == above for base in bases for m in base.meanings):
                        found[heir] = None
                        waiting.append(heir)
        self._heirs[one] = list(found)
        return self._heirs[one]

    def _built_on(self, name: str) -> Iterator[tuple[str, int]]:
        """The class scopes that name a type as a base."""
        for path in self.facts.building(name):
            found = self.facts.get(path)
            for number, scope in enumerate(found.scopes if found is not None else ()):
                if name in base_names(scope):
                    yield path, number

    def _only_method(self, path: str, name: str) -> list[Definition]:
        """The only method of the project with a distinctive name, if imports connect it."""
        if name in _COMMON or name.startswith("__"):
            return []
        family = self.layout.family(path)
        found = [
            one
            for one in self.graph.by_name.get(name, ())
            if one.symbol.parent and self.layout.family(one.path) == family
        ]
        if len(found) != 1 or found[0].symbol.kind != "method":
            return []
        near, edge = {path}, {path}
        for _ in range(_FARTHEST):
            edge = {to for at in edge for to in self._imported(at)} - near
            near |= edge
        return found if found[0].path in near else []

    def _of_trait(self, path: str, name: str) -> list[tuple[Definition, bool]]:
        names = self._imported_names.get(path, ())
        one = trait_method(self.layout, path, name, names, self._imported(path))
        return [(one, True)] if one is not None else []

    def _imported(self, path: str) -> set[str]:
        file = self.graph.files.get(path)
        return {one.target for one in file.imports if one.target} if file is not None else set()


def _functions(found: Interpretation) -> list[Definition]:
    return [one.one for one in found.meanings if one.one is not None and one.kind == "function"]
