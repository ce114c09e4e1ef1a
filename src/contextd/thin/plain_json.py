"""JSON for the thin entry points: the C half of the standard library's `json`, without the Python half.

The Python half imports `re`, which takes longer than the rest of a hook. Input that the C half does not parse
goes to `json` itself, so that every result and every error is the same.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_BLANK = " \t\n\r"


class _Reading:
    """The attributes that the C scanner reads from its decoder; all are defaults."""

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
    # Another Python implementation or version, whose two halves work together differently.
    pass


def loads(text: bytes) -> Any:
    """Parse a text. Raises `ValueError` or `RecursionError`, like `json.loads`."""
    if _scan is not None:
        try:
            # The scanner does not accept spaces around a value.
            plain = text.decode("utf-8", "surrogatepass").strip(_BLANK)
            value, end = _scan(plain, 0)
            if end == len(plain):
                return value
        except (StopIteration, ValueError, SystemError):
            # The last place where Python 3.11 looks for the error class of `json.decoder` if it is not imported.
            pass
    import json  # noqa: PLC0415 - see above

    return json.loads(text)


def object_in(text: bytes) -> dict[str, Any] | None:
    """The JSON object in a text; None if it has none."""
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text_in(value: Mapping[str, Any], name: str) -> str:
    """A member of an object that is a text; empty if there is none."""
    found = value.get(name)
    return found if isinstance(found, str) else ""


def dumps(value: Any) -> str:
    """The value as compact JSON in ASCII. Raises `TypeError` for a value that JSON cannot represent."""
    if _encode is not None:
        return "".join(_encode(value, 0))
    import json  # noqa: PLC0415 - see above

    return json.dumps(value, separators=(",", ":"))
