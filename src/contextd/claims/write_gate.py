"""The write gate: which drafts are stored, and as what. Pure; it queries the store through callables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from contextd.claims.entries import DeclaredType
from contextd.claims.judgement import Types, judge, stated, statement_of
from contextd.domain.applies_to import same_limits
from contextd.domain.placeholders import left_open
from contextd.domain.records import PRESENT, Record, Trust, indexed_text, short_id
from contextd.domain.scope import Scope
from contextd.domain.served_sentences import sentence_digests
from contextd.redaction.redact import FoundSecret, redact_bare, redact_parts
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, TooLarge
from contextd_common.text.languages import ByLanguage
from contextd_common.text.regex import regex
from contextd_common.text.words import weight

Outcome = Literal["add", "duplicate", "inbox", "reject"]

LONGEST = 50_000
LONGEST_DISCOVERY = 1_000
SHORTEST = 10
LOOP_SHARE = 0.6
RELATED_COSINE = 0.5

RANK: dict[Trust, int] = {"external": 0, "imported": 1, "extracted": 1, "agent": 2, "human": 3}
"""The rank of each trust level: a lower one never overrides a higher one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A draft: a record to be stored."""

    kind: str
    content: str
    title: str = ""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tags: tuple[str, ...] = ()
    trust: Trust = "agent"


@dataclass(frozen=True, slots=True)
class GateLookup:
    """The gate's queries of the store: which sentence digests were served before, the record with a content
    hash, and records near a text with their cosine. `key` keys the redaction, `types` are those of the active
    schema.
    """

    served: Callable[[Sequence[str]], set[str]]
    by_hash: Callable[[str], Record | None]
    similar: Callable[[str], list[tuple[Record, float]]]
    key: bytes = b""
    types: Types = field(default_factory=dict[str, DeclaredType])


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's decision. `draft` is redacted whatever the outcome. `existing` is the record a duplicate
    repeats, or the one the draft contradicts or updates.
    """

    outcome: Outcome
    draft: Draft
    reason: str = ""
    existing: Record | None = None
    findings: tuple[FoundSecret, ...] = ()


def admit(draft: Draft, look: GateLookup) -> Verdict:
    """Judge a draft: redaction, limits, recall loop, junk, duplicates and contradictions, in this order. Human
    input skips the loop and junk checks. What an agent records on purpose skips the loop check, since repeating
    a fact is not copying a transcript, and is never refused as a repetition of served text.

    Raises `TooLarge` past 50,000 characters and `Invalid` for text that cannot be stored.
    """
    draft, findings = without_secrets(draft, look.key)
    check_limits(draft)
    blank = left_open(draft.content, draft.data)
    if blank:
        return Verdict("reject", draft, f"{blank} stands for what is not known yet", None, findings)
    same = look.by_hash(_hash(draft))
    if same is not None and _typed_otherwise(draft, same):
        same = None
    on_purpose = RANK[draft.trust] >= RANK["agent"]
    if draft.trust != "human" and not (on_purpose and same):
        copied = "" if on_purpose else _loop(draft.content, look.served)
        reason = copied or junk(draft.content, draft.kind, on_purpose=on_purpose)
        if reason:
            return Verdict("reject", draft, reason, None, findings)
    if same is not None:
        return Verdict("duplicate", draft, "the same is already stored", same, findings)
    return replace(
        _beside(
            draft, look.similar(indexed_text(draft.title, draft.content, draft.data)), look.types
        ),
        findings=findings,
    )


def without_secrets(draft: Draft, key: bytes) -> tuple[Draft, tuple[FoundSecret, ...]]:
    """The redacted draft, and the secrets found. A secret that one text reveals is replaced in all texts."""
    (title, content, data, tags), findings = redact_parts(
        (draft.title, draft.content, draft.data, draft.tags), key
    )
    fields, bare = redact_bare(
        {"title": title, "content": content, "data": data, "tags": tags}, key
    )
    return replace(draft, **{**fields, "tags": tuple(fields["tags"])}), (*findings, *bare)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _strings(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in _strings(item)]
    return []


def check_limits(draft: Draft) -> None:
    """Raise `TooLarge` past 50,000 characters and `Invalid` for text that cannot be stored."""
    texts = [draft.title, draft.content, *_strings(draft.data), *draft.tags]
    size = sum(map(len, texts))
    if size > LONGEST:
        raise TooLarge(
            f"{size:,} characters; at most {LONGEST:,} are kept in one record",
            "store the conclusion in a few sentences and name the file the rest is in",
        )
    for text in texts:
        if "\0" in text:
            raise Invalid("the text contains a NUL character", "send text, not binary data")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise Invalid(
                f"character {error.start} is half of a surrogate pair",
                "decode the text as UTF-8 before sending it",
            ) from error


