"""The words by which a user introduces what another person wrote, or text for a file; one row for each language.

A row is tried only on lines that may be written in its language (ADR 62). Each pattern is matched with a line up to
its colon.
"""

from __future__ import annotations

from contextd_common.text.languages import ByLanguage

_PROGRAMS = (
    r"(?:chat ?gpt|gpt[\w.-]*|gemini|claude|copilot|cursor|codex|grok|deepseek|perplexity|mistral|le chat|llama|qwen|kimi"
    r"|coderabbit|stack ?overflow)"
)
# Programs and sites that answer questions. `Claude: never push` is an order, so a word for an answer must be near.

ANSWERED = ByLanguage(
    {
        "en": _PROGRAMS
        + r"\b[^:\n]{0,30}\b(?:answers?(?:ed)?|repl(?:y|ied|ies)|sa(?:ys|id)|suggest\w*|recommend\w*|told|gave|response|output|came up|advice|thinks|wrote)\b"
        r"|\b(?:answer|reply|response|suggestions?|advice|recommendations?|output)\b[^:\n]{0,20}\b(?:from|by|of) "
        + _PROGRAMS
        + r"\b",
        "de": _PROGRAMS
        + r"\b[^:\n]{0,40}\b(?:antwort\w*|geantwortet|sagt\w*|gesagt|meint\w*|gemeint|schlägt|vorgeschlagen|vorschlag|empfiehlt|empfohlen|empfehlung|gab|gegeben|schrieb|ausgabe|rät)\b"
        r"|\b(?:antwort|vorschlag|rat|empfehlung|ausgabe)\b[^:\n]{0,20}\b(?:von|aus) "
        + _PROGRAMS
        + r"\b",
        "fr": _PROGRAMS
        + r"\b[^:\n]{0,40}\b(?:r[ée]pon\w+|dit|sugg[èe]re|sugg[ée]r[ée]|propos\w+|recommand\w+|donn[ée]|conseil\w*|[ée]crit)\b"
        r"|\b(?:r[ée]ponse|suggestion|proposition|conseil|avis|sortie)\b[^:\n]{0,20}\b(?:de |par )"
        + _PROGRAMS
        + r"\b",
        "es": _PROGRAMS
        + r"\b[^:\n]{0,40}\b(?:respon\w+|respuesta|dijo|dice|sugi\w+|propu\w+|propone|recom\w+|dio|dado|consej\w+|escribi[óo])\b"
        r"|\b(?:respuesta|sugerencia|propuesta|consejo|salida)\b[^:\n]{0,20}\b(?:de|por|dio) "
        + _PROGRAMS
        + r"\b",
        "ja": _PROGRAMS
        + r".{0,20}(?:回答|答え|返答|返事|返信|提案|出力|言って|言われ|助言|アドバイス)",
        "zh": _PROGRAMS + r".{0,20}(?:回答|答复|回复|建议|答案|说|输出|给出|给了)",
    }
)  # fmt: skip
"""What another program answered follows."""

