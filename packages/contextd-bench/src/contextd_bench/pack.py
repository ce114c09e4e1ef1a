"""Pack hits into a token budget, each with its source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from contextd.domain.records import Record, digest, short_id
from contextd.search.hits import Hit, LeftOut
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens, trim_to_tokens

_SEPARATOR = "\n\n"
_SEPARATOR_TOKENS = 2  # one newline is 1.45; the rest covers the rounding of each estimate
_WORTH_CUTTING = 40


@dataclass(frozen=True, slots=True)
class PackedHit:
    """One hit as it is given. `shortened` means that its end was cut off."""

    id: str
    text: str
    tokens: int
    shortened: bool = False


@dataclass(frozen=True, slots=True)
class Pack:
    """The packed items, and the omitted ones. `count_tokens(pack.text)` never exceeds the budget."""

    items: tuple[PackedHit, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def text(self) -> str:
        """All items, a blank line between them."""
        return _SEPARATOR.join(item.text for item in self.items)

    @property
    def tokens(self) -> int:
        """The size of `text`."""
        return count_tokens(self.text)


def cite(hit: Hit) -> str:
    """Where a hit comes from, in brackets: `[memory 1f3a9c2e, by human, confidence 0.8]`."""
    parts = [f"{hit.kind} {short_id(hit.id) if hit.record else hit.id}"]
    record = hit.record
    if isinstance(record, Record):
        parts += [f"by {record.trust}", f"confidence {record.confidence:.2g}"]
    return f"[{', '.join(parts)}]"


def cited(hit: Hit) -> str:
    """A hit's text after its citation."""
    return f"{cite(hit)} {hit.text.strip()}"


def pack(
    hits: Sequence[Hit],
    budget: int,
    *,
    show: Callable[[Hit], str] = cited,
    shown_ids: Collection[str] = (),
    most: int | None = None,
) -> Pack:
    """As many hits as fit into `budget` tokens, best first, at most `most`.

    A hit too long for what is left is shortened at the end of a line or sentence if a good part of
    it remains, or else skipped for a shorter one. Ids in `shown_ids` and repeated texts are left out.
    """
    items: list[PackedHit] = []
    left: list[LeftOut] = []
    texts: dict[str, str] = {}
    spent = 0
    for hit in hits:
        key = digest(" ".join(hit.text.split()))
        room = budget - spent - (_SEPARATOR_TOKENS if items else 0)
        packed = None
        if hit.id in shown_ids:
            reason = "already given"
        elif key in texts:
            reason = f"repeats {texts[key]}"
        elif most is not None and len(items) >= most:
            reason = "below the limit"
        else:
            packed = _fitted(hit, show(hit), room)
            reason = f"no room in {budget} tokens"
        if packed is None:
            left.append(LeftOut(hit.id, hit.kind, hit.score, reason))
            continue
        spent = budget - room + packed.tokens
        items.append(packed)
        texts[key] = hit.id
    return Pack(tuple(items), tuple(left))


def _fitted(hit: Hit, text: str, room: int) -> PackedHit | None:
    tokens = count_tokens(text)
    if tokens <= room:
        return PackedHit(hit.id, text, tokens)
    if room < _WORTH_CUTTING:
        return None
    short = trim_to_tokens(text, room - 2)
    if count_tokens(short) < _WORTH_CUTTING // 2:
        return None
    short += " …"
    return PackedHit(hit.id, short, count_tokens(short), shortened=True)
