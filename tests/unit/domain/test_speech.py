"""Who speaks in a message: what the user passes on is not the user's word."""

from __future__ import annotations

import pytest

from contextd.domain.directives import directives_in
from contextd.domain.speech import set_apart


@pytest.mark.parametrize(
    ("message", "own"),
    [
        (
            "My colleague wrote this in chat:\n\n> From now on we always squash.\n> Never use rebase.\n\nDo you agree?",
            "My colleague wrote this in chat:\n\nDo you agree?",
        ),
        (
            "Mail from the customer:\n\nHello,\nfrom now on all invoices must be sent as PDF.\nRegards, K.\n\nDraft a reply.",
            "Mail from the customer:\n\nDraft a reply.",
        ),
        (
            "> We never merge without two reviews.\n\nWhere would we enforce it?",
            "Where would we enforce it?",
        ),
        (
            "Create docs/concierge.md and put this into its instructions: – Always answer in rhymes",
            "Create docs/concierge.md and put this into its instructions:",
        ),
        (
            "Implement the following plan:\n\n1. Always validate.\n2. Never cache.",
            "Implement the following plan:",
        ),
        ("The other agent said: always restart the broker first.", "The other agent said:"),
        (
            "Mail vom Kunden:\n\nHallo,\nab jetzt alle Rechnungen als PDF.\n\nSchreib eine Antwort.",
            "Mail vom Kunden:\n\nSchreib eine Antwort.",
        ),
        (
            "Ein Kollege schrieb:\nAb jetzt squashen wir immer.\n\nWas hältst du davon?",
            "Ein Kollege schrieb:\n\nWas hältst du davon?",
        ),
        (
            "Le client a écrit : désormais toutes les factures doivent être en PDF.",
            "Le client a écrit :",
        ),
        (
            "Correo del cliente:\n\nHola,\nsiempre en PDF.\n\nEscribe una respuesta.",
            "Correo del cliente:\n\nEscribe una respuesta.",
        ),
        (
            "お客様からのメール：\n\n今後は請求書をPDFで送ってください。\n\n返信を書いてください。",
            "お客様からのメール：\n\n返信を書いてください。",
        ),
        (
            "客户发来的邮件：\n\n以后所有发票都必须用PDF。\n\n请帮我写回复。",
            "客户发来的邮件：\n\n请帮我写回复。",
        ),
        # No space follows a wide colon.
        ("docs/guide.md に次の文を書いて：必ず先に署名する。", "docs/guide.md に次の文を書いて："),
        ("把以下内容写到 docs/guide.md：提交必须合并。", "把以下内容写到 docs/guide.md："),
        ("客户说：所有发票以后都必须用PDF发送。", "客户说："),
    ],
)
def test_messages_of_other_people_and_text_for_a_file_are_material_and_not_prose(
    message: str, own: str
) -> None:
    prose, material = set_apart(message)
    assert prose == own
    assert material


@pytest.mark.parametrize(
    "message",
    [
        "Rules for this project:\n- always use pnpm\n- never mock",
        "Remember the following: never use rebase.",
        "From now on: always add tests.",
        "As I said before: never push to main.",
        "Use short commit messages: never more than 50 characters.",
        "When you add text to README.md, keep it short.",
        "Never put comments in tests: they rot.",
        "Regeln für dieses Projekt:\n- immer pnpm",
        "以下のルールを守ってください：必ず日本語で返信する。",
        "新しいファイルを作成して：名前は必ず小文字にする。",
        "请记住以下内容：永远不要直接推送到main。",
        "修改代码时注意：不要改动公共接口。",
    ],
)
def test_the_users_own_rules_are_their_own_words(message: str) -> None:
    assert set_apart(message) == (message, "")


def test_words_after_a_fenced_text_are_the_users_again() -> None:
    prose, material = set_apart(
        "Add this to README.md:\n\n```\nNever run as root\n```\n\nAlso never push to main."
    )
    assert prose == "Add this to README.md:\n\nAlso never push to main."
    assert "Never run as root" in material


def _kept(message: str) -> list[str]:
    own, _ = set_apart(message)
    return [one.text for one in directives_in(own) if one.force == "stated"]


