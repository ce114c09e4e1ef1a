"""Decide whether a labelled value is a secret, or a name, a placeholder, code or prose."""

from __future__ import annotations

import re
from typing import Literal

from contextd.redaction.examples import decoded_text, is_published, is_sequence, secret_part
from contextd.redaction.natural_words import (
    entropy,
    hops,
    is_identifier,
    is_suggested,
    mostly_spoken,
    random_looking,
    spoken,
)
from contextd.redaction.percent_decoding import decoded
from contextd.redaction.secret_labels import Kind, Label
from contextd_common.text.regex import regex

Form = Literal["quoted", "literal", "argument", "line", "inline", "spoken"]
"""How a value is written: in quotes, as a quoted literal that a program assigns or passes, as a quoted
argument after another one, as the rest of its line, among other things, or in a sentence.
"""

SHORTEST, LONGEST = 6, 300
"""Characters; a longer value is judged by its beginning."""

_SHORTEST_SURE = 8
"""A shorter value is a password only where nothing else is possible: see `_weak`."""

_LONGEST_OF: dict[Kind, int] = {"password": 128, "secret": LONGEST}
"""Of values with spaces: a longer one beside `password` is a sentence about it."""

_QUOTED: frozenset[Form] = frozenset(("quoted", "literal", "argument"))
_OF_PROGRAMS: frozenset[Form] = frozenset(("literal", "argument"))
_PLACEHOLDER = regex(
    r"example|your|x{4}|placeholder|change.?(?:me|it|this)|dummy|redacted|insert|\btodo\b|\.\.\.|…|\*\*\*|fake"
    r"|sample|process\.env|os\.environ|getenv|secrets?\.|vault:|keyring|localhost|undefined|[_-]here\b"
    r"|\$\{|\$\(|^\$[\w{(]|^%[\w(]|%[sdv]\b|\{\{|\{%|^<|^\{[\w. ]*\}$|^@[a-z][\w./:-]*$|^!\d|^urn:|:\$[A-Z_]{2}|://"
    r"|^https?:|^\.{0,2}/|^~/|^[A-Za-z]:\\|^arn:|^sha\d|^md5|^file:|^op://|^ssm:|^env[:.(]|^ref:|^data:"
    r"|12345678|87654321|abcdefgh|qwertyui|11111111|00000000|deadbeef|foobar|random.?string|(?<![a-z0-9])demo[-_]|secret[-_]?(?:key|token)$",
    re.I,
)
_ORDINARY = frozenset(
    """password passwd pass pwd pw secret postgres postgresql root user username admin administrator test
    testing tester guest mysql redis token rabbitmq minioadmin changeit letmein default none null true false string
    passphrase passcode demo hello world foo bar baz qux example mongo mongodb mariadb oracle sa key apikey value changeme temp dev
    development staging production local qwerty welcome login abc abcd""".split()
)
"""Common example values; leaving them reveals no secret."""

_STANDS_FOR = regex(r"[${}<>*…]|\.\.\.|^sha\d|^md5|://")
_FILTER = regex(r"(?:[a-z_]{3,24}=){1,2}[a-z\d.]{1,24}(?::[a-z_]{3,24}=[a-z\d.]{1,24}){0,4}")
"""Options of a filter, as in `eof_action=pass:repeatlast=0`."""

_NAMED_KEY = regex(
    r"[A-Za-z][a-zA-Z-]*\d?[a-zA-Z-]*[a-z0-9A-Z-](?:Key|Token|Secret|Password|Passphrase|Credentials?)"
)
"""The name of a secret and not the secret itself: `Shop-IsApiKey`."""

