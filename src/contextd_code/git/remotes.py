"""The addresses of remotes, as git reads them from its options."""

from __future__ import annotations

from collections.abc import Iterable

from contextd_code.git.config_text import GitOption


def remote_urls(options: Iterable[GitOption]) -> dict[str, str]:
    """Where git fetches from, by name of the remote: its first URL, with `url.<base>.insteadOf` applied."""
    found: dict[str, str] = {}
    bases: list[tuple[str, str]] = []
    for option in options:
        between = option.name.partition(".")[2].rpartition(".")[0]
        if option.generic == "url.*.insteadof":
            bases.append((option.value, between))
        elif option.generic == "remote.*.url":
            if option.value:
                found.setdefault(between, option.value)
            else:
                # An empty one forgets those before it.
                found.pop(between, None)
    # The longest beginning wins.
    bases.sort(key=lambda pair: -len(pair[0]))
    return {name: _rewritten(url, bases) for name, url in found.items()}


def _rewritten(url: str, bases: Iterable[tuple[str, str]]) -> str:
    for beginning, base in bases:
        if beginning and url.startswith(beginning):
            return base + url.removeprefix(beginning)
    return url
