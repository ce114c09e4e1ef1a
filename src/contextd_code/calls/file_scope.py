"""The names and types of a file, collected while its calls are extracted."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from tree_sitter import Node

from contextd_code.calls.call_facts import NOTHING, CodeScope, Expr, Site, SiteKind
from contextd_code.calls.expressions import name_node, value
from contextd_common.dataclass import dataclass


@dataclass(slots=True)
class FileReading:
    """A file during extraction. `open_` are the scopes around the next node."""

    family: str
    scopes: list[CodeScope] = field(default_factory=list[CodeScope])
    sites: list[Site] = field(default_factory=list[Site])
    open_: list[int] = field(default_factory=list[int])
    named: set[int] = field(default_factory=set[int])
    """The scopes of `sites`' names."""

    @property
    def here(self) -> int:
        """The scope around the next node."""
        return self.open_[-1]

    @property
    def function(self) -> int:
        """The same, skipping blocks."""
        return next(n for n in reversed(self.open_) if self.scopes[n].kind != "block")

    def enter(
        self,
        kind: Literal["class", "function", "block"],
        name: str,
        node: Node,
        end: int | None = None,
    ) -> CodeScope:
        """Open the scope of a node, or one from its start to another `end`."""
        last = node.end_byte if end is None else end
        scope = CodeScope(kind, name, node.start_byte, last, self.here)
        self.open_.append(len(self.scopes))
        self.scopes.append(scope)
        return scope

    def leave_before(self, start: int) -> None:
        """Close the scopes that end before an offset."""
        while len(self.open_) > 1 and self.scopes[self.here].end <= start:
            self.open_.pop()

    def bind(self, name: str, found: Expr, scope: int | None = None) -> None:
        """Record the value of a name, here or in another scope."""
        # A block of Python hides no name.
        own = self.function if self.family == "python" else self.here
        at = own if scope is None else scope
        if name and found == NOTHING and self.family == "ecmascript":
            # It has no type, but still hides the outer name.
            self.scopes[at].bindings.setdefault(name, [])
        if name and found != NOTHING:
            known = self.scopes[at].bindings.setdefault(name, [])
            # `x := x` of Go reads the variable of the block around.
            is_block = self.family == "go" and self.scopes[at].kind == "block"
            where = self.scopes[at].parent if is_block and _names(found, name) else self.here
            if (found, where) not in known:
                known.append((found, where))

    def declaring(self, name: str) -> int:
        """The nearest enclosing scope with a name, else the file."""
        return next((n for n in reversed(self.open_) if name in self.scopes[n].bindings), 0)

    def site(self, kind: SiteKind, node: Node, target: Expr | None = None) -> None:
        """Record a place that refers to something."""
        named = name_node(node)
        found = target or value(node)
        if found[0] in ("name", "attr", "fixture", "scoped", "type"):
            line = named.start_point[0] + 1
            self.named.add(named.start_byte)
            self.sites.append(Site(kind, found, line, named.start_byte, self.here))

    def own_class(self) -> int | None:
        """The class of `self` at this point."""
        found = [number for number in self.open_ if self.scopes[number].kind == "class"]
        return found[-1] if found else None


def _names(found: Expr, name: str) -> bool:
    """Whether an expression names a variable."""
    if found == ("name", name):
        return True
    return any(isinstance(one, tuple) and _names(one, name) for one in found)
