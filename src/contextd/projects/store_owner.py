"""The owner of this store."""

from __future__ import annotations

import re
from collections.abc import Mapping

from contextd.domain.query import Query
from contextd.domain.scope import Scope
from contextd.person.person import owner_name
from contextd.runtime.runtime import Runtime
from contextd_code.git.git_queries import ask, printable

_LONGEST, _CHECKOUTS = 80, 64
_DOMAINS = frozenset(
    ("identity", "owner", "name", "my name", "user", "user name", "username", "owner name")
)
_SAID = re.compile(
    r"(?:my name is|the (?:user|owner)(?:'s name)? is|call me|i am|i'm|name\s*:)\s+", re.IGNORECASE
)
_PART = r"[^\W\d_a-z][^\W\d_]*(?:[.'’-][^\W\d_]+)*\.?"
_NAME = re.compile(rf"{_PART}(?: (?:(?:van|von|de|der|den|da|di|del|la|bin|al) )*{_PART}){{0,3}}")


def owner_of(runtime: Runtime, scopes: frozenset[Scope]) -> str:
    """The owner's name: from an identity preference, then USER.md or the person's layer, then git's author
    name, else the caller.
    """
    query = Query(scopes=scopes, kinds=("context",), where={"contextType": "preference"})
    for match in runtime.view.index.lexical(["ident", "owner", "name", "user"], query, 5):
        for record in runtime.view.records.get([match.id]):
            fields = record.data.get("structuredData")
            name = _named_by(fields) if isinstance(fields, Mapping) else ""
            if name:
                return name
    return owner_name(runtime)[:_LONGEST] or _committer(runtime) or runtime.caller.name


def _named_by(fields: Mapping[str, object]) -> str:
    """The name in a preference: its only domain is identity, and its rule is just a name or states one."""
    about = " ".join(str(fields.get("domain", "")).replace("_", " ").replace("-", " ").split())
    if about.casefold() not in _DOMAINS:
        return ""
    rule = str(fields.get("rule", "")).strip().rstrip(".")
    introduction = _SAID.match(rule)
    name = rule[introduction.end() :] if introduction else rule
    return name[:_LONGEST] if _NAME.fullmatch(name) else ""


def _committer(runtime: Runtime) -> str:
    """Git's author name of the user of this machine; empty if unset."""
    if not runtime.caller.owner or runtime.checkout is None:
        return ""
    root = runtime.checkout.root
    names = runtime.organisation.caches.of("git author names", _CHECKOUTS)
    known: str | None = names.get(root)
    if known is None:
        known = printable((ask(root, "config", "--get", "user.name") or "").strip(), _LONGEST)
        names.put(root, known)
    return known