RECORDED = ByLanguage(
    {
        "en": r"\b(?:meeting notes|minutes|meeting record|transcript|call notes|stand-?up notes|retro(?:spective)? notes|chat log|slack thread)\b[^:\n]{0,30}$"
        r"|^\W*(?:(?:the|this|that|an?|here(?:['’]s| is| are)|and|so|ok) )*(?!our|my|project|repo|let|it|today|here|there|what)(?:[\w-]+ ){0,3}?[\w-]+(?:['’]s|s['’]) (?:[\w-]+ ){0,2}(?:check-?list|notes|list|wish ?list|requirements|demands|wishes|findings|points|handbook|guide(?:lines?)?|memo|remarks|recommendations)\b[^:\n]{0,20}$"
        r"|^\W*(?:(?:the|this|that|an?|here(?:['’]s| is| are)|and|so|ok|some|more) )*(?:\w+ )?(?:check-?list|notes|wish ?list|memo|remarks|findings|recommendations) (?:from|by|of)\b(?! (?:this|our|the) (?:project|repo))[^:\n]{1,80}$",
        "de": r"\b(?:\w*protokolls?|\w*notizen|mitschrift|\w*mitschnitt|\w*transkript|chatverlauf)\b[^:\n]{0,30}$"
        r"|^\W*(?:(?:hier|ist|sind|kommt|die|das|der|eine?|und|noch) )*(?!regel|konvention)\w*(?:checkliste|liste|anforderungen|w(?:ü|ue)nsche|vorgaben|empfehlungen|hinweise|handbuch|anmerkungen|merkblatt) (?:von|vom|der|des|aus)\b(?!.*\b(?:regeln|konventionen|dieses projekts|diesem projekt|unserem? projekts?)\b)[^:\n]{1,80}$"
        r"|^\W*hier (?:(?:ist|sind|kommt|die|das|der|eine?) )*(?:e?-?mail|nachricht|ticket|kommentar\w*|review|feedback|antwort|brief|chat\w*|auszug|zitat|bericht|log|ausgabe)\b[^:\n]{0,80}$",
        "fr": r"\b(?:notes de (?:la )?r[ée]union|compte[- ]rendu|proc[èe]s-verbal|transcription|fil slack)\b[^:\n]{0,30}$"
        r"|^\W*(?:(?:voici|voil[àa]|et|la|le|les|une|des) )*(?:liste|check-?list|exigences|demandes|souhaits|recommandations|remarques|notes|guide|points) (?:de contr[ôo]le |de v[ée]rification )?(?:de |du |des |d[’'])(?!.*\b(?:r[èe]gles|conventions|ce projet|notre projet)\b)[^:\n]{1,80}$"
        r"|\b(?:relis|relisez|regarde|voici|voil[àa]|j[’']ai (?:eu|re[çc]u))\b[^:\n]{0,40}\b(?:diff|r[ée]ponse|mail|message|courriel|commentaire|retour)\b[^:\n]{0,60}$",
        "es": r"\b(?:acta|minuta|notas de (?:la )?reuni[óo]n|transcripci[óo]n|hilo de slack)\b[^:\n]{0,30}$"
        r"|^\W*(?:(?:aqu[íi]|est[áa]n?|va|y|la|el|los|las|una|un) )*(?:lista|check-?list|requisitos|exigencias|deseos|recomendaciones|observaciones|notas|gu[íi]a|puntos) (?:de (?:control|verificaci[óo]n|comprobaci[óo]n) )?(?:de|del)\b(?!.*\b(?:reglas|normas|convenciones|este proyecto|nuestro proyecto)\b)[^:\n]{1,80}$"
        r"|\b(?:mira|revisa|aqu[íi] va|he recibido|recib[íi]|me lleg[óo])\b[^:\n]{0,40}\b(?:diff|respuesta|correo|mensaje|comentario)\b[^:\n]{0,60}$",
        "ja": r"(?:議事録|会議の?(?:メモ|ノート|記録)|打ち合わせの?メモ|ミーティングの?(?:メモ|ノート|記録)|文字起こし|チャットログ).{0,20}$"
        r"|^(?!.{0,6}(?:うち|私たち|我々|弊社)の).{0,16}(?:チーム|部門|部署|さん|お客様|顧客|監査|法務|クライアント|担当者?|先方|上司).{0,4}(?:の|から).{0,10}(?:チェックリスト|リスト|メモ|要件|要望|一覧|指摘|コメント|ガイドライン)(?:です)?\W*$",
        "zh": r"(?:会议|例会|站会|讨论|聊天|通话)(?:记录|纪要|笔记|内容).{0,16}$"
        r"|^(?!.{0,4}(?:我们|咱们|本项目)).{0,12}(?:团队|部门|客户|同事|老板|领导|法务|安全|审计|甲方|经理|供应商).{0,6}(?:检查清单|清单|列表|笔记|要求|建议|意见|备忘录|指南)\W*$",
    }
)  # fmt: skip
"""A record of a meeting, or the list of another team, follows."""

