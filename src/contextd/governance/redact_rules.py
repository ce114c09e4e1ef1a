"""The shapes of secrets, one row each.

Rules in `TOKENS` start with a literal prefix and contain an unbroken run of at least
`SHORTEST_RUN` letters, digits, `-` or `_`; that is how the scan finds them cheaply. A group named
`secret` narrows what is replaced. Prefixes and lengths follow the providers' documentation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SHORTEST_RUN = 16


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret: its name in the replacement, and the pattern of its text."""

    type: str
    pattern: str


_W = r"[A-Za-z0-9_\-]"
_A = r"[A-Za-z0-9]"
_H = r"[a-fA-F0-9]"

TOKENS: tuple[Rule, ...] = (
    Rule("aws-access-key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    Rule("github-token", rf"gh[pousr]_{_A}{{36,255}}"),
    Rule("github-fine-grained", r"github_pat_[A-Za-z0-9_]{50,255}"),
    Rule(
        "gitlab-token",
        rf"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-{_W}{{20,300}}(?:\.[0-9a-z.]{{2,14}})?",
    ),
    Rule("slack-token", r"xox[abceoprs](?:\.xox[a-z])?-[A-Za-z0-9\-]{16,250}"),
    Rule("slack-app", r"xapp-\d-[A-Za-z0-9\-]{20,250}"),
    Rule("anthropic-key", rf"sk-ant-[a-z]{{3,8}}\d\d-{_W}{{60,130}}"),
    Rule("openai-key", rf"sk-(?:proj|svcacct|admin|None)-{_W}{{20,220}}|sk-{_A}{{40,64}}"),
    Rule("openrouter-key", rf"sk-or-v1-{_H}{{64}}"),
    Rule("google-api-key", rf"AIza{_W}{{35}}"),
    Rule("google-oauth-secret", rf"GOCSPX-{_W}{{28}}"),
    Rule("google-access-token", rf"ya29\.{_W}{{20,2000}}"),
    Rule("stripe-key", rf"[sr]k_(?:live|test|prod)_{_A}{{16,250}}"),
    Rule("stripe-webhook", r"whsec_[A-Za-z0-9+/=]{24,100}"),
    Rule("npm-token", rf"npm_{_A}{{36}}"),
    Rule("pypi-token", rf"pypi-AgE{_W}{{50,1000}}"),
    Rule("rubygems-key", rf"rubygems_{_H}{{48}}"),
    Rule("docker-token", rf"dckr_(?:pat|oat)_{_W}{{24,64}}"),
    Rule("huggingface-token", rf"(?:hf|api_org)_{_A}{{34}}"),
    Rule("digitalocean-token", rf"do[opr]_v1_{_H}{{64}}"),
    Rule("sendgrid-key", rf"SG\.{_W}{{16,32}}\.{_W}{{32,64}}"),
    Rule("twilio-key", r"SK[0-9a-f]{32}"),
    Rule("telegram-token", rf"\d{{8,10}}:AA{_W}{{32,33}}"),
    Rule("discord-token", rf"[MNO]{_W}{{23,27}}\.{_W}{{6}}\.{_W}{{27,38}}"),
    Rule("heroku-key", rf"HRKU-{_W}{{36,70}}"),
    Rule("shopify-token", rf"shp(?:at|ca|pa|ss)_{_H}{{32}}"),
    Rule("square-token", rf"sq0(?:atp|csp|idp)-{_W}{{22,43}}|EAAA{_W}{{56,60}}"),
    Rule("mailgun-key", r"key-[0-9a-f]{32}"),
    Rule("mailchimp-key", r"[0-9a-f]{32}-us\d{1,2}"),
    Rule("newrelic-key", r"NRAK-[A-Z0-9]{27}"),
    Rule("grafana-token", rf"glsa_{_A}{{32}}_{_H}{{8}}|glc_[A-Za-z0-9+/]{{32,400}}={{0,2}}"),
    Rule("databricks-token", r"dapi[a-f0-9]{32}(?:-\d)?"),
    Rule("linear-key", rf"lin_(?:api|oauth)_{_A}{{32,64}}"),
    Rule("notion-token", rf"ntn_{_A}{{40,60}}|secret_{_A}{{43}}"),
    Rule("atlassian-token", r"ATATT3[A-Za-z0-9_\-=]{100,250}"),
    Rule("vault-token", rf"hv[sbr]\.{_W}{{24,300}}"),
    Rule(
        "doppler-token", rf"dp\.(?:pt|st|sa|ct|scim|audit)\.(?:[a-z0-9\-_]{{2,35}}\.)?{_A}{{40,44}}"
    ),
    Rule("pulumi-token", r"pul-[a-f0-9]{40}"),
    Rule("planetscale-token", r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.\-]{32,64}"),
    Rule("postman-key", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    Rule("figma-token", rf"fig[dou]_{_W}{{40,64}}"),
    Rule("airtable-token", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    Rule("sentry-token", r"sntrys_[A-Za-z0-9+/=_]{50,400}|sntryu_[a-f0-9]{64}"),
    Rule("perplexity-key", rf"pplx-{_A}{{40,56}}"),
    Rule("groq-key", rf"gsk_{_A}{{48,56}}"),
    Rule("xai-key", rf"xai-{_A}{{70,90}}"),
    Rule("replicate-token", rf"r8_{_A}{{37}}"),
    Rule("langsmith-key", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    Rule("azure-client-secret", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}"),
    Rule("age-secret-key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    Rule("jwt", rf"ey[IJ]{_W}{{14,4000}}\.ey{_W}{{10,8000}}\.{_W}{{8,2000}}"),
    Rule("terraform-token", rf"{_A}{{14}}\.atlasv1\.{_W}{{60,70}}"),
    Rule("fly-token", r"fm[12][ar]?_[A-Za-z0-9+/]{100,1000}={0,3}|fo1_[A-Za-z0-9_\-]{43}"),
    Rule("supabase-key", rf"sbp_[a-f0-9]{{40}}|sb_secret_{_W}{{20,64}}"),
    Rule("buildkite-token", r"bk(?:ua|ct|aj)_[a-f0-9]{40}"),
    Rule("dynatrace-token", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    Rule("netlify-token", rf"nfp_{_A}{{36,40}}"),
    Rule("tailscale-key", r"tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9\-]{16,80}"),
    Rule("brevo-key", r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    Rule("clickhouse-key", rf"4b1d{_A}{{38}}"),
    Rule("1password-token", r"ops_eyJ[A-Za-z0-9+/]{100,1000}={0,2}"),
    Rule("facebook-token", rf"EAA[CMG]{_A}{{80,400}}"),
    Rule("adobe-secret", r"p8e-[A-Za-z0-9]{32}"),
)

HEADS = (
    r"A(?:KIA|SIA|BIA|CCA)|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox[a-z]|xapp-|sk-|AIza|GOCSPX-"
    r"|[sr]k_(?:live|test|prod)_|whsec_|npm_|pypi-|rubygems_|dckr_|hf_|api_org_|do[opr]_v1_|SK[0-9a-f]{8}"
    r"|HRKU-|shp[a-z]{2}_|sq0|EAAA|key-[0-9a-f]{8}|[0-9a-f]{32}-us|NRAK-|gl[sc]a?_|dapi[a-f0-9]{8}"
    r"|lin_|ntn_|secret_|ATATT3|pul-|pscale_|PMAK-|fig[dou]_|sntry|pplx-|gsk_|xai-|r8_|lsv2_"
    r"|AGE-SECRET|ey[IJ]|fm[12]|fo1_|sb(?:p|_secret)_|bk(?:ua|ct|aj)_|nfp_|tskey-|xkeysib-|4b1d"
    r"|ops_ey|EAA[CMG]|p8e-"
)
"""How a token of `TOKENS` can begin inside a run. Tokens whose run comes after a `.`, `:` or `~`
are looked for whenever one of those stands right before or after a run."""

# Everything below is found by a literal keyword instead; see `redact.KEYWORDS`.
_PLAIN = r"[^\s\"'`,;<>(){}\[\]|\\&=]"
VALUE = rf"(?:(?P<quote>[\"'`])(?P<quoted>(?:{_PLAIN}|[&=;,|]){{8,300}})|(?P<secret>{_PLAIN}{{8,300}}={{0,2}}))"
_SUFFIX = r"(?:[_\-. ]?(?:key|value|token|secret|hash|string|base64|prod|production|dev|staging|live|\d{1,2}))?"
_SEPARATOR = r"\\?[\"'`]?\s{0,8}(?::=|=>|==?|:)\s{0,8}\\?"

PASSWORD = re.compile(rf"pass(?:word|wd|phrase|code)?{_SUFFIX}{_SEPARATOR}{VALUE}", re.I)
KEYWORD = re.compile(
    rf"(?:pwd|secret|token|auth|credentials?|key)(?:[_\-](?:access|id))?{_SUFFIX}{_SEPARATOR}{VALUE}",
    re.I,
)
OPTION = re.compile(rf"(?:pass(?:word|wd|phrase)?|secret|token|key) {{1,4}}{VALUE}", re.I)
BEARER = re.compile(
    r"auth(?:orization)?[\"'`]?\s{0,4}[:=,]\s{0,4}[\"'`]?(?:bearer|basic|token|apikey|digest)\s{1,4}"
    r"(?P<secret>[A-Za-z0-9._~+/\-]{12,4000}={0,2})"
    r"|bearer\s{1,4}(?P<bare>[A-Za-z0-9._~+/\-]{20,4000}={0,2})",
    re.I,
)
KEY_BEFORE = re.compile(
    r"(?:api|app|access|private|secret|encryption|signing|account|auth|master|storage|client|service"
    r"|license|shared|session|deploy|webhook)[_\-. ]?$",
    re.I,
)
USERINFO = re.compile(
    r"://(?P<user>[^\s/:@\"'<>{}\[\]]{0,100}):(?P<secret>[^\s/@\"'<>{}\[\]]{3,200})@"
)
WEBHOOK = re.compile(
    r"://(?:hooks\.slack\.com/(?:services|workflows|triggers)"
    r"|(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks"
    r"|[a-z0-9-]{1,60}\.webhook\.office\.com/webhookb2)/(?P<secret>[A-Za-z0-9@/_\-]{20,300})"
)
SIGNATURE = re.compile(r"sig=(?P<secret>[A-Za-z0-9%+/]{40,100}={0,2})", re.I)
PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
PEM_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s:,.()]|\\[nr]|-(?!----)){0,20000}")
PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
HEROKU = re.compile(
    r"heroku[\w .\-\"']{0,30}[:=]\s{0,4}[\"'`]?"
    r"(?P<secret>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})",
    re.I,
)

PLACEHOLDER = re.compile(
    r"example|your|xxx|placeholder|change.?me|dummy|redacted|insert|\btodo\b|\.\.\.|…|\*\*\*|fake"
    r"|sample|process\.env|os\.environ|getenv|secrets\.|vault:|\$\{|^\$|^%|{{|_here$|^<|keyring"
    r"|localhost|undefined|^https?:|^/|^\./|^~/|^arn:|^sha\d|^file:|^op://|^ssm:|^env[:.]",
    re.I,
)
ORDINARY = frozenset(
    """password passwd pass pwd secret postgres root user username admin test guest mysql redis
    token rabbitmq minioadmin changeit letmein default none null true false string""".split()
)
"""Values everybody uses in examples; no secret is lost by leaving them."""
