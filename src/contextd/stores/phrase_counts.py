"""FTS5 auxiliary function: how often the phrases of a match occur in a document."""

from __future__ import annotations

from array import array
from typing import Any

import apsw

OCCURRENCES = "occurrences"


def occurrences(document: apsw.FTS5ExtensionApi, /, *first_phrase: Any) -> bytes:
    """Two numbers for each phrase of the match, starting at a given one: its count in the text, and in the
    `near` text.
    """
    [first] = first_phrase
    found: list[int] = []
    for phrase in range(first, document.phrase_count):
        places = document.phrase_locations(phrase)
        found += len(places[0]), len(places[1])
    return array("I", found).tobytes()
