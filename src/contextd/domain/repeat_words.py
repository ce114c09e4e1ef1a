"""The words by which two rules with the same subject may still differ, and those that mean the same (ADR 62)."""

from __future__ import annotations

from collections.abc import Mapping

from contextd_common.text.languages import ByLanguage

AFTER = ByLanguage(
    {
        "en": r"\b(?:after|afterwards?|once|following)\b",
        "de": r"\b(?:nach|nachdem|danach|sobald)\b",
        "fr": r"\b(?:après|une fois|dès)\b",
        "es": r"\b(?:después|despues|tras|una vez)\b",
        "ja": r"(?<!今)後[には]|てから|たら",
        "zh": r"之后|以后再|后再|完成后",
    }
)
"""`Run the tests after each commit` is not `before each commit`."""

ONLY = ByLanguage(
    {
        "en": r"\b(?:only|solely|exclusively|nothing but)\b",
        "de": r"\b(?:nur|ausschließlich|lediglich)\b",
        "fr": r"\b(?:seulement|uniquement|exclusivement|rien que)\b",
        "es": r"\b(?:solo|sólo|solamente|únicamente|exclusivamente)\b",
        "ja": r"だけ|のみ|しか",
        "zh": r"只|仅",
    }
)
"""`Use mocks in tests only` forbids what `use mocks in tests` does not."""

AT_LEAST = ByLanguage(
    {
        "en": r"\b(?:at least|minimum|min|more than|over|above|longer|greater|from)\b|>=?",
        "de": r"\b(?:mindestens|minimum|mehr als|über|länger|größer)\b|>=?",
        "fr": r"\b(?:au moins|minimum|plus d[e’']|supérieure?s?)\b|>=?",
        "es": r"\b(?:al menos|por lo menos|mínimo|más de|superior)\b|>=?",
        "ja": r"以上|超|最低",
        "zh": r"至少|以上|超过|不少于|最少",
    }
)
AT_MOST = ByLanguage(
    {
        "en": r"\b(?:at most|maximum|max|less than|fewer than|under|below|within|up to|shorter|smaller)\b|<=?",
        "de": r"\b(?:höchstens|maximal|maximum|weniger als|unter|kürzer|kleiner)\b|<=?",
        "fr": r"\b(?:au plus|maximum|moins d[e’']|sous|inférieure?s?|plus court\w*)\b|<=?",
        "es": r"\b(?:como máximo|máximo|menos de|bajo|debajo|inferior|más cort\w*)\b|<=?",
        "ja": r"以下|未満|以内|最大",
        "zh": r"至多|最多|以下|以内|不超过|少于",
    }
)
"""On which side of a number a rule holds."""

ORDERED = ByLanguage(
    {
        "en": r"\b(?:prefer\w*|favou?r|choose|over|than)\b|\bfrom (?!now|here|today)",
        "de": r"\b(?:bevorzug\w*|lieber|als|vor)\b|\bvon\b.*\b(?:nach|zu|auf)\b",
        "fr": r"\b(?:pr[ée]f[èé]r\w*|plut[ôo]t|privil[ée]gi\w*|vers)\b",
        "es": r"\b(?:prefier\w*|antes que|sobre|hacia|desde (?!ahora|hoy))\b",
        "ja": r"より|優先|(?<!これ)(?<!今日)から",
        "zh": r"优先|而不是|胜过|比|从(?!现在|今)",
    }
)
"""The order of two things says which one is wanted, or which way it goes."""

EXCEPT = ByLanguage(
    {
        "en": r"\b(?:unless|except|until|till|but not)\b",
        "de": r"\b(?:außer|ausser|es sei denn|bis)\b",
        "fr": r"\b(?:sauf|[àa] moins|jusqu\w*|except[ée])\b",
        "es": r"\b(?:salvo|excepto|a menos|hasta)\b",
        "ja": r"以外|除き|除いて|限り|まで",
        "zh": r"除非|除了|除外|直到",
    }
)
"""`Ask unless the tests fail` names the same condition as `ask if the tests fail`."""

FEWER = ByLanguage(
    {
        "en": r"\b(?:fewer|less)\b(?! than)",
        "de": r"\bweniger\b(?! als)",
        "fr": r"\bmoins\b(?! d[e’'] ?\d)",
        "es": r"\bmenos\b(?! de \d)",
        "ja": r"少な|減ら|控え",
        "zh": r"更少|减少|少(?!于)",
    }
)
"""`Write fewer comments` has the subject of `write more comments`."""

