"""What FTS5 asks back of us: how often the phrases of a match occur in a document."""

from __future__ import annotations

from array import array
from typing import Any

import apsw

OCCURRENCES = "occurrences"


def occurrences(document: apsw.FTS5ExtensionApi, /, *first_phrase: Any) -> bytes:
    """Two numbers for each phrase of the match from the one on that is given: how often it is in the text, and how
    often near it.
    """
    [first] = first_phrase
    found: list[int] = []
    for phrase in range(first, document.phrase_count):
        places = document.phrase_locations(phrase)
        found += len(places[0]), len(places[1])
    return array("I", found).tobytes()
