"""Operations as commands: parse names, words and options into calls."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from contextd.domain.argument_names import argument_meant
from contextd.surfaces.cli.completion import completes
from contextd.surfaces.cli.output import Console, ask, json_option
from contextd.surfaces.cli.samples import OPTIONS, sample
from contextd.surfaces.cli.signatures import Parameter, Signature
from contextd.surfaces.cli.table import SHORTHANDS, Verb
from contextd.surfaces.cli.terminal import own_process
from contextd.surfaces.cli.values import is_switched, switch, typed_fields, value_of
from contextd_common.errors import Invalid

_WORDS, _FIELD = "words", "field"
_ALWAYS = frozenset({"--json", "--help", "--field"})
"""Options that an operation's arguments must not override."""
_WIDEST = 30
"""Maximum characters of a list of choices that leaves room for the help text beside it."""
_METAVARS = {
    "choice": "WORD",
    "integer": "NUMBER",
    "number": "NUMBER",
    "list": "TEXT,…",
    "object": "JSON",
}


class OperationCommand(click.Command):
    """The command of an operation. Required arguments are accepted as words, in order, and every argument as an
    option.
    """

    def __init__(self, op: Signature, line: str = "", verb: Verb | None = None) -> None:
        self.op = op
        self.line = line or op.command
        self.verb = verb or Verb(op.name)
        self.positions = _positions(op, self.verb)
        self.holder = next((one for one in op.parameters if one.fields_of), None)
        self._by_flag = {one.flag: one for one in op.parameters}
        self._names = {one.name: one for one in op.parameters}
        self._short = {
            short: f"--{name}={value}"
            for short, (name, value) in SHORTHANDS.items()
            if any(one.name == name and value in one.choices for one in op.parameters)
        }
        super().__init__(
            self.line.rpartition(" ")[2],
            params=self._params(),
            callback=self._run,
            help=op.description,
            short_help=op.summary,
        )
        either = "Arguments in capitals can also be passed as options." * bool(self.positions)
        either += "".join(f"\n\n{one} is short for {what}." for one, what in self._short.items())
        self.epilog = f"{either}\n\nExample: {self.example()}"

    def _params(self) -> list[click.Parameter]:
        params: list[click.Parameter] = []
        if self.positions:
            metavar = " ".join(self._metavar(one) for one in self.positions)
            words = click.Argument(
                [_WORDS],
                nargs=-1,
                metavar=metavar,
                shell_complete=completes(self.op, self.positions),
            )
            params.append(words)
        params += map(_option, [self.op] * len(self.op.parameters), self.op.parameters)
        if self.holder is not None:
            field = click.Option(
                ["--field", _FIELD],
                multiple=True,
                metavar="NAME=VALUE",
                help=f"One field of {self.holder.flag}, read as its type. May be repeated.",
                shell_complete=completes(self.op, [self.holder]),
            )
            params.append(field)
        return [*params, json_option()]

    def _metavar(self, one: Parameter) -> str:
        several = "..." if one.kind == "list" or self.verb.words == "each" else ""
        shown = one.name.upper() + several
        return shown if one.required else f"[{shown}]"

    def example(self) -> str:
        """The command with all required arguments."""
        parts = ["contextd", self.line]
        parts += [sample(self.op, one) for one in self.positions]
        parts += [one.flag for one in self.op.parameters if one.required and one.kind == "flag"]
        return " ".join([*parts, *filter(None, [OPTIONS.get(self.op.name)])])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Like click, but also accepts names with underscores, and a yes or no after a switch."""
        return super().parse_args(ctx, self._respelled(args))

    def _respelled(self, args: Sequence[str]) -> list[str]:
        spelled: list[str] = []
        named: dict[str, str] = {}
        words = list(args)
        while words:
            word = words.pop(0)
            if word == "--":
                return [*spelled, word, *words]
            if word in self._short:
                spelled.append(self._short[word])
                continue
            name, equals, value = word.partition("=")
            given = name.replace("_", "-")
            name = self._flag_meant(given)
            one = self._by_flag.get(name.replace("--no-", "--", 1))
            if one is not None:
                self._require_one_name(one, given, named)
            one = self._by_flag.get(name)
            if one is None:
                spelled.append(word if name == given else name + equals + value)
            elif one.kind == "flag":
                if not equals and words and is_switched(words[0]):
                    value = words.pop(0)
                on = not value or switch(value, name)
                spelled.append(name if on else f"--no-{name[2:]}")
            elif equals or not words:
                spelled.append(name + equals + value)
            else:
                # The word after an option that takes a value is always its value.
                spelled.append(f"{name}={words.pop(0)}")
        return spelled

    def _require_one_name(self, one: Parameter, option: str, named: dict[str, str]) -> None:
        """Raise `Invalid` for an option that was already given under another name."""
        plain = option.replace("--no-", "--", 1) if one.kind == "flag" else option
        before = named.setdefault(one.name, plain)
        if before != plain:
            raise Invalid(
                f"{before} and {plain} are the same option", f"give only one of them: {one.flag}"
            )

    def _flag_meant(self, name: str) -> str:
        """The flag that a word with dashes means; the word itself if it matches none."""
        begin = "--no-" if name.startswith("--no-") else "--"
        if name in self._by_flag or not name.startswith("--") or name in _ALWAYS:
            return name
        meant = argument_meant(name.removeprefix(begin), self._names, self.op.aliases)
        if meant is None or (begin == "--no-" and self._names[meant].kind != "flag"):
            return name
        return begin + self._names[meant].flag[2:]

    def _run(self, **options: Any) -> int:
        console = Console(options.pop("as_json"), wrap=self.op.room != "codebase")
        calls = self.calls(options)
        if console.as_json and len(calls) > 1:
            console.show_value([self._ask(arguments).value for arguments in calls])
        else:
            for arguments in calls:
                console.show(self._ask(arguments))
        return 0

    def calls(self, chosen: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The arguments of every call that the parsed line asks for. Raises `Invalid` for wrong, missing or extra
        arguments.
        """
        options = {
            one.name: chosen[one.name]
            for one in self.op.parameters
            if chosen.get(one.name) not in (None, ())
        }
        pairs = chosen.get(_FIELD) or ()
        return [
            self._arguments(words, options, pairs)
            for words in self._words(chosen.get(_WORDS) or ())
        ]

    def _ask(self, arguments: Mapping[str, Any]) -> Any:
        reply = ask(self.op.name, arguments)
        if self.verb.wider and not _found_something(reply.value):
            words = " ".join(str(arguments[one.name]) for one in self.positions)
            click.echo(f"hint: `contextd {self.verb.wider} {words}` searches more", err=True)
        return reply

    def _words(self, words: Sequence[str]) -> list[Sequence[str]]:
        """The words of each call."""
        if self.verb.words == "each" and len(words) > 1:
            return [[word] for word in words]
        if self.verb.words == "join" and words:
            if list(words) == ["-"]:
                own_process()
                return [[sys.stdin.read().strip()]]
            return [[" ".join(words)]]
        return [words]

    def _arguments(
        self, words: Sequence[str], options: Mapping[str, Any], pairs: Sequence[str]
    ) -> dict[str, Any]:
        """The arguments of one call. Raises `Invalid`."""
        raw = dict(options)
        left = list(words)
        for one in self.positions:
            if one.name in raw or not left:
                continue
            if one.kind == "list" and one is self.positions[-1]:
                raw[one.name], left = left, []
            else:
                raw[one.name] = left.pop(0)
        if left:
            hint = f'put quotes around a text: "{" ".join(words)}"'
            if not self.positions:
                hint = f"`contextd {self.line} --help` shows what it takes"
            raise Invalid(f"{self.line} takes no further word: {left[0]!r}", hint)
        arguments = {
            one.name: value_of(one, raw[one.name]) for one in self.op.parameters if one.name in raw
        }
        holder = self.holder
        if holder is not None and pairs:
            kind = next(p.default for p in self.op.parameters if p.name == holder.fields_of)
            read = typed_fields(holder, pairs, arguments, kind)
            arguments[holder.name] = {**arguments.get(holder.name, {}), **read}
        self._require(arguments)
        return arguments

    def _require(self, arguments: Mapping[str, Any]) -> None:
        missing = [one for one in self.op.parameters if one.required and one.name not in arguments]
        if missing:
            shown = [
                f"{one.flag} or --no-{one.flag[2:]}" if one.kind == "flag" else one.name.upper()
                for one in missing
            ]
            raise Invalid(f"missing {', '.join(shown)}", f"for example: {self.example()}")


def _found_something(value: Any) -> bool:
    """Whether any list in an answer has an entry."""
    return any(part for part in value.values() if isinstance(part, list))


def _positions(op: Signature, verb: Verb) -> list[Parameter]:
    """The arguments that may be given as words, in order."""
    if verb.positional:
        return [one for one in op.parameters if one.name == verb.positional]
    return [one for one in op.parameters if one.required and one.kind != "flag"]


def _option(op: Signature, one: Parameter) -> click.Option:
    note = " [required]" if one.required else f" [default: {one.default}]" if one.default else ""
    about = one.help + f" ({one.limits})" * bool(one.limits) + note
    if one.kind == "flag":
        return click.Option([f"{one.flag}/--no-{one.flag[2:]}", one.name], default=None, help=about)
    choices = "|".join(one.choices)
    if len(choices) > _WIDEST:
        about, choices = f"{about} One of {', '.join(one.choices)}.", ""
    return click.Option(
        [one.flag, one.name],
        multiple=one.kind == "list",
        metavar=f"[{choices}]"
        if choices
        else _METAVARS.get(one.kind, "PATH" if one.path else "TEXT"),
        shell_complete=completes(op, [one]),
        help=about,
    )