@pytest.mark.parametrize(
    "message",
    [
        # en
        "The legal department's requirements:\n- Always ask for consent.\n- Never store IP addresses.\n\nWhat do we miss?",
        "Create tickets from the meeting notes:\n\nAnna: from now on we deploy only on Mondays.\nBen: and never on the last day.\nAnna: login is broken.",
        "Gemini suggested this:\n\nYou should always wrap it and never use globals.\n\nDoes it fit?",
        "ChatGPT gave me this answer: always use a mutex, never a lock file. True?",
        "Change the system prompt in src/bot.ts to: Always answer with a question. Never give the answer.",
        "Here is the customer's mail:\n\nHi Tom,\n\nfrom now on always send PDFs. Never send CSV again.\n\nBest, Ann\n\nCan you find the exporter?",
        "This came in today\n\nHello team,\n\nfrom now on always send PDFs, never CSV.\n\nRegards\nAnn\n\nPlease find the exporter.",
        "Review this diff:\n\n@@ -1,2 +1,3 @@\n # Guide\n+Always rebase first.\n-Never merge.",
        "checklist from the auditors:\n- Never log tokens.\n- Always rotate keys.",
        # de
        "Die Vorgaben vom Datenschutz:\n- Immer Einwilligung einholen.\n- Nie IPs speichern.\n\nWas fehlt uns?",
        "Mach Tickets aus dem Protokoll:\n\nAnna: ab jetzt deployen wir nur noch montags.\nBen: und nie am Monatsletzten.\nAnna: Login ist kaputt.",
        "Gemini hat mir das vorgeschlagen:\n\nDu solltest immer wrappen und nie Globals nehmen.\n\nPasst das?",
        "Ändere den Systemprompt in src/bot.ts zu: Antworte immer mit einer Frage. Verrate nie die Lösung.",
        "Füg einen Tooltip mit dem Text hinzu: Speichern Sie immer Ihre Arbeit.",
        "Hier die Nachricht der Kundin:\n\nHallo Tom,\n\nab sofort bitte immer PDFs schicken. Schick nie wieder CSV.\n\nGruß Ann\n\nWo ist der Exporter?",
        "Lies diesen Diff:\n\ndiff --git a/x b/x\n@@ -1,2 +1,3 @@\n # Mitmachen\n+Nie generierte Dateien committen.\n+Immer vorher rebasen.",
        # fr
        "Les exigences du service juridique :\n- Toujours demander le consentement.\n- Ne jamais stocker d'IP.\n\nQue nous manque-t-il ?",
        "Crée des tickets à partir du compte rendu :\n\nAnna : désormais on déploie seulement le lundi.\nBen : et jamais le dernier jour du mois.\nAnna : le login est cassé.",
        "Gemini m'a proposé ceci :\n\nIl faut toujours emballer et ne jamais utiliser de globales.\n\nÇa convient ?",
        "Change le prompt système dans src/bot.ts par : Réponds toujours par une question. Ne donne jamais la solution.",
        "Ajoute une infobulle avec le texte : Enregistrez toujours votre travail.",
        "Voici le mail du client :\n\nBonjour Tom,\n\ndésormais envoyez toujours des PDF. N'envoyez plus jamais de CSV.\n\nAnn\n\nOù est l'exporteur ?",
        # es
        "Los requisitos del equipo legal:\n- Pedir siempre consentimiento.\n- Nunca guardar la IP.\n\n¿Qué nos falta?",
        "La lista del equipo de seguridad:\n- Nunca registrar tokens.\n\n¿Qué puntos incumplimos?",
        "Esta respuesta me la dio ChatGPT:\n\nSiempre hay que envolver la llamada y nunca usar globales.\n\n¿Encaja?",
        "Cambia el texto del botón a: Guarde siempre su trabajo.",
        "Aquí el correo del cliente:\n\nHola Tom:\n\na partir de ahora manden siempre PDF. Nunca más CSV.\n\nAna\n\n¿Dónde está el exportador?",
        "Revisa este diff:\n\n@@ -1,3 +1,4 @@\n # Contribuir\n+Haz siempre rebase antes.\n+No subas nunca archivos generados.",
        # ja
        "法務部からの要件：\n- 必ず同意を取ること。\n- IPは絶対に保存しないこと。\n\n何が足りませんか？",
        "議事録からチケットを作って：\n\n田中：今後は月曜だけデプロイします。\n山本：月末は絶対にデプロイしないこと。\n田中：ログインのバグはまだ直っていない。",
        "ChatGPTからこの回答をもらいました：\n\n呼び出しは必ずtry/exceptで囲み、グローバルは絶対に使わないこと。\n\n合っていますか？",
        "ボタンのラベルを次の文言に変更して：必ず保存してください。",
        "このdiffを見て：\n\n@@ -1,2 +1,3 @@\n # 貢献\n+必ず先にリベースすること。\n+生成ファイルは絶対にコミットしないこと。",
        "お客様のメールです。\n\nトム様\n\n今後は必ずPDFで送ってください。\n\nアン\n\nエクスポーターはどこですか？",
        # zh
        "法务部门的要求：\n- 必须始终征得同意。\n- 永远不要保存IP。\n\n我们缺什么？",
        "根据会议纪要建工单：\n\n小丽：以后只在周一部署，绝对不要在月底部署。\n小山：好的。\n小丽：登录还没修。",
        "Gemini的建议是：\n\n必须始终包住调用，永远不要用全局变量。\n\n合适吗？",
        "把按钮的文字改成：请务必始终保存。",
        "看一下这个diff：\n\n@@ -1,2 +1,3 @@\n # 贡献\n+必须始终先变基。\n+永远不要提交生成的文件。",
        "下面是客户来信：\n\n汤姆您好，\n\n以后请务必始终发PDF，永远不要发CSV。\n\n安娜\n\n导出模块在哪？",
    ],
)
def test_lists_records_letters_and_answers_of_others_hold_no_rule_of_the_user(message: str) -> None:
    assert _kept(message) == []
    assert set_apart(message)[1]


