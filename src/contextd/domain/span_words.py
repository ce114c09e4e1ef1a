"""The words that say for how long an order holds, one row for each language (ADR 62)."""

from __future__ import annotations

from contextd_common.text.languages import ByLanguage

LASTS = ByLanguage(
    {
        "en": r"\b(?:always|never|ever|henceforth|from (?:now|here|this point|today) on(?:wards?)?|(?:going|moving) forward|future|every time|each time|whenever|at all times|no matter what"
        r"|circumstances|without exception|rules?|conventions?|polic(?:y|ies)|guidelines?|standards?|require(?:ments?|d)|constraints?|preferences?|prefer|remember that)\b|\bremember(?: this)?\s*[:：]|\bremember (?:not )?to\b.*\b(?:every|each|all|any)\b",
        "de": r"\b(?:immer|nie|niemals|stets|ab (?:jetzt|sofort|heute|nun)|von (?:nun|jetzt|heute) an|fortan|(?:zu)?k(?:ü|ue)nftig\w*|zukunft|jedes ?mal|jede[rmn]?|grunds(?:ä|ae)tzlich|ausnahmslos|ausschlie(?:ß|ss)lich"
        r"|regel\w*|konvention\w*|vorgabe\w*|richtlinie\w*|grundsatz|standard|policy|anforderung|bedingung|umst(?:ä|ae)nden|ausnahme\w*|merke?|nur noch|keinesfalls|auf (?:gar )?keinen fall|verboten|untersagt|egal was)\b",
        "fr": r"\b(?:toujours|jamais|d[ée]sormais|dor[ée]navant|[àa] partir (?:de maintenant|d[’']aujourd[’']hui)|[àa] l[’']avenir|[àa] compter|chaque|syst[ée]matiquement|r[èe]gles?|convention|consigne|contrainte|politique|exigence"
        r"|pr[ée]f[ée]rence|standard|directive|aucun cas|sans exception|souviens|rappelle|retiens|interdi\w+)\b",
        "es": r"\b(?:siempre|nunca|jam[áa]s|a partir de|de(?:sde)? (?:ahora|hoy) (?:en adelante)?|en adelante|futur[oa]s?|en lo sucesivo|cada|reglas?|convenci[óo]n|norma|pol[íi]tica|restricci[óo]n|requisito|preferencia|directriz|est[áa]ndar"
        r"|(?:en|bajo) ning[úu]n\w*|sin excepci\w+|recuerda|acu[ée]rdate|prohibid[oa]s?|pase lo que pase)\b",
        "it": r"\b(?:sempre|mai|regola|d[’']ora|futuro|ricorda\w*)\b",
        "pt": r"\b(?:sempre|nunca|jamais|regra|diante|agora|lembre\w*)\b",
        "nl": r"\b(?:altijd|nooit|vanaf|voortaan|vervolg|regel|onthoud)\b",
        "ja": r"今後|これから|以後|次(?:回)?から|今日から|本日から|今から|常に|必ず|毎回|いつも|都度|絶対|決して|二度と|一切|原則|例外|ルール|規約|規則|方針|約束|決まり|制約|要件|禁止|厳禁|覚え|統一|のみ|こと|限り|何があっても|いかなる|勝手|許可|ずに|なしに|ように|慣例|慣習|共通|べき",
        "zh": r"以后|今后|往后|日后|下次|从.{0,4}(?:开始|起)|从此|永远|始终|一直|总是|一律|每|凡是|所有|绝|切勿|切记|千万|再也|无论|任何|务必|严禁|不许|不准|不得|例外|规则|规定|约定|规范|要求|原则|约束|偏好|注意事项|记住|牢记|谨记|统一|只(?:用|允许|准|能)|禁|规矩|不要直接|没有|未经|不经|没问|从不|从来|惯例|习惯|做法",
        "ko": r"항상|절대|앞으로|지금부터|규칙|기억",
    }
)  # fmt: skip
"""Words of duration: an order without any of them holds for its turn, however loud it is."""

