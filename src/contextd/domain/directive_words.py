"""The words by which a sentence states a directive, one row for each language.

`stated` tables demand something from now on; `standing` tables are worded like a rule in passing. A row is
tried only on sentences that may be written in its language (ADR 62).
"""

from __future__ import annotations

from contextd.domain.span_words import PAST
from contextd_common.text.languages import ByLanguage

_BULLET = r"^(?:[-*+•#\s]|\d{1,2}[.)]\s)*"

FROM_NOW_ON = {
    "en": r"from (?:now|here|this point|today) on(?:wards?)?|henceforth",
    "de": r"ab (?:jetzt|sofort|heute|nun)|von (?:nun|jetzt|heute) an|fortan|(?:zu)?k(?:ü|ue)nftig",
    "fr": r"dor[ée]navant|(?<!est )(?<!sont )(?<!ont )(?<! a )d[ée]sormais|[àa] partir (?:de maintenant|d[’']aujourd[’']hui)"
    r"|[àa] compter (?:de maintenant|d[’']aujourd[’']hui)|d[èe]s (?:maintenant|[àa] pr[ée]sent)",
    "es": r"a partir de (?:ahora|hoy|ya)|de(?:sde)? (?:ahora|hoy|aqu[íi]) en adelante|desde (?:ahora|hoy)|de ahora en m[áa]s"
    r"|en lo sucesivo",
    "ja": r"今後は|今後[、,も一の]|これからは|これからも|今日から|本日から|以後は?|次(?:回)?から",
    "zh": r"从(?:现在|今天?|此|这次)(?:开始|起|以后|往后|之后)?(?=[，,、\s]|.{2})|今后|往后|日后",
    "it": r"d[’']ora in (?:poi|avanti)",
    "pt": r"de agora em diante|a partir de agora",
    "nl": r"vanaf nu|voortaan",
    "ko": r"앞으로|지금부터",
}
"""Words that announce a rule."""

_RULE_EN = r"(?:rule|convention|requirement|policy|guideline|standard|constraint|preference)"
_VERB_EN = (
    r"(?!(?:mind|been|seen|got|had|was|were|is|are|has|the|a|an|in|on|there|same|gonna|when|if|showing|getting)\b"
    r"|(?!focus\b)\w+(?<!s)s\b|\w{2,}[cdghklmnprstvwxyz]ed\b)\w+"
)
# A verb in the imperative: `never worked` and `always fails` describe a state instead.

_VERB_DE = (
    r"(?:antworte|frage?|schreibe?|mache?|lass|nimm|nutze?|verwende|benutze?|gib|zeige?|achte|achtet|pr(?:ü|ue)fe?|teste?|starte?|halte?"
    r"|f(?:ü|ue)hre?|f(?:ü|ue)ge?|fasse?|lege?|setze?|rufe?|baue?|l(?:ö|oe)sche?|erstelle?|(?:ä|ae)ndere?|benenne|speicher[en]?|logge?|committe?"
    r"|pushe?|merge|stelle?|sorge?|vermeide|behalte?|warte|arbeite|schaue?|denke?|bleibe?|packe?|trage?|trenne?|h(?:ö|oe)re?|\w{3,}iere)"
)
_VERB_FR = (
    r"(?!(?:est|es|sont|suis|as|les|des|ces|ses|mes|tes|nos|vos|elle|elles|tous|toutes|cette|page|reste|une?|il|ils|ce|ça|pas|plus|mais|alors)\b)"
    r"\w{2,}(?:e|s|ez)(?:-(?:moi|nous|le|la|les|lui|en|y))?"
)
_VERB_ES = (
    r"(?!(?:falla|fallan|sale|salen|pasa|pasan|ocurre|aparece|aparecen|muestra|devuelve|da|queda|termina|tarda|hay|es|se|me|est[áa]|la|lo|los"
    r"|las|una|esta|este|ella|casi|para|que|cada)\b)\w{2,}(?:a|e|[aeé]n|z|me|lo|nos)"
)

