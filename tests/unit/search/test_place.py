from __future__ import annotations

import pytest

from contextd.search.file_purpose import (
    BUILD,
    EXAMPLE,
    STYLE,
    TEST,
    place_signals,
    purpose_of,
    purposes_asked,
)


def told(path: str, language: str, asked: frozenset[str]) -> dict[str, float]:
    return dict(place_signals(path, language, asked))


@pytest.mark.parametrize(
    ("path", "purpose"),
    [
        ("shop/cart.py", ""),
        ("tests/test_cart.py", TEST),
        ("src/CartTest.java", ""),
        ("src/test/java/CartTests.java", TEST),
        ("cart_test.go", TEST),
        ("_examples/rest/main.go", EXAMPLE),
        ("benchmarks/middleware.js", EXAMPLE),
        ("Gemfile", BUILD),
        ("rollup.config.mjs", BUILD),
        ("src/configure_cart.py", ""),
        ("contest/latest.py", ""),
    ],
)
def test_a_path_tells_what_a_file_is_for(path: str, purpose: str) -> None:
    assert purpose_of(path, "python") == purpose


def test_a_style_is_known_by_its_language() -> None:
    assert purpose_of("web/cart.scss", "scss") == STYLE


def test_tests_and_examples_that_a_query_asks_for_are_distinguished_from_others() -> None:
    asked = purposes_asked("add tests for the cart, and an example")
    assert asked == {TEST, EXAMPLE}
    nothing = {"test": 0, "aside": 0, "asked": 0}
    assert told("tests/test_cart.py", "python", asked) == nothing
    assert told("examples/cart.py", "python", asked) == nothing | {"asked": 1}
    assert told("tests/test_cart.py", "python", frozenset()) == nothing | {"test": 1}
    assert told("examples/cart.py", "python", frozenset()) == nothing | {"aside": 1}
    assert told("Gemfile", "ruby", frozenset()) == nothing
    assert told("shop/cart.py", "python", asked) == nothing
