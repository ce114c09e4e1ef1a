"""Who speaks in a message: what the user passes on is not the user's word."""

from __future__ import annotations

import pytest

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
