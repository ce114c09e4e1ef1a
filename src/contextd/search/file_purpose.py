"""The purpose of a file, by its path, and whether a query asks for it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from contextd_code.values.source import is_test
from contextd_common.text.words import content_words, words

TEST, EXAMPLE, BUILD, STYLE = "test", "example", "build", "style"
"""Purposes of files that are not the program itself. An example is anything that demonstrates or measures it.
"""

_TESTS = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|[/_.])tests?[_.]|_test\.|\.spec\.", re.IGNORECASE
)
_EXAMPLES = re.compile(
    r"(?:^|/)_?(?:examples?|samples?|demos?|tutorials?|playground)/"
    r"|(?:^|/)_?(?:bench(?:mark)?s?|perf)[/_.]|_bench(?:mark)?\.|\.bench\.|(?:^|/)(?:fuzz|fuzzing)/",
    re.IGNORECASE,
)
_BUILDS = re.compile(
    r"(?:^|/)(?:gemfile|rakefile|guardfile|[^/]*\.gemspec|[^/]*\.gradle(?:\.kts)?|setup\.py|noxfile\.py"
    r"|tasks\.py|conf\.py|configure(?:\.ac|\.in)?|build\.rs|gulpfile\.\w+|gruntfile\.\w+|[^/]*\.config\.[cm]?[jt]s"
    r"|\.[^/]*rc\.[cm]?js|makefile[^/]*|jenkinsfile|[^/]*\.cmake|[^/]*\.m4|mix\.exs|package\.swift"
    r"|[^/]*\.csproj)$",
    re.IGNORECASE,
)
_STYLES = frozenset(("css", "scss", "less", "sass", "sql", "html", "shell", "batch", "powershell"))

_ASKED: Mapping[str, frozenset[str]] = {
    TEST: frozenset(
        words(
            """test tests testing tested spec specs coverage assert asserts assertion assertions mock
            mocks mocking fixture fixtures flaky e2e unittest pytest"""
        )
    ),
    EXAMPLE: frozenset(
        words(
            """example examples sample samples demo demos bench benchmark benchmarks benchmarking perf
            tutorial playground fuzz"""
        )
    ),
    BUILD: frozenset(
        words(
            """ci deps dep dependency dependencies gem gems build builds upgrade bump pin gradle package
            packaging release lint linter eslint install version travis workflow workflows action actions
            setup makefile cmake chore"""
        )
    ),
    STYLE: frozenset(
        words(
            """css style styles stylesheet scss html sql layout color page design ui sh bash shell
            script"""
        )
    ),
}


def purposes_asked(question: str) -> frozenset[str]:
    """The purposes that a query asks for."""
    asked = content_words(question)
    return frozenset(name for name, some in _ASKED.items() if not some.isdisjoint(asked))


def purpose_of(path: str, language: str) -> str:
    """The purpose of a file; empty for the program itself."""
    if _TESTS.search(path) or is_test(path):
        return TEST
    if _EXAMPLES.search(path):
        return EXAMPLE
    if _BUILDS.search(path):
        return BUILD
    return STYLE if language in _STYLES else ""


def place_signals(path: str, language: str, asked: frozenset[str]) -> tuple[tuple[str, float], ...]:
    """1 or 0: `test` for a test and `aside` for an example or a style that was not requested; `asked` for
    an example or build file that was.
    """
    purpose = purpose_of(path, language)
    wanted = purpose in asked
    return (
        ("test", float(purpose == TEST and not wanted)),
        ("aside", float(purpose in (EXAMPLE, STYLE) and not wanted)),
        ("asked", float(purpose in (EXAMPLE, BUILD) and wanted)),
    )
