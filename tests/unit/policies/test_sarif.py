"""Violations as SARIF: what code hosts require of it."""

from __future__ import annotations

import json

from contextd.policies.sarif import as_sarif

BROKEN = {
    "policy": "No eval", "id": "1", "kind": "policy", "severity": "medium", "enforce": "warn",
    "requirement": "eval is not called", "what": "adds 'eval('", "path": "src/ä b.py", "line": 3,
    "excerpt": "x = eval(y)", "way_out": "parse it", "source": ".context/policies/no eval.yaml",
}  # fmt: skip


def test_a_violation_has_its_rule_its_place_and_its_fingerprint() -> None:
    denied = {**BROKEN, "enforce": "deny", "path": "b.py", "line": 0}
    command = {**BROKEN, "path": "", "line": 0, "source": "anti-pattern 12345678"}
    log = json.loads(json.dumps(as_sarif([BROKEN, denied, command])))
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["no-eval", "anti-pattern-12345678"]
    first, second, third = run["results"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"].endswith("Instead: parse it")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "src/%C3%A4%20b.py"
    assert place["region"] == {"startLine": 3}
    assert (first["level"], second["level"]) == ("warning", "error")
    assert "region" not in second["locations"][0]["physicalLocation"]
    assert "locations" not in third
    moved = as_sarif([{**BROKEN, "line": 30}])["runs"][0]["results"][0]
    assert moved["partialFingerprints"] == first["partialFingerprints"]


def test_nothing_broken_is_a_run_without_results() -> None:
    [run] = as_sarif([])["runs"]
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
