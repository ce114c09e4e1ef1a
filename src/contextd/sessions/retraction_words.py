"""The words that take something back, one row for each language (ADR 62)."""

from __future__ import annotations

from contextd_common.text.languages import ByLanguage

TAKES_BACK_FIRST = ByLanguage(
    {
        "en": r"^\W*(?:(?:sorry|oops|ah|oh|hm+|wait|hold on|please|can you|could you|let'?s)\b\W*)*(?:"
        r"(?:no|nope|nah|wrong)(?=\W*$|\s*(?:[,.!…]|\s-)|\s+(?:no|wait|man|i|that|this|it|we|you|the|not|do|don'?t|use|keep|just|actually|sorry)\b)"
        r"(?!\W+(?:it|that|this|all)(?:'s| is) (?:fine|ok|good|right|correct)\b)"
        r"|(?:scratch|ignore|disregard|forget) (?:that|it|this|what|my|about)|never ?mind|don'?t do (?:that|it)"
        r"|stop(?:\W*$|[,.!]|\s+(?:it|that|this|doing|changing|adding|using|right)\b)"
        r"|(?:undo|revert|roll(?:ing)? back|back out)(?:\W*$|[,.!]|\s+(?:that|this|it|all|the|your|my|those|these|what|last|everything|to|commit|changes?)\b)"
        r"|take (?:that|it|this) back\b)",
        "de": r"^\W*(?:(?:sorry|ups|oh|ah|ach|hm+|[äa]h|moment|warte|halt|bitte|ok|okay|also|aber)\b\W*)*(?:"
        r"(?:nein|nee|n[öo])\b(?! danke)|falsch(?=\W)|quatsch\b|stopp?(?=\W*$|[,.!])|doch (?:nicht|lieber)\b|abbrechen\b|so nicht\b"
        r"|vergiss(?! (?:bitte )?(?:nicht|nie))\b|streich (?:das|die|den|es)\b|ignoriere? (?:das|die|meine|was|den|es)\b"
        r"|mache? (?:das|es|die|den)\b.{0,40}\br(?:ü|ue)ckg(?:ä|ae)ngig|mache? (?:das|es) (?:lieber )?(?:doch )?nicht\b|nimm (?:das|die|deine|den|es)\b.{0,40}\bzur(?:ü|ue)ck"
        r"|(?:das|die|den|alles)\b.{0,40}\b(?:r(?:ü|ue)ckg(?:ä|ae)ngig|zur(?:ü|ue)cknehmen|zur(?:ü|ue)ckrollen)|(?:das|es) (?:ist|war|stimmt|passt) (?:so )?(?:leider )?(?:nicht|falsch|verkehrt)\b"
        r"|(?:das )?meinte ich nicht|nicht (?:der|die|das|den|dem)\b.{2,60}\bsondern\b)",
        "fr": r"^\W*(?:(?:d[ée]sol[ée]e?|pardon|oups|ah|oh|hum|euh|attends|stp|svp|ok|mais)\b\W*)*(?:"
        r"(?:non|nan)\b(?!-)(?! merci)|faux\b|stop(?=\W*$|[,.!])|annule\b|oublie (?!pas\b)|laisse tomber\b|ignore (?:ça|ca|mon|ma|le|la|ce)\b"
        r"|reviens (?:sur|en arri[èe]re|[àa])|revenons (?:[àa]|en arri[èe]re)|remets (?:tout |le |la |ça )?comme\b|pas comme (?:ça|ca)\b|en fait,? non\b|finalement (?:non\b|ne \w+ pas|on ne)"
        r"|ce n[’']est pas (?:ce que|correct|vrai|ça|exact)|c[’']est (?:faux|inexact|[àa] l[’']envers|le mauvais|la mauvaise)|fais un rollback)",
        "es": r"^\W*(?:(?:perdona|perd[óo]n|ups|ah|oh|m+|hm+|espera|para|ok|vale|eh|por favor|porfa)\b\W*)*(?:"
        r"(?:no|nop|nope)(?=\W*$|\s*[,.;:!…]|\s+(?:no|eso|es eso|era|dije|me refer|quise|quer[íi]a)\b)|falso\b|olv[íi]da(?:lo|te)?\b|ignora (?:eso|mi|lo|esto)\b|deshaz\b|revierte\b"
        r"|cancela (?:eso|esto|lo)\b|cancela,|vuelve atr[áa]s|volvamos a|d[ée]jalo como|as[íi] no\b|retiro lo\b|me retracto\b|en realidad,? (?:no|era|es|el|la)\b|mejor no\b|pens[áa]ndolo (?:bien|mejor))",
        "it": r"^\W*(?:non\b(?!-)|annulla\b)",
        "pt": r"^\W*(?:desfaça\b|esquece\b)",
        "nl": r"^\W*(?:nee\b|vergeet (?:dat|het)|maak (?:dat|het) ongedaan)",
        "ja": r"^\W*(?:(?:すみません|ごめん(?:なさい)?|あ|うーん|えっと|待って|ちょっと)[、,\s]*)*"
        r"(?:いや|いいえ|違|やっぱり?|ううん|ストップ|逆です|そうじゃな|そうではな|今の(?:は)?なし|前言撤回|キャンセル|元に戻|それ(?:は)?元に戻)",
        "zh": r"^\W*(?:(?:抱歉|不好意思|等等|等一下|嗯|哦|啊|请)[，,、\s]*)*(?:不对|不是|不行|错|算了|撤销|撤回|不[，,]|不不|停[，,。]|没有[，,]|取消[，,。]|忽略(?:我|上|刚)|忘掉|还是(?:算了|别|不要))",
        "ko": r"^\W*(?:아니|취소|되돌)",
    }
)  # fmt: skip
"""At the start of a message."""

