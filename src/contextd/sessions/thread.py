"""The thread: the state of the work on a branch, replaced by each session."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from contextd.claims.blockers import blockers
from contextd.domain.speech import without_output
from contextd.domain.time import iso, parse_instant
from contextd.sessions.episode import best_lines, plain
from contextd.sessions.turns import Turn
from contextd_common.dataclass import dataclass
from contextd_common.text.languages import ByLanguage
from contextd_common.text.regex import regex
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import one_line, weight

THREAD = "thread"
"""Session data: the thread it left."""

NOT_ANSWERED = "Not answered yet: "
"""The beginning of an open item: the last prompt, without an answer or any work."""

EXPIRES = timedelta(days=14)
"""After two weeks, open items are either done elsewhere or no longer wanted."""

_NOTHING = frozenset({"nothing", "none", "nichts", "rien", "nada"})
_ASKED, _DONE, _OPEN, _FILES = 3, 4, 5, 6
_TELLS = 12
"""Minimum characters of an informative prompt; shorter ones are an assent or a choice. An ideograph counts
twice.
"""

_FINISHED = frozenset({"completed", "done"})
_OVER = _FINISHED | {"cancelled", "deleted"}
_FINISHED_TOLD = 2
"""Of a finished list only the end is shown: the last steps are the work, or `run the tests`."""

_LINE = 220
_ANSWER = 600
_QUESTION = regex(r"[^\n]{8,300}[?？]\s*$", re.M)
_ANNOUNCED = regex(
    r"^[\s>*#-]*(?:\*\*)?(?:next (?:steps?|up)|to-?do|still (?:open|to do)|follow-?ups?"
    r"|(?:next|remaining|open|offene?)(?: (?:items?|points?|questions?|tasks?|work|issues?|todos?|punkte|fragen|aufgaben))?(?=\s*(?:\*\*)?\s*(?:[:：]|$))"
    r"|nächste[rs]? schritte?|prochaines? étapes?|siguientes? pasos?|próximos? pasos?|prossimi passi"
    r"|次(?:の(?:ステップ|作業|手順))?|残り|下一步|待办|다음 ?(?:단계|작업)|남은 ?작업)(?![a-z])(?:\*\*)?\s*[:：]?(?:\*\*)?\s*(.*)$",
    re.I | re.M,
)
_NEXT = regex(
    r"\b(?:next,? (?:i'?ll|i will|we(?:[’']?ll| will| should| can| need)?)|next steps? (?:is|are|would|will|could)|i'?ll [^.!?\n]{0,60}\bnext(?=\s*(?:[.,;:!](?:\s|$)|$))|then i'?ll|als nächstes|nächster schritt|la prochaine étape"
    r"|ensuite, je|el siguiente paso|a continuación)\b|次に|次は|接下来|다음으로",
    re.I,
)
_SENTENCE = regex(r"(?<=[.!?。！？])\s+|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """The state of the work. `asked` and `done` have the latest last; `open` the most urgent first. `said`
    is the most informative part of the agent's last message.
    """

    at: str = ""
    branch: str = ""
    asked: tuple[str, ...] = ()
    said: str = ""
    done: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Its form in session data."""
        return {name: value for name, value in asdict(self).items() if value}

    def is_over(self, now: datetime) -> bool:
        """Whether it is too old to resume."""
        try:
            return now - parse_instant(self.at) > EXPIRES
        except ValueError:
            return True


def thread_from(data: Any) -> Thread | None:
    """The stored thread of a session; None if there is none."""
    if not isinstance(data, Mapping) or not data.get("at"):
        return None
    lists = {name: _texts(data.get(name)) for name in ("asked", "done", "open", "blocked", "files")}
    answer, branch = str(data.get("said", "")), str(data.get("branch", ""))
    return Thread(at=str(data["at"]), branch=branch, said=answer, **lists)


