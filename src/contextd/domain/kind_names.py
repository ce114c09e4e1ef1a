"""Natural names for kinds of record, as people and agents write them."""

from __future__ import annotations

from collections.abc import Container, Mapping

_DISCOVERY = "discovery"
_NOTHING: Mapping[str, str] = {}

ALIASES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    **dict.fromkeys(("note", "memo", "todo", "preference", "idea"), ("context", _NOTHING)),
    **dict.fromkeys(("lesson", "learning", "insight", "strategy"), ("memory", _NOTHING)),
    **dict.fromkeys(("rule", "constraint", "requirement"), (_DISCOVERY, {"type": "rule"})),
    **dict.fromkeys(("pattern", "convention"), (_DISCOVERY, {"type": "pattern"})),
    **dict.fromkeys(("decision", "adr"), (_DISCOVERY, {"type": "decision"})),
    **dict.fromkeys(("issue", "bug"), (_DISCOVERY, {"type": "issue"})),
    "fact": (_DISCOVERY, {"type": "fact"}),
    "correction": (_DISCOVERY, {"type": "correction"}),
    **dict.fromkeys(("fix", "solution"), ("remediation", _NOTHING)),
    **dict.fromkeys(("antipattern", "warning", "pitfall", "gotcha"), ("anti_pattern", _NOTHING)),
    "standard": ("coding_standard", _NOTHING),
}
"""The kind that a natural name means, and the fields it sets. Names for discoveries are the types that
their extraction distinguishes.
"""


def kind_meant(name: str, known: Container[str]) -> tuple[str, Mapping[str, str]]:
    """Resolve `name` to a kind or type and the fields it sets. `known` names win; case, hyphens, blanks
    and the plural are ignored. An unknown name is returned unchanged.
    """
    plain = "_".join(name.casefold().replace("-", " ").split())
    for one in (name, plain, plain.removesuffix("s")):
        if one in known:
            return one, _NOTHING
    for one in (plain, plain.removesuffix("s")):
        if one in ALIASES:
            return ALIASES[one]
    return name, _NOTHING
