"""What contextd does with whole prompts: which rules it keeps of them, and which rule in force they end or replace.

`language_sentences/LANGUAGE_prompts.txt` has prompts of each sort in the length and style in which developers type them.
Each is one line, with an escaped line break for each new line; behind a tab stands the name of the rule in force that it
means. One author, a language model, wrote and judged all of them before reading the rows of words. Nothing was fitted to
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from contextd.domain.changed_rules import ComparedRules, rule_in_question
from contextd.domain.directives import directives_in, sentences
from contextd.domain.endings import ending_in, rule_meant
from contextd.domain.speech import set_apart

Row = tuple[str, str]
"""A prompt, and the name of the rule that it means; empty where it means none."""

RULES = "rule in force"
"""The section of the rules, each with its name first."""

FALSE_ALARMS = ("plain", "looks general", "question about a rule", "condition")
"""The sections of prompts that neither state nor end a rule."""

SAID_AGAIN = "said again"
"""The section of prompts that state a rule once more: they end none."""


@dataclass(frozen=True, slots=True)
class PromptSort:
    """How prompts of a section are judged. `found` says whether what they say is noticed, and is None where nothing is to
    be noticed; `alarms` says whether contextd does wrong with one, and is asked of `others` too. `goal` is for English.
    """

    section: str
    found: Callable[[Row, Mapping[str, str]], bool] | None
    alarms: Callable[[Row, Mapping[str, str]], bool]
    others: tuple[str, ...]
    goal: str


def kept_rules(prompt: str) -> list[str]:
    """The rules that are kept of a prompt for all later sessions."""
    own, _ = set_apart(prompt)
    return [
        one.text for one in directives_in(own) if one.force == "stated" and one.span == "always"
    ]


def ended_rules(prompt: str, rules: Mapping[str, str]) -> dict[str, bool]:
    """The names of the rules that a prompt ends, and whether a new one is put in the place of each."""
    own, _ = set_apart(prompt)
    held, found, former = dict(rules), dict[str, bool](), dict[str, str]()
    for sentence in sentences(own):
        ending = ending_in(sentence)
        name = rule_meant(ending, held, former) if ending is not None else ""
        if ending is not None and name:
            found[name] = ending.replacing
            former[name] = held.pop(name)
    return found


def questioned_rule(prompt: str, rules: Mapping[str, str]) -> str:
    """The name of the rule that the agent is asked about after a prompt, beside those that it ends; empty for none."""
    own, _ = set_apart(prompt)
    ended = ended_rules(prompt, rules)
    left = {name: text for name, text in rules.items() if name not in ended}
    found = rule_in_question(own, ComparedRules(left))
    return found.id if found is not None else ""


def _asks_about(row: Row, rules: Mapping[str, str]) -> bool:
    return _ends(row, rules) or questioned_rule(row[0], rules) == row[1]


def _asks_wrongly(row: Row, rules: Mapping[str, str]) -> bool:
    found = {*ended_rules(row[0], rules), questioned_rule(row[0], rules)}
    return bool(found - {row[1], ""})


def _keeps(row: Row, _: Mapping[str, str]) -> bool:
    return bool(kept_rules(row[0]))


def _ends(row: Row, rules: Mapping[str, str]) -> bool:
    return row[1] in ended_rules(row[0], rules)


def _replaces(row: Row, rules: Mapping[str, str]) -> bool:
    """Whether the old rule ends and the new one is kept, as its replacement or on its own."""
    ended = ended_rules(row[0], rules)
    return row[1] in ended and (ended[row[1]] or bool(kept_rules(row[0])))


def _ends_another(row: Row, rules: Mapping[str, str]) -> bool:
    return bool(ended_rules(row[0], rules).keys() - {row[1]})


def _ends_any(row: Row, rules: Mapping[str, str]) -> bool:
    return bool(ended_rules(row[0], rules))


SORTS: Mapping[str, PromptSort] = {
    "order for one turn": PromptSort("one-turn order", None, _keeps, (), "kept 0"),
    "material": PromptSort("material", None, _keeps, (), "kept 0"),
    "rule beside a task": PromptSort(
        "rule beside a task", _keeps, _keeps, FALSE_ALARMS, "≥ 85 %, false ≤ 3 %"
    ),
    "rule ended": PromptSort("ended", _ends, _ends_another, (), "≥ 85 %, wrongly 0"),
    "rule replaced": PromptSort("replaced", _replaces, _ends_another, (), "≥ 90 %, wrongly 0"),
    "no rule ended": PromptSort(
        SAID_AGAIN, None, _ends_any, (*FALSE_ALARMS, "one-turn order", "material", "rule beside a task"), "ended 0"
    ),
}  # fmt: skip
"""What is judged, and on which prompts."""

_NEAR = "ends nothing"

CHANGES: Mapping[str, PromptSort] = {
    "ended, in any words": PromptSort("ended", _ends, _ends_another, (_NEAR,), "wrongly 0"),
    "replaced, in any words": PromptSort("replaced", _ends, _ends_another, (_NEAR,), "wrongly 0"),
    "ended or asked about": PromptSort("ended", _asks_about, _asks_wrongly, (_NEAR,), "≥ 85 %"),
    "replaced or asked about": PromptSort("replaced", _asks_about, _asks_wrongly, (_NEAR,), "≥ 90 %"),
}  # fmt: skip
"""What is judged on prompts of `LANGUAGE_changes.txt`. Their author, another language model, was asked for as many different ways
of ending and replacing rules as it could think of, and for near misses.
"""


def judged(
    sort: PromptSort, sections: Mapping[str, Sequence[Row]], rules: Mapping[str, str]
) -> tuple[list[bool], list[bool]]:
    """For each prompt of the section whether it is found, and for each that can raise one whether it is a false alarm."""
    own = sections[sort.section]
    found = [sort.found(row, rules) for row in own] if sort.found else []
    # Prompts that state a rule are wrong in nothing by being kept.
    asked = [] if sort.found is sort.alarms else own
    others = [row for name in sort.others for row in sections[name]]
    return found, [sort.alarms(row, rules) for row in (*asked, *others)]
