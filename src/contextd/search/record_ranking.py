"""Rank records for explicit queries by further signals, in addition to words, meaning and usefulness.

A linear ranker over named signals, each a part of the score. Only differences between records count: the best
one keeps its score, so messages and code beside them do not lose. Injection does not use this ranker, because
its thresholds read the scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import exp

from contextd.domain.records import Record
from contextd.search.boosts import in_order
from contextd.search.hits import Hit, ScorePart
from contextd.search.query_words import Asked
from contextd.search.ranking_weights import RECORDS, weights
from contextd_common.text.languages import ByLanguage
from contextd_common.text.words import content_words

SIGNALS = ("current",)

_A_WHILE = timedelta(days=30)
"""Decay scale: after this time a record is a third as current. 7 or 90 days give the same result,
within noise.
"""

_ASKS = ByLanguage(
    {
        "en": r"\s*(?:how|what|why|when|where|which|who|whose|is|are|was|were|do|does|did|has|have|should|may|can|could|will|would)\b",
        "de": r"\s*(?:wie|was|warum|wieso|wann|wo|woher|wohin|welche[rsmn]?|wer|wem|wen|wessen|ist|sind|war|hat|haben|gibt|kann|darf|soll|muss|wird|werden)\b",
        "fr": r"\s*(?:comment|qu[e’']|quelles?|quels?|pourquoi|quand|o[ùu]|qui|combien|est-ce|y a-t-il|peut-on|faut-il|d[’']o[ùu]|sur quel\w*|dans quel\w*)",
        "es": r"\s*¿|\s*(?:c[óo]mo|qu[ée]|por qu[ée]|cu[áa]ndo|d[óo]nde|de d[óo]nde|cu[áa]l(?:es)?|qui[ée]n(?:es)?|cu[áa]nt[oa]s?|en qu[ée]|hay|se puede)\b",
        "ja": r".*(?:(?:です|ます|した|の)か|(?:どこ|なに|何|いつ|誰|だれ|どれ|どう|なぜ|どの|いくつ)(?!か).{0,14}|とは|理由|方法|(?:は|の(?:意味|原因|名前|形式))|には)[。]?$",
        "zh": r".*(?:吗|呢|什么|哪|谁|怎么|如何|为什么|为何|多少|多久|多大|几|是不是|能不能|有没有)",
    }
)
_ORDERS = ByLanguage(
    {
        "en": r"\s*(?:please|(?:can|could|would|will) (?:you|we))\b",
        "de": r"\s*(?:bitte|(?:kannst|k[öo]nntest|w[üu]rdest|magst) du|k[öo]nnen wir)\b",
        "fr": r"\s*(?:s[’']il te pla[iî]t|stp|(?:tu )?(?:peux|pourrais)(?:-tu)?|on peut|est-ce que tu peux|merci de)\b",
        "es": r"\s*¿?(?:por favor|porfa|(?:puedes|podr[íi]as|podemos))\b",
        "ja": r".*(?:て(?:ください|下さい|もらえます?か|くれますか|いただけますか)|お願い(?:します|できますか))[。？?]*$",
        "zh": r"\s*(?:请|麻烦|帮(?:我|忙)|(?:你)?(?:能|可以)(?:帮|把|给|不能))",
    }
)
"""`Can you add …?` asks for work despite its question mark; `Can I use …?` does not."""

_LEAST = 0.001
"""Smaller changes of a score are not mentioned."""

_WHY = {"current": ("from current work", "from earlier work")}


def by_record(hits: Sequence[Hit], question: str, now: datetime | None) -> list[Hit]:
    """The hits in order, with records ranked; other hits keep their score. `hits` are sorted, and `now` is
    the time of the query, if known.
    """
    records = [hit.content for hit in hits if isinstance(hit.content, Record)]
    if len(records) < 2 or now is None or not is_task(question):
        return list(hits)
    found, counts = signals(records, question, now), weights(RECORDS)
    amounts = {name: _against_first(found[name], counts[name]) for name in SIGNALS}
    rows, moved = zip(*amounts.values(), strict=True), list[Hit]()
    for hit in hits:
        if not isinstance(hit.content, Record):
            moved.append(hit)
            continue
        parts = [
            ScorePart(name, amount, 0, 0.0, _WHY[name][amount < 0.0])
            for name, amount in zip(SIGNALS, next(rows), strict=True)
            if not -_LEAST < amount < _LEAST
        ]
        moved.append(hit.with_parts((*hit.parts, *parts)) if parts else hit)
    return in_order(moved)


def _against_first(values: Sequence[float], count: float) -> list[float]:
    first = values[0]
    return [count * (value - first) for value in values]


def signals(
    records: Sequence[Record], question: str, now: datetime | None
) -> Mapping[str, Sequence[float]]:
    """The signals of these records, by name, each from 0 to 1.

    `current` falls with a record's age if the query is a task: work continues with recent records, while "why
    is …" may concern any time.
    """
    current = [0.0] * len(records)
    if now is not None and is_task(question):
        # A record may have been written during the query.
        current = [exp(min(0.0, (one.updated_at - now) / _A_WHILE)) for one in records]
    return {"current": current}


def is_task(question: str) -> bool:
    """Whether a query states a task or an event instead of asking about facts."""
    first = question.strip().partition("\n")[0].rstrip()
    if _ORDERS.match(first):
        return True
    return not (first.endswith(("?", "？")) or _ASKS.match(first))


_BESIDE = 1
"""Words a title may have in addition to the query's."""


def titled_first(hits: Sequence[Hit], asked: Asked) -> list[Hit]:
    """The hits, with records whose title equals the query first: naming a note means that note. `hits` are
    sorted.
    """
    if not hits or not asked.count:
        return list(hits)
    top, named = hits[0].score, list[Hit]()
    for hit in hits:
        record = hit.record
        if record is None or not _is_titled(record.title, asked):
            named.append(hit)
            continue
        lift = ScorePart("title", max(0.0, top - hit.score) + _LEAST, why="has this title")
        named.append(hit.plus([lift]))
    return in_order(named)


def _is_titled(title: str, asked: Asked) -> bool:
    words = set(content_words(title)) if title else set()
    return asked.words <= words and len(words) <= asked.count + _BESIDE
