"""Whether a query consists of meaningful words."""

from __future__ import annotations

import json
import logging
import re
from functools import cache
from importlib import resources

from contextd_common.text.words import STOP_WORDS

_SHORTEST = 3
"""Nearly every pair of letters is in the model's vocabulary."""

_ENDINGS = ("s", "es", "d", "ed", "er", "ers", "ing", "ings", "ly")
"""The vocabulary has `cache` but not `caching`."""

_MOST_CHARACTERS = 2_000
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

TRADE = frozenset(
    """ajax algolia angular ansible api apis apollo argocd asgi async auth authz autoscaling aws axios azure
    backend backoff bazel bcrypt bff bigquery blobs boolean boto bun cdn celery changelog chromium ci cicd
    clickhouse cli cloudflare clojure cmake codebase codec config configs cors cpu cron crud csrf css csv
    cypress daemon datadog db dbt ddl dev devops django dns docker dockerfile dotenv drizzle dto dynamodb
    ecs edge eks elasticsearch elixir email encoder enum env eslint etag etcd express fastapi fastify
    figma firebase flask fluentd frontend gcp gdpr gif git github gitlab golang gpu gradle grafana graphql
    grpc gui gzip haproxy hashmap heroku hooks hotfix href html http https i18n iam idempotent ide idp
    influxdb ingress io ios ipv jenkins jira jpeg js json jsonb jsx junit jwt k8s kafka kotlin kubernetes
    lambda laravel ldap linter linux localhost logstash lru makefile mariadb markdown md5 memcached metadata
    middleware migrations mime minio mkdocs mongo mongodb mongoose monorepo mqtt mypy mysql namespace nats
    neovim netlify nextjs nginx nix nodejs npm nuget numpy nuxt oauth observability oidc okta openapi oom
    opentelemetry orm otel pandas parquet pdf perl pgvector php pii playwright png pnpm podman postgres
    postgresql prettier prisma prometheus protobuf proxies psql pubsub pulumi pytest python qa qdrant
    rabbitmq rails rebase redis redux refactor regex repo repos rest retries rls rollback rollout rpc rsa
    rsync ruff rust s3 saas saml sass scala scim sdk selenium sentry serde sha shader slack sla slo smtp
    snowflake sns solid spa springboot sql sqlalchemy sqlite sqs ssd ssh ssl sso ssr staging stdin stdout
    storybook stripe supabase svelte svg swagger symlink systemd tailwind tauri tcp telemetry tenant
    terraform tls tmux todo tokenizer toml totp ts tsconfig tsx ttl turbopack txt typescript udp ui unix
    upsert uri url urls utc utf uuid uv ux vagrant vercel vite vitest vpc vpn vscode vue wasm webhook
    webhooks webpack websocket websockets whitelist wifi windows wsgi xml yaml yarn zig zod zsh""".split()
)
"""Technical terms, most of which the general vocabulary of the language model lacks."""


def makes_sense(text: str) -> bool:
    """Whether a text has a meaningful word. Texts beyond plain Latin letters always do."""
    text = text[:_MOST_CHARACTERS]
    if not text.isascii():
        return True
    known = _vocabulary()
    found = [word.lower() for word in _WORD.findall(text)]
    asked = [word for word in found if word not in STOP_WORDS] or found
    return not known or any(_is_known(word, known) for word in asked)


def _is_known(word: str, known: frozenset[str]) -> bool:
    stems = [word, *(word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))]
    return any(
        form in TRADE or (len(form) >= _SHORTEST and form in known)
        for stem in stems
        for form in (stem, f"{stem}e")
    )


@cache
def _vocabulary() -> frozenset[str]:
    """The whole words in the shipped model's vocabulary; empty if its file is unreadable."""
    try:
        file = resources.files("contextd.embedders") / "model" / "tokenizer.json"
        pieces = json.loads(file.read_text("utf-8"))["model"]["vocab"]
    except (OSError, ValueError, KeyError, ModuleNotFoundError) as error:
        logging.getLogger(__name__).warning("the vocabulary cannot be read: %s", error)
        return frozenset()
    return frozenset(filter(str.isalpha, filter(str.isascii, pieces)))