_UUID = regex(r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?", re.I)
_OF_IDS = frozenset("credential credentials pass passwords".split())
"""Labels beside which a UUID is an id."""

_MARKED_UP = regex(
    r"</|/>|\\(?:033|x1[bB]|e|u001[bB])\[|^(?:SHA|sha|MD|md)\d{1,3}[:=-]|^\d+(?:\.\d+){2}[\w.-]*\(|\\[wdsbS]|\\x[0-9a-f]{2}|\\u[0-9a-fA-F]{4}|\(\?|\{\w*\}|=>|->"
    r"|^[a-z_]+(?::[\w,]+)?(?:\|[a-z_]+(?::[\w,.]+)?){2,}$|^\[\^?\w-\w|^(?:ISO-8859|iso-8859|[Ww]indows)-\d+$|^[\w./-]{1,80}\.(?:md|rst|txt|py|pyi|[jt]sx?|[cm]js|json|ya?ml|toml|go|rs|java|kt|cs|sql|html?|css|sh|log|png|svg|gif|jpe?g|webp|woff2?|exe|msi|dll|dmg|jar|zip|gz|pem|crt|jks|p12|pfx)(?::\d+)?$"
    r"|^(?:\w{1,12}[:@])?[v^~]?\d+(?:\.\d+){1,3}[\w.+-]*$|/[\w.-]+\.[a-z]{2,5}$|^(?:[\w-]+\.)+[a-z]+/"
)
"""Markup, terminal colours, digests with their name, patterns, formats, versions, files and addresses, which
may also be in quotes.
"""

_CODE = regex(
    r"[A-Za-z_$][\w$.]*\(|::|\]\(|\(\)|^&?[\w$]+\[|^[!&*]?\(|^[\[{]|\?\.|&&|\|\||^\*|[\"']|^&?[A-Za-z_][\w.]*\{|[)\]}]\w|[)\]]\["
)
_HEX = regex(r"[0-9a-f]{7,}|[0-9A-F]{7,}")
_FINGERPRINT = regex(r"(?:0x)?(?:[0-9A-F]{8}|[0-9A-F]{16}|[0-9A-F]{40})(?:,[0-9A-F]{8,40})*")
"""The id of a public key, as GnuPG writes it."""

_NAMING = regex(
    r"pass|pwd|secret|token|key|user|login|auth|field|input|name|cred|email|admin|account|test|demo|mock|stub",
    re.I,
)
_NAMED_AFTER = regex(
    r"^(?:pass|pwd|secret|token|user|login|auth|field|input|name|cred|email|admin|account|test|demo|mock|stub|key)"
    r"|(?:password|secret|token|field|input|name)$"
)
"""Names of numbered variables: `userinput2`, but not `monkey7`."""

_DATED = regex(
    r"[A-Z][A-Za-z]*[!@#$%^&*_.-]?\d{3,}[!@#$%^&*?]*"
    r"|[A-Z][a-z]{2,}(?:[-_.][A-Z][a-z]{2,}){1,3}[-_.]?(?:\d{2,}[!@#$%^&*?]+|\d{2,4})"
    r"|(?:[A-Z][a-z]{2,}){2,4}\d{1,4}[!@#$%^?]+"
)
"""A word followed by a year or number, or several joined words: a common way to make up a password."""

_JOINED = regex(
    r"[A-Za-z0-9]{1,24}(?:([-_.])[A-Za-z0-9]{1,24})(?:\1[A-Za-z0-9]{1,24}){1,8}[!?$%#]{0,3}"
)
"""Three parts or more with one separator: a passphrase, or a name."""

_NUMBERED_WORD = regex(r"[A-Z]?[a-z]{3,}\d{2,4}")
_IN_NAMES = frozenset(
    """passwd passphrase users keys creds service server client db database app application api prod production
    staging stage dev development local default example sample dummy fake not no none is the a an and or with for
    from to in of on at your my our new old this that change replace insert set put enter here real some any valid
    invalid wrong bad weak strong version id config env var value string text file path url host port node
    system cluster root data store group role type x v1 v2 v3 please should must will can do does
    temp temporary super long very more less than only""".split()
)
"""Parts that show a name or a phrase of documents rather than a passphrase."""

_WORD_AND_NUMBER = regex(r"(?P<word>[A-Za-z]{3,24})(?P<number>\d{1,8})[!.?@#$*]?")
_KNOWN_NUMBERED = regex(
    r"(?:sha|md|utf|base|aes|rsa|rs|es|hs|ps|x|int|float|uint|arm|amd|win|ipv|http|oauth|pbkdf|argon|bcrypt|blake|hash|value"
    r"|python|java|node|php|windows|ubuntu|debian|postgres|mysql|redis|version|step|phase|part|line|page|room|issue|debug|level)\d+",
    re.I,
)
_PRINTABLE = regex(r"(?!.*(?:a-z|A-Z|0-9))[ !#-&(-\[\]-~]{40,72}")
"""The characters and length of keys drawn from everything that can be printed, as Django and WordPress make them:
blanks look like a sentence in them and symbols like code. No range of a pattern.
"""

_LOWER_WORD = regex(r"[a-z]{4,}")

_ADDRESS = regex(r"0x[0-9a-fA-F]{40}|[a-z0-9.+_-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}")
"""An address of a contract or an account on a chain, which is public (a key has 64 digits); and of mail."""

_EXAMPLE_PARTS = frozenset(
    """old new current brand my our your the a some any other another wrong right good bad valid invalid correct
    incorrect confirm confirmed repeat repeated reset flow temp temporary default initial updated changed random
    generated strong weak secure super very long short first second original custom account db database""".split()
)
_DECORATIONS = "0123456789!@#$%^&*?._-"
_LETTERS_FOR = str.maketrans("@04$3", "aoase")
_PARTS = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z]+")

