"""Names that label their value as a secret.

A name is split into its words. The last significant word decides: a `token_id` is an id, a
`password_field` a field, a `keyboard` not a key.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

Kind = Literal["password", "secret"]


class Label(NamedTuple):
    """The kind of value a name labels: a password, which people choose, or a secret, which machines generate.

    It is `weak` where the name has other meanings too, a `constant` when written like an environment
    variable, an `option` when written like a command-line option. `word` is the deciding word,
    `parts` are all of them in lower case.
    """

    kind: Kind
    weak: bool = False
    constant: bool = False
    option: bool = False
    word: str = ""
    parts: tuple[str, ...] = ()


ANCHORS = (
    b"pass", b"pw", b"secret", b"token", b"key", b"cred", b"auth", b"kennwort", b"contrase", b"senha",
    b"clave", b"_pat", b"_salt", b"psw", b"pssw", b"pasw",
)  # fmt: skip
"""Every name that labels a secret contains one of these, in ASCII and lower case."""

_PASSWORDS = frozenset(
    """pass passe passphrase passcode passkey passwort pw psw pword kennwort kennworte contrase
    contrasena contrasenia senha clave userpass dbpass pgpass mysqlpass rootpass adminpass smtppass ftppass
    sshpass keypass storepass keystorepass passout passin passwords""".split()
)
_PASSWORD_ENDS = (
    "password", "passwd", "passw", "pwd", "passphrase", "passwort",
    # Abbreviated or misspelt, as in settings of others.
    "pswd", "psswd", "pswrd", "psswrd", "passwrd", "psword", "pssword", "paswd", "paswrd", "pasword",
)  # fmt: skip
_WEAK = frozenset("pass passe pw clave pword".split())
_SECRETS = frozenset(
    """secrets apikeys secretkey accesskey privatekey appkey authkey masterkey encryptionkey signingkey
    bearer credential credentials cred creds secretaccesskey accountkey sharedaccesskey storagekey authpw
    sessionkey deploykey servicekey licensekey pat authsalt insalt noncesalt""".split()
)
"""The salts are those WordPress signs with, `LOGGED_IN_SALT`; others may be known."""

_SECRET_ENDS = ("secret", "token", "apikey")
_AUTH = frozenset("auth authorization authentication authenticator".split())
_KEYS = frozenset("""key keys pkey kek dek clé schlüssel""".split())
_QUALIFIERS = frozenset(
    """api app application access private priv secret encryption encrypt encrypted decrypt signing sign
    account auth authentication master storage client service server license licence shared session deploy
    webhook subscription consumer project ingest integration write admin management function host security
    crypto cipher aes hmac jwt oauth bot user token aws azure gcp google openai anthropic stripe github
    gitlab slack twilio sendgrid mailgun mailchimp datadog algolia maps rapid rapidapi gemini mistral cohere groq
    huggingface replicate pinecone supabase cloudflare heroku digitalocean vercel netlify sentry segment amplitude
    mixpanel newrelic pagerduty launchdarkly linear notion airtable asana trello jira confluence okta auth0
    dropbox discord telegram twitter facebook instagram linkedin reddit spotify shopify square paypal plaid
    coinbase kraken binance bittrex kucoin etherscan infura alchemy moralis openweather weather tmdb
    ibm alibaba aliyun tencent yandex vk wechat line kakao naver fastly akamai contentful sanity ghost
    zendesk intercom freshdesk hubspot salesforce marketo klaviyo brevo postmark sparkpost pusher ably pubnub agora
    vonage nexmo messagebird plivo telnyx snyk sonar sonarqube codecov codacy travis circleci drone jenkins artifactory
    jfrog nuget npm pypi rubygems docker quay ingestion fernet flask django rails laravel
    x""".split()
)
"""What a key is for when it is a secret; a plain key is most often one of a table."""

_SUFFIXES = frozenset(
    """value string str text plain plaintext clear raw base base64 b64 hex prod production prd dev development
    staging stage stg test testing live local main primary secondary default admin root current old new
    one two a b c env new again confirm confirmation repeat repeated is val unencrypted sandbox
    unsafe secure super""".split()
)
"""Words after the deciding one that do not change its meaning."""

_OTHERWISE = frozenset(
    """public pub publishable pubkey foreign primary unique partition sort cache row lookup index websocket socket
    signature csrf xsrf csrfmiddleware authenticity antiforgery postman page continuation cursor pagination sync
    cancellation lexer parser syntax stop eos bos pad sep cls unk design css theme color masked redacted
    sanitized""".split()
)
"""Words before the deciding one that change its meaning: half of a pair, a list position, a word."""

_CURSORS = frozenset("deltatoken skiptoken pagetoken nexttoken synctoken continuationtoken".split())
"""List positions, of Microsoft Graph and others, in one word."""

_PLACES = frozenset("next previous start resume".split())
"""The same when right before it: `next_token`, but not `NEXT_PRIVATE_TOKEN`."""

_PUBLIC_KEYS = frozenset("site".split())
"""The use of a key that pages show: the site key of a captcha."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_REGION = re.compile(r"[a-z]{2,3}[-_](?:PW|pw)")
"""The locale of Palau: `en_PW`."""

_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")


@lru_cache(maxsize=8_192)
def label(name: str) -> Label | None:
    """The kind of secret that a name of ASCII letters, digits, `-` and `_` labels; None if it labels no secret."""
    bare = name.strip("-_")
    if _REGION.fullmatch(bare):
        return None
    head = _head(_WORD.findall(bare))
    if head is None:
        return None
    kind, weak, word = head
    parts = tuple(part.casefold() for part in _WORD.findall(bare))
    return Label(kind, weak, bool(_CONSTANT.fullmatch(bare)), name.startswith("-"), word, parts)


def _head(named: list[str]) -> tuple[Kind, bool, str] | None:
    words = [word.casefold() for word in named]
    while len(words) > 1 and (words[-1] in _SUFFIXES or words[-1].isdigit()):
        words.pop()
    # As kubeconfig names it.
    if words[-2:] == ["key", "data"]:
        words.pop()
    if not words:
        return None
    *before, head = words
    # Forms carry such tokens: csrfmiddlewaretoken, __RequestVerificationToken.
    if (
        head.startswith(("csrf", "xsrf"))
        or head in _CURSORS
        or before[-2:] == ["request", "verification"]
    ):
        return None
    if not _OTHERWISE.isdisjoint(before) or (before and before[-1] in _PLACES):
        return None
    if head in _PASSWORDS or head.endswith(_PASSWORD_ENDS):
        return "password", head in _WEAK and not before, head
    if (
        head in _SECRETS
        or head.endswith(_SECRET_ENDS)
        or (before and before[-1] + head in _SECRETS)
    ):
        return "secret", head == "token" and not before, head
    if head in _AUTH:
        return "secret", True, head
    if head in _KEYS:
        if before and before[-1] in _PUBLIC_KEYS:
            return None
        if not _QUALIFIERS.isdisjoint(before):
            return "secret", False, head
        return ("secret", True, head) if before else None
    return None
