"""The platform release that a sentence requires: "Node 20", "ES2022", "Python >= 3.11"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextd.claims.phrases import DIGIT, Phrases
from contextd.claims.stems import stems
from contextd_common.text.words import words

_PLATFORM = (
    r"node(?:\.?js)?|python|go(?:lang)?|java|jdk|ruby|php|rust|typescript|react|vue|angular|svelte|next(?:\.?js)?|django"
    r"|rails|spring(?: boot)?|postgres(?:ql)?|mysql|mariadb|redis|mongo(?:db)?|elasticsearch|kafka|kubernetes|k8s|docker"
    r"|npm|pnpm|yarn|ubuntu|debian|alpine|es|ecmascript|c\+\+|\.net|dotnet|kotlin|scala|swift|xcode|ios|android|chrome"
    r"|terraform|tls|openapi|gradle|maven|webpack|vite|eslint|sqlite|cmake|gcc|clang|cuda|pytorch|flask|laravel"
    r"|symfony|electron|deno|bun|elixir|erlang|perl|haskell|nuxt|tailwind|macos|windows|firefox|safari"
)
_RELEASE = Phrases(
    rf"(?<![\w/-])(?P<name>{_PLATFORM})(?:\s+(?:version\s+|to\s+|at\s+|>=\s*|v)?|(?<=es)|(?<=c\+\+))(?P<number>\d+(?:\.\d+)*)(?P<open>\+|\s+or (?:newer|later|above|higher))?(?![\w%]|\s+(?:connections?|nodes?|replicas?|instances?|servers?|pods?|services?|files?|modules?|times?|seconds?|minutes?)\b)",
    DIGIT,
)
_LEAST = re.compile(r"\b(?:minimum|oldest|lowest|least|earliest|min)\b|>=", re.I)
_MOST = re.compile(r"\b(?:newest|latest|highest|maximum|most)\b|<=?", re.I)
_BESIDE = frozenset(
    words(
        """pin pinned target targets require requires support supports supported build builds built compile compiled
        version versions oldest minimum lowest least newest latest run runs release test tested bump upgrade upgraded
        still standardise newer later image at ship ships based development local language runtime level"""
    )
) - {"develop", "local"}
_NAMES = {
    "golang": "go", "jdk": "java", "node.js": "node", "nodejs": "node", "es": "ecmascript", "postgresql": "postgres",
    "k8s": "kubernetes", "mongodb": "mongo", "next.js": "next", "nextjs": "next", "dotnet": ".net", "spring boot": "spring",
}  # fmt: skip


def released(text: str) -> Iterator[tuple[frozenset[str], str, frozenset[str]]]:
    """(platform, as written, release) of the only platform of which a text names exactly one release."""
    found = list(_RELEASE.finditer(text))
    if len(found) != 1:
        return
    [match] = found
    name = match["name"].casefold()
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    bound = (
        "least" if match["open"] or _LEAST.search(rest) else "most" if _MOST.search(rest) else ""
    )
    what = frozenset(stems(rest)) - _BESIDE
    about = frozenset((f"(release) {_NAMES.get(name, name)}", f"(bound) {bound}", *what))
    yield about, match[0].strip(), frozenset((match["number"],))
