"""Secrets identified by their position: addresses, headers, key blocks, command lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from contextd.redaction.natural_words import random_looking, spoken
from contextd.redaction.percent_decoding import decoded
from contextd.redaction.scanned_text import Span, Text
from contextd.redaction.secret_labels import Label
from contextd.redaction.secret_values import is_example, is_placeholder, is_secret
from contextd_common.text.regex import regex

_WINDOW = 400
_LONGEST = 10_000

_USERINFO = regex(
    r":(?://|\\/\\/)(?P<user>[^\s/:\"'<>{}\[\]\\]{0,100}):(?!\d{1,5}[?#+& %\\])(?P<secret>[^\s/@\"'<>{}\[\]\\]{3,200}(?:@[^\s/@,;:\"'<>{}\[\]\\]{3,60}(?=@))?)@"
)
_USERINFO_ENCODED = regex(
    r"%3a%2f%2f(?P<user>[\w.\-]{0,100})%3a(?P<secret>(?:[\w.\-!*~]|%(?!40)[0-9a-f]{2}){3,200})%40",
    re.I,
)
_WEBHOOK = regex(
    r"hooks?\\?/(?P<discord>\d{15,22}\\?/[\w\-]{40,100})"
    r"|hooks\.slack(?:-gov)?\.com\\?/(?:services|workflows|triggers)\\?/(?P<slack>[A-Za-z0-9/_\\\-]{20,300})"
    r"|hooks?\.(?:[a-z0-9\-]{1,20}\.)?(?:zapier|make|integromat)\.com\\?/(?P<flow>[A-Za-z0-9/_\-]{20,120})"
    r"|hook(?:b2)?\\?/(?P<office>[0-9a-f-]{36}@[A-Za-z0-9@/_\-]{36,300})"
    r"|hook\\?/(?P<feishu>[0-9a-f]{8}-[0-9a-f-]{27})"
)
_SIGNATURE = regex(
    r"sig(?:nature)?(?:=|%3D)(?P<secret>(?:[A-Za-z0-9+/]|%2[BFbf]){40,100}(?:={0,2}|(?:%3[Dd]){0,2})|[0-9a-f]{64,512})"
    r"(?![A-Za-z0-9%+/])",
    re.I,
)
_AUTHORIZATION = regex(
    r"auth(?:orization)?[\"'`\\]{0,4}\s{0,4}[:=,]\s{0,4}[\"'`\\]{0,4}[bf]?[\"'`]?"
    r"(?:(?:bearer|basic|token|apikey|api[-_]?key|api[-_]?token|digest|ntlm|negotiate|key|bot|splunk|sso-key|genie-?key)[ :=]{1,4})"
    r"[\"']?(?:token=)?[\"']?(?P<secret>[A-Za-z0-9._~+/:\-]{12,4000}={0,2})"
    r"|bearer(?:\s{1,4}|%20|\+)[\"'`]?(?P<bare>[A-Za-z0-9._~+/\-]{16,4000}={0,2})",
    re.I,
)
_COOKIES = regex(r"cookies?[\"'`\\]{0,4}\s{0,2}[:=,]\s{0,4}[\"'`\\]{0,4}", re.I)
_SESSION = regex(
    r"(?:sess|sid|auth|token|jwt|sso|remember|login)[\w.-]{0,16}"
    r"=(?P<secret>[A-Za-z0-9%._~+/\-]{16,2000}={0,2})",
    re.I,
)
_UUID = regex(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)
_BEGIN = regex(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END = regex(r"-{4,5} ?END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_BODY = regex(r"(?:[A-Za-z0-9+/=\s:,.()]|\\[nr]|-(?!----)){0,20000}")
_ENCODED = regex(r"[A-Za-z0-9+/]{20,}")
_KEY_BLOCK = 20_000
_ELLIPSIS = regex(r"\n\W{0,12}(?:\.\.\.|…)\W{0,12}\n")
_ELIDED = 200
"""Characters; a key block shortened by an ellipsis reveals too little up to this length: its first line is
public.
"""

_AZURE_SECRET = regex(
    r"(?:(?<![A-Za-z0-9_~.\-])|(?<=\[\dm)|(?<=\[\d\dm))[A-Za-z0-9_~.\-]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}(?![A-Za-z0-9_~\-])"
)
_PLANETSCALE = regex(r"pscale_(?:tkn|oauth|pw)_[\w=.-]{31,63}[\w=-]")
_PUTTY = regex(r"Private-Lines: \d{1,3}\r?\n(?P<secret>(?:[A-Za-z0-9+/=]{1,64}\r?\n?){2,60})")
_BY = regex(
    r"\bidentified\s{1,4}(?:with\s{1,4}[\w']{1,40}\s{1,4})?"
    r"(?:(?:by|as)\s{1,4}(?:password\s)?\\{0,2}[\"'`](?P<quoted>[^\"'`\\\n]{8,100})|by\s{1,4}(?P<bare>[^\s\"';]{8,100}))",
    re.I,
)
_WORD = r"(?:[^\s\"']{3,100}|'[^'\n]{3,100}'|\"[^\"\n]{3,100}\")"
_SWITCHES = regex(
    rf" -(?:(?:p\s{{0,4}}|a\s{{1,4}})(?P<secret>{_WORD})|(?:u|U|-user|-proxy-user)[ =]{{0,3}}(?P<pair>{_WORD}))"
)
_COMMAND = regex(
    r"\b(?:curl|http|mysql(?:dump|admin)?|mariadb|sshpass|login|redis-cli|smbclient|rpcclient)\b"
)
_COMMAND_END = regex(r"(?<!\\)\n|[|;&]")
_TAKES = {
    "curl": "uU-", "http": "uU-", "mysql": "p", "mysqldump": "p", "mysqladmin": "p", "mariadb": "p",
    "sshpass": "p", "login": "p", "redis-cli": "a",
    "smbclient": "U", "rpcclient": "U",
}  # fmt: skip
"""Which switches of a command take a secret, or a name and a secret."""

_OF_SAMBA = frozenset(("smbclient", "rpcclient"))
"""Commands that take a name and a password separated by `%`."""

_PIPED = regex(
    r"\b(?:echo|printf)\s{1,4}(?:-\w\s{1,4}|'%s(?:\\n)?'\s{1,4})?(?P<quote>[\"']?)(?P<secret>[^\s\"'$`|]{6,100})(?P=quote)\s{0,4}\|[^|\n]{0,80}$"
)
_OPTION = Label("password", constant=True)


def places(text: Text) -> Iterator[Span]:
    """The spans of secrets identified by their surroundings."""
    for literal, look in _LOOKS:
        at = text.lower.find(literal)
        while at >= 0:
            end = at + len(literal)
            for span in look(text.whole, at):
                yield span
                end = max(end, span[1])
            at = text.lower.find(literal, end)
    for anchor in _HASH_ANCHOR.finditer(text.lower):
        yield from _hash(text.whole, anchor.start())


def _address(text: str, at: int) -> Iterator[Span]:
    match = _USERINFO.match(text, at, at + _WINDOW)
    # `https://proxy.test:8085@localhost` has a port there.
    port = match and "." in match["user"] and match["secret"].isdigit() and len(match["secret"]) < 6
    if match and not port and not _guessable(match["secret"]):
        yield *match.span("secret"), "url-password"


def _encoded_address(text: str, at: int) -> Iterator[Span]:
    match = _USERINFO_ENCODED.match(text, at, at + _WINDOW)
    if match and not _guessable(match["secret"]):
        yield *match.span("secret"), "url-password"


_CONSTANTS = regex(r"[A-Z]+(?:[_:]+[A-Z]+)+")


def _guessable(password: str) -> bool:
    """Whether a password is one used in examples: a word or two in lower case, the name of a
    constant, or a pattern.
    """
    password = decoded(password)
    if not any(map(str.isalnum, password)) or _CONSTANTS.fullmatch(password):
        return True
    lower = password.islower() or "pass" in password.casefold()
    words = lower and password.isascii() and not any(map(str.isdigit, password))
    # Four words are a passphrase.
    words = words and password.count("-") < 3
    return is_placeholder(password) or len(set(password)) < 3 or (words and spoken(password))


def _webhook(text: str, at: int) -> Iterator[Span]:
    match = _WEBHOOK.match(text, at, at + _WINDOW)
    if (
        match
        and match.lastgroup
        and "XXXX" not in match[match.lastgroup]
        and "0000/" not in match[match.lastgroup]
    ):
        yield *match.span(match.lastgroup), "webhook"


def _signature(text: str, at: int) -> Iterator[Span]:
    match = _SIGNATURE.match(text, at, at + 8 * _WINDOW)
    # The signature of a header is good for one request; that of an address is a pass.
    if match and text[max(0, at - 1) : at] not in (" ", ","):
        yield *match.span("secret"), "signature"


def _cookies(text: str, at: int) -> Iterator[Span]:
    header = _COOKIES.match(text, at, at + _WINDOW)
    if header is None:
        return
    limit = header.end() + 2 * _WINDOW
    line_end = text.find("\n", header.end(), limit)
    for match in _SESSION.finditer(text, header.end(), limit if line_end < 0 else line_end):
        if random_looking(match["secret"], 16) or _UUID.fullmatch(match["secret"]):
            yield *match.span("secret"), "cookie"


def authorization(text: str, at: int) -> Iterator[Span]:
    """The credentials of a header that begins at `at` with "auth" or "bearer"."""
    match = _AUTHORIZATION.match(text, at, at + _LONGEST)
    if match:
        group = "secret" if match["secret"] else "bare"
        shown = random_looking(match[group], 12) and not is_placeholder(match[group])
        if shown and not is_example(match[group]):
            yield *match.span(group), "authorization"


def _key_block(text: str, at: int) -> Iterator[Span]:
    begin = _BEGIN.search(text, max(0, at - 48), at + 40)
    if begin is None:
        yield from _putty(text, at)
        return
    at = begin.start()
    limit = begin.end() + _KEY_BLOCK
    another = text.find("BEGIN ", begin.end(), limit)
    end = _END.search(text, begin.end(), limit if another < 0 else another)
    if end:
        inside = end.start() - begin.end()
        encoded = sum(len(run) for run in _ENCODED.findall(text, begin.end(), end.start()))
        if encoded < _ELIDED and _ELLIPSIS.search(text, begin.end(), end.start()):
            return
        if encoded >= max(40, 0.4 * inside) or (
            inside >= 24 and _BODY.fullmatch(text, begin.end(), end.start())
        ):
            yield at, end.end(), "private-key"
        return
    body = _BODY.match(text, begin.end())
    if body and body.end() - body.start() > 40 and _ENCODED.search(text, begin.end(), body.end()):
        yield at, body.end(), "private-key"


def _azure_secret(text: str, at: int) -> Iterator[Span]:
    match = _AZURE_SECRET.match(text, max(0, at - 4), at + 64)
    if match:
        yield *match.span(), "azure-client-secret"


def _planetscale(text: str, at: int) -> Iterator[Span]:
    """A PlanetScale token: dots may split it into runs that are too short for the shape search."""
    match = _PLANETSCALE.match(text, at, at + _WINDOW)
    if match and any(map(str.isdigit, match[0])):
        yield *match.span(), "planetscale-token"


def _putty(text: str, at: int) -> Iterator[Span]:
    match = _PUTTY.match(text, at, at + _LONGEST)
    if match:
        yield *match.span("secret"), "private-key"


def _sql(text: str, at: int) -> Iterator[Span]:
    match = _BY.match(text, at, at + _WINDOW)
    if match:
        group = "quoted" if match["quoted"] else "bare"
        if is_secret(match[group], _OPTION, "quoted"):
            yield *match.span(group), "password"


def _piped(text: str, at: int) -> Iterator[Span]:
    """The password printed by the command before `--password-stdin` at `at`."""
    low = max(0, at - _WINDOW)
    match = _PIPED.search(text[low:at].rpartition("\n")[2])
    if match and is_secret(match["secret"], _OPTION, "line"):
        start = text.rfind(match[0], low, at) + match.start("secret") - match.start()
        yield start, start + len(match["secret"]), "password"


def _switch(text: str, at: int) -> Iterator[Span]:
    if text[at + 2 : at + 3] not in _FIRSTS:
        return
    match = _SWITCHES.match(text, at, at + _WINDOW)
    if match is None:
        return
    command = _COMMAND.search(_COMMAND_END.split(text[max(0, at - 200) : at])[-1])
    if command is None or text[at + 2] not in _TAKES[command[0]]:
        return
    start, end = match.span(str(match.lastgroup))
    if text[start] in "\"'":
        start, end = start + 1, end - 1
    if match["pair"]:
        start = text.find("%" if command[0] in _OF_SAMBA else ":", start, end) + 1
    if start and is_secret(text[start:end], _OPTION, "quoted"):
        yield start, end, "password"


_FIRSTS = frozenset("paguU-")

_PGPASS = regex(
    r"(?:^|(?<=[\s\"'`]))(?:[\w.-]{1,100}|\*):(?:\d{2,5}|\*):(?:[\w.-]{1,64}|\*):(?:[\w.@-]{1,64}|\*)"
    r":(?P<secret>(?:[^\s:\\\"'`]|\\[:\\]){4,100})(?=[ \t]*(?:$|[\r\n\"'`]|\\n))"
)
_SALT = r"(?:rounds=\d{1,9}\$)?[A-Za-z0-9./]{0,20}"
_HASH = regex(
    rf"\$(?:1|apr1)\$[A-Za-z0-9./]{{0,8}}\$[A-Za-z0-9./]{{22}}|\$5\${_SALT}\$[A-Za-z0-9./]{{43}}"
    rf"|\$6\${_SALT}\$[A-Za-z0-9./]{{86}}|\$2[abxy]?\$\d\d\$[A-Za-z0-9./]{{53}}"
    r"|\$y\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{0,86}\$[A-Za-z0-9./]{43}"
    r"|\$(?:argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d+)?)\$(?:[\w,=]{1,40}\$){1,2}[A-Za-z0-9+/.]{8,100}={0,2}\$[A-Za-z0-9+/.]{20,140}={0,2}"
    r"|\$[89]\$[A-Za-z0-9./]{14}\$[A-Za-z0-9./]{43}"
    r"|\$krb5(?:asrep|tgs)\$\d{1,2}\$[^\s\"']{16,4000}"
    r"|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{27,100}={0,2}"
    r"|pbkdf2_sha\d{1,3}\$\d{1,9}\$[A-Za-z0-9]{4,64}\$[A-Za-z0-9+/]{27,100}={0,2}"
    r"|SCRAM-SHA-\d{1,3}\$\d{1,9}:[A-Za-z0-9+/=]{10,64}\$[A-Za-z0-9+/=]{20,100}:[A-Za-z0-9+/=]{20,100}",
    re.I,
)
"""Hashes as crypt(3), Apache, LDAP, Django, PostgreSQL and Cisco store passwords, and what Kerberos encrypts with one; a
salt alone does not count.
"""

_HASH_ANCHOR = re.compile(rb"[${](?:s?sha|apr1|2[abxy]?\$|[15689y]\$|krb5|argon2|scrypt|pbkdf2)")
_DJANGO_KEY = regex(r"django-insecure-(?P<secret>[A-Za-z0-9!@#$%^&*(\-_=+)]{20,64})")


def _pgpass(text: str, at: int) -> Iterator[Span]:
    low = max(text.rfind("\n", max(0, at - 120), at) + 1, at - 120, 0)
    match = _PGPASS.search(text, low, at + _WINDOW)
    if match and not is_placeholder(match["secret"]):
        yield *match.span("secret"), "password"


def _hash(text: str, at: int) -> Iterator[Span]:
    match = _HASH.match(text, at, at + _LONGEST)
    if match and len(set(match[0])) >= 12 and any(map(str.isdigit, match[0])):
        yield *match.span(), "password-hash"


def _django(text: str, at: int) -> Iterator[Span]:
    match = _DJANGO_KEY.match(text, at, at + _WINDOW)
    if match and len(set(match["secret"])) >= 12:
        yield *match.span("secret"), "secret"


_LOOKS: tuple[tuple[bytes, Callable[[str, int], Iterator[Span]]], ...] = (
    (b"://", _address),
    (b":\\/\\/", _address),
    (b"%3a%2f%2f", _encoded_address),
    (b"hook", _webhook),
    (b"sig", _signature),
    (b"cookie", _cookies),
    (b"bearer", authorization),
    (b"private", _key_block),
    (b"q~", _azure_secret),
    (b"pscale_", _planetscale),
    (b"identified ", _sql),
    (b"--password-stdin", _piped),
    (b" -", _switch),
    (b"432:", _pgpass),
    (b":*:", _pgpass),
    (b"pbkdf2_sha", _hash),
    (b"scram-sha-", _hash),
    (b"django-insecure-", _django),
)