FOR_SESSION = ByLanguage(
    {
        "en": r"\b(?:(?:in|for|during|with|within|throughout) (?:this|the current|the present) (?:session|conversation|chat|thread|task|change|refactor\w*|fix|bug|issue|commit|migration|exercise|run|review|request|prompt"
        r"|step|feature|ticket|round|one|answers?|repl(?:y|ies)|response|question|message|analysis)\b|for the rest of (?:this|the|our) \w+|until (?:you(?:[’']re| are) done|we(?:[’']re| are) done|the end of|this is (?:done|fixed|merged))"
        r"|while (?:you|we)(?:[’']re| are)? (?:do|doing|fix|fixing|work|working|refactor\w*|migrat\w*|debug\w*|test\w*|at it)|(?:just|only) (?:this|for this) (?:once|time)?|before you (?:finish|answer|reply|continue|go on))\b",
        "de": r"\b(?:(?:in|für|während|bei) (?:dieser|diesem|diese|diesen|der aktuellen|dem aktuellen) (?:sitzung|session|gespräch|chat|aufgabe|änderung|refactoring|fix|bug|commit|migration|schritt|antwort|frage|nachricht|anfrage)"
        r"|für den rest|bis (?:du|wir) fertig|solange (?:du|wir)|während (?:du|wir)|nur (?:dieses mal|diesmal|hier))\b",
        "fr": r"\b(?:(?:dans|pour|pendant|durant) (?:cette|ce|cet) (?:session|conversation|discussion|t[âa]che|modification|refactoring|correction|bug|commit|migration|[ée]tape|r[ée]ponse|question|message|demande)|pour le reste|jusqu[’'][àa] la fin|le temps de)\b",
        "es": r"\b(?:(?:en|para|durante) (?:esta|este) (?:sesi[óo]n|conversaci[óo]n|chat|tarea|cambio|refactor\w*|arreglo|bug|commit|migraci[óo]n|paso|respuesta|pregunta|mensaje|petici[óo]n)|por el resto|hasta que termin\w+|mientras (?:haces|trabajas|arreglas))\b",
        "ja": r"(?:この|今回の)(?:セッション|会話|チャット|タスク|作業|変更|修正|コミット|移行|質問|回答|返信|依頼)(?:では|は|中|の間|に限り|だけ)|(?:終わる|完了する)まで",
        "zh": r"(?:这次|本次|这个|当前)(?:会话|对话|聊天|任务|修改|改动|修复|提交|迁移|问题|回答|回复|步骤)(?:中|里|期间|只|先|不|都)|直到.{0,8}(?:完成|结束)",
    }
)  # fmt: skip
"""An order for the work at hand."""

FOR_BRANCH = ByLanguage(
    {
        "en": r"\b(?:(?:on|in|for|within) (?:this|the current|my) (?:branch|pr|pull request|merge request|mr|spike|prototype|experiment|poc)\b|until (?:this|the|my|it)(?: \w+)? (?:is|gets) merged)",
        "de": r"\b(?:auf|in|für) (?:diesem|diesen|dem aktuellen) (?:branch|pr|pull request|zweig|prototyp|experiment)\b|bis .{0,20}gemergt",
        "fr": r"\b(?:sur|dans|pour) (?:cette|ce) (?:branche|pr|pull request|prototype|exp[ée]rience)\b|jusqu[’'][àa] ce que .{0,20}(?:merg|fusionn)",
        "es": r"\b(?:en|para) (?:esta|este) (?:rama|pr|pull request|prototipo|experimento)\b|hasta que .{0,20}(?:merge|fusion)",
        "ja": r"(?:この|現在の)(?:ブランチ|PR|プルリクエスト|プロトタイプ)",
        "zh": r"(?:这个|当前|本)(?:分支|PR|合并请求|原型)",
    }
)  # fmt: skip
"""An order for the branch at hand."""

_FILLERS_EN = r"^\W*(?:(?:ok(?:ay)?|so|and|also|but|please|pls|no|yes|btw|by the way|again|hey|oh|well|then|just|note|important|one more thing)\b[\s,:;.!–—-]*)*"
_DEFINITE = r"(?:the|this|that|these|those|it|my|your|its|option|a|an|first|second|\d+)\b"

_ARTEFACTS = (
    r"comments?|docstrings?|emojis?|summar(?:y|ies)|markdown(?: files?)?|files|docs?|mocks?|tests|logs?|print statements|console\.logs?|todos?|type hints|abbreviations|explanations?|helpers?|wrappers?"
    r"|apolog\w+|backups?|scripts|reports|fallbacks?|try[ /-]catch\w*|any types?|magic numbers"
)
# What agents write by habit. `Stop sharing the height with past events` is about the product.

PAST = (
    r"\w+ed|found|had|got|saw|knew|did|was|were|heard|hit|lost|ran|came|went|made|met|dealt|thought|felt|kept|built|wrote|took|gave|chose|sent"
    r"|left|told|held|meant|brought|caught|taught|paid|said|understood|spent|drew|grew|threw|broke|began|forgot|became"
)
"""`We never dealt with that` tells of the past, `we never deal with that` may be a rule."""