def thread_of(turns: Sequence[Turn], *, branch: str, root: str = "") -> Thread | None:
    """The thread that these turns of a session leave; None without requests and answers."""
    worked = [turn for turn in turns if turn.prompt or turn.summary]
    if not worked:
        return None
    last = worked[-1]
    files: dict[str, None] = {}
    for turn in reversed(worked):
        for path in reversed(turn.files):
            files.setdefault(_relative(path, root))
    done = [c for turn in worked for c in (*turn.commits, *turn.pull_requests)]
    if not done:
        done = [text for text, state in last.todo if state in _FINISHED][-_FINISHED_TOLD:]
    asked = [words for turn in worked if not turn.taken_back for words in _words_of(turn)]
    answer = last.answer or next(
        (t.answer for t in reversed(worked) if t.answer and not t.taken_back), ""
    )
    return Thread(
        at=iso(last.ended),
        branch=branch,
        asked=tuple(_last_distinct(asked, _ASKED)),
        said="\n".join(best_lines(_reported(plain(answer or last.summary)), _ANSWER)),
        done=tuple(_last_distinct(done, _DONE)),
        open=tuple(_open(worked))[:_OPEN],
        blocked=tuple(_blocked(worked)),
        files=tuple(files)[:_FILES],
    )


def _reported(answer: str) -> str:
    """An answer without what it says before calls; empty if it only announces work, as the last words of an interrupted
    turn do.
    """
    parts = [part for part in _SENTENCE.split(answer) if part.strip()]
    if all(_ANNOUNCES.match(part) for part in parts):
        return ""
    for part in parts:
        if part.rstrip().endswith(_COLONS) and _ANNOUNCES.match(part):
            answer = answer.replace(part, "", 1)
    return answer.strip()


_ANNOUNCES = ByLanguage(
    {
        "en": r"^\W*(?:(?:now|first|next|then|also|and|so|ok(?:ay)?|right|sure|perfect|great|good)\b\W*)*(?:let me|let[’']s|i(?:[’']ll| will| need to|[’']m going to)|(?:searching|checking|looking|reviewing|reading|exploring)) |^\W*the user (?:is asking|asks|asked|wants|wanted|needs|has asked) |^\W*(?:perfect|great|good|sure|ok(?:ay)?|right|excellent)\W*$",
        "de": r"^\W*(?:(?:jetzt|nun|zuerst|dann|gut|ok)\b\W*)*(?:lass mich|ich (?:werde|schaue|prüfe|sehe|suche|lese))\b",
        "fr": r"^\W*(?:(?:maintenant|d[’']abord|ensuite|bien|ok)\b\W*)*(?:laisse[z]?-moi|je vais|commençons)\b",
        "es": r"^\W*(?:(?:ahora|primero|luego|bien|ok)\b\W*)*(?:d[ée]jame|voy a|vamos a|perm[íi]teme)\b",
        "ja": r"^(?:まず|では|次に|それでは)?.{0,60}(?:してみます|確認します|調べます|見てみます|始めます)[。:：]?$",
        "zh": r"^(?:好的?[，,]?|现在|首先|接下来)*(?:让我|我来|我将|我会|我先|我需要)",
    }
)  # fmt: skip


def _words_of(turn: Turn) -> list[str]:
    """The user's informative words: not `yes`, nor the number of a choice, nor output alone."""
    lines = (_line(text) for text in (turn.prompt, *turn.answers) if without_output(text))
    return [words for words in lines if weight(words) >= _TELLS and not _OF_CLIENT.match(words)]


_OF_CLIENT = regex(
    r"^\W*(?:@\w+ )?(?:continue: )?\W*(?:(?:continue to iterate|implement the following plan)\W*$"
    r"|implement the plan as specified, it is attached|implement the plan as specified\W+to-do[’']?s from the plan|for the code present, we get this error)",
    re.I,
)
"""What Copilot writes when its user lets it go on, Claude Code and Cursor above a plan that its user approved, and Cursor
around an error that its user points at.
"""


