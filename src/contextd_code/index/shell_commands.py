"""What a shell command runs, apart from what it only mentions: messages, search patterns, printed text, comments and
documents it writes are data. Code behind `bash -c`, `eval`, `ssh`, pipes into a shell and the like is read as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from contextd_code.index.languages.language import tree_of
from contextd_code.index.languages.shell import grammar
from contextd_code.index.shell_programs import (
    DATABASES,
    PATTERN_FIRST,
    PRINTS,
    REMOTE_COPIES,
    RUNS_ARGUMENTS,
    SHELLS,
    TAKES_FILES_OF_CODE,
    WORDS_ONLY,
    code_in,
    is_message,
    program_of,
    reads_code,
    starts_processes,
)
from contextd_common.dataclass import dataclass

LONGEST = 20_000
"""Characters of a command that are read; a longer one is taken as it is written."""

_DEEPEST = 6
"""Shells inside shells that are followed: `ssh host "sudo bash -c '…'"` are three."""

_MENTIONED = "…"
_ECHO_OPTIONS = ("-n", "-e", "-E", "-ne", "-en", "--")


@dataclass(frozen=True, slots=True)
class ShellText:
    """`lines` of a command as written, without what it only mentions, and then each of its simple commands with its
    words unquoted and joined by one blank, those of inner shells included.
    """

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command: its text without quotes, and its bytes in the source; (0, 0) if it has none there."""

    text: str
    start: int = 0
    end: int = 0

    @property
    def many(self) -> bool:
        """Whether it holds blanks, which only quotes bring into one word."""
        return any(blank in self.text for blank in " \t\n")


def shell_text(command: str) -> ShellText:
    """Read a command of a POSIX shell. One that is not closed, or longer than `LONGEST`, is taken as written."""
    if len(command) > LONGEST:
        return ShellText(tuple(command.splitlines()))
    return ShellText(tuple(dict.fromkeys(_Reader(command, {}, {}, 0).lines())))