def _loop(content: str, served: Callable[[Sequence[str]], set[str]]) -> str:
    digests = sentence_digests(content)
    if not digests:
        return ""
    share = len(served(digests)) / len(digests)
    return "contextd itself served this text before" if share >= LOOP_SHARE else ""


_GREETING = ByLanguage(
    {
        "en": r"\b(?:hi|hello|hey|thank you|thanks?|ok(?:ay)?|yes|no|sure|great|perfect|awesome|done|sounds good"
        r"|good (?:morning|evening|job|work)|you'?re (?:absolutely )?(?:right|welcome)|got it|will do"
        r"|let me know(?: if .{0,60})?|i'?(?:m|d be) happy to help|how can i (?:help|assist).{0,40}"
        r"|is there anything else.{0,60}|please proceed|continue|go ahead|lgtm|looks good(?: to me)?"
        r"|so much|again|everyone|there|claude|a lot|all|very|and|for|your|the|help)\b",
        "de": r"\b(?:hallo|hi|moin|servus|danke(?: dir| sch(?:ö|oe)n)?|vielen dank|ja|nein|ok(?:ay)?|super|perfekt|klasse|prima|gut(?:en (?:morgen|tag|abend))?|sehr gut|passt|alles klar|genau|mach weiter|weiter|bitte|gerne|sieht gut aus|verstanden|so|und|das|dir|euch|claude)\b",
        "fr": r"\b(?:bonjour|salut|merci(?: beaucoup| bien)?|oui|non|ok|super|parfait|g[ée]nial|d[’']accord|tr[èe]s bien|bien|c[’']est (?:bon|parfait)|vas-y|continue|s[’']il te pla[iî]t|stp|bravo|exactement|compris|et|[àa] toi|[àa] tous|claude)\b",
        "es": r"\b(?:hola|buenos d[íi]as|buenas (?:tardes|noches)|gracias|muchas gracias|s[íi]|no|ok|vale|genial|perfecto|muy bien|bien|de acuerdo|contin[úu]a|sigue|adelante|por favor|porfa|entendido|claro|exacto|listo|y|a todos|claude)\b",
        "ja": r"こんにちは|おはよう(?:ございます)?|こんばんは|お疲れ(?:様|さま)(?:です|でした)?|ありがとう(?:ございます|ございました)?|はい|いいえ|了解(?:です|しました)?|承知(?:しました)?|完璧(?:です)?|いいですね|いい感じ(?:です)?|OK(?:です)?|続けて(?:ください)?|お願いします|よろしく(?:お願いします)?|すみません|素晴らしい(?:です)?|です|[！。、]",
        "zh": r"你好|您好|早上好|谢谢(?:你|您)?|多谢|辛苦了?|好的?|是的?|不是|可以|行|对|嗯|没问题|完美|很好|太好了|不错|继续(?:吧)?|请继续|收到|明白了?|知道了|了|吧|啊|呀|[！。，]",
    }
)  # fmt: skip
_FILLER = regex(r"[\s,.!?;:–—-]+")
_NOISE = regex(
    r"^\s*(?:<(?:system-reminder|command-|local-command-|tool_use|function_)"
    r"|\[Request interrupted by user|Caveat: The messages below|Todos have been modified"
    r"|The file .{1,200} has been (?:updated|created)|File created successfully at"
    r"|Command running in background|\(no content\)|No files found|No matches found"
    r"|total \d+$|Exit code \d+\s*$|Tool (?:ran|execution))",
    re.I,
)
_TRACE_LINE = regex(
    r"^\s*(?:Traceback \(most recent|File \".*\", line \d+|at [\w$.<>\[\] ]+ ?\(?.*:\d+|\.{3} \d+ more"
    r"|Caused by:|[\w.]+(?:Error|Exception)(?::.*)?$|\^+\s*$|goroutine \d+|\d+:\s+0x|thread '.*' panicked"
    r"|from .+:\d+:in )",
)
_LISTING = regex(r"^\s*(?:\d+[→|:\t]|[drwx-]{10}\s|[+-]{3} [ab]/|@@ -|[\w./-]+:\d+:)")
_HASHLIKE = regex(
    r"(?<![^\W_])(?=[a-f]*\d)[0-9a-f]{7,64}(?![^\W_])|[0-9a-f-]{36}|[A-Za-z0-9+/]{40,}={0,2}", re.I
)
"""A hash or an encoded text. Hexadecimal letters without a digit are a part of a word: `endOfDecade`."""
_LINK = regex(
    r"\(?\[(?:[\w/.-]*#\d+|[0-9a-f]{7,40})\]\(https?://[^\s)]+\)\)?|(?<=\])\(https?://[^\s)]+\)",
    re.I,
)
"""The address of a link, and a whole link to a commit or an issue: in change logs they are longer than the line."""