REPORTED = ByLanguage(
    {
        "en": r"\b(?:colleagues?|co-?workers?|boss|manager|c[te]o|pm|clients?|customers?|users?|reviewers?|teammates?|lead|friends?|support|vendors?|designers?"
        r"|stakeholders?|partners?|maintainers?|someone|somebody|he|she|they|it|(?:the|another) (?:other )?(?:agent|model|bot|ai|assistant)|chatgpt|gpt[\w.-]*|gemini|claude"
        r"|copilot|cursor|codex|coderabbit|docs?|documentation|readme|wiki|guidelines?|spec|ticket|issue|error|log)\b[^:\n]{0,60}?\b(?:wrote|writes|said|says|sent|commented|posted"
        r"|replied|answered|told (?:me|us)|asks?|asked|reported|suggest(?:s|ed)|proposed|responded|states?|reads|gave me)\b[^:\n]{0,60}$"
        r"|^\W*(?:(?:the|this|that|an?|my|our|their|his|her|and|so|ok|got|another|some|new|first|last) )*(?:e?-?mails?|messages?|tickets?|issues?|comments?|reviews?|feedback|repl(?:y|ies)|answers?|responses?|letter|chat|thread|transcript|post|excerpt|quote|guidelines?|docs?"
        r"|documentation|readme|wiki|article|spec|output|logs?|trace|errors?|diff|report|conversation|plan|prompt|proposal)\b (?:from|of|by|in|on)\b[^:\n]{1,80}$"
        r"|\b(?:here(?:['’]s| is| are)|this is|these are|below (?:is|are)|i (?:got|received|found)|we (?:got|received)|(?:implement|review|read|see|check|look at|analy[sz]e|summari[sz]e|translate"
        r"|rephrase|rewrite|proofread|explain)) (?:(?:the|this|these|a|an|some|its|their|his|her|what)\b[^:\n]{0,60}?)?\b(?:e?-?mails?|messages?|tickets?|issues?|comments?|reviews?|feedback|repl(?:y|ies)"
        r"|answers?|responses?|letter|chat|thread|transcript|posts?|excerpt|quote|article|spec|output|logs?|trace|errors?|diff|report|conversation|plan|prompt|proposal|text|code|snippet|paragraphs?|sentences?"
        r"|wrote|said|says|got)\b[^:\n]{0,60}$",
        "de": r"\b(?:kolleg\w+|chef\w*|kund\w+|reviewer\w*|nutzer\w*|teamleit\w+|freund\w*|er|sie|jemand|die doku\w*|das readme|die richtlinie)\b[^:\n]{0,60}?\b(?:schrieb|schreibt|geschrieben|sagt|sagte|gesagt"
        r"|meint|meinte|schickte?|geschickt|antwortete?|geantwortet|kommentiert\w*|verlangt|steht)\b[^:\n]{0,60}$"
        r"|^\W*(?:(?:der|die|das|ein|eine|meine?|unsere?|und|noch eine?) )*(?:e?-?mail|nachricht|ticket|kommentar|review|feedback|antwort|brief|chat|auszug|zitat|richtlinie|doku\w*|readme|wiki|ausgabe|logs?|protokoll|fehler\w*|diff|bericht|plan|vorschlag)\b"
        r" (?:von|vom|der|des|aus|im|in)\b[^:\n]{1,80}$"
        r"|\b(?:hier ist|hier sind|das ist|folgende[rsn]?|lies|prüfe?|übersetze?|fass|formuliere?|erkläre?|setze?)\b[^:\n]{0,60}?\b(?:e?-?mail|nachricht|ticket|kommentar\w*|review|feedback|antwort|text|ausgabe|log|fehler\w*|plan\w*|bericht|vorschlag)\b[^:\n]{0,60}$",
        "fr": r"\b(?:coll[èe]gue|chef|client\w*|utilisat\w+|relecteur|[ée]quipe|ami\w*|il|elle|quelqu['’]un|la doc\w*|le readme)\b[^:\n]{0,60}?\b(?:[ée]crit|dit|envoy[ée]e?|r[ée]pondu|r[ée]pond|comment[ée]|demande|sugg[èe]re|indique)\b[^:\n]{0,60}$"
        r"|^\W*(?:(?:le|la|les|un|une|mon|ma|notre|et|voici) )*(?:e?-?mail|courriel|message|ticket|commentaire|revue|retour|r[ée]ponse|lettre|extrait|citation|consigne|documentation|sortie|logs?|journal|erreur|rapport|plan|proposition)s?\b (?:de|du|des|d['’]|dans)[^:\n]{1,80}$"
        r"|\b(?:voici|voil[àa]|lis|v[ée]rifie|traduis|r[ée]sume|reformule|explique)\b[^:\n]{0,60}?\b(?:e?-?mail|message|ticket|commentaire|r[ée]ponse|texte|sortie|logs?|erreur|plan|rapport|proposition)\b[^:\n]{0,60}$",
        "es": r"\b(?:compañer[oa]|jef[ea]|cliente\w*|usuari[oa]s?|revisor|equipo|amig[oa]|[ée]l|ella|alguien|la doc\w*|el readme)\b[^:\n]{0,60}?\b(?:escribi[óo]|escribe|dijo|dice|envi[óo]|respondi[óo]|coment[óo]|pide|pidi[óo]|sugiere)\b[^:\n]{0,60}$"
        r"|^\W*(?:(?:el|la|los|las|un|una|mi|nuestr[oa]|y) )*(?:correo|e?-?mail|mensaje|ticket|comentario|revisi[óo]n|respuesta|carta|extracto|cita|gu[íi]a|documentaci[óo]n|salida|logs?|registro|error|informe|plan|propuesta)s?\b (?:de|del|desde|en)\b[^:\n]{1,80}$"
        r"|\b(?:aqu[íi] (?:est[áa]n?|tienes)|este es|lee|revisa|traduce|resume|reformula|explica)\b[^:\n]{0,60}?\b(?:correo|mensaje|ticket|comentario|respuesta|texto|salida|logs?|error|plan|informe|propuesta)\b[^:\n]{0,60}$",
        "ja": r"(?:さん|同僚|上司|顧客|お客様|ユーザー|レビュアー|チーム|ドキュメント|README|エラー|ログ).{0,30}(?:から|より|に).{0,20}(?:メール|メッセージ|コメント|連絡|返信|指摘|依頼|書かれ|書いて|言われ|言って).{0,20}$"
        r"|(?:以下|次|この|下記).{0,16}(?:メール|メッセージ|コメント|レビュー|文章|テキスト|ログ|出力|エラー|計画|プラン|返信|引用).{0,24}$|(?:メール|コメント|ログ|引用|出力)$",
        "zh": r"(?:同事|老板|客户|用户|经理|审查者|团队|他|她|文档|README).{0,24}(?:写道|写的|说|发来|回复|评论|提到|要求|来信).{0,16}$"
        r"|(?:以下|下面|这)是?.{0,16}(?:邮件|消息|评论|回复|日志|输出|报错|错误|计划|方案|文字|文本|内容|原文|引用).{0,16}$|(?:邮件|日志|评论|引用|原文)$",
    }
)  # fmt: skip
"""What another person, a program or a document said follows."""