def _open(turns: Sequence[Turn]) -> list[str]:
    """The agent's unanswered question, a failing test, the rest of the to-do list, announced steps."""
    last = turns[-1]
    found: list[str] = []
    # A session without any answer was a program's, or its client never started to work.
    alive = any(_was_answered(turn) for turn in turns)
    prompt = last.prompt.strip()
    if alive and not _was_answered(last) and weight(prompt) >= _TELLS and prompt[0] != "/":
        found.append(NOT_ANSWERED + _line(last.prompt))
    if last.failing:
        found.append("Failing: " + _line(last.failing))
    if not _ALL_DONE.search(plain(last.answer)):
        # Agents that work for this one tick off its list in sessions of their own.
        found += [_line(text) for text, state in last.todo if state not in _OVER]
    found += [_line(text) for text in _left(turns) if text.strip(" .").casefold() not in _NOTHING]
    answer = plain(last.answer)
    # A heading asks what the text below it answers.
    asked = [one for one in _QUESTION.findall(answer[-800:]) if not one.lstrip().startswith("#")]
    if asked and not _OFFERS.search(asked[-1]):
        found.append("Asked the user: " + _line(asked[-1]))
    found += _announced(answer)
    return _last_distinct(found, len(found))


_ALL_DONE = ByLanguage(
    {
        "en": r"\b(?:all (?:the |of the |\w+ )?(?:work|tasks?|items|steps|todos|phases) (?:is|are|were|have been) (?:now )?(?:complete\w*|done|finished|implemented)|everything is (?:complete|done|finished))\b",
        "de": r"\b(?:alle (?:aufgaben|schritte|punkte|arbeiten) (?:sind|wurden) (?:erledigt|abgeschlossen|fertig)|alles (?:ist )?(?:erledigt|fertig|abgeschlossen))\b",
        "fr": r"\b(?:toutes les (?:t[âa]ches|[ée]tapes) (?:sont|ont [ée]t[ée]) (?:termin[ée]es|faites|achev[ée]es)|tout est (?:termin[ée]|fait|fini))\b",
        "es": r"\b(?:todas las (?:tareas|etapas) (?:est[áa]n|han sido|fueron) (?:completad\w+|terminad\w+|hechas)|todo est[áa] (?:hecho|listo|terminado|completo))\b",
        "ja": r"(?:すべて|全て|全部)の?(?:タスク|作業|手順|項目)?(?:が|は)?(?:完了|終了|終わり)(?:し|ま)",
        "zh": r"(?:所有|全部)(?:的)?(?:任务|工作|步骤|事项)(?:都)?(?:已经?)?(?:全部)?(?:完成|做完|结束)|(?:都|全部)已?完成了?[。！!]",
    }
)  # fmt: skip
"""An agent that says that nothing of its list is left."""


_OFFERS = ByLanguage(
    {
        "en": r"\b(?:anything|something) else\b|\bany (?:other|more|further|additional|specific) \w+|\b(?:more|further|additional) (?:details?|information|help|questions?)\b|\b(?:help|assist) you (?:with|further)\b",
        "de": r"\b(?:noch (?:et)?was|sonst (?:noch )?(?:et)?was|weitere[rns]? (?:fragen|hilfe|details|informationen)|mehr (?:details|informationen)|weiterhelfen)\b",
        "fr": r"\b(?:autre chose|d[’']autres? \w+|plus de (?:d[ée]tails|pr[ée]cisions|informations)|(?:vous|t[’']) ?aider)\b",
        "es": r"\b(?:algo m[áa]s|alguna otra|alg[úu]n otro|m[áa]s (?:detalles|informaci[óo]n|ayuda)|ayude con|ayudarte con)\b",
        "ja": r"(?:他|ほか)に(?:何か|ご|も)|お手伝い",
        "zh": r"(?:还|需要)(?:有|我)?(?:什么|其他|其它|别的)|(?:需要我|要我)(?:帮|协助|为)(?:您|你)?.{0,6}(?:哪些|什么|哪)|更多(?:信息|细节|帮助)",
    }
)  # fmt: skip
"""A question by which an agent only offers more help."""


def _was_answered(turn: Turn) -> bool:
    """Whether a prompt has an answer in words or in work."""
    work = (turn.files, turn.commands, turn.delegated, turn.commits, turn.pull_requests)
    return bool(turn.answer or turn.plan or turn.summary or turn.reports or any(work))