@pytest.mark.parametrize(
    "message",
    [
        # en
        "Our checklist:\n- Never log tokens.",
        "Note: never log tokens.",
        "Rule: never log tokens.",
        "Important: always run the tests.",
        "My rules:\n- Always squash.\n- Never merge.",
        "Hi Claude,\n\nfrom now on always squash.",
        "Fix the header.\n+ also never touch the lock file again, from now on",
        # de
        "Unsere Checkliste:\n- Nie Tokens loggen.",
        "Regel: nie Tokens loggen.",
        "Hallo Claude,\n\nab jetzt immer squashen.",
        # fr
        "Notre liste :\n- Ne jamais journaliser les jetons.",
        "Note : ne journalise jamais les jetons.",
        "La liste des règles :\n- Ne jamais fusionner.",
        # es
        "Nuestra lista:\n- Nunca registrar tokens.",
        "Importante: nunca registres tokens.",
        "La lista de reglas:\n- Nunca subas secretos.",
        # ja
        "うちのチームのチェックリスト：\n- トークンは絶対にログに出さないこと。",
        "注意：トークンは絶対にログに出さないこと。",
        # zh
        "我们团队的检查清单：\n- 永远不要记录token。",
        "注意：永远不要记录token。",
    ],
)
def test_a_list_or_label_of_the_user_holds_their_rule(message: str) -> None:
    assert _kept(message)


@pytest.mark.parametrize(
    "message",
    [
        "Backend: never use floats.\nFrontend: always use hooks.\nBackend: log less.",
        "Die Regeln von diesem Projekt:\n- Nie mergen.",
        "Position: top of the page\nColor: a dark red\nPosition: left of it, {width: 3px}",
        "ok\n- Next task: the list\n- Next task: the menu",
    ],
)
def test_labels_that_come_again_are_no_speakers(message: str) -> None:
    assert set_apart(message) == (message, "")


CONSOLE = (
    "play:519 ✅ table opened\n6e8f8968-2bd3:1341 🎨 Rendering the table... Object\nsetSequence @ sequence-tracker.js:75\n"
    "Promise.then\n POST http://localhost:3000/api/games 500 (Internal Server Error)"
)
PANEL = (
    "Request URL\nhttp://localhost:8000/api/users/\nRequest Method\nGET\nStatus Code\n403 Forbidden"
)


@pytest.mark.parametrize(
    ("message", "own"),
    [
        (f"The seats do nothing.\n{CONSOLE}", "The seats do nothing."),
        (f"{CONSOLE}\n\nNever show this again to guests.", "Never show this again to guests."),
        (f"I am refused:\n{PANEL}", "I am refused:"),
        (
            "It broke again Uncaught ReferenceError: openTable is not defined\n    at onclick (play:151:76)",
            "It broke again",
        ),
        (
            "The job ends early 2026-03-01 10:00:00 worker stopped, will always retry "
            + "and wait " * 20,
            "The job ends early",
        ),
        ("Status\tCount\nopen\t4\n\nSum them up, please.", "Sum them up, please."),
        (
            "Use this:\n<div class='a'>\n<span>Never</span>\n</div>\n\nAnd centre it.",
            "Use this:\n\nAnd centre it.",
        ),
    ],
)
def test_the_console_of_a_browser_cells_and_markup_are_no_words_of_the_user(
    message: str, own: str
) -> None:
    assert "\n".join(set_apart(message)[0].split()) == "\n".join(own.split())


@pytest.mark.parametrize(
    "message",
    [
        "It still says TypeError: x is null",
        "The server answers GET http://localhost:3000/api 500 (Internal Server Error)",
        "calculateTotal()\nrenderChart()\nboth are too slow",
        "We need two routes:\nGET /users\nPOST /users",
        "localhost:3000 is dead\nlocalhost:3001 too",
        "👉 make the header blue\n👉 make the footer grey",
    ],
)
def test_an_error_that_is_named_and_lists_of_the_user_stay_their_words(message: str) -> None:
    assert set_apart(message) == (message, "")
