"""Violations as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from contextd import __version__

_LEVELS = {"critical": "error", "high": "error", "error": "error", "low": "note", "info": "note"}
"""The SARIF level of a severity; all others are warnings."""


def as_sarif(violations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A SARIF log with one run. Violations in commands have no location."""
    rules: dict[str, dict[str, Any]] = {}
    results = []
    for one in violations:
        name = _rule_id(one)
        rules.setdefault(
            name,
            {
                "id": name,
                "shortDescription": {"text": one["policy"]},
                "fullDescription": {"text": one["requirement"] or one["policy"]},
                "help": {"text": one["way_out"] or one["requirement"] or one["policy"]},
                "defaultConfiguration": {"level": _level(one)},
                "properties": {"severity": one["severity"], "source": one["source"]},
            },
        )
        results.append(_result(one, name, list(rules).index(name)))
    driver = {
        "name": "contextd",
        "semanticVersion": __version__,
        "rules": list(rules.values()),
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}
        ],
    }


def _result(one: Mapping[str, Any], rule: str, index: int) -> dict[str, Any]:
    away = f" Instead: {one['way_out']}" if one["way_out"] else ""
    text = f"{one['policy']}: {one['what']}.{away}"
    seen = "\0".join((rule, one["path"], one["what"], one["excerpt"]))
    result: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": index,
        "level": _level(one),
        "message": {"text": text},
        # The line may move, but the violation stays the same.
        "partialFingerprints": {
            "contextd/v1": hashlib.blake2b(seen.encode(), digest_size=16).hexdigest()
        },
    }
    if one["path"]:
        place: dict[str, Any] = {
            "artifactLocation": {"uri": quote(one["path"]), "uriBaseId": "%SRCROOT%"}
        }
        if one["line"]:
            place["region"] = {"startLine": one["line"]}
        result["locations"] = [{"physicalLocation": place}]
    return result


def _level(one: Mapping[str, Any]) -> str:
    return "error" if one["enforce"] == "deny" else _LEVELS.get(one["severity"], "warning")


def _rule_id(one: Mapping[str, Any]) -> str:
    stem = one["source"].rpartition("/")[2].rpartition(".")[0] or one["source"]
    return re.sub(r"[^\w.-]+", "-", stem).strip("-").lower() or "policy"
