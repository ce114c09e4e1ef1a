"""Aider: it has no MCP; an instruction file that it reads lists the commands."""

from __future__ import annotations

from contextd.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.clients.codec import YAML
from contextd.clients.config_entries import ListedFile
from contextd.clients.text_files import COMMANDS, Block

_INSTRUCTIONS = ".aider.contextd.md"

CLIENT = Client(
    name="aider",
    title="Aider",
    limits="it supports neither MCP nor hooks: an instruction file lists the commands",
    instructions=_INSTRUCTIONS,
    transcripts="aider",
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="instructions",
                part=ListedFile(YAML, "read", _INSTRUCTIONS),
                user=FilePlace(".aider.conf.yml"),
                project=FilePlace(".aider.conf.yml"),
            ),
            ConfigFile(
                holds="instructions",
                part=Block(COMMANDS),
                user=FilePlace(_INSTRUCTIONS),
                project=FilePlace(_INSTRUCTIONS),
            ),
        ),
    ),
    presence=Presence(
        programs=("aider",), made=(FilePlace(".aider.conf.yml"), FilePlace(".aider"))
    ),
)
