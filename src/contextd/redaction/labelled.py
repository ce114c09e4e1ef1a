"""Secrets identified by the name beside them.

The text around each hit of a literal keyword is searched in a window of bounded size, so the time grows
only with the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextd.redaction.label_values import (
    WINDOW,
    FoundValue,
    assigned,
    optional,
    stated,
    stated_before,
    tagged,
    whole_run,
)
from contextd.redaction.positional_secrets import authorization
from contextd.redaction.scanned_text import Span, Text
from contextd.redaction.secret_labels import ANCHORS, Label, label
from contextd.redaction.secret_values import Form, is_placeholder, is_secret
from contextd_common.text.regex import regex

_NAME = 48
_NEAR = 100
_HEADERS = frozenset("auth authorization bearer".split())
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD_BEFORE = re.compile(r"([A-Za-z]{3,20})[ .]$")
_NEXT = re.compile(r"[ \t]{0,24}(.?)")
_GO_TYPE = re.compile(r"[ \t]{1,4}(?:\*?string|\[\]byte)[ \t]{0,4}=")
_SPACED = re.compile(r"\S{8,}")
_ENDS = frozenset(".;/\n\r")
_PROSE = frozenset(" \t)\"'”*`(")
_REPORTED = frozenset((": ", ":\t", "  ", " (", " \t"))
_GOES_ON = re.compile(r"\.\w{2,10}\(|\r?\n[ \t]{0,60}[\"']?value[\"']?:")

_PASSWORD, _SECRET = Label("password"), Label("secret")
_PASSWORD_WORDS = (
    "пароль", "Пароль", "парола", "Парола", "κωδικός", "パスワード", "暗証番号", "合言葉", "密码", "密碼", "口令", "비밀번호",
    "패스워드", "비번", "암호", "رمز عبور", "گذرواژه", "كلمة المرور", "كلمة السر", "סיסמה", "पासवर्ड", "รหัสผ่าน",
    "hasło", "Hasło", "şifre", "Şifre", "mật khẩu", "Mật khẩu", "jelszó", "Jelszó", "lösenord", "Lösenord",
)  # fmt: skip
_SECRET_WORDS = (
    "ключ", "Ключ", "токен", "Токен", "κλειδί", "キー", "トークン", "シークレット", "密钥", "密鑰", "秘钥", "金钥", "金鑰",
    "令牌", "토큰", "시크릿", "API 키", "کلید", "توکن", "مفتاح", "מפתח", "कुंजी", "schlüssel", "Schlüssel", "clé", "Clé",
    "anahtarı", "Anahtarı", "khóa", "Khóa",
)  # fmt: skip
# The search for anchors knows ASCII only. The letters beyond it say whether a word may be in a text at all.
_FOREIGN = tuple(
    (word, word.encode().translate(None, bytes(range(128))), named)
    for words, named in ((_PASSWORD_WORDS, _PASSWORD), (_SECRET_WORDS, _SECRET))
    for word in words
)
_FOREIGN_SENTENCE = regex(
    r"[^\n!-~]{0,12}?(?:\s?(?:API|api|[^\W\d_]{2,12}(?=\s{0,2}[：:＝=]))){0,2}\s?(?:[はが는은이가是为為→—-]\s{0,3}){0,2}"
    r"(?P<sign>[：:＝=]\s{0,3}){0,2}[「『“\"'`*]{0,2}(?P<secret>[!#-&(-_a-~]{6,64})"
)
_ASCII = bytes(range(128))
_SENTENCE_END = ".,;:!?)]}>*_"
_FRENCH = ("mot de ", "Mot de ", "mots de ")
_VERDICT = re.compile(r"(?:\\{0,6}[\"'`*]){0,3}[ \t]{0,3}(?:[|,)}\];—–]|-[ \t]|$|\r?\n)")
_KEY_FOLLOWS = re.compile(r"\\{0,4}[\"'`]\s{0,4}:(?!:)")
_LOGIN_BEFORE = re.compile(r"login\s{1,8}\S{1,60}\s{1,8}$")
_SPACED_VALUE = re.compile(r"\s{1,8}([^\s\"'`,;]{4,100})")
_NAMED_ELSEWHERE = re.compile(r"\barn:aws[\w:<>*{}$-]*:secret:$|\bpass (?:\w{1,12} )?`$")
"""What precedes a name that is not a label: that of a secret at AWS, or an argument one should "pass `…`"."""

_COMPARED = re.compile(r"[=!]=[ \t]{0,4}$")


def labelled(text: Text) -> Iterator[Span]:
    """The spans of secrets that a name labels."""
    yield from _foreign(text)
    whole, lower, runs, size = text.whole, text.lower, text.runs, len(text.whole)
    for word in ANCHORS:
        at = lower.find(word)
        while at >= 0:
            low = at - _NAME if at > _NAME else 0
            start = _past_escape(whole, max(low, runs.rfind(b" ", low, at) + 1), at)
            end = runs.find(b" ", at, at + _NAME)
            end = min(size, at + _NAME) if end < 0 else end
            name = whole[start:end]
            if word == b"key" and len(name) < 5:
                name = _qualified(whole, start, name)
            named = label(name)
            if named and named.word == "passe" and whole.endswith(_FRENCH, 0, start):
                named = _PASSWORD
            if named and named.word == "pw" and whole[start - 1 : start] == ".":
                named = None
            span = _beside(text, start, end, named) if named else None
            if span:
                yield span
            elif word == b"auth":
                yield from authorization(whole, at)
            at = lower.find(word, max(end, at + len(word)))


def _foreign(text: Text) -> Iterator[Span]:
    """Secrets after a word for "password", "key" or "token" that has letters beyond ASCII."""
    whole = text.whole
    if whole.isascii():
        return
    # Most texts have few such letters: looking for words among them alone costs next to nothing.
    letters = whole.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    for word, encoded, named in _FOREIGN:
        at = whole.find(word) if encoded in letters else -1
        while at >= 0:
            match = _FOREIGN_SENTENCE.match(whole, at + len(word), at + WINDOW)
            secret = match["secret"].rstrip(_SENTENCE_END) if match else ""
            form: Form = "inline" if match and match["sign"] else "spoken"
            if match and is_secret(secret, named, form):
                yield match.start("secret"), match.start("secret") + len(secret), named.kind
            at = whole.find(word, at + len(word))


def _past_escape(text: str, start: int, at: int) -> int:
    r"""Where a name begins that follows an escape: `\nPASSWORD`, `%0Apassword`."""
    before = text[start - 1] if start else ""
    if before == "\\" and start < at and text[start] in "nrt":
        return start + 1
    if before == "%" and start + 2 <= at:
        return start + 2
    return start


_KEY_OF_A_STORE = frozenset(
    "for the a this that by with of from to and or removed saved deleted added found missing new old get set".split()
)


def _qualified(text: str, start: int, name: str) -> str:
    """The name of a key with the word in front of it: "api key", `?key=`."""
    if text[start - 1 : start] in ("?", "&"):
        return f"query-{name}"
    before = _WORD_BEFORE.search(text, max(0, start - 24), start)
    # "Saved data for key: …" is the log of a store.
    if before and before[1].casefold() in _KEY_OF_A_STORE:
        return name
    return f"{before[1]}-{name}" if before else name


def _beside(text: Text, start: int, end: int, named: Label) -> Span | None:
    whole = text.whole
    if whole[end : end + 1] > "\x7f" and (rest := _LETTERS.match(whole, end, end + 8)):
        end = rest.end()
    after = whole[end : end + 1]
    if not after or (after in _ENDS and not _GOES_ON.match(whole, end, end + _NEAR)):
        return _before(text, start, named)
    following = _NEXT.match(whole, end)
    # An element may have attributes before its content.
    signed = (following and not following[1].isalnum()) or whole[start - 1 : start] == "<"
    if after not in " \t" or signed or _GO_TYPE.match(whole, end, end + 24):
        found = assigned(whole, start, end)
        if found is None and after in "<> \"'":
            found = tagged(whole, start, end)
        if found:
            return _judged(whole, end, named, found)
    span = None
    if after in _PROSE and named.kind == "password" and _follows_login(whole, start):
        span = _of_netrc(whole, end)
    if after in _PROSE and (
        text.digits.find(b"0", end, end + _NEAR) >= 0 or _names_phrase(text, end, named)
    ):
        if named.option:
            span = span or _judged(whole, end, named, optional(whole, end))
        span = span or _judged(whole, end, named, stated(whole, end))
    return span or (_before(text, start, named) if after in ",:)" else None)


def _follows_login(text: str, start: int) -> bool:
    return bool(_LOGIN_BEFORE.search(text, max(0, start - _NEAR), start))


def _names_phrase(text: Text, end: int, named: Label) -> bool:
    """Whether four words with hyphens may follow the name of a password."""
    return named.word.startswith("passw") and text.plain.count(b"-", end, end + _NEAR) >= 3


def _of_netrc(text: str, end: int) -> Span | None:
    """The password in a line of .netrc, which follows the login."""
    match = _SPACED_VALUE.match(text, end, end + _NEAR)
    if match is None or is_placeholder(match[1]):
        return None
    if not any(map(str.isdigit, match[1])) and not is_secret(match[1], _PASSWORD, "line"):
        return None
    return *match.span(1), "password"


def _before(text: Text, start: int, named: Label) -> Span | None:
    if text.whole[start - 1 : start] != " ":
        return None
    if text.digits.find(b"0", max(0, start - WINDOW), start) < 0:
        return None
    return _judged(text.whole, start, named, stated_before(text.whole, start))


def _judged(text: str, end: int, named: Label, found: FoundValue | None) -> Span | None:
    if found is None or _reports(text, end):
        return None
    if _NAMED_ELSEWHERE.search(text[max(0, found.start - _NEAR) : found.start]):
        return None
    if text.startswith("?", found.start) and text.endswith(":", 0, found.start):
        return None
    if found.form == "argument" and _KEY_FOLLOWS.match(text, found.end, found.end + 12):
        return None
    if found.form == "inline" and _COMPARED.search(text[max(0, found.start - 6) : found.start]):
        return None
    kind = "authorization" if named.word in _HEADERS else named.kind
    value = text[found.start : found.end]
    if is_secret(value, named, found.form):
        return found.start, whole_run(text, found), kind
    if found.form in ("quoted", "argument") and " " in value:
        for word in _SPACED.finditer(text, found.start, min(found.end, found.start + WINDOW)):
            if is_secret(word[0], named, "spoken"):
                return *word.span(), kind
    return None


def _reports(text: str, end: int) -> bool:
    """Whether PASS reports a passed test and labels no password."""
    if not text.startswith("PASS", max(0, end - 4)):
        return False
    if text[end : end + 2] in _REPORTED:
        return True
    # In `define("DB_PASS", …)` it is a name: a bracket opens right before it, or a dollar stands there.
    opened = text[max(0, end - 48) : end].rfind("(")
    named = opened >= 0 and not text[max(0, end - 48) + opened + 1 : end].strip(
        "\"'_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    )
    return not named and bool(_VERDICT.match(text, end, end + 12))