FOR_A_FILE = ByLanguage(
    {
        "en": r"\b(?:put|add|write|insert|paste|include|append|save|place|use|set|change|update|replace|fill|create|copy|render|show|display|print|return|make)\b[^:\n]{0,120}?"
        r"\b(?:\w+\.\w{1,5}|readme|files?|docs?|documentation|page|instructions|template|prompt|section|comments?|docstring|description|body|title|banner|footer|header|e?-?mail|message|dialog|tooltip"
        r"|label|placeholder|config\w*|changelog|issue|ticket|ui|screen|website|copy|text|contents?|lines?|words|wording|skill|frontmatter|policy page|faq)\b[^:\n]{0,40}$",
        "de": r"\b(?:schreib\w*|füg\w*|setz\w*|trag\w*|pack\w*|leg\w*|nimm|erstell\w*|übernimm|kopier\w*|zeig\w*|ergänz\w*|änder\w*|ersetz\w*)\b[^:\n]{0,120}?"
        r"\b(?:\w+\.\w{1,5}|readme|datei\w*|doku\w*|seite|anleitung\w*|vorlage|prompt|abschnitt|kommentar\w*|beschreibung|text|titel|banner|fußzeile|e?-?mail|nachricht|dialog|tooltip|button|\w*hinweis|\w*prompt|meldung|inhalt|zeilen?)\b[^:\n]{0,40}$",
        "fr": r"\b(?:mets|change|modifie|ajoute\w*|[ée]cris|ins[èe]re|colle|place|utilise|cr[ée]e|copie|affiche|remplace|compl[èe]te)\b[^:\n]{0,120}?"
        r"\b(?:\w+\.\w{1,5}|readme|fichier|docs?|documentation|page|instructions|mod[èe]le|prompt|section|commentaire|description|texte|titre|banni[èe]re|e?-?mail|message|dialogue|infobulle|bouton|libell[ée]|notification|contenu|lignes?)\b[^:\n]{0,40}$",
        "es": r"\b(?:pon|sustituye|modifica|a[ñn]ade|agrega|escribe|inserta|pega|incluye|usa|crea|copia|muestra|reemplaza|cambia)\b[^:\n]{0,120}?"
        r"\b(?:\w+\.\w{1,5}|readme|archivo|fichero|docs?|documentaci[óo]n|p[áa]gina|instrucciones|plantilla|prompt|secci[óo]n|comentario|descripci[óo]n|texto|t[íi]tulo|banner|correo|mensaje|di[áa]logo|tooltip|bot[óo]n|etiqueta|notificaci[óo]n|contenido|l[íi]neas?)\b[^:\n]{0,40}$",
        "ja": r"(?:\.\w{1,5}|README|ファイル|ドキュメント|ページ|テンプレート|プロンプト|セクション|コメント|説明|本文|タイトル|メッセージ|画面|ツールチップ|ダイアログ|ラベル|ボタン|バナー|ヒント|プレースホルダー?|通知|文言|エラー文|メール|フッター|ヘッダー).{0,16}(?:に|へ|として|を).{0,16}(?:書いて|追加|入れて|記載|貼って|作成|作って|表示|置いて|追記|変え|変更|書き換え|置き換え|差し替え|更新|直して|設定|して).{0,12}$",
        "zh": r"(?:写入|写到|加到|添加到|放到|放进|插入|粘贴到|保存到|更新|创建|新建|显示).{0,40}(?:\.\w{1,5}|README|文件|文档|页面|模板|提示词|章节|注释|说明|正文|标题|消息|界面|内容).{0,12}$"
        r"|(?:把|将|在|给).{0,40}(?:\.\w{1,5}|README|文件|文档|页面|模板|提示词?|章节|注释|说明|按钮|标签|标题|横幅|弹窗|对话框|文案|占位符|通知|邮件).{0,12}(?:写|加|放|改|填|换).{0,12}$"
        r"|(?:加|添加|增加|弹出?|显示|做|写|改).{0,16}(?:提示|弹窗|对话框|标签|横幅|通知|文案|说明|按钮|标题|占位符|邮件|消息|注释).{0,16}(?:文字|内容|文案|文本|写着|写上|写|显示)?(?:是|为|如下)?\W*$",
    }
)  # fmt: skip
"""Text for a file, a page or a message of a program follows."""

