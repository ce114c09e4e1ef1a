"""Sequences of successful steps, comparable across sessions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from contextd.domain.records import digest
from contextd.sessions.turns import Turn
from contextd_common.dataclass import dataclass

_APART = re.compile(r"&&|\|\||;|\n|(?<![|>])\|(?!\|)")
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|\$\([^()]*\)|`[^`]*`")
_HERE = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?.*?^\s*\1\s*$", re.S | re.M)
_ASSIGNED = re.compile(r"^(?:\w+=\S*\s+)+")
_WORD = re.compile(r"[A-Za-z][\w.:+-]*$")
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_REDIRECTED = re.compile(r"\d?>|&>")
_LONGEST = 4_000

_BEFORE = frozenset({"sudo", "time", "nohup", "env", "command", "exec", "nice", "timeout"})
_NOT_DONE = frozenset(
    """cd ls pwd echo cat head tail less more grep egrep rg ag find which type file stat wc sort uniq cut tr sed awk
    true false sleep date printf test [ for do done if then else fi while case esac export set source read tee jq
    xargs diff tree du df ps whoami hostname uname env id printenv history clear exit return kill wait lsof""".split()
)
"""Programs that only inspect, or belong to the shell: they are no steps."""

_LOOKS = frozenset(
    """git status|git log|git diff|git show|git branch|git remote|git rev-parse|git ls-files|git blame|git fetch
    |git config|git describe|git reflog|git shortlog|git cat-file|git ls-remote|git check-ignore|git grep|git stash list
    |gh pr view|gh pr list|gh run view|gh run list|gh issue view|gh api|docker ps|docker logs|docker images|npm ls
    |npm list|pip list|pip show|go version|go env|go doc|go list|cargo --version|node --version""".replace(
        "\n", ""
    ).replace("    |", "|").strip().split("|")
)  # fmt: skip
_THREE = frozenset({"gh", "docker", "kubectl", "aws", "gcloud", "az"})
"""Programs whose third word is the action and whose second is only its object."""

_RUNNERS = frozenset(
    {"npx", "uv", "uvx", "poetry", "bundle", "mise", "pnpm", "yarn", "npm", "make"}
)
"""Programs that run another program, whose name is the step."""


_UNDO = frozenset({"rm", "rmdir", "unlink", "shred", "pkill", "killall", "dropdb"})
"""Programs that delete something: their target matters, and a wrong one is costly."""


def forms(command: str) -> list[str]:
    """The steps of a command in order: each program with its subcommand, without its target unless it
    deletes it. Skips inspection commands and immediate repeats.
    """
    text = _QUOTED.sub(" ", _HERE.sub(" ", command[:_LONGEST]))
    found: list[str] = []
    for part in _APART.split(text):
        form = _form(part)
        if form and (not found or found[-1] != form):
            found.append(form)
    return found


def _form(part: str) -> str:
    words = _ASSIGNED.sub("", part.strip().lstrip("({ ")).split()
    while words and (words[0] in _BEFORE or words[0].startswith("#")):
        if words[0].startswith("#"):
            return ""
        words = words[1:]
    if not words:
        return ""
    program = words[0].rpartition("/")[2]
    if program in _NOT_DONE or not _WORD.match(program):
        return ""
    if program in _UNDO:
        return " ".join([program, *(word for word in words[1:] if not _REDIRECTED.match(word))])
    form_words = [program]
    if program.startswith("python") and "-m" in words[1:3]:
        words = ["python", *words[words.index("-m") + 1 :]]
    most = 3 if program in _THREE or program in _RUNNERS else 2
    for word in words[1:]:
        flag = _FLAG.fullmatch(word.partition("=")[0])
        if len(form_words) == most or not (flag or _WORD.match(word)) or "." in word:
            break
        form_words.append(word.partition("=")[0])
    form = " ".join(form_words)
    return "" if any(form == one or form.startswith(one + " ") for one in _LOOKS) else form


def instead_of(command: str, other: str) -> str:
    """The words of the first command that the second lacks, and vice versa; empty if they are equal or
    differ in too many words.
    """
    mine, theirs = ({*_words(text)} for text in (command, other))
    more, less = sorted(mine - theirs), sorted(theirs - mine)
    if not more + less or len(more) + len(less) > _MOST_DIFFERENT:
        return ""
    return " ".join([*("+" + word for word in more), *("-" + word for word in less)])


_MOST_DIFFERENT = 4
_FILTERS = frozenset({"grep", "head", "tail", "wc", "less", "cat", "sort", "tee", "echo", "cd"})


def _words(command: str) -> Sequence[str]:
    parts = _APART.split(_QUOTED.sub(" ", command[:_LONGEST]))
    done = (part.split() for part in parts if part.split()[:1] and _form_word(part) not in _FILTERS)
    return [word for part in done for word in part if "/" not in word and word != "2>&1"]


def _form_word(part: str) -> str:
    return part.split()[0].lstrip("({").rpartition("/")[2]


PROCEDURES = "procedures"
"""Session data: its successful sequences of steps."""

SHORTEST, LONGEST = 3, 6
_MOST_KEPT = 120
_BETWEEN = " → "

_COMMON = ("git ", "gh ")
"""Programs that end any work: their steps alone are no skill."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """A sequence of steps, and the commands behind them."""

    steps: tuple[str, ...]
    commands: tuple[str, ...]

    @property
    def key(self) -> str:
        """A hash of the sequence."""
        return digest(_BETWEEN.join(self.steps))[:16]

    def holds(self, other: Procedure) -> bool:
        """Whether the other sequence is part of this one."""
        mine, theirs = self.steps, other.steps
        starts = range(len(mine) - len(theirs) + 1)
        return any(mine[at : at + len(theirs)] == theirs for at in starts)


def procedures_of(turns: Iterable[Turn]) -> list[Procedure]:
    """The distinct sequences of three or more steps in successful turns, longest first. Repeated steps
    count once, failed commands not at all.
    """
    found: dict[str, Procedure] = {}
    for turn in turns:
        if not _ended_well(turn):
            continue
        taken: list[tuple[str, str]] = []
        for command, well in turn.commands:
            for form in forms(command) if well else ():
                if not taken or taken[-1][0] != form:
                    taken.append((form, command))
        for one in _sequences(taken):
            found.setdefault(one.key, one)
    return sorted(found.values(), key=lambda one: (-len(one.steps), one.key))[:_MOST_KEPT]


def _sequences(taken: Sequence[tuple[str, str]]) -> Iterable[Procedure]:
    for length in range(SHORTEST, LONGEST + 1):
        for start in range(len(taken) - length + 1):
            some = taken[start : start + length]
            steps = tuple(form for form, _ in some)
            own = [step for step in steps if not step.startswith(_COMMON)]
            # Repetition is trial and error, and git steps alone are common to all work.
            if len(set(steps)) == length and own:
                yield Procedure(steps, tuple(dict.fromkeys(command for _, command in some)))


def _ended_well(turn: Turn) -> bool:
    last = turn.commands[-1] if turn.commands else None
    return last is not None and last[1] and not turn.failing and not turn.taken_back


def returned(
    found: Sequence[Procedure], kept_before: Iterable[object], sessions: int
) -> list[tuple[Procedure, int]]:
    """The sequences that at least this many sessions have, including this one, with their counts: the
    longest ones, without parts of others.
    """
    seen: Counter[str] = Counter()
    for keys in kept_before:
        seen.update(set(map(str, keys)) if isinstance(keys, list) else ())
    chosen: list[tuple[Procedure, int]] = []
    for one in found:
        times = seen[one.key] + 1
        if times >= sessions and not any(other.holds(one) for other, _ in chosen):
            chosen.append((one, times))
    return chosen
