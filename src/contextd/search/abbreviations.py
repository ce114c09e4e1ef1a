"""Developers' abbreviations and the words they stand for, so that `k8s` finds Kubernetes and the other way round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from contextd_common.text.words import words

_ROWS = """
k8s kubernetes | gha github actions | i18n internationalization | l10n localization | a11y accessibility
o11y observability | e2e end to end | tf terraform | pg postgresql | postgres postgresql | authn authentication
authz authorization | cfg configuration | iac infrastructure as code | rps requests per second | ttl time to live
mfa multi factor authentication | 2fa two factor authentication | sso single sign on | rbac role based access control
orm object relational mapper | dx developer experience | gke google kubernetes engine | aks azure kubernetes service
rls row level security | cdn content delivery network | fts full text search | llm large language model
mq message queue | ns namespace | tz timezone | oom out of memory | ssr server side rendering | cwv core web vitals
"""
"""Only those that the embedder does not know: it places `config` next to `configuration`."""

_IDLE = frozenset("to as on per".split())
"""Words of a long form that a search leaves out."""


_SPELLED: Mapping[str, Sequence[str]] = {
    short: long
    for short, *long in (row.split() for row in _ROWS.replace("\n", "|").split("|") if row.strip())
}
_LONG: Mapping[str, frozenset[str]] = {
    words(short)[0]: frozenset(word for one in long if one not in _IDLE for word in words(one))
    for short, long in _SPELLED.items()
}
_PARTS: Mapping[str, frozenset[str]] = {
    words(short)[0]: frozenset(words(short)[1:]) for short in _SPELLED
}
"""`k8s` is also read as `k`, `8` and `s`, which say nothing."""


def other_forms(asked: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """For words of a query, as `words` gives them: the words that together say the same. An abbreviation has its
    long form; each word of a long form that is asked for whole has the abbreviation.
    """
    wanted = frozenset(asked)
    found: dict[str, frozenset[str]] = {}
    for short, long in _LONG.items():
        if short in wanted:
            found[short] = long
        elif long <= wanted:
            found |= dict.fromkeys(long, frozenset((short,)))
    return found


def without_parts(asked: Sequence[str]) -> list[str]:
    """The words of a query without the pieces of its abbreviations."""
    pieces = {piece for word in asked for piece in _PARTS.get(word, ())}
    return [word for word in asked if word not in pieces] if pieces else list(asked)


def with_other_forms(asked: Sequence[str]) -> list[str]:
    """The words of a query and those of their other forms, to search an index with."""
    forms = other_forms(asked)
    return list(dict.fromkeys((*asked, *(one for form in forms.values() for one in sorted(form)))))


def spelled_out(text: str) -> str:
    """A question with the long forms of its abbreviations behind it, for the embedder."""
    found = [_SPELLED[word] for word in dict.fromkeys(words(text)) if word in _SPELLED]
    return f"{text} ({', '.join(map(' '.join, found))})" if found else text
