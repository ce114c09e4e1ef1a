"""Export the usage log as the seed's `awareness.json`, never larger than its limit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from contextd.domain.records import Record
from contextd.domain.time import iso
from contextd.domain.usage import Observation, ObservationSummary

LARGEST = 200_000
"""Bytes. The seed's limit of 200 KB."""

_LONGEST_QUERY = 100
_LONGEST_NAME = 60
_MOST_RECORDS, _MOST_IDS = 500, 50
_ROOM_FOR_MISSES, _ROOM_FOR_TYPES = 50_000, 20_000
OTHERS = "(others)"
"""The name of the sum of all types that were left out."""

_ACTIONS = {"miss": "query_miss"}


def awareness_json(
    observations: Sequence[Observation], summary: ObservationSummary, rated: Iterable[Record]
) -> bytes:
    """Events (oldest first), exact totals, and usefulness reports per record, as UTF-8 JSON.

    `observations` come newest first. If they would make the file too large, the oldest are left out. Queries
    are cut to 100 characters and names to 60; missed queries are limited to the most frequent, types to the
    most frequent (the rest is summed), and usefulness to the 500 records with most reports.
    """
    rated_records = list(rated)[:_MOST_RECORDS]
    rest = {
        "summary": _summary(summary),
        "usefulness": {
            "helpful": {record.id: record.helpful for record in rated_records if record.helpful},
            "unhelpful": {
                record.id: record.unhelpful for record in rated_records if record.unhelpful
            },
        },
    }
    room = LARGEST - len(_encoded(rest)) - 32
    events: list[Mapping[str, Any]] = []
    for observation in observations:
        event = _event(observation)
        room -= len(_encoded(event)) + 2
        if room < 0:
            break
        events.append(event)
    return _encoded({"events": events[::-1], **rest})


def _event(observation: Observation) -> dict[str, Any]:
    event: dict[str, Any] = {
        "timestamp": iso(observation.at),
        "action": _ACTIONS.get(observation.action, observation.action),
        "tool": observation.operation[:_LONGEST_NAME],
        "contextType": observation.type[:_LONGEST_NAME],
        "entryIds": list(observation.record_ids[:_MOST_IDS]),
        # A check against policies is one line, followed by the policies it violated.
        "query": observation.query.partition("\n")[0][:_LONGEST_QUERY],
        "agent": observation.agent[:_LONGEST_NAME],
    }
    return {name: value for name, value in event.items() if value}


def _summary(summary: ObservationSummary) -> dict[str, Any]:
    return {
        "totalReads": summary.reads,
        "totalWrites": summary.writes,
        "totalMisses": summary.misses,
        "missedQueries": _missed(summary.missed_queries),
        "typeReadFrequency": _frequency(summary.read_frequency),
        "typeWriteFrequency": _frequency(summary.write_frequency),
        "lastActivity": iso(summary.last_activity) if summary.last_activity else "",
    }


def _missed(counts: Mapping[str, int]) -> list[str]:
    """The queries, in stored order; if there are too many, the most frequently missed."""
    most_missed: set[str] = set()
    room = _ROOM_FOR_MISSES
    for query in sorted(counts, key=lambda query: -counts[query]):
        cut = query[:_LONGEST_QUERY]
        room -= len(_encoded(cut)) + 1
        if room < 0:
            break
        most_missed.add(cut)
    return [cut for cut in dict.fromkeys(q[:_LONGEST_QUERY] for q in counts) if cut in most_missed]


def _frequency(counts: Mapping[str, int]) -> dict[str, int]:
    shown: Counter[str] = Counter()
    room = _ROOM_FOR_TYPES - len(OTHERS) - 24
    for name in sorted(counts, key=lambda name: (-counts[name], name)):
        cut = name[:_LONGEST_NAME]
        if cut not in shown:
            room -= len(_encoded(cut)) + 24
        shown[cut if room >= 0 else OTHERS] += counts[name]
    return dict(shown)


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
