"""Made-up secrets of every provider's shape, assembled at run time so that no scanner of this
repository mistakes a test for a leak.
"""

from __future__ import annotations

import random
import re
import string

_SETS = {
    "A": string.ascii_letters + string.digits,
    "W": string.ascii_letters + string.digits + "_-",
    "U": string.ascii_uppercase + string.digits,
    "L": string.ascii_lowercase + string.digits,
    "H": "0123456789abcdef",
    "B": string.ascii_letters + string.digits + "+/",
    "D": string.digits,
}

SHAPES: dict[str, tuple[str, ...]] = {
    "aws-access-key": ("AKIA|{U16}", "ASIA|{U16}"),
    "github-token": ("gh|p_{A36}", "gh|o_{A36}", "gh|s_{A36}"),
    "github-fine-grained": ("github|_pat_{A22}_{A59}",),
    "gitlab-token": ("gl|pat-{W20}", "gl|ptt-{H40}", "gl|rt-{W20}", "gl|pat-{W27}.01.{L9}"),
    "slack-token": ("xox|b-{D12}-{D13}-{A24}", "xox|p-{D12}-{D12}-{D12}-{H32}"),
    "slack-app": ("xapp|-1-{U11}-{D13}-{H64}",),
    "anthropic-key": ("sk|-ant-api03-{W93}AA", "sk|-ant-admin01-{W93}AA"),
    "openai-key": ("sk|-{A20}T3BlbkFJ{A20}", "sk|-proj-{W74}T3BlbkFJ{W74}", "sk|-svcacct-{W74}"),
    "openrouter-key": ("sk|-or-v1-{H64}",),
    "google-api-key": ("AI|za{W35}",),
    "google-oauth-secret": ("GOC|SPX-{W28}",),
    "google-access-token": ("ya|29.{W120}",),
    "stripe-key": ("sk|_live_{A24}", "rk|_live_{A24}", "sk|_test_{A99}"),
    "stripe-webhook": ("whs|ec_{A32}",),
    "npm-token": ("np|m_{A36}",),
    "pypi-token": ("py|pi-AgEIcHlwaS5vcmc{W120}",),
    "rubygems-key": ("ruby|gems_{H48}",),
    "docker-token": ("dckr|_pat_{W27}",),
    "huggingface-token": ("h|f_{A34}",),
    "digitalocean-token": ("do|p_v1_{H64}", "do|o_v1_{H64}"),
    "sendgrid-key": ("S|G.{W22}.{W43}",),
    "twilio-key": ("S|K{H32}",),
    "telegram-token": ("{D9}|:AA{W33}", "{D10}|:AA{W33}"),
    "discord-token": ("M|{A23}.{A6}.{W27}", "N|{A25}.{W6}.{W38}"),
    "heroku-key": ("HR|KU-{H8}-{H4}-{H4}-{H4}-{H12}", "HR|KU-AA{W58}"),
    "shopify-token": ("shp|at_{H32}", "shp|ss_{H32}"),
    "square-token": ("sq|0atp-{W22}", "sq|0csp-{W43}"),
    "mailgun-key": ("ke|y-{H32}",),
    "mailchimp-key": ("{H32}|-us12",),
    "newrelic-key": ("NR|AK-{U27}",),
    "grafana-token": ("gl|sa_{A32}_{H8}", "gl|c_{A80}="),
    "databricks-token": ("da|pi{H32}",),
    "linear-key": ("lin|_api_{A40}",),
    "notion-token": ("nt|n_{A46}", "sec|ret_{A43}"),
    "atlassian-token": ("ATA|TT3{W186}",),
    "vault-token": ("hv|s.{W95}", "hv|b.{W138}"),
    "doppler-token": ("d|p.pt.{A43}", "d|p.st.dev.{A43}"),
    "pulumi-token": ("pu|l-{H40}",),
    "planetscale-token": ("psc|ale_tkn_{W43}",),
    "postman-key": ("PM|AK-{H24}-{H34}",),
    "figma-token": ("fi|gd_{W43}",),
    "airtable-token": ("pa|t{A14}.{H64}",),
    "sentry-token": ("snt|ryu_{H64}", "snt|rys_{A80}"),
    "perplexity-key": ("pp|lx-{A48}",),
    "groq-key": ("gs|k_{A52}",),
    "xai-key": ("xa|i-{A80}",),
    "replicate-token": ("r|8_{A37}",),
    "langsmith-key": ("lsv|2_pt_{H32}_{H10}",),
    "azure-client-secret": ("{A3}|8Q~{A34}",),
    "age-secret-key": ("AGE-SEC|RET-KEY-1{U58}",),
    "jwt": ("ey|JhbGciOiJI{A12}.ey|JzdWIi{A60}.{W43}",),
    "terraform-token": ("{A14}|.atlasv1.{A67}",),
    "supabase-key": ("sb|p_{H40}", "sb|_secret_{A31}"),
    "buildkite-token": ("bk|ua_{H40}",),
    "dynatrace-token": ("dt|0c01.{U24}.{U64}",),
    "netlify-token": ("nf|p_{A36}",),
    "tailscale-key": ("ts|key-auth-{A17}-{A32}",),
    "brevo-key": ("xkey|sib-{H64}-{A16}",),
    "clickhouse-key": ("4b|1d{A38}",),
    "1password-token": ("op|s_eyJ{A250}",),
    "facebook-token": ("EA|ACEdEose0c{A90}", "EA|AG{A110}"),
    "adobe-secret": ("p8|e-{A32}",),
    "fly-token": ("fo|1_{A43}",),
}

