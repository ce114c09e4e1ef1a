"""JSON of the thin entry points: the same as the standard library's, without importing it."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd.thin.plain_json import dumps, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_json_is_written_and_read_as_by_the_standard_library(value: object) -> None:
    text = dumps(value)
    assert text == json.dumps(value, separators=(",", ":"))
    assert loads(text.encode()) == value
    assert loads(b" \n" + json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")) == value  # fmt: skip


@pytest.mark.parametrize("text", [b"\xef\xbb\xbf[1]", "[1]".encode("utf-16"), b"[1]\r\n"])
def test_other_beginnings_and_encodings_are_read_as_well(text: bytes) -> None:
    assert loads(text) == [1]


def test_numbers_that_are_none_are_read_as_by_the_standard_library() -> None:
    assert math.isnan(loads(b"NaN"))
    assert loads(b"[Infinity,-Infinity]") == [math.inf, -math.inf]


@pytest.mark.parametrize(
    "text", [b"", b" ", b"{", b"[1] 2", b"{'a':1}", b'"\n"', b"\xff", b"nul", b'{"a"}', b"[" * 100_000],
    ids=lambda text: text[:8],
)  # fmt: skip
def test_invalid_json_is_refused_as_by_the_standard_library(text: bytes) -> None:
    with pytest.raises((ValueError, RecursionError)) as ours:
        loads(text)
    with pytest.raises((ValueError, RecursionError)) as theirs:
        json.loads(text)
    assert (ours.type, str(ours.value)) == (theirs.type, str(theirs.value))


@pytest.mark.parametrize("text", ["{", "[1] 2", '{"a":tru}', '"a'])
def test_it_is_refused_in_the_same_words_where_nobody_imported_json(text: str) -> None:
    program = f"from contextd.thin.plain_json import loads; loads({text.encode()!r})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    with pytest.raises(ValueError, match="line 1 column") as error:
        json.loads(text)
    assert done.stderr.splitlines()[-1] == f"json.decoder.JSONDecodeError: {error.value}"


def test_values_that_json_cannot_hold_are_refused() -> None:
    with pytest.raises(TypeError, match="set cannot be written as JSON"):
        dumps({"a": {1}})