STATED_FIRST = ByLanguage(
    {
        "en": _BULLET
        + r"(?:(?:ok(?:ay)?|so|and|also|but|please|pls|plz|no|nope|yes|btw|by the way|fyi|again|hey|oh|well"
        r"|then|just|note(?: that)?|keep in mind(?: that)?|important|attention|reminder|hint|remember|one more thing)\b[\s,:;.!–—-]*)*"
        r"(?:(?:when(?:ever)?|if|for|before|after|while|in|on|with|unless|once|every time)\b[^,.;:!?]{2,80}[,:]\s*(?:please\s+)?)?"
        r"(?:(?:" + FROM_NOW_ON["en"] + r"|(?:going|moving) forward|as a (?:general )?rule(?! of th?umb))\b"
        r"|in (?:the )?future,?\s+(?:please|always|never|do|don'?t|use|you|when|if|make|run|ask|write|keep|put|prefer|only|no)\b"
        r"|for (?:all )?future (?:sessions|tasks|work|changes|commits)\b"
        r"|(?:under no circumstances|at no time|at all times|without exception)\b"
        r"|(?:(?:new|project|our|my|general|global|house|coding|team|another)\s+)*"
        + _RULE_EN
        + r"(?: #?\d+)?\s*[:：]\s*\S"
        r"|(?:(?:you|we|claude|cursor|(?:the |cursor )?(?:ai|agents?|assistant)) (?:are to|is to|should|must|have to|has to|need to|shall)|i (?:want|need|expect|would like) you to"
        r"|make sure (?:that )?you|be sure to|ensure (?:that )?you)?\s*\b(?:always|never(?: ever| again)?)\s+`?"
        + _VERB_EN
        + r"|(?:do not|don[’']?t) (?:you )?ever\b"
        r"|(?:do not|don[’']?t|stop|you (?:may|must|should|can) ?not|you (?:mustn|shouldn|can)[’']?t)\b.{2,160}?\b(?:ever(?: again)?"
        r"|under any circumstances|no matter what|without exception|going forward|from now on|in (?:the )?future)\s*[.!]*$"
        r"|you are (?:(?:not|never|always|only) )*to \w{3,}"
        r"|no matter what,? (?:always|never|do(?: not|n[’']?t)?)\b|i (?:\w+ly )?(?:always|never) (?:want|expect|prefer|like)\b|i (?:strongly|generally|usually) prefer\b"
        r"|(?:remember(?: (?:that|this|to|not to)\b|\s*[:：])))",
        "de": _BULLET
        + r"(?:(?:ok(?:ay)?|und|aber|auch|also|bitte|nein|ja|nee|wichtig|achtung|hinweis|übrigens|noch ?was|ach|hey|btw|ps|nochmal|dann"
        r"|außerdem|ausserdem|please)\b[\s,:;.!–—-]*)*"
        r"(?:(?:wenn|falls|sobald|bevor|immer wenn)\b[^,.;:!?]{2,80}[,:]\s*(?:bitte\s+|dann\s+)?)?"
        r"(?:(?:" + FROM_NOW_ON["de"] + r"|in (?:der )?zukunft|für alle (?:k(?:ü|ue)nftigen|kommenden|weiteren|zuk(?:ü|ue)nftigen))\b"
        r"|(?:(?:neue|unsere|meine|wichtige|allgemeine|feste|weitere|noch eine)\s+)*"
        r"(?:regel|konvention|vorgabe|richtlinie|grundsatz|grundregel|standard|policy|anforderung|bedingung)(?: (?:nr\.? ?)?\d+)?\s*[:：]\s*\S"
        r"|(?:nie(?:mals)?|nie wieder|immer|stets|ausnahmslos|grunds(?:ä|ae)tzlich|ausschlie(?:ß|ss)lich)\b(?! (?:noch|wieder (?:der|die|das|mal)|mehr (?:\w+ )?(?:fehler|probleme)"
        r"|[öo]fter|gleich|der(?:selbe)?|die(?:selbe)?|das(?:selbe)?|es|ist|sind)\b)\s+(?!.*\b(?:ge\w{2,}(?:t|en)|\w{2,}iert)\W*$)[`„\"']?\w+"
        r"|" + _VERB_DE + r"\b[^.;:]{0,70}?\b(?:nie(?:mals)?|nie wieder|immer(?! noch)|stets|grunds(?:ä|ae)tzlich|ausschlie(?:ß|ss)lich|jedes ?mal|nur noch|in zukunft|(?:zu)?k(?:ü|ue)nftig)\b"
        r"|" + _VERB_DE + r"\b[^.;]{0,70}?\bkein\w*\b[^.;]{0,70}?\b(?:ohne (?:mich|vorher|r(?:ü|ue)ckfrage|ausnahme|meine)|au(?:ß|ss)er|es sei denn|solange)\b"
        r"|achte\b[^.;]{0,20}?\bdass\b.*\b(?:nie(?:mals)?|immer|stets|kein\w*)\b"
        r"|(?:du|ihr|sie|claude|(?:der |die )?(?:agent|ki|ai|assistent)) (?:soll|sollst|sollt|sollen|muss|darf|musst|m(?:ü|ue)sst|m(?:ü|ue)ssen|darfst|d(?:ü|ue)rft|d(?:ü|ue)rfen) (?:\w+ ){0,5}?(?:immer|nie(?:mals)?|stets|grunds(?:ä|ae)tzlich|ausschlie(?:ß|ss)lich)\b"
        r"|ich (?:will|m(?:ö|oe)chte|erwarte|verlange|w(?:ü|ue)nsche)\b.*\b(?:immer|nie(?:mals)?|jedes ?mal|stets|grunds(?:ä|ae)tzlich)\b"
        r"|(?:unter (?:gar )?keinen umst(?:ä|ae)nden|auf (?:gar )?keinen fall|keinesfalls|egal was (?:passiert|ist)|ohne ausnahme)\b"
        r"|merke? dir\b|denke? (?:bitte )?(?:immer )?(?:daran|dran)\b|vergiss (?:bitte )?(?:nicht|nie(?:mals)?)\b|behalte? im (?:hinter)?kopf\b"
        r"|es ist (?:str(?:ikt|eng) )?(?:verboten|untersagt|nicht (?:erlaubt|gestattet))\b|es (?:ist|sind) (?:nur|ausschlie(?:ß|ss)lich) .*\b(?:erlaubt|zul(?:ä|ae)ssig)\b"
        r"|in (?:diesem|unserem) (?:repo(?:sitory)?|projekt)\b.*\b(?:immer|nie(?:mals)?|kein\w*|nur|nehmen wir|(?:be)?nutzen wir|verwenden wir|gilt|gelten)\b"
        r"|(?:(?:vor|nach|bei|f(?:ü|ue)r) jede[mrn]|jedes mal (?:wenn|bevor|nachdem)) [^.?!]{2,80}\b(?:bitte|(?:ist|sind) .*\bzu \w+|zuerst|erst|laufen lassen|\w{3,}(?:en|ern|eln))\W*$)",
        "fr": _BULLET
        + r"(?:(?:ok|et|mais|aussi|donc|alors|stp|svp|s[’']il (?:te|vous) pla[iî]t|oui|non|important|attention|nb|rappel|au fait|bref|également"
        r"|note|please)\b[\s,:;.!–—-]*)*"
        r"(?:(?:quand|lorsque|si|avant|apr[èe]s|pour|dans|sur|d[èe]s que)\b[^,.;:!?]{2,80}[,:]\s*)?"
        r"(?:(?:" + FROM_NOW_ON["fr"] + r"|[àa] l[’']avenir|pour (?:toutes )?les (?:prochaines|futures)|en r[èe]gle g[ée]n[ée]rale)\b"
        r"|(?:(?:nouvelle|notre|ma|autre|petite)\s+)*(?:r[èe]gle|convention|consigne|contrainte|politique|exigence|pr[ée]f[ée]rence|standard|directive)(?: n?°? ?\d+)?\s*[:：]\s*\S"
        r"|(?:ne |n[’'])\w+\b.{0,40}?\bjamais\b(?! (?:eu|[ée]t[ée]|vu|fonctionn|march))|ne (?:plus )?jamais \w+|jamais (?:de |d[’']|\w+)|toujours \w+(?:er|ir|re|oir)\b"
        r"|" + _VERB_FR + r" (?:bien )?(?:toujours|syst[ée]matiquement)\b(?! pas)"
        r"|(?:tu|vous|claude|l[’'](?:agent|ia)) (?:ne |n[’'])?(?:dois|doit|devez|peux|peut|pouvez|as|avez)\b.{0,20}?\b(?:toujours|jamais|pas le droit|interdiction)\b"
        r"|je (?:ne )?(?:veux|souhaite|voudrais) (?:\w+ )?(?:que\b.*\b(?:jamais|toujours|(?:à )?chaque fois|syst[ée]matiquement)\b(?! pas)|(?:toujours|jamais)\b)"
        r"|(?:en aucun cas|sous aucun pr[ée]texte|quoi qu[’']il arrive|en toutes circonstances|sans exception)\b"
        r"|(?:souviens|rappelle)-toi\b|retiens\b|n[’']oublie(?:z)? (?:pas|jamais)\b|garde(?:z)? (?:bien )?en t[êe]te\b|pense(?:z)? (?:bien )?[àa] (?:toujours )?\w+(?:er|ir|re)\b|[àa] noter\b|note bien\b"
        r"|il est (?:strictement |formellement )?interdit\b|il ne faut (?:jamais|surtout pas)\b|interdiction (?:de|d[’'])"
        r"|(?:fais|faites) en sorte de (?:ne jamais|toujours)\b|(?:assure-toi|assurez-vous|veille|veillez) (?:bien )?(?:de|[àa]) (?:ne jamais|toujours)\b"
        r"|seule?s? (?:les? |la )?.{2,60}\b(?:autoris[ée]e?s?|permise?s?)\b"
        r"|(?:[àa] )?chaque fois (?:que|qu[’'])\b.*[,:]|(?:avant|apr[èe]s) chaque \w+.*\b(?:il faut|\w+e[rz]|lance|mets|v[ée]rifie)\b"
        r"|(?:dans|sur|pour) ce (?:projet|repo|d[ée]p[ôo]t)\b.*\b(?:on (?:utilise|n[’']utilise|met|prend|fait)|toujours|jamais|personne|uniquement)\b)",
        "es": _BULLET
        + r"(?:(?:ok|y|pero|tambi[ée]n|por favor|porfa|s[íi]|importante|atenci[óo]n|nota|ojo|adem[áa]s|bueno|vale|oye|please)\b[\s,:;.!–—-]*)*"
        r"(?:(?:cuando|si|antes de|despu[ée]s de|al|para|en)\b[^,.;:!?]{2,80}[,:]\s*)?"
        r"(?:(?:" + FROM_NOW_ON["es"] + r"|en adelante|en el futuro|para (?:todas )?las (?:pr[óo]ximas|futuras)|para .{2,20} futuras|(?:como|por) (?:norma|regla)(?: general)?)\b"
        r"|(?:(?:nueva|nuestra|mi|otra)\s+)*(?:regla|convenci[óo]n|norma|pol[íi]tica|restricci[óo]n|requisito|preferencia|directriz|est[áa]ndar)(?: n?°?º? ?\d+)?\s*[:：]\s*\S"
        r"|(?:nunca|jam[áa]s)(?: m[áa]s)? (?:\w+(?:as|es)\b|\w+(?:ar|er|ir)\b|(?:te|lo|la|los|las|me) \w+)|siempre (?!(?:est[áa]|es|se|me|hay|da|sale|falla|ha|pasa|aparece)\b)(?:\w+(?:ar|er|ir)\b|" + _VERB_ES + r"\b)"
        r"|" + _VERB_ES + r" (?:siempre|[úu]nicamente)\b"
        r"|no \w+ .{0,60}?\b(?:nunca|jam[áa]s|nunca m[áa]s|sin (?:pregunt|avis|mi |consult|permiso)\w*|a menos que|salvo que|bajo ning[úu]n\w*)\b"
        r"|(?:no )?(?:debes|tienes que|puedes|has de)\b.{0,40}?\b(?:siempre|nunca|jam[áa]s)\b|no (?:puedes|debes)\b.*\bsin\b"
        r"|quiero (?:que\b.*\b(?:siempre|nunca|cada vez|jam[áa]s)\b|(?:ver |que )?siempre\b)"
        r"|(?:bajo ning[úu]n\w* (?:concepto|motivo|circunstancia)|en ning[úu]n caso|pase lo que pase|sin excepci(?:[óo]n|ones))\b"
        r"|recuerda (?:que|siempre|esto)\b|recuerda\s*[:：]|acu[ée]rdate\b|no (?:te )?olvides\b|(?:ten|tened) (?:siempre )?(?:en cuenta|presente)\b|toma nota\b"
        r"|(?:est[áa]|queda)n? (?:terminantemente |totalmente )?prohibid[oa]s?\b|prohibido \w+(?:ar|er|ir)\b|s[óo]lo se (?:permite|admite)n?\b|no se permite\b"
        r"|aseg[úu]rate (?:de|siempre)\b.*\b(?:nunca|siempre|jam[áa]s)\b"
        r"|cada vez que \w+(?:as|es)\b|(?:antes|despu[ée]s) de cada \w+.*\b(?:hay que|debes|\w{3,}(?:ar|er|ir|a|e))\b"
        r"|en este (?:repo|proyecto|repositorio)\b.*\b(?:siempre|nunca|usamos|nadie|se usa|solo|usa)\b)",
        "it": _BULLET
        + r"(?:(?:per favore|e|ma|anche)\b[\s,:;.!–—-]*)*(?:(?:" + FROM_NOW_ON["it"] + r"|in futuro,)|(?:nostra |nuova )?regola\s*[:：]\s*\S"
        r"|(?:sempre|mai) (?!da\b|è\b)\w+|non \w+ .{0,40}?\bmai\b|(?:usa|usare|scrivi) sempre\b|ricorda(?:ti)? (?:che|di|sempre))",
        "pt": _BULLET
        + r"(?:(?:por favor|e|mas|também)\b[\s,:;.!–—-]*)*(?:(?:" + FROM_NOW_ON["pt"] + r")|(?:nossa |nova )?regra\s*[:：]\s*\S"
        r"|(?:nunca|jamais|sempre) (?!da\b|é\b|há\b|está\b)\w+|não \w+ .{0,40}?\bnunca\b|(?:use|escreva) sempre\b|lembre(?:-se)?\b)",
        "nl": _BULLET
        + r"(?:(?:alstublieft|en|maar|ook|graag)\b[\s,:;.!–—-]*)*(?:(?:" + FROM_NOW_ON["nl"] + r"|in het vervolg)\b|(?:onze |nieuwe )?regel\s*[:：]\s*\S"
        r"|(?:nooit|altijd) \w+|gebruik (?:altijd|nooit)\b|onthoud\b)",
        "ja": _BULLET
        + r"(?:新しい|共通の|うちの)?(?:ルール|規約|規則|方針|原則|約束|決まり|制約|要件)(?:\d+)?\s*[:：]\s*\S",
        "zh": _BULLET
        + r"(?:新|项目|我们的|团队)?(?:规则|规定|约定|规范|要求|原则|约束|偏好|注意事项)(?:\d+)?\s*[:：]\s*\S",
        "ko": _BULLET + r"(?:새 )?규칙\s*[:：]\s*\S",
    }
)  # fmt: skip
"""At the start of a sentence: what demands something from now on."""

