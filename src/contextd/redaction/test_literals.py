"""Made-up secrets in the literals of tests.

A test is recognised by a line near by that begins with an assertion or the head of a test case. Only
passwords and keys identified by a label are left there. Tokens of providers, private keys and
self-contained tokens are secrets everywhere.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from contextd.redaction.scanned_text import Span
from contextd_common.text.regex import regex

_MADE_UP = frozenset("password secret authorization password-hash cookie url-password".split())
"""Types of secrets that tests make up; every other type has a shape that only a real secret has."""

_NEAR = 60
"""Lines between a literal and a statement of a test; a test case is rarely longer."""

_STATEMENT = regex(
    r"(?m)^[ \t]*(?:"
    r"(?:(?:self|cls|static|this|\$this|Assert|assert|t|tc|expect|require|chai)(?:\.|->|::))?(?:assert\w*!?|expect\w*|verify(?:No\w*|All)?)\("
    r"|assert [^\n]*(?:==|!=| in | is |\.|\()"
    r"|(?:Assert|assert|require|t)\.(?:[A-Z]\w+|is|not|true|false|same|equal\w*|ok|deepEqual|throws\w*)\("
    r"|@(?:Test|ParameterizedTest|pytest\.\w+|DataProvider|Before(?:Each|All)?)\b"
    r"|#\[(?:\w+::)?test\b|\[(?:Fact|Theory|Test|TestMethod|TestCase|InlineData)\b"
    r"|func (?:\([^)\n]{1,40}\) )?Test\w*\(|(?:async )?def test_?\w+|(?:public )?function test\w*\("
    r"|(?:describe|it|test|context|suite)(?:\.\w+)?\([\"'`]"
    r"|(?:describe|it|test|context|scenario|feature) [\"'][^\n]*(?:do|\{)[ \t]*$"
    r"|(?:should|t\.(?:is|same|equal|Run|Fatal|Error)f?)\b *\(|BOOST_\w+\(|TEST(?:_[FP])?\("
    r")"
)
_QUOTES = "\"'`"


def without_literals_of_tests(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans without made-up secrets, which are in quotes near a statement of a test.

    Distance is counted in lines: redaction never adds one, so a second pass finds no more.
    """
    doubtful = [span for span in spans if span[2] in _MADE_UP and _between_quotes(text, span[0])]
    if not doubtful:
        return list(spans)
    left = set(_near_tests(text, doubtful))
    return [span for span in spans if span not in left]


def _between_quotes(text: str, at: int) -> bool:
    """Whether a literal that began on the same line is open at `at`."""
    before = text[text.rfind("\n", 0, at) + 1 : at][-400:]
    return any(before.count(quote) % 2 for quote in _QUOTES)


def _near_tests(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    statements = [match.start() for match in _STATEMENT.finditer(text)]
    for span in spans if statements else ():
        next_one = bisect_left(statements, span[0])
        for at in statements[max(0, next_one - 1) : next_one + 1]:
            low, high = sorted((at, span[0]))
            if text.count("\n", low, high) <= _NEAR:
                yield span
                break
