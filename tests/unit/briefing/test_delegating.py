"""A sub-agent that begins is told what it has to respect, and nothing of another project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contextd.briefing.subagent_briefing import TOLD_TOKENS
from contextd_common.text.tokens import count_tokens
from support.clients import CodingClient
from support.desks import Desk
from support.repositories import committed

MONEY = "Never use float for money in new code; amounts are Decimal."
CSV = "Write CSV files with a byte order mark, spreadsheets want it."


@pytest.fixture
def client(words_only: Desk, tmp_path: Path) -> CodingClient:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    return CodingClient(words_only, folder)


def rule(desk: Desk, text: str, **more: Any) -> str:
    fields = {"requirement": text, "severity": "critical", **more}
    made = desk("remember", title=text[:30], kind="policy", fields=fields)
    return str(made["id"])


def delegates(client: CodingClient, **payload: Any) -> str:
    return client.told("SubagentStart", agent_id="a1", agent_type="Explore", **payload)


def test_the_rules_for_what_was_asked_come_first_and_keep_to_their_room(
    client: CodingClient,
) -> None:
    client.starts()
    for number in range(12):
        rule(client.desk, f"Module {number} must keep its old import path for the plugins.")
    money = rule(client.desk, MONEY)
    client.asks("Sum up the money of all orders in the report")
    told = delegates(client)
    assert "quoted with source and age" in told
    assert money[:8] in told or "float for money" in told
    first_rule = next(line for line in told.splitlines() if "[policy" in line)
    assert "float for money" in first_rule
    assert count_tokens(told) <= TOLD_TOKENS


def test_a_sub_agent_gets_the_rules_of_its_own_task_before_those_of_the_users_prompt(
    client: CodingClient,
) -> None:
    client.starts()
    rule(client.desk, MONEY)
    rule(client.desk, CSV)
    client.asks("Sum up the money of all orders")
    told = delegates(client, prompt="Export the orders as CSV for the spreadsheets")
    lines = [line for line in told.splitlines() if "[policy" in line]
    assert "CSV" in lines[0]


def test_the_session_is_not_taken_to_hold_what_only_the_sub_agent_was_told(
    client: CodingClient,
) -> None:
    client.starts()
    client.asks("Sum up the money of all orders")
    before = client.desk.sessions()[0]
    rule(client.desk, MONEY)
    told = delegates(client)
    after = client.desk.sessions()[0]
    assert "money" in told
    assert after.injected == before.injected
    assert after.tokens_served > before.tokens_served


def test_without_a_rule_nothing_is_said(client: CodingClient) -> None:
    client.starts()
    assert delegates(client) == ""
    assert len(client.desk.sessions()) == 1


def test_an_unknown_session_is_not_opened_by_its_sub_agent(client: CodingClient) -> None:
    rule(client.desk, MONEY)
    assert "money" in delegates(client, prompt="Sum up the money")
    assert client.desk.sessions() == []


def test_another_project_hears_nothing_of_it(client: CodingClient, tmp_path: Path) -> None:
    rule(client.desk, MONEY)
    other = committed(tmp_path / "depot", {"depot.py": "def total() -> int:\n    return 0\n"})
    beside = CodingClient(client.desk.at(other), client.folder)
    beside.starts()
    beside.asks("Sum up the money of all orders in the report")
    assert "float" not in delegates(beside)