STATED_ANYWHERE = ByLanguage(
    {
        "en": r"\b(?<!so )(?<!so that )(?:" + FROM_NOW_ON["en"] + r")\b|[,–—-]\s*(?:always|ever)\s*[.!]*$",
        "de": r"\b(?:ab (?:jetzt|sofort)|von (?:nun|jetzt) an|fortan)\b|\b(?:bitte|wir|du|ihr)\b.{0,60}\b(?:zu)?k(?:ü|ue)nftig\b"
        r"|[,–—-]\s*(?:nie(?:mals)?|immer|nie wieder|ausnahmslos|ohne ausnahmen?|keine ausnahmen?|unter keinen umst(?:ä|ae)nden)\s*[.!]*$"
        r"|\b(?:bitte|please) (?:\w+ ){0,6}?(?:nie(?:mals)?|immer(?! noch)|stets) .*\w{2,}(?:en|ern|eln|n)\W*$|\bist (?:unsere vorgabe|bei uns (?:regel|pflicht|standard)|tabu)\b",
        "fr": r"\b(?:" + FROM_NOW_ON["fr"] + r")\b|[,–—-]\s*(?:jamais|toujours|sans (?:aucune )?exception)\s*[.!]*$"
        r"|\b(?:est|sont) (?:strictement |formellement )?interdite?s?\b",
        "es": r"\b(?:" + FROM_NOW_ON["es"] + r")\b|[,–—-]\s*(?:nunca|siempre|jam[áa]s|sin excepci(?:[óo]n|ones))\s*[.!]*$",
        "it": r"\b(?:" + FROM_NOW_ON["it"] + r")\b",
        "pt": r"\b(?:" + FROM_NOW_ON["pt"] + r")\b",
        "nl": r"\b(?:" + FROM_NOW_ON["nl"] + r")\b",
        "ja": r"今後は|今後[、,も一の]|今後.*(?:ない(?:で|こと|ように)|(?:して|で|て)(?:ください|下さい|ほしい|ね)?[。！!]*$)|これから[はも]|これから.*(?:[てで](?:ください|下さい|ほしい|ね)?[。！!]*$|書きます|とします|にします)"
        r"|(?:以後|次(?:回)?から).*(?:[てで](?:ください|下さい|ほしい|ね)?[。！!]*$|こと[。！!]*$|ように|ほしい)|(?:今日|本日|今)から.*(?:こと|ください|とします|にします|です)[。！!]*$"
        r"|覚えて(?:おいて|ください|て|ね)|覚えといて|忘れないで(?:ください|下さい|ね)?[。！!]*$"
        r"|(?:二度と|絶対に?|決して|一切|何があっても|いかなる|勝手に|許可なく|(?:指示|依頼|頼ま|指定|言わ).{0,4}(?:ない|しない)限り|ずに|なしに|例外なく).*(?:ない(?:で|こと|ように(?:して|すること))|ません|するな|[うくすつぬぶむるぐ]な[。！!]*$|使わない|しない[。！!]*$|禁止|ダメ|だめ|駄目|NG|不可|いけな|ならな)"
        r"|(?:(?<!は)|(?<=には)|(?<=では)|(?<=たら))(?:必ず|毎回|いつも|常に|都度).*(?:ください|下さい|お願い|こと[。！!]*$|ように(?:して|すること)[。！!]*$|せよ|しろ|ほしい|[てで](?:ね|おいて|から.*こと)?[。！!]*$|確認[。！!]*$|タブで$)"
        r"|(?:必ず|常に|毎回|いつも).*(?:してください|して下さい|でお願い|[いきしちにびみりえけせてねべめれ]て(?:ください|下さい|ね)|ほしい)"
        r"|ない(?:こと|ように(?:して(?:ください)?|すること|お願いします))[。！!]*$|(?:は|を)?(?:厳禁|禁止)(?:です|とする|とします|で)?[。！!]*$|(?:方針|ルール|規則|決まり)です"
        r"|^原則|のみ(?:と(?:する|します)|にすること|使用(?:する|すること)|許可|可)[。！!]*$|に統一(?:して|する|します|すること)|例外(?:は)?(?:なし|認めない)",
        "zh": r"从(?:现在|今天?|今|此|这次)(?:开始|起|以后|往后|之后)|(?:^|[，,、。；;\s])(?:以后|今后|往后|日后|下次)(?:的|所有|每次|再|凡是|我们|你|如果|在|改|装|写|提交|函数)?.{0,18}?(?:都|请|要|不要|别|必须|一律|先|统一|只|不准(?!确)|不许|不得|不再|不能|用)"
        r"|(?:^|[，,。；;：:\s])(?:请|要|你要|一定要)?(?:记住|牢记|谨记)(?!密码|登录|用户|上次|搜索)|记得(?:要|先|每|把|更新|升|同步)|(?:别|不要)忘(?:了|记)[。！!]*$|(?:别|不要)忘(?:了|记)(?:先|要|更新|同步)"
        r"|永远(?:不要|别|不准|不能|不得|都?要|都?用|先|只)|绝(?:对)?不(?:要|能|可|准|允许|许|得|提交|修改)|切勿|切记|千万(?:不要|别|不能|不可)|再也不要|无论如何|任何(?:时候|情况下?)都?|无论.{1,10}都"
        r"|(?:请)?(?:务必|一律|严禁)|(?:不许|不准(?!确|备)|不得)[^，,。]{1,20}[。！!]*$|没有例外"
        r"|(?:每次|每当|每个|每行|每条|每一[次个行条]|凡是|所有).{0,40}?(?:都?必须|都要|都得|务必|一律)|(?:每次|每当).{0,30}?都(?:要|得|必须|先|应)|每次都(?:要|先|得|必须)|(?:希望|要求|要)你(?:每次|始终|总是|一直|永远)"
        r"|(?:请|要|应该?|需要?|必须)(?:始终|一直|总是|永远)|(?:始终|一直)(?:要|用|使用|保持)|(?:没有|未经|没问过|不经)(?:我的?|过?我)?.{0,8}(?:不要|不准|不许|不得|别|不能)|(?:本项目|这个(?:仓库|项目)|我们(?:项目|仓库))[里中]?.{0,16}(?:统一(?:用|使用|采用)|只用|不用|禁止|一律)"
        r"|只(?:允许|准|能)(?:用|从|使用|通过)|原则上|(?:是|就是)我们的(?:规定|规矩|约定|规则)|不要直接(?:push|推送|提交|改)",
        "ko": r"기억해|앞으로|지금부터|규칙[:：]|절대(?:로)?.*(?:마|말)",
    }
)  # fmt: skip
"""Anywhere in a sentence: the same."""