POINTING = ByLanguage(
    {
        "en": r"\b(?:this|these|following)\b|\.\w{1,5}\b|\b(?:text|contents?|title|wording|line|message|label|banner|tooltip|section|instructions)\W*$|\b(?:change|set|replace|update|rewrite|switch|turn)\b.*\b(?:to|with|by|into)\W*$",
        "de": r"\b(?:diese[nmrs]?|folgende\w*)\b|\b(?:inhalt|text|titel|wortlaut|zeile|hinweis)(?: hinzu| ein| an)?\W*$|\b(?:ersetz|änder|setz|stell)\w*\b.*\b(?:durch|in|zu|auf|um|mit)\W*$",
        "fr": r"\b(?:ceci|ce texte|suivante?s?)\b|\b(?:texte|contenu|titre|ligne|message)\W*$|\b(?:remplace|change|modifie|mets)\b.*\b(?:par|en|avec|[àa])\W*$",
        "es": r"\b(?:esto|este texto|siguientes?)\b|\b(?:texto|contenido|t[íi]tulo|l[íi]nea|mensaje)\W*$|\b(?:cambia|reemplaza|sustituye|modifica)\b.*\b(?:por|a|con)\W*$",
        "ja": r"以下|次の|この(?:文|内容|テキスト|文言)|(?:本文|内容|文言|テキスト|タイトル|メッセージ)(?:[をに]|として|\W*$)",
        "zh": r"以下|下面|下列|如下|这(?:段|个|些|句)|(?:内容|文本|文字|文案|标题|消息|显示|写上|写着|写明)(?:是|为)?\W*$|(?:改|换|替换|设)(?:成|为)\W*$",
    }
)  # fmt: skip
"""What an introduction needs if its text follows in the same line: `Use short commit messages: …` is a rule."""

