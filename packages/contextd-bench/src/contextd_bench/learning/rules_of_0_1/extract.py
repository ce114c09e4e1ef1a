"""What a session taught, by rules: sentences in which somebody states a pattern, a rule, a
decision or an issue. Only what users and assistants themselves said is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from contextd.domain.sessions import Event
from contextd_bench.learning.rules_of_0_1 import extract_guards as guards
from contextd_bench.learning.rules_of_0_1 import extract_rules as rules
from contextd_bench.learning.rules_of_0_1.extract_phrase import RulePhrase
from contextd_common.text.words import STOP_WORDS, words

SHORTEST, LONGEST = 10, 1_000
BEST = 5
_MOST_SENTENCES = 400
_LONGEST_SENTENCE = 1_200


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFinding:
    """One learning and where it comes from. `content` has 10 to 1,000 characters; `module` is the
    folder of `file`, a hint only; `event_key` names the event it was said in.
    """

    type: str
    content: str
    sentence: str
    speaker: str
    confidence: float
    event_key: str = ""
    file: str = ""
    module: str = ""
    solution: str = ""


def extract(events: Sequence[Event], *, limit: int = BEST) -> list[RuleFinding]:
    """The best `limit` findings of a session, surest first, without near-duplicates."""
    found: list[RuleFinding] = []
    file = ""
    for event in events:
        if event.type == "file_access":
            file = str(event.data.get("path") or event.text or file)
        elif event.type in ("message", "query") and event.role in ("user", "assistant"):
            found += _in_message(event, file)
    ordered = sorted(found, key=lambda f: -f.confidence)
    best_findings: list[RuleFinding] = []
    for finding in ordered:
        if not any(_same(finding.content, other.content) for other in best_findings):
            best_findings.append(finding)
        if len(best_findings) == limit:
            break
    return best_findings


def classify(sentence: str, speaker: str) -> tuple[str, str, float] | None:
    """The type, the content and the confidence (0–1) of what one sentence states, if anything.

    `speaker` is `user` or `assistant`.
    """
    sentence = sentence.strip()
    if not SHORTEST <= len(sentence) <= _LONGEST_SENTENCE or guards.QUESTION.search(sentence):
        return None
    if guards.REPORTED.search(sentence) or guards.STATUS.search(sentence):
        return None
    if guards.CODE.search(sentence):
        return None
    plan = bool(guards.PLAN.match(sentence)) and not sentence.casefold().startswith("let's go with")
    doubt = bool(guards.HYPOTHETICAL.search(sentence))
    for phrase in rules.PHRASES:
        if phrase.speaker and phrase.speaker != speaker:
            continue
        match = phrase.pattern.search(sentence)
        if match is None or ((plan or doubt) and not phrase.firm):
            continue
        content = _content(sentence, phrase, match)
        if content and _stands(sentence, phrase, match, speaker):
            return phrase.type, content, _confidence(sentence, phrase, speaker)
    return None


def sentences(text: str) -> Iterator[str]:
    """The sentences of a message, without code, quotations, tables and list marks."""
    text = _FENCE.sub("\n", text)
    lines = [line for line in text.split("\n") if not _SKIPPED.match(line)]
    for paragraph in _joined(lines):
        for piece in _END.split(paragraph):
            plain = _MARKS.sub("", piece).replace("**", "").replace("`", "").strip()
            if plain:
                yield " ".join(plain.split())


_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.S)
_SKIPPED = re.compile(r"^(?:\s*>|\s*\||\t| {8,}\S|\s*#+\s|\s*[-=*_]{3,}\s*$)")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_MARKS = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+|^\s*\[[ xX]\]\s+")
_END = re.compile(
    r"(?<![\s.(](?:e\.g|i\.e))(?<!\bvs\.)(?<!\betc\.)(?<=[.!?。！？])[\"')]?\s+(?=[\"'`(*A-Z0-9À-Þ])|(?<=[。！？])"
)


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """Lines with those that only go on after a wrap put back together."""
    current = ""
    for line in lines:
        goes_on = line[:1].islower() or line.startswith("  ")
        if current and goes_on and not _BULLET.match(line) and current[-1] not in ".!?:;":
            current += " " + line.strip()
            continue
        if current.strip():
            yield current
        current = line.rstrip()
    if current.strip():
        yield current


def _in_message(event: Event, file: str) -> list[RuleFinding]:
    found: list[RuleFinding] = []
    for count, sentence in enumerate(sentences(event.text)):
        if count >= _MOST_SENTENCES:
            break
        classification = classify(sentence, event.role)
        fixes = guards.FIX.search(sentence)
        if fixes and found and found[-1].type == "issue" and not found[-1].solution:
            found[-1] = replace(found[-1], solution=sentence[:LONGEST])
            continue
        if classification is None:
            continue
        kind, content, confidence = classification
        named = _PATH.search(sentence)
        where = named[0] if named else file
        folder = where.rpartition("/")[0]
        found.append(
            RuleFinding(
                type=kind,
                content=content,
                sentence=sentence[:LONGEST],
                speaker=event.role,
                confidence=round(confidence - (0.1 if event.data.get("sidechain") else 0.0), 3),
                event_key=event.key,
                file=where,
                module=folder,
                solution=sentence[:LONGEST] if fixes and kind == "issue" else "",
            )
        )
    return found


_PATH = re.compile(
    r"(?<![\w/:])(?:[\w.@-]+/)+[\w@-]+\.[a-z]{1,5}\b|\b[\w-]+\.(?:py|tsx?|jsx?|go|rs|sql)\b"
)


_LEAD_IN = re.compile(
    r"^(?:by the way|btw|fyi|note(?: that)?|also|and|but|so|ok(?:ay)?|well|right|good|yes|understood|important)[,:]? (?=\w)",
    re.I,
)


def _content(sentence: str, phrase: RulePhrase, match: re.Match[str]) -> str:
    """What is kept of a sentence: after a label, what it labels; else from the phrase on, or all."""
    at = match.start("at") if phrase.base else match.start("said")
    label = phrase.base and match["at"].endswith(":")
    content = match["said"] if label or not phrase.base else sentence
    if not phrase.base and at > 0 and phrase.speaker == "":
        content = sentence if len(sentence) <= 300 else content
    content = _LEAD_IN.sub("", content)
    content = content.strip(" \t-–—:,;\"'").strip()
    if not SHORTEST <= len(content) <= LONGEST or len(content.split()) < 3:
        return ""
    return content[0].upper() + content[1:]


def _stands(sentence: str, phrase: RulePhrase, match: re.Match[str], speaker: str) -> bool:
    """Whether the phrase is meant: not quoted, denied, conditional, or said of somebody else."""
    at = match.start("at") if phrase.base else match.start("said")
    before, statement = sentence[:at], match["said"]
    if before.count('"') % 2 or before.count("“") > before.count("”"):
        return False
    if phrase.type != "rule" and (
        guards.CONDITION.search(before) or guards.FORMER.search(sentence[: at + 40])
    ):
        return False
    if phrase.type in ("decision", "pattern") and re.match(
        r"(?:if|unless|when(?:ever)?|once)\b", sentence, re.I
    ):
        return False
    if phrase.type == "decision" and speaker == "assistant" and before.casefold().endswith("you "):
        return False
    if phrase.type in ("decision", "pattern") and (
        guards.UNDECIDED.search(before) or guards.THIRD_PARTY.search(before)
    ):
        return False
    if phrase.type == "pattern" and guards.EMBEDDED.search(before):
        return False
    if phrase.base and phrase.type == "issue" and guards.NOTHING.search(before):
        return False
    if phrase.type == "rule" and not phrase.base and guards.VAGUE.match(statement):
        return speaker == "user" and not phrase.firm
    return True


def _confidence(sentence: str, phrase: RulePhrase, speaker: str) -> float:
    sure = phrase.confidence + (0.1 if speaker == "user" else 0.0)
    if guards.BECAUSE.search(sentence):
        sure += 0.05
    if guards.VAGUE.match(sentence):
        sure -= 0.1
    if len(sentence) < 30:
        sure -= 0.05
    return round(min(0.95, max(0.1, sure)), 3)


def _same(one: str, other: str) -> bool:
    a, b = ({w for w in words(t) if w not in STOP_WORDS} for t in (one, other))
    shared, smaller = len(a & b), min(len(a), len(b))
    return shared >= 0.7 * len(a | b) or (smaller >= 4 and shared == smaller)