INSISTS = ByLanguage(
    {
        "en": rf"\b(?:(?:is|are|be) (?:always|never)\b|(?:always|never)\b(?!-| mind| (?:{PAST}|been)\b)"
        rf"|(?:do not|don't|doesn't) ever|we (?:only|always|never)(?! (?:{PAST})\b))\b",
        "de": r"(?<!noch )\b(?:immer(?! (?:noch|wieder|mehr|[öo]fter|der|die|das)\b)|niemals|nie(?! (?:eine antwort|geklappt|funktioniert|aufgetreten))|stets|ausnahmslos|grunds(?:ä|ae)tzlich|ausschlie(?:ß|ss)lich)\b",
        "fr": r"\b(?:toujours\b(?! (?:pas|rien|ceci|cela|des|les?|la|un))|jamais\b(?! (?:eu|[ée]t[ée]|vu|apparu))|syst[ée]matiquement|exclusivement)\b",
        "es": r"\b(?:siempre(?! (?:es|se|que|me)\b)|nunca(?! (?:hab[íi]a|ha|recib|funcion))|jam[áa]s|exclusivamente)\b",
        "it": r"\b(?:sempre|mai)\b",
        "pt": r"\b(?:sempre|nunca|jamais)\b",
        "nl": r"\b(?:altijd|nooit)\b",
        "ja": r"常に|絶対に|毎回|決して|一切|原則",
        "zh": r"总是|绝不|永远|始终|一律|从不|从来不|每次都|统一(?:用|使用|放|写)",
        "ko": r"항상|절대",
    }
)  # fmt: skip
"""Worded like a rule in passing."""

