"""A long sentence stated again with another name is an update; short ones and additions are not."""

from __future__ import annotations

import pytest

from contextd.claims.exchanged_names import exchanged_name


@pytest.mark.parametrize(
    ("later", "earlier", "said"),
    [
        (
            "To run the server with debug logs, set the `SHOP_LOG` variable to the level needed.",
            "To run the server with debug logs, set the `RUST_LOG` variable to the level needed.",
            "`RUST_LOG` → `SHOP_LOG`",
        ),
        (
            "Read this. The full acceptance suite runs in a container with the included `./accept` script today.",
            "The full acceptance suite runs in a container with the included `./suite` script today.",
            "`./suite` → `./accept`",
        ),
    ],
)
def test_a_long_sentence_with_another_name_is_an_update(
    later: str, earlier: str, said: str
) -> None:
    assert exchanged_name(later, earlier) == said


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("The folder contains a `go.mod` file", "The folder contains a `Cargo.toml` file"),
        (
            "Add a syntax definition and a test file for `go.mod` to the list of known languages here.",
            "Add a syntax definition and a test file for `Cargo.toml` to the list of known languages here.",
        ),
        (
            "To run the server with debug logs, set the `RUST_LOG` variable to the level wanted.",
            "To run the server with debug logs, set the `RUST_LOG` variable to the level needed.",
        ),
    ],
)
def test_lists_additions_and_other_wordings_are_none(later: str, earlier: str) -> None:
    assert exchanged_name(later, earlier) == ""