def _source(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


class _Reader:
    """One pass over a text. `known` are the values of its variables, `written` the files that it wrote."""

    def __init__(
        self, text: str, known: dict[str, str], written: dict[str, str], depth: int
    ) -> None:
        self._text, self._data = text, text.encode("utf-8", "replace")
        self._known, self._written, self._depth = dict(known), written, depth
        self._masks: list[tuple[int, int]] = []
        self._found: list[str] = []
        self._feeds = False

    def lines(self) -> list[str]:
        root = tree_of(grammar, self._data).root_node
        if root.has_error:
            return self._text.splitlines()
        self._visit(root, "")
        return [*self._masked().splitlines(), *self._found]

    def _masked(self) -> str:
        pieces, at = [], 0
        for start, end in sorted(self._masks):
            if start >= at:
                pieces += [self._data[at:start], _MENTIONED.encode()]
                at = end
        return b"".join([*pieces, self._data[at:]]).decode("utf-8", "replace")

    def _visit(self, node: Node, stdin: str) -> str:
        """Read a statement with this input; returns what it prints, as far as it is known."""
        if node.type == "command":
            return self._command(node, stdin)
        if node.type == "pipeline":
            # What feeds a shell is code, also where only running it would tell which: `find … -printf … | sh`.
            outer, parts = self._feeds, node.named_children
            for at, part in enumerate(parts):
                self._feeds = any(reads_code(_source(later)) for later in parts[at + 1 :])
                stdin = self._visit(part, stdin)
            self._feeds = outer
            return stdin
        if node.type == "redirected_statement":
            return self._redirected(node, stdin)
        if node.type == "variable_assignment":
            self._assigned(node)
            return ""
        if node.type == "comment":
            self._masks.append((node.start_byte, node.end_byte))
            return ""
        if node.type == "test_command":
            self._masks.append((node.start_byte, node.end_byte))
            self._substituted(node)
            return ""
        printed = [self._visit(part, stdin) for part in node.named_children]
        return "\n".join(filter(None, printed))

    def _redirected(self, node: Node, stdin: str) -> str:
        body = node.child_by_field_name("body")
        target, after = "", []
        for redirect in node.children_by_field_name("redirect"):
            if redirect.type == "heredoc_redirect":
                for part in redirect.named_children:
                    if part.type == "heredoc_body":
                        stdin = _source(part)
                        self._masks.append((part.start_byte, part.end_byte))
                        self._substituted(part)
                    elif part.type not in ("heredoc_start", "heredoc_end"):
                        after.append(part)
            elif redirect.type == "herestring_redirect":
                stdin = self._here_string(redirect)
            elif redirect.type == "file_redirect":
                destination = redirect.child_by_field_name("destination")
                target = self._word(destination) if destination is not None else ""
        printed = self._visit(body, stdin) if body is not None else ""
        if target and printed:
            self._written[target.removeprefix("./")] = printed
        for part in after:
            # What stands on the line of a here document goes on with the command: `cat <<EOF | sh`.
            if part.type == "file_redirect":
                destination = part.child_by_field_name("destination")
                if destination is not None and printed:
                    self._written[self._word(destination).removeprefix("./")] = printed
            else:
                printed = self._visit(part, printed)
        return printed

    def _here_string(self, redirect: Node) -> str:
        for part in redirect.named_children:
            self._masks.append((part.start_byte, part.end_byte))
            self._substituted(part)
            return self._word(part)
        return ""

    def _assigned(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return
        text = self._word(value)
        self._known[_source(name)] = text
        if Word(text).many:
            self._masks.append((value.start_byte, value.end_byte))
        self._substituted(value)

    def _command(self, node: Node, stdin: str) -> str:
        words: list[Word] = []
        for part in node.named_children:
            if part.type == "variable_assignment":
                self._assigned(part)
            elif part.type == "herestring_redirect":
                stdin = self._here_string(part)
            elif not part.type.endswith("_redirect"):
                words += self._words(part)
                self._substituted(part)
        return self._run(words, stdin)

    def _words(self, node: Node) -> Iterator[Word]:
        inner = (
            node.named_children[0] if node.type == "command_name" and node.named_children else node
        )
        text = self._word(inner)
        if inner.type == "simple_expansion":
            # An unquoted variable is split: `$CMD` may be a whole command.
            yield from (Word(part) for part in text.split())
        else:
            yield Word(text, node.start_byte, node.end_byte)

    def _substituted(self, node: Node) -> None:
        """Read the commands whose output stands in a word: `$(…)`, also inside quotes."""
        if node.type in ("command_substitution", "process_substitution"):
            self._visit(node, "")
            return
        for part in node.named_children:
            self._substituted(part)

    def _between(self, start: int, end: int) -> str:
        return self._data[start:end].decode("utf-8", "replace")

    def _word(self, node: Node) -> str:
        """The text of a word without its quotes, with the variables whose value is known."""
        text = _source(node)
        if node.type == "raw_string":
            return text[1:-1]
        if node.type == "ansi_c_string":
            return text[2:-1]
        if node.type in ("simple_expansion", "expansion"):
            return self._known.get(text.strip("${}"), text)
        if node.type == "word":
            return text.replace("\\\n", "").replace("\\", "")
        if node.type not in ("string", "concatenation"):
            return text
        pieces, at = [], node.start_byte
        for part in node.named_children:
            pieces += [self._between(at, part.start_byte), self._word(part)]
            at = part.end_byte
        whole = "".join([*pieces, self._between(at, node.end_byte)])
        if node.type == "string":
            whole = whole.removeprefix('"').removesuffix('"')
            for mark in '"$`\\':
                whole = whole.replace("\\" + mark, mark)
        return whole

    def _run(self, words: Sequence[Word], stdin: str) -> str:
        """Note a simple command; returns what it prints, as far as it is known."""
        rest = program_of([word.text for word in words])
        if not rest:
            return ""
        program = rest[0].rpartition("/")[2]
        name, *arguments = words[len(words) - len(rest) :]
        if program in RUNS_ARGUMENTS:
            return self._passed_on(program, arguments, stdin)
        code = self._code(program, rest[1:], stdin)
        for text in code:
            self._inner(text)
        shown = [name.text]
        for at, word in enumerate(arguments):
            data = word.text in code or self._is_data(program, arguments, at)
            if data and word.end:
                self._masks.append((word.start, word.end))
            shown.append(_MENTIONED if data else word.text)
        if program in DATABASES:
            shown.append(stdin)
        self._found += " ".join(shown).splitlines()
        return self._printed(program, arguments, stdin)

    def _passed_on(self, program: str, arguments: Sequence[Word], stdin: str) -> str:
        """Programs that run their arguments: `eval`, `xargs`, `ssh`, `find -exec`."""
        for text in RUNS_ARGUMENTS[program]([word.text for word in arguments], stdin):
            self._inner(text)
        if not self._feeds:
            self._masks += [(word.start, word.end) for word in arguments if word.many and word.end]
        self._found.append(" ".join([program, *(w.text for w in arguments if not w.many)]))
        return ""

    def _code(self, program: str, arguments: Sequence[str], stdin: str) -> list[str]:
        """The shell code that a program runs: an argument, its input, or a file written just before."""
        found = code_in(program, arguments)
        files = [one.removeprefix("./") for one in arguments if one[:1] != "-"]
        if program in SHELLS and not found and not files:
            found = [stdin]
        if program in (*SHELLS, *TAKES_FILES_OF_CODE):
            found += [self._written[file] for file in files[:1] if file in self._written]
        return [*found, *filter(None, [self._written.get(program)])]

    def _inner(self, text: str) -> None:
        if self._depth >= _DEEPEST or not text.strip():
            self._found += text.splitlines()
        else:
            self._found += _Reader(text, self._known, self._written, self._depth + 1).lines()

    def _is_data(self, program: str, arguments: Sequence[Word], at: int) -> bool:
        """Whether an argument is only text to its program."""
        text = arguments[at].text
        before = arguments[at - 1].text if at else ""
        if program in (*DATABASES, *REMOTE_COPIES) or starts_processes(program, text):
            return False
        if self._feeds and program not in (*PRINTS, "cat", "tee"):
            return False
        if arguments[at].many or is_message(program, before, text):
            return True
        if program in WORDS_ONLY:
            return True
        if program in PATTERN_FIRST and text[:1] != "-":
            return all(word.text[:1] == "-" for word in arguments[:at])
        return False

    def _printed(self, program: str, arguments: Sequence[Word], stdin: str) -> str:
        if program in PRINTS:
            return " ".join(word.text for word in arguments if word.text not in _ECHO_OPTIONS)
        files = [word.text for word in arguments if word.text[:1] != "-"]
        if program == "tee":
            self._written.update((file.removeprefix("./"), stdin) for file in files)
            return stdin
        if program == "cat":
            return (
                "\n".join(self._written.get(file.removeprefix("./"), "") for file in files) or stdin
            )
        return ""