MUST = ByLanguage(
    {
        "en": r"\b(?:must(?: not|n't)?|we (?:use|do not use|don't use)|every time|whenever)\b",
        "de": r"\b(?:muss|m(?:ü|ue)ssen|d(?:a|ü|ue)rf(?:en)? (?:\w+ ){0,4}?(?:nicht|nur|kein\w*)|wir (?:nutzen|verwenden|benutzen|nehmen)|(?:be)?nutzen wir|verwenden wir|immer wenn|jedes ?mal|jede[rs]? .{2,40}\b(?:braucht|muss))\b",
        "fr": r"\b(?:doi(?:t|vent)|on (?:utilise|n[’']utilise pas|ne \w+ (?:pas|plus|jamais))|il faut|chaque fois|il ne faut pas)\b",
        "es": r"\b(?:debe|deben|(?:tiene|tienen|hay) que|usamos|no usamos|cada vez que|no deben?)\b",
        "it": r"\b(?:deve|devono)\b",
        "pt": r"\b(?:deve|devem)\b",
        "nl": r"\b(?:moet|moeten)\b",
        "ja": r"必ず|必須|[てで]は(?:いけ|なら|だめ|ダメ)|なければ(?:なら|いけ)|(?:する|とる|含める)?必要が(?:ある|あり)|すること[。！!]*$|べき(?:です|だ|で)?[。！!]*$",
        "zh": r"必须|务必|不得|只能用|都要|一定要|禁止使用",
        "ko": r"반드시",
    }
)  # fmt: skip
"""A rule in passing when a user says it, but mostly a fact in a record about code."""