GENERAL = ByLanguage(
    {
        "en": _FILLERS_EN
        + r"(?:(?:use|prefer|write|keep|put|run|name|avoid|do not|don[’']?t (?!need|think|know|want|worry)|stick to|format|document|we (?:use|do not|don[’']?t)) [^?]{2,140}\b(?:in|for|across|throughout|within)"
        r" (?:this|our|the whole|the entire) (?:repo(?:sitory)?|project|code ?base|team|company|monorepo|workspace)\W*$"
        rf"|we (?:never|always|only) (?!(?:{PAST}|have|gets?|sees?|know|hear|notice|want|need|seem|receive|lose|fail)\b)[^?]{{4,140}}$"
        rf"|(?:(?:i(?:[’']d| would) (?:like|prefer) (?:to |you to )|(?:let[’']?s |try to )))?avoid (?:using|adding|writing|creating) (?!{_DEFINITE})[\w-]+s\b(?!.*\b(?:here|now|this|these|that|yet)\b).*"
        rf"|in (?:this|our) (?:repo(?:sitory)?|project|code ?base|monorepo|team|company)[, ]+(?:we|please|all|every|never|always|use|do not|don[’']?t|no|keep|only) .{{3,}}"
        rf"|keep (?!{_DEFINITE})(?:[\w-]+ ){{0,2}}[\w-]+s (?:under|below|within|at (?:most|least)|short|small|brief|simple|minimal|sorted|flat|free of|out of|up to date|in sync|private|pure)\b"
        rf"|(?:stop|quit) (?:\w+ly )?\w+ing (?:any |so many |all (?:these|those) |unnecessary |useless |obvious |new |extra )?(?:{_ARTEFACTS})\b(?! (?:and|now)\b).{{3,}}"
        rf"|i (?:\w+ly |always |would |[’']d )?prefer (?!{_DEFINITE})(?:[\w-]+ ){{0,3}}[\w-]+(?:s|ing)\b"
        rf"|(?:you (?:must|have to|should|need to|are to) )?(?:check with|ask)(?: me| us)? (?:first |for permission )?before (?:you )?\w+(?:ing)? (?:any|every|each|all|new|a|an|files?|(?!{_DEFINITE})\w+s)\b"
        rf"|(?:no|don[’']?t (?:use|add|write|put|create|leave|include)|avoid(?: using| adding)?) (?:any )?(?:{_ARTEFACTS}|[\w-]+s) (?:in|on|into|to) (?!{_DEFINITE})(?:\w+ )?(?:commits?|commit messages?|tests?|code|comments?|docs?|documentation"
        r"|branches|main|production|migrations?|templates?)\b)",
        "de": r"^\W*(?:(?:und|aber|auch|bitte|nein|ja|wichtig|übrigens|noch ?was|ok)\b[\s,:;.!–—-]*)*"
        r"(?:frage?(?:t|n sie)? (?:mich|uns) (?:bitte )?(?:vorher|zuerst|erst|,? ?bevor (?:du|ihr) (?:\w+ ){0,3}(?:etwas|dateien|irgend\w+|neue\w*))"
        r"|(?:in|für|bei) (?:diesem|unserem|dieses|dem ganzen) (?:repo\w*|projekt|team)\b[^?]{3,}$|(?:nutze?|verwende|benutze|nimm|wir (?:nutzen|verwenden|benutzen|committen|pushen)) [^?]{2,120}\b(?:in (?:diesem|unserem) (?:repo\w*|projekt)|überall|bei uns|hier)\b"
        r"|wir (?!(?:haben|hatten|sind|waren|wurden|konnten|können|wollten|wussten|mussten|dachten|fanden|sahen|bekommen|bekamen|kriegen|sehen|finden|wissen|verstehen|erreichen|verlieren)\b)\w+n (?:nie(?:mals)?|immer|nur|stets) [^?]{3,}$|(?:halte?|lass) (?!(?:die|das|den|diese\w*)\b)\w+ (?:unter|kurz|klein|einfach|sortiert)\b|(?:hör|höre) auf,? \w+ .*\bzu \w+|ich (?:bevorzuge|mag lieber|hätte lieber) (?!(?:die|das|den|diese\w*|option)\b)\w+"
        r"|keine? (?!(?:der|dieser)\b)[\w -]{2,40} in (?!(?:der|dem|dieser|diesem)\b)\w+)",
        "fr": r"^\W*(?:(?:et|mais|aussi|stp|svp|non|oui|important|au fait|ok)\b[\s,:;.!–—-]*)*"
        r"(?:il faut (?:toujours|syst[ée]matiquement)\b|demande[- ]moi (?:toujours |d[’']abord |la permission )?avant de \w+ (?:des?|tout|chaque|un|une|d[’'])|(?:dans|pour) (?:ce|notre) (?:projet|repo|d[ée]p[ôo]t)\b[^?]{3,}$"
        r"|(?:utilise|emploie|pr[ée]f[èe]re|on (?:utilise|n[’']utilise|ne \w+)) [^?]{2,120}\b(?:dans (?:ce|notre) (?:projet|repo|d[ée]p[ôo]t)|partout|chez nous|ici)\b|garde (?:les|des) \w+ (?:sous|courte?s|petite?s|simples?)\b"
        r"|(?:on|nous) (?:ne |n[’'])(?!(?:a|avons|avait|avions|est|sait|savons|voit|voyons|peut|trouve|re[çc]oit|obtient|comprend|arrive)\b)\w+ jamais [^?]{3,}$|arr[êe]te d(?:e |[’'])\w+ (?!(?:le|la|les|ce|cette|ces)\b)\w+ .*(?:qui|que|dans|[àa]|apr[èe]s|avant|chaque)\b|je pr[ée]f[èe]re (?!(?:le|la|l[’']|ce|cette|option)\b)(?:des |les )?\w+s\b|pas de [\w -]{2,40} dans (?:les|nos) \w+)",
        "es": r"^\W*(?:(?:y|pero|tambi[ée]n|por favor|no|s[íi]|importante|ok|oye)\b[\s,:;.!–—-]*)*"
        r"(?:(?:siempre )?hay que \w+ siempre\b|siempre hay que\b|preg[úu]ntame (?:siempre |primero )?antes de \w+ (?:un|una|cualquier|ning[úu]n\w*|archivos?|\w+s)\b|en (?:este|nuestro) (?:proyecto|repo\w*)\b[^?]{3,}$"
        r"|(?:usa|utiliza|prefiere|usamos|no usamos) [^?]{2,120}\b(?:en (?:este|nuestro) (?:proyecto|repo\w*)|en todas partes|aqu[íi])\b|mant[ée]n (?:las|los) \w+ (?:por debajo|bajo|cort[oa]s|pequeñ[oa]s|simples)\b"
        r"|(?:nunca|siempre|solo) (?!(?:supimos|sabemos|vimos|vemos|encontramos|tenemos|tuvimos|pudimos|podemos|logramos|conseguimos|hemos|recibimos|obtenemos|entendimos|descubrimos|perdemos|vamos)\b)\w+(?:amos|emos|imos) [^?]{3,}$|deja de \w+(?:ar|er|ir) (?!(?:el|la|los|las|este|esta|ese|esa)\b)\w+ .*(?:que|en|al|despu[ée]s|antes|cada)\b|prefiero (?!(?:el|la|lo|este|esta|opci[óo]n)\b)(?:los |las )?\w+s\b|nada de [\w -]{2,40} en (?:los|las) \w+)",
        "ja": r"(?:このリポジトリ|このプロジェクト|うちのチーム|このコードベース)(?:で|内)?は?.*(?:使|しない|します|する|禁止|統一|です)|(?:する|消す|削除する|変更する|追加する|入れる|push する|プッシュする)前に(?:は)?(?:必ず|まず)?.{0,12}(?:聞いて|確認して|相談して|許可)|(?:は|を)(?:短く|小さく)(?:保って|して)(?:ください|ね)?[。！!]*$"
        r"|(?:方が好き|ほうが好き|派です)[。！!]*$",
        "zh": r"(?:在?(?:本|这个|此|我们的?)(?:仓库|项目|代码库|团队))(?:里|中|内|[，,]|统一|我们|只|都|请|不|禁止|必须)[^？?]{0,24}(?:用|不|别|都|必须|禁止)[^？?]*$|.{1,20}(?:之前|前)(?:都)?(?:先|要先|必须先|得)?(?:问我|问一下我|跟我确认|征求我|得到我)|^(?!.*(?:停|刚才|刚刚|撤销|回滚|还原|这个|那个|这里|那里)).*(?:别|不要)再(?![动碰改跑试查说看发管问]).{2,30}(?:了|的)|我(?:更)?(?:喜欢|偏好|倾向于).{2,}",
    }
)  # fmt: skip
"""An order for all of a kind, with no word of duration: `Use pnpm, not npm, in this repo`."""
