"""How likely a sentence of an agent is worth keeping, by its form: a logistic model without an embedder.

`tools/train_ledger.py` writes `data/ledger.json`; nothing is trained at run time.
"""

from __future__ import annotations

import math
from functools import cache

from contextd.files.trained_weights import trained_weights
from contextd.sessions.ledger_sorts import certainty
from contextd_common.dataclass import dataclass
from contextd_common.text.languages import languages_of
from contextd_common.text.regex import regex

_WORD = regex(r"[A-Za-z]+(?:['’][a-z]+)?")
_CODE = regex(r"`[^`]*`")
_NEGATED = regex(r"n['’]t\b")
_PATH = regex(r"\w\.\w{1,5}\b|/\w")
_ARROW = regex(r"→|->|=")
_MARK = regex(r"[✅✓✔⚠❌✗\U0001f000-\U0001faff]")
_DIGIT = regex(r"\d")

_FUNCTION_WORDS = frozenset(
    """a an the this that these those it its they them we i you your user there here he is are was were be been
    being has have had does did do done not no never none only just already still yet now then so because since
    as but and or nor if when whenever where which who while before after until once than rather instead without
    with within into onto from for to by on in of at over under between all every each both any one two first
    second let me will would could should can cannot may might need needs must what why how also too more less
    most least even though although however hence therefore otherwise out up down off back away again same other
    another own like via per about around nothing something everything anything either neither""".split()
)
_FIRST_PERSON = frozenset(("i", "i'm", "i've", "i'll", "we", "let", "let's"))
_SORTS = ("refused", "cause", "decision", "number", "next", "change", "remark")

FEATURES = (
    *"""words function_share function_5 begins_ing begins_s begins_code begins_digit full_stop colon
    question comma semicolon arrow mark digit_share digit negated ing_share ly_share first_person
    second_person user path""".split(),
    *_SORTS,
    "certainty",
)
"""Names of the features that `features` returns."""


def features(text: str, sort: str) -> list[float]:
    """What the form of a sentence shows, in the order of `FEATURES`: statements have function words and verbs,
    lists of changes begin with a verb or a name. Its `sort`, which its words show, is a feature among others.
    """
    words = _WORD.findall(_CODE.sub(" CODE ", text))
    lower = [word.lower().replace("’", "'") for word in words]
    count, size = max(1, len(words)), max(1, len(text))
    functional = sum(word in _FUNCTION_WORDS for word in lower)
    first = words[0] if words else ""
    upper = first[:1].isupper()
    return [
        math.log(count + 1),
        functional / count,
        float(functional >= 5),
        float(first.endswith("ing")),
        float(upper and len(first) > 3 and first.endswith("s") and lower[0] not in _FUNCTION_WORDS),
        float(text[:1] == "`"),
        float(text[:1].isdigit()),
        float(text.endswith(".")),
        float(text.endswith(":")),
        float(text.endswith("?")),
        float(", " in text),
        float("; " in text),
        float(bool(_ARROW.search(text))),
        float(bool(_MARK.search(text))),
        sum(sign.isdigit() for sign in text) / size,
        float(bool(_DIGIT.search(text))),
        float(bool(_NEGATED.search(text))),
        sum(word.endswith("ing") for word in lower[1:]) / count,
        sum(word.endswith("ly") for word in lower) / count,
        float(any(word in _FIRST_PERSON for word in lower)),
        float("you" in lower or "your" in lower),
        float("user" in lower[:4]),
        float(bool(_PATH.search(text))),
        *(float(sort == name) for name in _SORTS),
        certainty(text),
    ]


@dataclass(frozen=True, slots=True)
class FormWeights:
    """The trained model: one weight, mean and deviation per feature."""

    bias: float
    weight: tuple[float, ...]
    center: tuple[float, ...]
    scale: tuple[float, ...]


@cache
def form_weights() -> FormWeights:
    """The weights in the package."""
    found = trained_weights("ledger", FEATURES)
    return FormWeights(
        found["bias"], *(tuple(found[name]) for name in ("weight", "center", "scale"))
    )


def likely_kept(text: str, sort: str) -> float | None:
    """The probability, 0 to 1, that a sentence of an agent, of this sort, is worth keeping; None if it cannot be
    English, the only language of the training data.
    """
    if "en" not in languages_of(text):
        return None
    trained = form_weights()
    score = trained.bias + sum(
        weight * (value - mean) / deviation
        for weight, value, mean, deviation in zip(
            trained.weight, features(text, sort), trained.center, trained.scale, strict=True
        )
    )
    return 1 / (1 + math.exp(-score))