SHOUTED = ByLanguage(
    {
        "en": r"^(?:PLEASE )?(?:DO NOT|DON'?T|DONT|STOP|ONLY|ALWAYS|NEVER|YOU (?:MUST|WILL|SHALL)|ASK) ",
        "de": r"^(?:BITTE )?(?:KEINE?N?|NUR|STOPP?|DU (?:MUSST|SOLLST|DARFST)|FRAGE?|\w+ .*\bNICHT) ",
        "fr": r"^(?:NE |N['’]|PAS DE |ARR[ÊE]TE|SEULEMENT|UNIQUEMENT|TU (?:DOIS|NE))",
        "es": r"^(?:POR FAVOR )?(?:NO|SOLO|S[ÓO]LO|DEJA|DEBES|PREGUNTA) ",
    },
    0,
    without={"ja": "the script has no capitals", "zh": "the script has no capitals"},
)
"""A demand in capitals."""

FOR_NOW = ByLanguage(
    {
        "en": r"\b(?:right now|for now|at the moment|for the moment|currently|(?<!from )today|yet|this time|temporarily|until (?:i|we|you|then|it))\b",
        "de": r"\b(?:momentan|gerade|derzeit|vorerst|noch (?:nicht|nichts)|(?<!ab )(?<!von )heute|diesmal|dieses mal|erst ?mal|fürs erste|im (?:moment|augenblick)|zurzeit|aktuell|bis (?:ich|wir|du|dahin))\b",
        "fr": r"\b(?:pour l[’']instant|pour le moment|en ce moment|(?<!compter d.)(?<!partir d.)aujourd[’']hui|cette fois|provisoirement|pas encore|encore (?:rien|aucune?))\b",
        "es": r"\b(?:por ahora|ahora mismo|de momento|por el momento|(?<!desde )(?<!partir de )(?<!de )hoy|esta vez|todav[íi]a|a[úu]n no|no\b.*\baún(?! (?:si|cuando|as[íi])\b)|temporalmente)\b",
        "it": r"\bper ora\b",
        "pt": r"\bpor enquanto\b",
        "nl": r"\bvoorlopig\b",
        "ja": r"今のところ|いまのところ|とりあえず|今回(?:は|だけ)|一旦|いったん|当面|ひとまず|まだ[^、。]{0,30}(?:ないで|なくて)",
        "zh": r"目前|暂时|现在先|这次|先这样|今天先",
        "ko": r"지금은|일단",
    }
)  # fmt: skip
"""What holds only for the moment is a state, not a rule."""

