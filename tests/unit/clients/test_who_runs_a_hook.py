"""Which client runs a hook: what its surroundings say goes before the name in the command."""

from __future__ import annotations

import pytest

from contextd.clients import CLIENTS, claude_code, client_running

MARKED = [client for client in CLIENTS.values() if client.marks]


@pytest.mark.parametrize("client", MARKED, ids=lambda client: client.name)
def test_a_client_is_known_by_each_of_its_marks_under_the_name_of_claude_code(client):
    for mark in client.marks:
        assert client_running(claude_code.CLIENT.name, [mark], {}).name == client.name


def test_without_marks_the_name_in_the_command_holds():
    for client in CLIENTS.values():
        assert client_running(client.name, [], {}).name == client.name
    assert client_running("", [], {}).name == claude_code.CLIENT.name


def test_a_client_is_known_by_the_fields_that_only_its_payloads_have():
    for client in CLIENTS.values():
        for name in client.fields:
            assert client_running(claude_code.CLIENT.name, [], {name: "x"}).name == client.name
    assert client_running("", [], {"sessionId": "x"}).name == "copilot-cli"
    assert client_running("", [], {"session_id": "x"}).name == claude_code.CLIENT.name