_NUMBERED_NAME = regex(r"[A-Za-z]?[a-z]*\d(?:[A-Z][a-z]{2,})+")
_OWN_MEMBER = regex(r"(?:this|self)(?:\??\.[A-Za-z_$][\w$]*)+")
_CLASS_FILE = regex(r"L?[a-z][a-z0-9_]*(?:/[A-Za-z_][\w$]*)+;?")
"""A class in the notation of the Java virtual machine: `Lokhttp3/Authenticator;`."""

_PUBLISHABLE = regex(r"(?:sb_publishable_|pk_(?:live|test)_|appl_|goog_|amzn_)\w+")
"""Keys that apps and pages ship, of Supabase, Stripe and RevenueCat."""

_TWO_ORDINARY = re.compile(
    f"(?:{'|'.join(sorted(filter(lambda word: len(word) > 2, _ORDINARY), key=len, reverse=True))}){{2,3}}"
)
_MEMBER = regex(r"[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+")

_PUNCTUATED = regex(r"[=:;,|(){}\[\]<>\\]")
_TECHNICAL = regex(
    r"v?\d+(?:[.:/-]\d+)+\w{0,6}|\d+(?:\.\d+)+[-@+_.\w]*|[\w.-]+\.[a-z]{1,4}|[\d.,]+[A-Za-z%]{0,4}"
    r"|[\w.+-]+@[\w-]+\.[\w.]+|[^\s/]+/\S*"
)
"""Versions, dates, files, quantities, addresses and paths."""

_NUMBERED = regex(r"[A-Z]{2,}(?:-\d+)+|GHSA(?:-\w{4}){3}")
"""Tickets and advisories."""

_SYMBOL = regex(r"[!@#$%^&*+=~?|]")
_CLASSES = tuple(map(re.compile, (r"[a-z]", r"[A-Z]", r"\d", r"[^A-Za-z0-9\s]")))
_DIGIT, _SPACE = regex(r"\d"), regex(r"\s")


def is_secret(value: str, named: Label, form: Form) -> bool:
    """Whether `value`, written in `form` beside a name that labels secrets, is a secret."""
    most = _LONGEST_OF[named.kind] if " " in value else LONGEST
    if not SHORTEST <= len(value) <= most:
        return False
    if len(value) < _SHORTEST_SURE:
        return _weak(value, named, form)
    if is_example(value) or _repeats_its_name(value, named):
        return False
    digits = bool(_DIGIT.search(value))
    if (form in _QUOTED and _drawn_from_all(value)) or (
        named.kind == "password" and is_suggested(value)
    ):
        return True
    phrase = _passphrase(value, named)
    if not phrase and not digits and not _drawn_letters(value, form):
        return False
    if is_placeholder(value) and not _dense(value):
        return False
    if _UUID.fullmatch(value):
        return _may_be_uuid(named, form)
    if not value.isascii() and sum(map(str.isascii, value)) < 0.8 * len(value):
        return False
    if _SPACE.search(decoded(value)):
        return form == "quoted" and named.kind == "password" and _phrase(value)
    if phrase or _is_code(value, named, form):
        return phrase and not _MARKED_UP.search(value)
    if named.kind == "password":
        return _chosen(value, named, form, digits=digits)
    return _generated(value, named, form, digits=digits)


def _may_be_uuid(named: Label, form: Form) -> bool:
    """Whether a UUID beside this label is a secret and not an id. One of a file in an address, `&token=`, is
    public.
    """
    alone = named.word == "token" and form in ("line", "spoken")
    return (named.option or not named.weak or alone) and named.word not in _OF_IDS


def _passphrase(value: str, named: Label) -> bool:
    """Whether words were joined to form a password: four of letters alone, or fewer with a number. Names of
    services and variables look the same, so without a number only hyphens count as joints.
    """
    sure = named.kind == "password" and (not named.weak or named.word == "pw")
    joined = _JOINED.fullmatch(value) if sure else None
    if joined is None:
        return False
    parts = value.rstrip("!?$%#").split(joined[1])
    if any(part.casefold() in _IN_NAMES or _NAMED_AFTER.search(part) for part in parts):
        return False
    words = [part for part in parts if part[:3].isalpha() and len(part) >= 3]
    if any(part.isdigit() for part in parts):
        return len(words) >= 2 and not parts[0].isdigit()
    if joined[1] != "-" or len(words) < 2:
        return False
    numbered = any(_NUMBERED_WORD.fullmatch(part) for part in parts)
    return len(words) >= 4 or numbered