LIFTS = ByLanguage(
    {
        "en": r"\b(?:ignore|forget|drop(?:ped)?|lift(?:ed)?|remove[d]?|scratch|disregard) (?:about )?(?:the|that|this|my|our)\b.{0,40}?\b(?:rule|convention|policy|guideline|part)\b"
        r"|\brule\b.{0,80}\b(?:no longer|obsolete|not .{0,12}any ?more)\b",
        "de": r"\b(?:regel|konvention|vorgabe|vorschrift|pflicht)\b.{0,80}\b(?:gilt nicht|nicht mehr|gestrichen|hinf(?:ä|ae)llig|aufgehoben|vergessen|weg|entf(?:ä|ae)llt|ignorier\w*)\b",
        "fr": r"\b(?:r[èe]gle|convention|consigne)\b.{0,80}\b(?:plus|supprim[ée]e?|lev[ée]e|caduque|obsol[èe]te|annul[ée]e)\b",
        "es": r"\b(?:regla|norma|convenci[óo]n)\b.{0,80}\b(?:ya no|sin efecto|no aplica|eliminad[ao]|quitad[ao]|obsolet[ao])\b|\b(?:quita|olvida|elimina|ignora)\w* la (?:regla|norma)\b",
        "ja": r"(?:ルール|規則|規約|決まり|方針).{0,30}(?:撤回|廃止|無視|不要|取り消|なし|適用され(?:ません|ない)|やめ|忘れて)",
        "zh": r"(?:规则|规定|约定|规范|那条|这条).{0,24}(?:作废|取消|不再|废除|不适用|忽略|忘|算了|去掉)",
    }
)  # fmt: skip
"""Words that end a rule: they state none."""

