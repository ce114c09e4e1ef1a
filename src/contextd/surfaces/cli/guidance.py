"""Suggestions for mistyped commands and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import ClassVar

import click

from contextd.domain.argument_names import argument_meant
from contextd.surfaces.cli.table import OPTION_SYNONYMS
from contextd_common.errors import Invalid

_LIKE = 0.65
"""The lowest similarity for a suggestion: `forgt` and `forget` have 0.9, the unrelated `forget` and `import`
0.5."""
_MOST_LISTED = 12


class Guiding(click.Group):
    """A group that suggests known commands for unknown ones. `synonyms` maps words that people try to whole
    command lines.
    """

    noun = "command"
    synonyms: ClassVar[Mapping[str, str]] = {}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Like click, but an unknown command raises `Invalid` with a suggestion."""
        word = args[0] if args else ""
        if word and not word.startswith("-") and self.get_command(ctx, word) is None:
            known = self.list_commands(ctx)
            hint = _command_hint(ctx.command_path, word, known, self.synonyms)
            raise Invalid(f"no {self.noun} {word!r}", hint)
        return super().resolve_command(ctx, args)


def _command_hint(path: str, word: str, known: Sequence[str], synonyms: Mapping[str, str]) -> str:
    if word in synonyms:
        return f"use `{path} {synonyms[word]}`"
    longer = [name for name in known if name.startswith(f"{word}-")]
    if longer:
        return f"commands: {', '.join(longer)}"
    near = closest(word, [*known, *synonyms])
    if near in synonyms:
        return f"did you mean `{path} {synonyms[near]}`?"
    if near:
        return f"did you mean {near!r}?"
    if len(known) <= _MOST_LISTED:
        return f"commands: {', '.join(known)}"
    return f"`{path} --help` lists them"


def closest(word: str, known: Iterable[str]) -> str:
    """The known word that is most similar to this one, or the empty string."""
    found = get_close_matches(word.lower(), list(known), n=1, cutoff=_LIKE)
    return found[0] if found else ""


def as_error(error: click.UsageError) -> Invalid:
    """Convert a usage error of click to our wording, with a hint."""
    ctx = error.ctx
    path = ctx.command_path if ctx else "contextd"
    hint = f"`{path} --help` shows what it takes"
    if isinstance(error, click.NoSuchOption):
        return Invalid(
            f"no option {error.option_name!r}", _option_hint(error.option_name, ctx) or hint
        )
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return Invalid(f"missing {error.param.make_metavar(ctx) if ctx else ''}", hint)
    if isinstance(error, click.BadParameter) and error.param is not None:
        return Invalid(f"{error.param.opts[0]}: {error.message.rstrip('.')}", hint)
    message = error.format_message().rstrip(".")
    return Invalid(message[:1].lower() + message[1:], hint)


def _option_hint(option: str, ctx: click.Context | None) -> str:
    if ctx is None:
        return ""
    known = [
        name
        for one in ctx.command.get_params(ctx)
        if isinstance(one, click.Option)
        for name in (*one.opts, *one.secondary_opts)
        if name.startswith("--")
    ]
    if ctx.parent is None and isinstance(ctx.command, click.Group) and option == "--json":
        return f"options come after the command: `{ctx.command_path} status {option}`"
    word = option.lstrip("-")
    arguments = {name[2:].replace("-", "_"): name for name in known}
    synonym = f"--{OPTION_SYNONYMS.get(word, '')}"
    meant = arguments.get(argument_meant(word, arguments) or "", synonym)
    near = meant if meant in known else closest(option, known)
    return f"did you mean {near!r}?" if near else f"options: {', '.join(known)}"


def one_of(word: str, choices: Sequence[str], name: str) -> str:
    """Validate a choice. Raises `Invalid` with the most similar choice and the list of all."""
    for choice in choices:
        if choice.lower() == word.lower():
            return choice
    near = closest(word, choices)
    listed = "one of " + ", ".join(choices)
    raise Invalid(
        f"{name} cannot be {word!r}", f"did you mean {near!r}? It is {listed}" if near else listed
    )