def _left(turns: Sequence[Turn]) -> list[str]:
    """What the agent listed as remaining; it stays valid through turns without work."""
    for turn in reversed(turns):
        if turn.open:
            return turn.open
        if turn.files or turn.commits or turn.commands:
            break
    return []


def _announced(answer: str) -> list[str]:
    lines = [line for line in answer.splitlines() if not _TICKED.match(line)]
    for number, line in enumerate(lines):
        announcement = _ANNOUNCED.match(line)
        if announcement is None:
            continue
        rest = announcement[1].strip("*_ ")
        beneath = [one for one in lines[number + 1 : number + 6] if one.strip()]
        named = line[: announcement.start(1)].rstrip("*_ ").endswith(_COLONS)
        titles = rest.endswith(_COLONS) or (weight(rest) < _TELLS and not named)
        if rest and not titles and not (beneath and _ITEM.match(beneath[0])):
            return [_line(_TOPIC.sub("", rest))]
        if beneath and _ITEM.match(beneath[0]):
            # What follows a list tells of the work.
            beneath = list(takewhile(_ITEM.match, beneath))
        steps = [_line(_unmarked(one)) for one in beneath]
        return [one for one in steps if weight(one) >= _TELLS and not _announces_work(one)][:3]
    return [_line(s) for s in _SENTENCE.split("\n".join(lines)) if _NEXT.search(s)][:2]


def _announces_work(line: str) -> bool:
    """Whether a line only says what the agent is about to do, as before a call."""
    return line.endswith(_COLONS) or bool(_ANNOUNCES.match(line))


def _blocked(turns: Sequence[Turn]) -> list[str]:
    """What the last turn says the work is blocked by, latest first; what an earlier turn said may be over."""
    last = turns[-1]
    found = [one for words in (last.prompt, *last.answers) for one in blockers(words, typed=True)]
    return _last_distinct([_line(one) for one in (*blockers(plain(last.answer)), *found)], 2)


def lines_of(thread: Thread, budget: int) -> list[str]:
    """A thread as lines of a briefing within `budget` tokens; the last lines are dropped first."""
    candidates = [
        *(f"Blocked: {text}" for text in thread.blocked),
        *(f"Asked last: {text}" for text in thread.asked[-1:]),
        *(f"Open: {text}" for text in thread.open),
        *(["Said last: " + " ".join(thread.said.split())] if thread.said else []),
        *(f"Done: {text}" for text in reversed(thread.done)),
        *(f"Asked before: {text}" for text in reversed(thread.asked[:-1])),
        *(["Files: " + ", ".join(thread.files)] if thread.files else []),
    ]
    lines: list[str] = []
    for text in candidates:
        cost = count_tokens(f"- {text}\n")
        if cost <= budget:
            lines.append(text)
            budget -= cost
    return lines


def _last_distinct(texts: Sequence[str], most: int) -> list[str]:
    """The last distinct items, in order."""
    distinct = list(dict.fromkeys(text for text in reversed(texts) if text))[:most]
    return list(reversed(distinct))


_ITEM = regex(r"^\s*(?:(?:[-*+•>](?=[\s\[])|\d{1,2}[.)、])(?:\s*\[[ xX~/-]\])?|\[[ xX~/-]\])\s*")
"""The mark of an item of a list. The line above such items is their title, whatever it says beside `Next steps`."""

_TICKED = regex(r"^\s*(?:[-*+•]\s+)?\[[xX]\]\s")
"""An item of a to-do list that is done."""

_COLONS = (":", "：")
_TOPIC = regex(r"^は[、\s]*")
"""What marks `次のステップ` as the topic of its sentence."""


def _unmarked(line: str) -> str:
    return _ITEM.sub("", line)


def _line(text: str) -> str:
    return one_line(text, _LINE)


def _relative(path: str, root: str) -> str:
    return path.removeprefix(root.rstrip("/") + "/") if root else path


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list | tuple) else ()