FOR_MEMORY = ByLanguage(
    {
        "en": r"\b(?:your|its) (?:memory|notes)\b|\bremember\b|\bin mind\b",
        "de": r"\bmerk\w*\b|\bdein\w* (?:ged[äa]chtnis|notizen)\b",
        "fr": r"\bta m[ée]moire\b|\bsouviens\b|\bretiens\b",
        "es": r"\btu memoria\b|\brecuerda\b",
        "ja": r"覚え",
        "zh": r"记住|记忆",
    }
)  # fmt: skip
"""What follows is for the agent to remember."""

ADDRESSED = ByLanguage(
    {
        "en": r"^\W*(?:(?:ok(?:ay)?|so|and|now|then|also|please|pls|thanks|but|first)\b[\s,.!:-]*)*(?:(?:can|could|would|will|do|does|is|are|should|shall|what|why|how|where|which|who|when) \w+"
        r"|let['’]?s|i (?:want|need|would like|['’]d like|think|agree|disagree)|add|fix|create|make|update|remove|delete|write|run|check|look|implement|change|use|find|show|tell|give|explain|move|rename"
        r"|refactor|test|build|commit|push|merge|continue|proceed|do|don['’]?t|read|open|review|put|set|start|stop|see|help|draft|reply|answer|respond|translate|summari[sz]e|rewrite|rephrase|apply|address"
        r"|handle|resolve|convert|extract|plan|think|compare|investigate|debug|verify|ignore|keep|follow)\b|\bplease\b|\?\s*$",
        "de": r"^\W*(?:(?:ok|bitte|und|jetzt|dann|aber|also)\b[\s,.!:-]*)*(?:mach\w*|schreib\w*|füg\w*|änder\w*|prüf\w*|schau\w*|erklär\w*|antwort\w*|entwirf|übersetz\w*|fass\w*|behebe?|fix\w*|setz\w*|zeig\w*|lies|baue?|kannst|könntest|was|warum|wie|wo|ich (?:will|möchte|brauche|denke))\b|\bbitte\b|\?\s*$",
        "fr": r"^\W*(?:(?:ok|et|maintenant|donc|alors)\b[\s,.!:-]*)*(?:peux|pourrais|fais|[ée]cris|corrige|ajoute|v[ée]rifie|r[ée]ponds|r[ée]dige|traduis|r[ée]sume|explique|regarde|change|qu['’]|que|pourquoi|comment|o[ùu]|je (?:veux|voudrais|pense))\b|s['’]il (?:te|vous) pla[iî]t|\bstp\b|\?\s*$",
        "es": r"^\W*(?:(?:ok|y|ahora|entonces|vale)\b[\s,.!:-]*)*(?:puedes|podr[íi]as|haz|escribe|corrige|a[ñn]ade|revisa|responde|redacta|traduce|resume|explica|mira|cambia|qu[ée]|por qu[ée]|c[óo]mo|d[óo]nde|quiero|necesito|creo)\b|por favor|\?\s*$",
        "ja": r"(?:ください|下さい|お願い|してほしい|して欲しい|しょうか|ですか|ますか|して)[。！!？?]*$|[?？]\s*$",
        "zh": r"^(?:请|帮我|麻烦|你(?:能|可以)|怎么|为什么|如何|我(?:想|要|觉得))|(?:吗|呢)[。？?]*$|[?？]\s*$",
    }
)  # fmt: skip
"""A closing paragraph speaks to the agent again."""

