"""Secrets after a word for "password", "key" or "token" in other languages and scripts."""

from __future__ import annotations

import pytest

from contextd.redaction.redact import redact

KEY = "test_9f8A7s6D5f4G3h2J1k"


@pytest.mark.parametrize(
    "text",
    [
        f"Ключ API: {KEY}", f"Ключ API\n{KEY}", f"тестовый ключ — `{KEY}`", f"Токен доступа: {KEY}",
        f"API-Schlüssel: {KEY}", f"Clé API : {KEY}", f"clé secrète : {KEY}", f"APIキー: {KEY}", f"トークン「{KEY}」",
        f"API密钥：{KEY}", f"令牌：`{KEY}`", f"API 키: {KEY}", f"کلید API: {KEY}", f"مفتاح API: {KEY}",
    ],
)  # fmt: skip
def test_a_key_is_redacted_after_its_word_in_other_scripts(text: str) -> None:
    found = redact(text)
    assert KEY not in found.text
    assert "[REDACTED:secret:" in found.text


@pytest.mark.parametrize("word", ["Пароль", "Hasło", "Şifre", "Jelszó", "סיסמה", "پسورد، رمز عبور"])
def test_a_password_is_redacted_after_its_word_in_other_scripts(word: str) -> None:
    assert "Kedi2024x" not in redact(f"{word}: Kedi2024x!").text


@pytest.mark.parametrize(
    "text",
    [
        "Ключ: user_id", "ключ словаря users_by_name", "Ключ сортировки: created_at_desc", "Der Schlüssel: primary_key",
        "Schlüssel in config.yaml: retry_count", "clé primaire : order_id", 'clé: "name"', "キー: user_id を使う",
        "キーボードショートカット Ctrl+Shift+P", "キーは docs/adr/0001-key.md", "令牌桶 rate_limit: 100",
        "密钥在 src/config/keys.py:42", "токен закончился: max_tokens=4096",
        "ключевой компонент src/components/UserProfileCard.tsx:120",
    ],
)  # fmt: skip
def test_a_key_of_a_table_and_a_word_that_begins_alike_label_nothing(text: str) -> None:
    assert redact(text).text == text
