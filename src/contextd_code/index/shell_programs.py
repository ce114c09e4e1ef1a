"""What programs do with their arguments: run them, print them, search for them, or send them to a database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from contextd_common.text.regex import regex

SHELLS = frozenset("sh bash zsh dash ksh ash fish csh tcsh".split())
TAKES_FILES_OF_CODE = frozenset(("source", "."))
PRINTS = frozenset(("echo", "printf"))

WORDS_ONLY = frozenset(
    "echo printf say figlet cowsay logger notify-send alias man whatis apropos which type whereis help tldr true :"
    " test [ [[ read expr".split()
)
"""Programs to which every argument is a text or a name."""

PATTERN_FIRST = frozenset(
    "grep egrep fgrep zgrep rg ag ack sed awk gawk jq yq findstr Select-String pgrep".split()
)
"""Programs whose first argument, if it is no option, is an expression."""

REMOTE_COPIES = frozenset(("rsync", "scp", "borg", "restic", "rclone"))
"""Programs that run an option's value: `rsync -e "ssh -p 2222"`."""

DATABASES = frozenset(
    "psql mysql mariadb sqlite3 mongosh mongo clickhouse-client duckdb bq snowsql sqlcmd cqlsh redis-cli influx".split()
)
"""Programs whose texts are statements that they carry out, so that a policy may name them."""

_WRAPPERS: Mapping[str, tuple[str, int]] = {
    # options with a value, and arguments before the command
    "sudo": ("-u -g -h -p -C -D -r -t -U -R -T", 0), "doas": ("-u -C", 0), "env": ("-u -C", 0), "nice": ("-n", 0),
    "ionice": ("-c -n -p", 0), "timeout": ("-s -k", 1), "time": ("-f -o", 0), "nohup": ("", 0), "setsid": ("", 0),
    "stdbuf": ("-i -o -e", 0), "command": ("", 0), "builtin": ("", 0), "exec": ("-a", 0), "chronic": ("", 0),
    "strace": ("-e -o -p -s -u", 0), "chroot": ("", 1), "flock": ("-w -E", 1), "unbuffer": ("", 0), "busybox": ("", 0),
    "caffeinate": ("-t -w", 0), "faketime": ("", 1), "proxychains": ("-f", 0), "firejail": ("", 0), "taskset": ("", 1),
    "!": ("", 0), "noglob": ("", 0), "rlwrap": ("", 0), "dotenv": ("-f", 0), "with-env": ("", 0),
}  # fmt: skip
"""Programs that run the rest of their words as a command."""

_CODE_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "su": ("-c", "--command"), "script": ("-c", "--command"), "npx": ("-c", "--call"), "npm": ("-c", "--call"),
    "nix-shell": ("--run", "--command"), "nix": ("-c",), "nodemon": ("-x", "--exec"), "expect": ("-c",),
    "runuser": ("-c", "--command"), "pkexec": (), "tmux": (), "gosu": (),
}  # fmt: skip
"""Programs that run the value of an option in a shell."""

_ALL_RUN = frozenset(("concurrently", "hyperfine", "watchexec"))
"""Programs that run each of their arguments with blanks in a shell."""

_MESSAGES = frozenset(
    "-m --message --body -b --title -t --notes -n --subject --description -d --comment -c --grep -S -G -F --search"
    " --reason --text --label --field -f --data --data-raw --data-binary --query -q".split()
)
"""Options of tools for repositories and requests whose value is a text."""

_TALKS = frozenset("git gh glab hub hg svn jj bd curl wget http xh jira linear slack".split())
_JOINED = (
    "-m",
    "-am",
    "--message=",
    "--body=",
    "--title=",
    "--notes=",
    "--description=",
    "--grep=",
    "-S",
    "-G",
)

_INTERPRETERS = regex(r"(?:python|pypy|node|deno|bun|perl|ruby|php|lua|osascript|[gm]?awk)[\d.]*")
_STARTS = regex(r"(?i)system|subprocess|popen|\bexec|spawn|fork|`|%x|shell|\|\s*\"")
_SHELL = regex(rf"\s*(?:sudo\s+)?(?:/\S*/)?(?:{'|'.join(sorted(SHELLS))})(?:\s+-\w*)*\s*")
_SSH_VALUES = frozenset("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w".split())
_XARGS_VALUES = frozenset(
    "-I -n -P -L -d -s -E -a --max-args --max-procs --delimiter --replace".split()
)
_ASSIGNMENT = regex(r"[A-Za-z_]\w*=.*")


