"""The usage log as the file `awareness.json` of the seed, never larger than its limit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from contextd.domain.records import Record
from contextd.domain.sessions import Observation, ObservationSummary
from contextd.domain.time import iso

LARGEST = 200_000
"""Bytes. The seed's limit of 200 KB."""

_LONGEST_QUERY = 100
_MOST_RECORDS = 500
_ACTIONS = {"miss": "query_miss"}


def awareness_json(
    observations: Sequence[Observation], summary: ObservationSummary, rated: Iterable[Record]
) -> bytes:
    """Events (oldest first), exact totals, and what was reported per record, as UTF-8 JSON.

    `observations` come newest first. When they would make the file too large the oldest are left
    out; queries are cut to 100 characters and usefulness to the 500 records rated most.
    """
    kept = list(rated)[:_MOST_RECORDS]
    rest = {
        "summary": _summary(summary),
        "usefulness": {
            "helpful": {record.id: record.helpful for record in kept if record.helpful},
            "unhelpful": {record.id: record.unhelpful for record in kept if record.unhelpful},
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
        "tool": observation.operation,
        "contextType": observation.type,
        "entryIds": list(observation.record_ids),
        "query": observation.query[:_LONGEST_QUERY],
        "agent": observation.agent,
    }
    return {name: value for name, value in event.items() if value}


def _summary(summary: ObservationSummary) -> dict[str, Any]:
    return {
        "totalReads": summary.reads,
        "totalWrites": summary.writes,
        "totalMisses": summary.misses,
        "missedQueries": list(
            dict.fromkeys(query[:_LONGEST_QUERY] for query in summary.missed_queries)
        ),
        "typeReadFrequency": dict(summary.read_frequency),
        "typeWriteFrequency": dict(summary.write_frequency),
        "lastActivity": iso(summary.last_activity) if summary.last_activity else "",
    }


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
