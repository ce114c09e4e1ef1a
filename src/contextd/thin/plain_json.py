"""JSON for the thin entry points: the C half of the standard library's `json`, without the half in Python.

That half imports `re`, and importing it takes a hook longer than all the rest of its work. Whatever the C half
does not read at once, `json` itself is asked about, so that every answer and every error is the same.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BLANK = " \t\n\r"


class _Reading:
    """What the C scanner wants to know of its decoder: that nothing is special."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float, parse_int = float, int
    parse_constant = {
        "NaN": float("nan"),
        "Infinity": float("inf"),
        "-Infinity": -float("inf"),
    }.__getitem__


def _unserializable(value: object) -> Any:
    raise TypeError(f"an object of type {type(value).__name__} cannot be written as JSON")


_reading: Any = _Reading
_scan: Any = None
_encode: Any = None
try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    _scan = make_scanner(_reading)
    _encode = make_encoder(
        None, _unserializable, encode_basestring_ascii, None, ":", ",", False, False, True
    )
except (ImportError, AttributeError, TypeError):
    # Another Python, or a later one, whose halves fit together otherwise.
    pass


def loads(text: bytes) -> Any:
    """The value a text holds. Raises `ValueError` or `RecursionError`, as `json.loads` does."""
    if _scan is not None:
        try:
            # Blanks around a value are not the scanner's business.
            plain = text.decode("utf-8", "surrogatepass").strip(_BLANK)
            value, end = _scan(plain, 0)
            if end == len(plain):
                return value
        except (StopIteration, ValueError, SystemError):
            # The last one where Python 3.11 looks for the error of a `json.decoder` nobody imported.
            pass
    import json  # noqa: PLC0415 - see above

    return json.loads(text)


def dumps(value: Any) -> str:
    """The value as compact JSON in ASCII. Raises `TypeError` for what is none."""
    if _encode is not None:
        return "".join(_encode(value, 0))
    import json  # noqa: PLC0415 - see above

    return json.dumps(value, separators=(",", ":"))