REMOVES = ByLanguage(
    {
        "en": r"\b(?:remov|delet|drop|ignor|forget|scrap|abandon|disregard|skip|omit|disabl|revert|get rid)\w*",
        "de": r"\b(?:entfern|lösch|streich|ignorier|vergiss|vergess|überspring|deaktivier|lass\w* weg|weglass)\w*",
        "fr": r"\b(?:supprim|retir|enl[èe]v|ignor|oubli|abandonn|saut|d[ée]sactiv)\w*",
        "es": r"\b(?:elimin|quit|borr|ignor|olvid|omit|salt|desactiv)\w*",
        "ja": r"削除|消|無視|忘|外さ|飛ばさ|スキップ|無効",
        "zh": r"删|去掉|移除|忽略|忘|跳过|省略|禁用",
    }
)
"""`Never remove tests` is about the same words as `never write tests`."""

SUBJECT_FIRST = ByLanguage(
    {
        "en": r"^(?P<subject>[^,;:]{3,60}?)\b(?:must|should|shall|may|can|are|is)\s+(?P<no>never|not)\b",
        "fr": r"^(?P<subject>[^,;:]{3,60}?)\b(?P<no>ne doi\w+ (?:jamais|pas))\b",
        "es": r"^(?P<subject>[^,;:]{3,60}?)\b(?P<no>nunca|no)\s+(?:se|debe\w*)\b",
    },
    without=dict.fromkeys(("de", "ja", "zh"), "a clause forbids as a whole there"),
)
"""`Emojis must never be used` forbids what comes before the word that forbids."""

FILLS = ByLanguage(
    {"ja": r"どうか|いつでも|すべて|全て", "zh": r"请|任何时候|所有|一律|都|总是|务必"},
    without=dict.fromkeys(("en", "de", "fr", "es"), "stems that are left out have a list: IDLE"),
)
"""What would make other bigrams of a text in a script without spaces."""

IDLE: Mapping[str, str] = {
    "en": """add avoid creat ensur sure possibl much alway thing way like prefer want request explicit strict ever
        under below maximum less shorter keep includ introduc generat pleas everi absolut realli kind sort whatev
        follow contain thorough careful cursor claud agent assist ai""",
    "de": "hinzu erstell fug bitt sicherstell moglich absolut unbedingt hochst maximal kurz",
    "fr": "souh dorenav ajout veux veuill possibl absolu imper toujour desorm voudr",
    "es": "agreg anad quier favor posibl absolut ademas",
}  # fmt: skip
"""Stems that say only that something is demanded."""

ALIKE: Mapping[str, Mapping[str, str]] = {
    "en": {
        "repli": "answer", "respond": "answer", "respons": "answer", "speak": "answer", "talk": "answer",
        "permiss": "ask", "approv": "ask", "confirm": "ask", "consent": "ask",
        "eras": "delet", "doc": "document", "config": "configur", "env": "environ", "db": "databas", "codebas": "project", "reposi": "project", "repo": "project", "repositori": "project",
        "directori": "folder", "emojis": "emoji", "stub": "mock", "fake": "mock", "unit": "test",
        "librari": "depend", "packag": "depend", "annot": "type", "hint": "type", "execut": "run",
    },
    "de": {"sprich": "antwort", "red": "antwort", "erlaubnis": "frag", "bestatig": "frag", "entfern": "losch"},
    "fr": {"parl": "repond", "repons": "repond", "accord": "demand", "permiss": "demand", "confirm": "demand", "efface": "supprim"},
    "es": {"habl": "respond", "respuest": "respond", "permis": "pregunt", "confirm": "pregunt", "preguntarm": "pregunt", "elimin": "borr"},
}  # fmt: skip
"""Stems that name the same in rules; a stem of its own for each meaning."""

TOO_WIDE: Mapping[str, str] = {
    "en": "test code commit file comment doc document branch function class type error log",
    "de": "test cod commit datei kommentar branch funktion klass fehl",
    "fr": "test cod comm fichi commentair branch fonction class erreur",
    "es": "test codig commit archiv comentari ram funcion clas error",
}  # fmt: skip
"""Stems that name no rule alone: `write tests` and `the tests must be fast`."""