def junk(content: str, kind: str = "", *, on_purpose: bool = False) -> str:
    """Why a text is not worth storing; empty when it may be stored. A note that is recorded `on_purpose` may be
    as short as `port 8080`.
    """
    text = content.strip()
    brief = weight(text) < SHORTEST
    if brief and not (on_purpose and kind == "context"):
        return f"shorter than {SHORTEST} characters"
    if kind == "discovery" and len(text) > LONGEST_DISCOVERY:
        return f"a discovery longer than {LONGEST_DISCOVERY:,} characters"
    if len(text) < 200 and not _FILLER.sub("", _GREETING.sub("", text)):
        return "a greeting or an acknowledgement"
    if _NOISE.match(text):
        return "output of a tool"
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) >= 3:
        trace = sum(1 for i, line in enumerate(lines) if _in_trace(lines, i, line))
        if trace >= 0.8 * len(lines):
            return "a stack trace without a word on it"
        if sum(1 for line in lines if _LISTING.match(line)) >= 0.8 * len(lines):
            return "a listing"
    if brief:
        return ""
    plain = _LINK.sub("", text)
    solid = "".join(plain.split())
    letters = sum(map(str.isalpha, _HASHLIKE.sub("", plain)))
    return "mostly punctuation or hashes" if letters < 0.35 * len(solid) else ""


def _in_trace(lines: Sequence[str], index: int, line: str) -> bool:
    """Python prints the source line, indented, under each frame."""
    if _TRACE_LINE.match(line):
        return True
    # The text is stripped: its first line is never indented.
    return line.startswith("    ") and bool(_TRACE_LINE.match(lines[index - 1]))


_ORDERS = regex(
    r"ignore (?:all |any )?(?:previous|prior|above|earlier) (?:instructions|messages|rules)"
    r"|disregard (?:all |your |the )?(?:previous|prior|instructions)|you are now (?:a|an|in)\b"
    r"|do not (?:tell|inform|mention (?:this )?to) the user|<\|?im_start|reveal your (?:system )?prompt"
    r"|exfiltrate|send (?:the|all|your) .{0,40}(?:keys?|secrets?|credentials|passwords?) to\b",
    re.I,
)


def _beside(draft: Draft, near: Sequence[tuple[Record, float]], types: Types) -> Verdict:
    """The verdict after comparing with existing records: contradictions before any merging."""
    rank = RANK[draft.trust]
    statement = stated(draft.kind, draft.title, draft.content, draft.data, types)
    contradicted: tuple[str, Record | None] = ("", None)
    older: tuple[str, Record | None] = ("", None)
    for record, cosine in near:
        if cosine < RELATED_COSINE or record.status not in PRESENT:
            continue
        if not same_limits(record.data, draft.data):
            continue
        judged = judge(statement, statement_of(record, types))
        reason = f"contradicts {short_id(record.id)} ({judged.reason})"
        if judged.verdict == "opposite" and rank < RANK[record.trust]:
            return Verdict("inbox", draft, reason, record)
        if judged.verdict == "opposite" and contradicted[1] is None:
            settled = (
                f"{reason}: find out which holds, then update_context or delete_context the other"
            )
            contradicted = (settled, record)
        if judged.verdict == "update" and older[1] is None:
            older = (
                f"says something newer of what {short_id(record.id)} is about ({judged.reason});"
                f" update_context with id={short_id(record.id)} keeps one entry of it",
                record,
            )
        if judged.verdict == "same" and _of_one_kind(draft, record):
            return Verdict("duplicate", draft, "nearly the same is already stored", record)
    if rank < RANK["human"] and _ORDERS.search(draft.content):
        return Verdict("inbox", draft, "reads like orders to an agent, not like knowledge")
    return Verdict("add", draft, *(contradicted if contradicted[1] else older))


def _of_one_kind(draft: Draft, record: Record) -> bool:
    return draft.kind == record.kind and not _typed_otherwise(draft, record)


def _typed_otherwise(draft: Draft, record: Record) -> bool:
    """Whether a typed draft says something that the record does not: entries of one type may differ in a single
    short field, typed fields say more than the same words alone, and the same rule for other files is another one.
    """
    if not same_limits(draft.data, record.data):
        return True
    typed = ("contextType", "structuredData")
    return "structuredData" in draft.data and any(
        draft.data.get(name) != record.data.get(name) for name in typed
    )


def _hash(draft: Draft) -> str:
    record = Record(kind=draft.kind, scope=Scope("local"), title=draft.title, content=draft.content)
    return record.content_hash