CONTEXTS = (
    "export THE_VALUE={}",
    '{{"value": "{}", "other": 1}}',
    "it answered with {}, so I tried again",
    "value: '{}'",
    'curl -s -H \\"X: {}\\" https://api.test/v1',
    "{}",
    "k={}\nnext line",
    "GET /v1/things?t={}&page=2",
)

KEYED = (
    ("DB_PASSWORD={}", "password", "Tr0ub4dor{A6}"),
    ('password: "{}"', "password", "{A14}!7a"),
    ("PGPASSWORD='{}' psql", "password", "{A16}4z"),
    ("mysql --password {} -h db", "password", "{A16}4z"),
    ('"client_secret": "{}"', "secret", "{W32}x4k9"),
    ("api_key = '{}'", "secret", "{A32}"),
    ("apiKey: `{}`,", "secret", "{H32}"),
    ("AWS_SECRET_ACCESS_KEY={}", "secret", "{B40}"),
    ("AccountKey={};EndpointSuffix=core", "secret", "{A84}x4=="),
    ("--token {}", "secret", "{A28}k4"),
    ("//registry.test/:_authToken={}", "secret", "{A36}"),
    ("ENCRYPTION_KEY: {}", "secret", "{H64}"),
    ("Authorization: Bearer {}", "authorization", "{A40}7x"),
    ("'authorization': 'Basic {}'", "authorization", "{A30}x7=="),
    ("postgres://app:{}@db.test:5432/main", "url-password", "{A14}"),
    ("https://bot:{}@git.test/x.git", "url-password", "{A20}"),
    ("https://hooks.slack.com/services/{}", "webhook", "T{U8}/B{U8}/{A24}"),
    ("https://discord.com/api/webhooks/{}", "webhook", "{D18}/{W68}"),
    ("https://x.blob.test/c?sv=2022&sig={}&se=1", "signature", "{A43}%3D"),
    ("HEROKU_API_KEY={}", "heroku-key", "{H8}-{H4}-{H4}-{H4}-{H12}"),
)


def fill(shape: str, rng: random.Random) -> str:
    """A sample of `shape`, in which `{X9}` stands for nine characters of the set X."""

    def run(match: re.Match[str]) -> str:
        letters = _SETS[match[1]]
        made = "".join(rng.choices(letters, k=int(match[2])))
        # A token's first and last characters are letters or digits in all of these formats.
        return made if match[1] in "UHDLA" else "a" + made[1:-1] + "Z"

    return re.sub(r"\{([A-Z])(\d+)\}", run, shape).replace("|", "")


def pem(rng: random.Random) -> str:
    """A block that looks like a private key."""
    body = "\n".join("".join(rng.choices(_SETS["B"], k=64)) for _ in range(12))
    kind = "RSA PRIV" + "ATE KEY"
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


def negatives(rng: random.Random) -> list[str]:
    """Lines that look a little like secrets and are none."""

    def take(letters: str, count: int) -> str:
        return "".join(rng.choices(_SETS[letters], k=count))

    uuid = "-".join(take("H", n) for n in (8, 4, 4, 4, 12))
    return [
        f"commit {take('H', 40)}",
        f"{take('H', 7)}..{take('H', 7)}  main -> main",
        f"sha256:{take('H', 64)}",
        f'"integrity": "sha512-{take("B", 86)}==",',
        f"    hash = sha256-{take('B', 43)}=",
        f'checksum = "{take("H", 64)}"',
        f"session {uuid} started",
        f'"uuid": "{uuid}", "parentUuid": "{uuid}"',
        f"token_id: {uuid}",
        f"/usr/lib/python3.12/site-packages/{take('L', 12)}/secret_tokens.py",
        f"src/auth/token_{take('L', 6)}_handler.ts:120",
        "def authenticate(token: str, password: str | None = None) -> User:",
        "password = getpass.getpass('Password: ')",
        "const token = await this.authService.refreshToken2(user);",
        "token = request.headers['x-token']",
        "API_KEY=your-api-key-here",
        "export SECRET_KEY=${SECRET_KEY}",
        "password: <your password 123>",
        "secret: process.env.CLIENT_SECRET_V2",
        "The token budget is 2,000 tokens: 500 for tier 0 and 1000 for tier 1.",
        "max_tokens=4096, token_count: 123456789",
        "passed: 128 passed, 3 skipped in 12.5s",
        "key: cache-v2-linux-node20-packages",
        "primary_key=True, foreign_key='users.id'",
        "postgres://user:password@localhost:5432/db",
        "https://example.com/a/b:c/d@2x.png",
        "see https://docs.test/auth#bearer-tokens-explained-in-depth-2024",
        "keyboard: qwerty, monkey: 12345678, turkey=anything1234",
        "author: Some Body <some.body@mail.test>",
        f"data:image/png;base64,{take('B', 200)}",
        f"var a_{take('L', 4)}_long_identifier_name_with_many_parts = 1",
        "auth: bearer tokens are checked in the middleware before anything else",
        "ssh-ed25519 is the default key: use it",
        "[REDACTED:password:1a2b3c4d] and [REDACTED:github-token:00ff00ff]",
        "task-runner-configuration-for-everything, risk-assessment-of-the-new-thing",
        "-----BEGIN CERTIFICATE-----",
        "the passphrase: something only you know",
        "tokenizer = Tokenizer.from_file('model/tokenizer.json')",
        f'etag: W/"{take("H", 32)}"',
        f"image: registry.test/app@sha256:{take('H', 64)}",
    ]
