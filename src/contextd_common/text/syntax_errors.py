"""What is wrong with a text that is not JSON or TOML, in our words: those of a parser change with its release."""

from __future__ import annotations

import json
import re

_AT = re.compile(r"\(at line (\d+), column (\d+)\)")
_DEEP = "nested too deeply"


def json_problem(error: Exception) -> str:
    """One phrase for what `json.loads` raised, with the place: `line 3, column 5 is not JSON`."""
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno} is not JSON"
    if isinstance(error, RecursionError):
        return _DEEP
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    # A hook of ours, such as the one for NaN, or a number with too many digits.
    text = str(error)
    return text if text.endswith("is not JSON") else "a value is not JSON"


def toml_problem(error: Exception) -> str:
    """One phrase for what `tomllib.loads` raised, with the place where it names one."""
    if isinstance(error, RecursionError):
        return _DEEP
    place = _AT.search(str(error))
    return f"line {place[1]}, column {place[2]} is not TOML" if place else "the text ends too early"