GREETING = ByLanguage(
    {
        "en": r"^\W*(?:hello|hi|hey|dear|good (?:morning|afternoon|evening)|from|to|subject|date)\b[^\n]{0,60}(?:[,!:]|$)",
        "de": r"^\W*(?:hallo|guten (?:tag|morgen)|sehr geehrte\w*|liebe\w*|von|an|betreff)\b",
        "fr": r"^\W*(?:bonjour|bonsoir|salut|cher|ch[èe]re|de|objet)\b",
        "es": r"^\W*(?:hola|buenos d[íi]as|buenas|estimad[oa]s?|querid[oa]s?|asunto)\b",
        "ja": r"^(?:お世話に|こんにちは|いつも)",
        "zh": r"^(?:你好|您好|各位|尊敬的)",
    }
)  # fmt: skip
"""A letter begins: it has several paragraphs."""

SALUTATION = ByLanguage(
    {
        "en": r"^\W*(?:hello|hi|hey|dear|good (?:morning|afternoon|evening))\b(?! claude| again)[^\n,.:]{0,40}[,!]\s*(?:\n|$)",
        "de": r"^\W*(?:hallo|hi|moin|guten (?:tag|morgen)|sehr geehrte\w*|liebe\w*)\b(?! claude| nochmal)[^\n,.:]{0,40}[,!]\s*(?:\n|$)",
        "fr": r"^\W*(?:bonjour|bonsoir|salut|cher|ch[èe]re)\b(?! claude)[^\n,.:]{0,40}[,!]\s*(?:\n|$)",
        "es": r"^\W*(?:hola|buenos d[íi]as|buenas(?: tardes)?|estimad[oa]s?|querid[oa]s?)\b(?! claude)[^\n,.:]{0,40}[,:!]\s*(?:\n|$)",
        "ja": r"^(?:お世話に|.{1,12}様[、。]?\s*(?:\n|$)|.{1,12}さん、?\s*(?:\n|$))",
        "zh": r"^(?:.{0,10}(?:你好|您好)|各位.{0,8}|尊敬的.{1,16})[,，:：!！。]?\s*(?:\n|$)",
    }
)  # fmt: skip
"""A letter begins in the midst of a message, with its greeting in a line of its own."""

OWN_LABEL = ByLanguage(
    {
        "en": r"(?:notes?|important|rules?|attention|warning|reminder|hint|tip|todo|ps|p\.s\.|btw|fyi|edit|update|task|goal|context|problem|expected|actual|steps?|question|example|new rule|style|convention|bugs?|fix(?:es)?|add|remove|change|features?|issues?|backend|frontend|api|tests?|docs?|css|ui|db|q|a)\W*$",
        "de": r"(?:notiz|hinweis|wichtig|regeln?|achtung|warnung|erinnerung|tipp|todo|ps|aufgabe|ziel|kontext|problem|erwartet|schritte?|frage|beispiel|stil|konvention|fehler|fix|bug|frontend|backend|api|tests?|doku)\W*$",
        "fr": r"(?:notes?|important|r[èe]gles?|attention|rappel|astuce|todo|ps|nb|t[âa]che|but|contexte|probl[èe]me|attendu|[ée]tapes?|question|exemple|style|convention|bug|corriger|ajouter|frontend|backend|api|tests?|docs?)\W*$",
        "es": r"(?:notas?|importante|reglas?|atenci[óo]n|aviso|recordatorio|consejo|todo|ps|pd|ojo|tarea|objetivo|contexto|problema|esperado|pasos?|pregunta|ejemplo|estilo|convenci[óo]n|error|bug|arreglar|a[ñn]adir|frontend|backend|api|pruebas|tests?|docs?)\W*$",
        "ja": r"(?:注意|重要|ルール|メモ|補足|追記|質問|目的|背景|問題|期待|手順|例|規約|方針|タスク|バグ|修正|追加|画面|テスト|仕様)\W*$",
        "zh": r"(?:注意|重要|规则|备注|补充|问题|目标|背景|期望|步骤|例子?|约定|规范|任务|提示|要求|修复|新增|前端|后端|接口|测试|文档|功能)\W*$",
    }
)  # fmt: skip
"""A label before a colon under which the user speaks. Another name that returns before a colon is a speaker."""