TAKES_BACK = ByLanguage(
    {
        "en": r"\bmy (?:mistake|bad|error|fault)\b|\bi(?:'m| am| was)? (?:wrong|mistaken|mis(?:spoke|read|took|remembered))\b|\bi made (?:a|an) (?:mistake|error)\b"
        r"|\bi (?:mixed|messed|got|said) (?:it|that|this|them) (?:up|wrong|mixed up)\b|\bi mixed up\b"
        r"|\bi (?:messed up|got wrong|said wrong)\b(?=\W*$|\s*[,.:;!…])|\bcorrection\s*:"
        r"|\b(?:undo|revert)(?:ing)? (?:that|this|it|all|your|my|those|these|everything)\b|\b(?:need|want|have) to (?:undo|revert)\b"
        r"|\b(?:that|this|it)(?:'s| is| was)? (?:wrong|incorrect|not (?:right|correct|true))\b|\bnot (?:any ?more|any ?longer)\b|\bno longer\b"
        r"|(?<!\bnot )(?<!n['’]t )(?<!\bnever )\b(?:forget|scratch|drop(?:ped)?|lift(?:ed)?|abandon(?:ed)?|revoked?|withdr[ae]wn?)"
        r" (?:about )?(?:the|that|this|my|our|your) (?:\w+ ){0,3}(?:rule|policy|convention|requirement|standard|guideline|restriction|ban)\b"
        r"|\b(?:do|does)(?:n['’]?t| not) (?:need|have) to .{1,60}\bany ?(?:more|longer)\b"
        r"|\binstead of (?:that|what)\b|\bscratch that\b|\bactually,? (?:no|we|it|the|use)\b|\bchanged (?:my|our) mind\b|\btake (?:that|it|this) back\b",
        "de": r"\bmein fehler\b|\bgeirrt\b|\b(?:lag|liege) (?:da |ich )?(?:wohl )?falsch\b|\bverwechselt\b|\bvertan\b|\bmissverstanden\b|\bfalsch (?:gelesen|verstanden|gesagt|gemerkt)\b"
        r"|\bzur(?:ü|ue)cknehmen\b|\bnehme (?:ich )?(?:das |alles )?(?:wieder )?zur(?:ü|ue)ck\b|\bnimm (?:das|deine|die) .{0,30}zur(?:ü|ue)ck\b|\b(?:das|es|bitte|alles|wieder)\b.{0,30}\br(?:ü|ue)ckg(?:ä|ae)ngig\b"
        r"|\b(?:das|dies|es|meine \w+.{0,40}) (?:ist|war|w(?:ä|ae)re) (?:so )?(?:leider )?(?:falsch|verkehrt|nicht (?:richtig|korrekt|wahr))\b|\bdas stimmt (?:so )?nicht\b"
        r"|\banders (?:ü|ue)berlegt\b|\brecht (?:ü|ue)berlege\b|\bdoch nicht\b|\b(?:hat|haben) sich erledigt\b|\bhinf(?:ä|ae)llig\b|\b(?:regel|vorgabe|pflicht)\b.{0,60}\b(?:gestrichen|aufgehoben|abgeschafft)\b"
        r"|\b(?:gilt|gelten|stimmt|trifft)\b.{0,50}\bnicht mehr\b|\b(?:wir|ich)\b.{0,50}\bnicht mehr\b|\b(?:nutzen|verwenden|benutzen|brauchen|machen|nehmen) wir\b.{0,20}\bnicht mehr\b|\bnicht mehr (?:gebraucht|ben(?:ö|oe)tigt|n(?:ö|oe)tig|g(?:ü|ue)ltig|aktuell|relevant)\b"
        r"|\bkannst du (?:ignorieren|vergessen)\b|\bignoriere? (?:bitte )?(?:meine|den|das|die) .{0,20}(?:nachricht|teil|hinweis|regel)\b|\bwie (?:es )?vorher\b|\b(?:zur(?:ü|ue)ck|wieder) .{0,12}vorherigen version\b|\bkorrektur\s*:"
        r"|\bfalsche (?:annahme|datei|baustelle)\b|\bdas falsche \w+|\bfalsch ?(?:he)?rum\b|\bverkehrt ?(?:he)?rum\b|\b(?:kaputt ?gemacht)\b|\bich (?:meinte|sagte) (?!dir)",
        "fr": r"\bje me suis tromp|\bc[’']est faux\b|\bmon erreur\b|\bc[’']est ma faute\b|\bc[’']était (?:mon erreur|une erreur de ma part)\b|\bj[’']ai (?:fait une erreur|confondu|mal (?:lu|compris|dit))\b|\b(?:m[’']as|as) mal compris\b"
        r"|\bchang[ée] d[’']avis\b|\bje (?:retire|reviens sur)\b|\bje (?:voulais dire|parlais d)|\bn[’']est plus (?:valable|en vigueur|le cas|utilis[ée]|n[ée]cessaire|d[’']actualit[ée])|\bne s[’']applique(?:nt)? plus\b"
        r"|\b(?:on|nous|je) n[’']\w+ plus\b|\bn[’']en a(?:vons)? plus besoin\b|\b(?:on|nous|je) ne \w+ plus\b|\btout compte fait\b|\b[àa] la r[ée]flexion\b|\br[ée]flexion faite\b|\bne tiens pas compte\b|\bc[’']est du pass[ée]\b"
        r"|\bannule[rz]? (?:ça|cela|tout|ta|ton|mon|ma)\b|\btu as (?:cass[ée]|invers[ée]|oubli[ée] ce que)\b|\bmauvaise (?:hypoth[èe]se|branche|colonne)\b|\ble mauvais (?:fichier|d[ée]p[ôo]t|repo|bouton)\b|\bmauvais fichier\b"
        r"|\b(?:r[èe]gle|consigne)\b.{0,60}\b(?:supprim[ée]e|caduque|abandonn[ée]e|lev[ée]e)\b|\b[àa] l[’']envers\b|\bn[’']est pas (?:correct|vrai|exact|ce que je)|\bcomme c[’'][ée]tait avant\b|\bversion pr[ée]c[ée]dente\b|\bcorrection\s*:|\bj[’']ai dit\b.{2,60}\bpas\b|\bfaute de frappe\b",
        "es": r"\bme equivoqu|\bmi error\b|\berror m[íi]o\b|\bculpa m[íi]a\b|\bcomet[íi] un error\b|\bconfund[íi]\b|\ble[íi] mal\b|\b(?:me )?entendiste mal\b|\bmalentendido\b|\bcambi(?:ado|[ée]) de (?:opini[óo]n|idea)\b|\bretiro lo (?:dicho|que)\b|\bme retracto\b"
        r"|\b(?:no )?me refer[íi]a\b|\bquer[íi]a decir\b|\bquise decir\b|\beso (?:est[áa] mal|no es (?:cierto|correcto|as[íi])|es (?:falso|incorrecto)|ya no)\b|\b(?:esto|eso|dicho|dije\b.{0,40}) no (?:es|era) (?:cierto|correcto|verdad)\b"
        r"|\bya no (?:\w+mos|aplica\w*|vale|hace falta|es (?:as[íi]|necesario|v[áa]lid[oa])|quiero|rige|se usa)\b|\bal final no\b|\bal rev[ée]s\b|\b(?:archivo|repositorio|rama|columna|fichero) equivocad[oa]\b|\bcomo estaba antes\b|\bversi[óo]n anterior\b"
        r"|\brompiste\b|\bolvidaste lo que\b|\bsin efecto\b|\bno hagas caso\b|\bsuposici[óo]n (?:err[óo]nea|equivocada)\b|\bdeshaz\b|\bcorrecci[óo]n\s*:|\bquitamos la (?:regla|norma)\b|\berrata\b|\bpens[áa]ndolo (?:bien|mejor)\b|\bolv[íi]dalo\b",
        "it": r"\bmi sbagli|\bho sbagliato\b|\berrore mio\b|\bnon .{1,40} più\b",
        "pt": r"\bme enganei\b|\berro meu\b|\bnão .{1,40} mais\b",
        "nl": r"\bmijn fout\b|\bniet meer\b|\bklopt niet\b",
        "ja": r"間違え(?:ました|た|て(?:い)?(?:ました|た|る))|間違いで(?:した|す)|間違って(?:い)?(?:ました|た|いて|て)|誤りで(?:した|す)|誤って(?:い)?た|誤解|勘違い|取り違え|読み間違|取り消し?(?:て|ます|ましょう)|撤回|元に戻して|(?:前|以前|元)の(?:状態|バージョン|名前|挙動)(?:に戻|の(?:まま|方)|が正し)"
        r"|(?:こと|件|話)は(?:もう)?(?:忘れて|無視して|不要)|なかったことに|(?:さっき|先ほど|前)の.{0,20}(?:無視|忘れ|誤|違|取り消)|無視して(?:いい|くださ|よい)|は廃止(?:した|しました|です)|もう(?:使って(?:い)?(?:ない|ません)|不要|必要(?:な|あ)|適用され|要らな|いらな|当てはま)|もう.{0,12}(?:ないので削除|当てはまらない)"
        r"|もう使い?ません|もう当てはま|気が変わ|考え直し|(?:やっぱり?|それ(?:は)?)やめて|(?:の)?(?:ミス|勘違い)で(?:した|す)|タイプミス|訂正\s*[:：]|そういう意味(?:では|じゃ)|結局.{0,30}(?:ない|しない)ことに|と言(?:った|いました)|(?:それ|これ)は(?:正しくな|間違い)|(?:順番|順序|向き)が逆|前提が(?:誤|間違)|壊れたので(?:ロールバック|戻)|(?:では|じゃ)なくて?.{1,30}(?:です|の(?:こと|方)|と言)",
        "zh": r"不再(?:适用|使用|需要|成立)|弄错|搞错|说错|看错|打错字|写错了|理解错|误会了|弄反|搞反|(?:顺序|方向)反了|搞混|弄混|记错|撤销(?:刚才|这|那|你|上|掉)|撤回(?:吧|掉|来|刚|这|那)?[。！!]*$|收回|(?:改动|修改|更改)回滚|回滚掉|回退(?:一下|吧)|作废|改主意|改变主意|更正\s*[：:]|我的(?:错|失误)|是我的失误|不是(?:这个|那个)?意思|我(?:说|指)的是"
        r"|不用管(?:了|它)?|忘了吧|忽略(?:我|刚才|之前|上)|可以忽略|(?:我们)?已经不(?:用|需要|再)|不需要了|不用.{0,12}了[。！!]*$|(?:规定|规则|要求)(?:已经)?取消|过时了|说法不(?:正确|准确)|这条(?:就)?不成立|不成立了|恢复(?:成|到)(?:之前|原来)|回到(?:上一个|之前)|保持原样|还是(?:别|不要)(?:做|改|用|动)|(?:问题|原因)?不是.{1,30}[，,](?:而)?是|(?:你|我|文档)(?:弄|搞|写|说|想|理解)?错了|假设有误|不是这样|这样不对|这不(?:正确|对)|我说过了",
        "ko": r"더 ?이상|틀렸|잘못|취소|되돌",
    }
)  # fmt: skip
"""Anywhere near the start of a message."""

ASKS_ABOUT = ByLanguage(
    {
        "en": r"\b(?:how|what|why|when|where|which|is|was|does|did)\b(?:[^.!?\n]|\.(?=\S))*[?？]",
        "de": r"\b(?:wie|was|warum|wieso|wann|wo|welche[rs]?|ist|sind|kann|gilt)\b(?:[^.!?\n]|\.(?=\S))*[?？]",
        "fr": r"\b(?:comment|pourquoi|quand|o[ùu]|quel(?:le)?s?|est|qu[’']est)\b(?:[^.!?\n]|\.(?=\S))*[?？]",
        "es": r"\b(?:c[óo]mo|por qu[ée]|qu[ée]|cu[áa]ndo|d[óo]nde|cu[áa]l|es|est[áa])\b(?:[^.!?\n]|\.(?=\S))*[?？]",
        "ja": r"[^。！!？?\n]*[?？]",
        "zh": r"[^。！!？?\n]*[?？]",
    }
)  # fmt: skip
"""A question with such words asks about something and takes nothing back."""