def program_of(words: Sequence[str]) -> Sequence[str]:
    """The words of a command from its program on, without programs that only start another one: `sudo -u a git …`."""
    words = list(words)
    while words:
        name = words[0].rpartition("/")[2]
        if _ASSIGNMENT.fullmatch(words[0]):
            words = words[1:]
        elif name in _WRAPPERS and len(words) > 1:
            options, before = _WRAPPERS[name]
            words = _after(words[1:], frozenset(options.split()))[before:]
        else:
            break
    return words


def _after(words: Sequence[str], with_value: frozenset[str]) -> list[str]:
    """Words without the options at their beginning; those of `with_value` take the next word with them."""
    at = 0
    while at < len(words) and words[at][:1] == "-":
        if words[at] == "--":
            at += 1
            break
        at += 2 if words[at] in with_value else 1
    return list(words[at:])


def code_in(program: str, arguments: Sequence[str]) -> list[str]:
    """The shell code in the arguments of a program: after `-c` of a shell, wherever that shell is named."""
    found = []
    if program not in WORDS_ONLY and program not in PATTERN_FIRST:
        for at, word in enumerate((program, *arguments)):
            if word.rpartition("/")[2] in SHELLS:
                found += _after_c(arguments[at:])
                break
    options = _CODE_OPTIONS.get(program, ())
    found += [value for one, value in pairwise(arguments) if one in options]
    if program in _ALL_RUN:
        found += [one for one in arguments if " " in one]
    if program == "tmux":
        found += [one for one in arguments[1:] if " " in one]
    return found


def _after_c(words: Sequence[str]) -> list[str]:
    for at, word in enumerate(words):
        if word[:1] == "-" and word[:2] != "--" and "c" in word:
            return list(words[at + 1 : at + 2])
        # `-O` and `-o` take the next word: `bash -O extglob -c '…'`.
        if word[:1] not in "-+" and not (at and words[at - 1][-1:] in "oO"):
            return []
    return []


def is_message(program: str, before: str, text: str) -> bool:
    """Whether an argument is a message, after its option or in one word with it."""
    if program not in _TALKS:
        return False
    return (
        before in _MESSAGES
        or (before[:1] == "-" and before[:2] != "--" and before.endswith("m"))
        or (text.startswith(_JOINED) and text not in _JOINED)
    )


def reads_code(command: str) -> bool:
    """Whether a command is a shell that runs its input: `sudo bash -s`."""
    return bool(_SHELL.fullmatch(command)) and not command.rstrip().endswith("c")


def starts_processes(program: str, text: str) -> bool:
    """Whether a text may be code of another language that starts programs."""
    return bool(_INTERPRETERS.fullmatch(program) and _STARTS.search(text))


def _evaluated(arguments: Sequence[str], stdin: str) -> list[str]:
    del stdin
    return [" ".join(arguments)]


def _remote(arguments: Sequence[str], stdin: str) -> list[str]:
    rest = _after(arguments, _SSH_VALUES)
    rest = [rest[0], *_after(rest[1:], _SSH_VALUES)] if rest else rest
    return [" ".join(rest[1:]) or stdin]


def _with_input(arguments: Sequence[str], stdin: str) -> list[str]:
    rest = _after(arguments, _XARGS_VALUES)
    quoted = [f"'{one}'" if " " in one and "'" not in one else one for one in rest]
    return [" ".join([*quoted, *stdin.split()])]


def _executed(arguments: Sequence[str], stdin: str) -> list[str]:
    """The commands of `find … -exec … ;`."""
    del stdin
    found: list[str] = []
    for at, word in enumerate(arguments):
        if word in ("-exec", "-execdir", "-ok", "-okdir"):
            rest = list(arguments[at + 1 :])
            ends = [rest.index(end) for end in (";", "+") if end in rest]
            words = rest[: min(ends, default=len(rest))]
            found.append(
                " ".join(f"'{one}'" if " " in one and "'" not in one else one for one in words)
            )
    return found


def _in_parallel(arguments: Sequence[str], stdin: str) -> list[str]:
    return [" ".join(arguments).partition(":::")[0] or stdin, stdin]


def _watched(arguments: Sequence[str], stdin: str) -> list[str]:
    del stdin
    return [" ".join(_after(arguments, frozenset(("-n", "--interval"))))]


def _from_input(arguments: Sequence[str], stdin: str) -> list[str]:
    del arguments
    return [stdin]


RUNS_ARGUMENTS: Mapping[str, Callable[[Sequence[str], str], list[str]]] = {
    "eval": _evaluated, "ssh": _remote, "xargs": _with_input, "find": _executed, "parallel": _in_parallel,
    "watch": _watched, "at": _from_input, "batch": _from_input, "trap": lambda arguments, _: list(arguments[:1]),
}  # fmt: skip
"""Programs that run their arguments or their input: → the shell code of (arguments, input)."""