def _drawn_letters(value: str, form: Form) -> bool:
    """Whether letters and symbols may be a secret: never in one case only, and in a sentence only where
    the case changes as often as in generated text.
    """
    if form != "spoken":
        return not (value.islower() or value.isupper())
    return len(value) >= 12 and hops(value) >= len(value) / 3 and not spoken(value)


def _is_code(value: str, named: Label, form: Form) -> bool:
    """Whether a value is an expression, a name, a pattern, a file or an address."""
    if _MARKED_UP.search(value) or _ADDRESS.fullmatch(value):
        return True
    if _FILTER.fullmatch(value) or _NAMED_KEY.fullmatch(value) or _PUBLISHABLE.fullmatch(value):
        return True
    quoted = form in _QUOTED
    if (not quoted or named.kind == "secret") and _CODE.search(value):
        return value[-1] in ")]}" or not (_drawn(value) and _SYMBOL.search(value))
    assigned = form == "line" and named.constant
    return not quoted and not assigned and (is_identifier(value) or _is_member(value))


def is_placeholder(value: str) -> bool:
    """Whether a value is a placeholder or a common example value, with or without a number
    at the end.
    """
    if _PLACEHOLDER.search(value, 0, 100) or value.casefold() in _ORDINARY:
        return True
    if value.islower() and value.rstrip("0123456789") in _ORDINARY:
        return True
    return _names_itself(value) or is_example(value)


def is_example(value: str) -> bool:
    """Whether documentation prints it: published, a sequence, or the Base64 of a common example value."""
    if is_published(value) or is_sequence(value):
        return True
    readable = decoded_text(value)
    user, colon, _ = readable.partition(":")
    hidden = secret_part(readable)
    return bool(readable) and (
        (bool(colon) and hidden == user)
        or "example" in hidden.casefold()
        or "BEGIN CERTIFICATE" in readable
        or hidden.casefold() in _ORDINARY
        or _names_itself(hidden)
    )


def _repeats_its_name(value: str, named: Label) -> bool:
    """Whether its words are those of its label: `rootPassword: newRootPassword123`."""
    parts = {part.casefold() for part in _PARTS.findall(value[:60]) if part.isalpha()}
    others = parts - _EXAMPLE_PARTS - _ORDINARY
    return named.word in parts and len(parts) > 1 and others <= set(named.parts)


def _names_itself(value: str) -> bool:
    """Whether it only describes a password, its owner or its age: `newPassword123`, `testpwd`."""
    word = value.casefold().rstrip("0123456789")
    if _TWO_ORDINARY.fullmatch(word) and "123456789".startswith(value[len(word) :]):
        return True
    parts = [part.casefold() for part in _PARTS.findall(value[:60]) if part.isalpha()]
    others = [part for part in parts if part not in _EXAMPLE_PARTS]
    return bool(others) and len(parts) > 1 and _ORDINARY.issuperset(others)


def _fixture(value: str) -> bool:
    """Whether a literal of a program is a value for tests and examples: a word and a number, or its own
    description with digits for letters, `Passw0rd!`. In a setting, a command or a sentence it may be real.
    """
    match = _WORD_AND_NUMBER.fullmatch(value)
    if match and value[-1].isdigit() and spoken(match["word"]):
        return True
    word = value.rstrip(_DECORATIONS).translate(_LETTERS_FOR)
    parts = [part.casefold() for part in _PARTS.findall(word[:60]) if part.isalpha()]
    return bool(parts) and (_ORDINARY | _EXAMPLE_PARTS).issuperset(parts)


def _dense(value: str) -> bool:
    """Whether it changes so often between letters of both cases and digits that a placeholder's word in it
    is a coincidence.
    """
    if len(value) < 32 or not all(kind.search(value) for kind in _CLASSES[:3]):
        return False
    return hops(value) >= len(value) / 2.5 and not _STANDS_FOR.search(value)


def _phrase(value: str) -> bool:
    """Whether quoted words are a password and not a message about one."""
    words = value.split()
    return len(words) <= 4 and any(
        len(word) >= 5 and _DIGIT.search(word) and not spoken(word) for word in words
    )