DEICTIC = ByLanguage(
    {
        "en": r"\b(?:that|this|it|so|these|those|them)(?: (?:again|anymore|any more|ever|either))*[\s.!]*$|\b(?:remember|keep|bear) (?:that|this|it)(?: in mind)?(?: (?:for|in) (?!(?:mind|the \w+ (?:that|which)))\b[\w ]{2,40}| from now on| going forward)?[\s.!]*$",
        "de": r"^\W*\w+ (?:das|dies|es|sowas|so etwas)(?: \w+)? (?:nie|niemals|nie wieder|nie mehr|nicht mehr)(?: wieder| mehr)?[\s.!]*$|^\W*nie wieder[\s.!]*$",
        "fr": r"\b(?:jamais|plus) (?:ça|cela)[\s.!]*$",
        "es": r"\b(?:eso|esto)(?: nunca| jam[áa]s| m[áa]s| nunca m[áa]s)*[\s.!]*$|^\W*nunca m[áa]s[\s.!]*$",
        "ja": r"^(?:もう|絶対に?|二度と)*(?:それ|これ|そんなこと|こんなこと)?(?:を|は)?(?:二度と|絶対に?)?(?:し|やら)ない(?:で|こと)(?:ください|ね)?[。！!]*$",
        "zh": r"^(?:请|以后|永远|绝对|千万)*(?:不要|别|不许|不准)再?(?:这样|那样|这么|那么)(?:做|干|搞|写|改)?了?[。！!]*$",
    }
)  # fmt: skip
"""A rule that points back at the sentence before it."""

_AND = {
    "en": "and|but|also|so",
    "de": "und|aber|außerdem",
    "fr": "et|mais",
    "es": "y|pero",
    "it": "e|ma",
    "pt": "e|mas",
    "nl": "en|maar",
}
_NO_CLAUSES = "the script has no spaces: clauses are not cut off"

MARKER = ByLanguage(
    {
        language: rf"(?:[,;:–—]\s*(?:(?:{words})\s+)?|\s(?:{words})\s+)(?=(?:{FROM_NOW_ON[language]})\b)"
        for language, words in _AND.items()
    },
    without={"ja": _NO_CLAUSES, "zh": _NO_CLAUSES},
)
"""Where a directive begins within a sentence: `fix the header, and from now on …`."""

WANTS_MORE = ByLanguage(
    {
        language: rf"^\W*(?:(?:{_AND.get(language, 'and')}) )?(?:{words})(?:\W+\w+)?\W*$"
        if language in _AND
        else rf"^\W*(?:{words})\W*$"
        for language, words in FROM_NOW_ON.items()
    }
)
"""A marker with nothing after it: the rule it announces was stated elsewhere."""
