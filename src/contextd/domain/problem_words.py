"""Whether a prompt reports a problem or asks something, or only orders new work: one row of words for each language."""

from __future__ import annotations

from contextd_common.text.languages import LANGUAGES, ByLanguage, languages_of
from contextd_common.text.regex import regex

_PROBLEM = ByLanguage(
    {
        "en": r"\b(?:errors?|exceptions?|issues?|problems?|trouble|bugs?|fail\w*|broke\w*|breaks?|crash\w*|wrong\w*|missing|misses|stuck|hangs?|hanging|slow\w*|leak\w*|flak\w+|undefined|nan|empty|blank|duplicat\w+|unexpected\w*|no longer|random\w*|corrupt\w*|lost|loses?"
        r"|off by|again|fix\w*|mend\w*|debug\w*|investigat\w*|diagnos\w*|revert\w*|instead of|despite|although|too (?:many|much|few|long|late|early|slow|big|small)|conflict\w*|mismatch\w*|incorrect\w*|invalid|rejected|refused|denied|forbidden|timeouts?|timed out|nothing happens"
        r"|why|how come|how (?:do|does|did|is|are|can|could|should|would|much|many|long|often)|what (?:is|are|was|does|did|do|happens|happened|causes?|caused)|which|where (?:is|are|do|does)|who (?:may|is|does))\b"
        r"|\b(?:does|did|is|are|was|were|has|have|ca|wo|could|would|should)n[’']?t\b|\b(?:does|did|is|are|was|were|has|have|can|will|could|would|should) ?not\b|\b(?:i|we|they|it|users?|\w+s) (?:\w+ )?(?:don[’']?t|do not)\b|\bnever \w+(?:s|ed)\b|\b(?:but|still|yet)\b",
        "de": r"\b(?:\w*fehler\w*|problem\w*|exceptions?|bugs?|kaputt|falsch\w*|fehlt|fehlen|fehlend\w*|h(?:ä|ae)ngt|langsam\w*|leer\w*|doppelt\w*|abst(?:u|ü)rz\w*|abgest(?:u|ü)rzt|bricht|scheiter\w*|fehlschl\w*|schl(?:ä|ae)gt fehl|geht nicht|l(?:ä|ae)uft nicht|funktionier\w*|klappt|behebe?\w*|repari\w*|korrigier\w*|obwohl|trotzdem|statt"
        r"|immer noch|wieder|nicht|kein\w*|nichts|zu (?:viele?|wenige?|lang\w*|sp(?:ä|ae)t|fr(?:ü|ue)h)|warum|wieso|weshalb|wie (?:viele?|lange|oft|geht|ist|kann|soll\w*)|was (?:ist|macht|passiert|bedeutet)|welche\w*|wo (?:ist|sind|steht)|wer (?:darf|ist))\b",
        "fr": r"\b(?:erreurs?|probl[èe]mes?|exceptions?|bugs?|cass[ée]\w*|plante\w*|[ée]chou\w*|[ée]chec\w*|manque\w*|faux|fausse|vide\w*|bloqu\w*|lent\w*|doubl\w*|corrig\w*|r[ée]par\w*|d[ée]bog\w*|toujours pas|encore|malgr[ée]|au lieu|pourtant|pourquoi|comment|combien|qu[’']est-ce|quel\w*|o[ùu] (?:est|sont)|qui peut|trop|ne \w+ (?:pas|plus|rien|jamais)|n[’']\w+ (?:pas|plus|rien|jamais))\b",
        "es": r"\b(?:error(?:es)?|problemas?|excepci[óo]n\w*|bugs?|fall[ao]\w*|rot[oa]s?|rompe\w*|falta\w*|mal|incorrect\w*|vac[íi][oa]s?|bloquea\w*|lent[oa]\w*|duplicad\w*|corrig\w*|arregl\w*|depura\w*|otra vez|todav[íi]a|sigue\w*|aunque|en vez|en lugar|por qu[ée]|c[óo]mo|cu[áa]nt\w*|qu[ée] (?:es|hace|pasa)|cu[áa]l\w*|d[óo]nde|qui[ée]n|demasiad\w*|no (?!quiero|cambies|toques|uses|a[ñn]adas|borres)\w+)\b",
        "ja": r"エラー|例外|問題|不具合|バグ|失敗|落ち|壊れ|おかし|間違|違う|ない|ません|ず|遅い|重い|固まる|空|重複|直して|修正|なぜ|どうして|何故|どう(?:すれば|やって|なって)|何(?:が|を|は|の)|どこ|どの|いくつ|[?？]",
        "zh": r"错误|报错|异常|问题|故障|失败|崩溃|不对|不正确|不能|不了|不到|没有|没能|无法|卡住|慢|空白|为空|重复|丢失|缺少|修复|修正|解决|排查|调试|为什么|怎么|如何|什么|哪|多少|仍然|还是|又|[?？]",
    }
)  # fmt: skip
"""What goes wrong, what is to be fixed, and questions."""

_ASKED_FOR = ByLanguage(
    {
        "en": r"\b(?:can|could|would|will) (?:you|we)\b[^.?!]*\?",
        "de": r"\b(?:kannst|könntest|können wir|würdest)\b[^.?!]*\?",
        "fr": r"\b(?:peux|pourrais|peut|pouvez)[- ](?:tu|on|vous)\b[^.?!]*\?",
        "es": r"\b(?:puedes|podr[íi]as|podemos)\b[^.?!]*\?",
        "ja": r"(?:もらえ|くれ|いただけ|でき)ますか[?？]?",
        "zh": r"(?:能不能|可不可以|可以.{0,30}吗|能.{0,30}吗)[?？]?",
    }
)
"""An order in the form of a question."""

_STATED = ByLanguage(
    {
        "en": r"^\W*(?:the|this|that|these|those|our|my|an?|there|it|after|when|since)\b(?![^.!\n]*\b(?:should|must|needs? to|ha(?:s|ve) to|is to|want|please)\b)",
        "de": r"^\W*(?:der|die|das|dies\w*|unser\w*|mein\w*|eine?|es|nach|wenn|seit)\b(?![^.!\n]*\b(?:soll\w*|muss|müssen|möchte\w*|bitte)\b)",
        "fr": r"^\W*(?:les?|la|l[’']|ce|cette|ces|notre|nos|mon|ma|mes|une?|il|après|quand|depuis)\b(?![^.!\n]*\b(?:doi\w*|faut|veux|voudrais|merci de)\b)",
        "es": r"^\W*(?:el|la|los|las|est[ae]s?|nuestr\w*|mi|una?|hay|después|cuando|desde)\b(?![^.!\n]*\b(?:deb\w*|tien\w* que|hay que|quiero|por favor)\b)",
    },
    without=dict.fromkeys(("ja", "zh"), "no word at its beginning sets a statement apart"),
)
"""A prompt that states how something is, such as "the printer truncates labels": orders begin with their verb, and what is
wanted has a word for it.
"""

_QUESTION = regex(r"[?？]")


def has_a_problem(text: str) -> bool:
    """Whether a prompt reports a problem or asks something. An order for new work does neither, and what past sessions
    found out does not help it: of 26 such prompts that got a text none was helped, of 23 others 10.

    Prompts in a language without a row count as reports.
    """
    if languages_of(text)[0] not in LANGUAGES:
        return True
    rest = _ASKED_FOR.sub(" ", text)
    return bool(_QUESTION.search(rest) or _PROBLEM.search(rest) or _STATED.search(text))