def _chosen(value: str, named: Label, form: Form, *, digits: bool) -> bool:
    """Whether it is a password chosen by a person: characters of several kinds, and not a name."""
    classes = sum(bool(kind.search(value)) for kind in _CLASSES)
    symbol = bool(_SYMBOL.search(value[:-1]))
    # An obfuscated password in hexadecimal repeats few digits: JetBrains writes `dff9dfdfdfda`.
    obscured = len(value) >= 32 and bool(_HEX.fullmatch(value))
    if classes < 2 or (entropy(value) < 2.3 and not obscured):
        return False
    if not digits:
        uneven = len(value) >= 10 and hops(value) >= len(value) / 3
        return ((classes >= 3 and symbol) or uneven or random_looking(value, 16)) and not spoken(
            value
        )
    if not any(map(str.isalpha, value)):
        return symbol and form in _QUOTED
    if form in _OF_PROGRAMS and _fixture(value):
        return False
    if form in _QUOTED:
        return not (spoken(value) and ("_" in value or "-" in value) and _NAMING.search(value))
    if form == "line" and named.constant:
        return not (spoken(value) and _NAMING.search(value)) or _weak(value, named, form)
    dated = not named.weak and bool(_DATED.fullmatch(value))
    if form == "spoken":
        drawn = len(value) >= 24 and named.word.startswith("passw") and bool(_HEX.fullmatch(value))
        return dated or drawn or _unspeakable(value) or _weak(value, named, form)
    return symbol or dated or not spoken(value) or _weak(value, named, form)


def _weak(value: str, named: Label, form: Form) -> bool:
    """Whether it is a word with a number, `hunter2` or `passwrod1234`, where only a password is possible. A
    variable looks the same, except for its number, which is short, and its name.
    """
    match = _WORD_AND_NUMBER.fullmatch(value)
    if match is None or named.kind != "password" or named.weak or form in _OF_PROGRAMS:
        return False
    word, number = match["word"].casefold(), match["number"]
    if word in _ORDINARY or _KNOWN_NUMBERED.fullmatch(value):
        return False
    if len(number) >= 3:
        return form != "quoted" or not _NAMED_AFTER.search(word)
    return form != "spoken" and len(word) >= 5 and not _NAMED_AFTER.search(word)


def _is_member(value: str) -> bool:
    """Whether it is read from a variable, `auth0Config.clientSecret`, or names a class."""
    last = value.rpartition(".")[2]
    if _OWN_MEMBER.fullmatch(value):
        return True
    if _CLASS_FILE.fullmatch(value) and spoken(value.rpartition("/")[2]):
        return True
    return bool(_MEMBER.fullmatch(value)) and (spoken(last) or bool(_NUMBERED_NAME.fullmatch(last)))


def _drawn_from_all(value: str) -> bool:
    """Whether it is a key of letters, digits and symbols drawn at random, without words."""
    if not _PRINTABLE.fullmatch(value) or hops(value) < len(value) / 3 or len(set(value)) < 20:
        return False
    symbols = sum(not char.isalnum() for char in value)
    spoken_letters = sum(len(word) for word in _LOWER_WORD.findall(value) if spoken(word))
    return symbols >= 5 and sum(map(str.isdigit, value)) >= 3 and spoken_letters < len(value) / 4


def _unspeakable(value: str) -> bool:
    """Whether a word of a sentence is not a natural-language word: digits among the letters, or symbols."""
    if (
        _TECHNICAL.fullmatch(value)
        or _NUMBERED.fullmatch(value)
        or _HEX.fullmatch(value)
        or (_PUNCTUATED.search(value) and not _drawn(value))
    ):
        return False
    return not spoken(value) or bool(_SYMBOL.search(value[:-1]))


def _drawn(value: str) -> bool:
    """Whether characters of every kind alternate as in generated text."""
    kinds = all(kind.search(value) for kind in _CLASSES)
    return kinds and len(value) >= 12 and hops(value) >= len(value) / 2 and not spoken(value)


def _generated(value: str, named: Label, form: Form, *, digits: bool) -> bool:
    """Whether it is a machine-generated secret; the less certain its label, the longer it must be."""
    if form == "spoken" and (_NUMBERED.fullmatch(value) or _PUNCTUATED.search(value.rstrip("="))):
        return False
    classes = sum(bool(kind.search(value)) for kind in _CLASSES)
    if digits and classes == 4 and form != "spoken" and not named.weak and _SYMBOL.search(value):
        return not spoken(value)
    if is_identifier(value):
        return False
    of_key, changes = named.word in ("key", "keys"), hops(value)
    if of_key and (_FINGERPRINT.fullmatch(value) or (named.weak and changes < len(value) / 5)):
        return False
    shortest = (12 if form in _QUOTED or form == "line" else 16) + 4 * named.weak
    if classes >= 3 and changes >= len(value) / 4 and not (of_key and named.weak):
        shortest = 14 if form == "spoken" else 12
    return random_looking(value, shortest) and not mostly_spoken(value)
