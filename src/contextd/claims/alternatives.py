"""Alternatives for a job: algorithms, tools, id schemes, time zones, naming cases.

A row is a job with the words that name it and its alternatives. Two sentences that name different alternatives
for the same job of the same thing contradict each other. Rows list common knowledge; a gap causes a miss, never
a false alarm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from contextd.claims.phrases import has
from contextd.claims.quantities import NUMBER_WORDS, quantities
from contextd.claims.stems import stems
from contextd_common.dataclass import dataclass
from contextd_common.text.words import STOP_WORDS, words


@dataclass(frozen=True, slots=True)
class Purpose:
    """A job with several alternatives. `named` are stems that name the job itself and so do not say what it is
    done for. A project does a `!` job in one way; a `?` job counts only where it is named, any other where it
    is named or its purpose is given.
    """

    name: str
    named: frozenset[str]
    sort: str


class Named(NamedTuple):
    """An alternative named in a sentence: its position, and its names."""

    start: int
    end: int
    job: Purpose
    names: frozenset[str]


# name; words of the job; what does it, `a=b` for two names of one, `a>b` for a kind of b; a leading
# `!` for a job that a project does in one way, `?` for one that must be named.
_ROWS = """
password hash; hash hashed hashing algorithm cost salt rounds; bcrypt, scrypt, argon2=argon2id=argon2i, pbkdf2
checksum; checksum checksums digest hash hashed hashing algorithm computed calculated; md5, sha-1=sha1, sha-256=sha256, sha-512=sha512, sha3, crc32, blake2=blake2b=blake2s, blake3, xxhash=xxh3
signature; sign signed signing signature signatures algorithm; hs256, hs384, hs512, rs256, rs384, rs512, es256, es384, ps256, eddsa=ed25519, hmac-sha1, hmac-sha256
cipher; encrypt encrypted encryption encrypts cipher algorithm rest; aes-128, aes-256, aes-128-cbc>aes-128, aes-256-cbc>aes-256, aes-128-gcm>aes-128, aes-256-gcm>aes-256, chacha20=chacha20-poly1305, 3des=triple-des, rsa-2048, rsa-4096
compression; compress compressed compression compresses codec algorithm; gzip=gz, zstd=zstandard, brotli, lz4, snappy, deflate, bzip2, xz, lzma
serialization; serialize serialized serialization encode encoded format wire sent; protobuf=protocol-buffers, msgpack=messagepack, avro, thrift, cbor, json, xml, flatbuffers
configuration format; configuration config configured format file files written; toml, yaml, ini, hcl, jsonnet, dotenv
!orm; orm mapper object-relational; prisma, drizzle, typeorm, sequelize, mikroorm=mikro-orm, kysely, sqlalchemy, hibernate, gorm, activerecord, objection, mongoose, peewee, tortoise
database; database db store stored data engine; postgres=postgresql, mysql, mariadb, sqlite, mongodb=mongo, dynamodb, cockroachdb, oracle, mssql=sql-server, cassandra, clickhouse, bigquery, snowflake-db, redshift, duckdb, firestore, couchdb, neo4j, supabase
vector store; vector vectors embedding embeddings database store index; pgvector, qdrant, pinecone, weaviate, milvus, chroma, lancedb, faiss
cache; cache cached caching store layer; redis, memcached, valkey, varnish, hazelcast, caffeine, dragonfly
queue; queue queues broker; rabbitmq, kafka, sqs, nats, activemq, pulsar, pubsub=pub/sub, redpanda, zeromq, kinesis, redis-streams
background job; background job jobs worker workers process processed queue; sidekiq, resque, celery, rq, bullmq, delayed-job=delayed_job, good-job=good_job, dramatiq, hangfire, huey, temporal, agenda, faktory, oban, solid-queue
workflow; workflow workflows orchestrate orchestrated orchestration pipeline pipelines; airflow, dagster, prefect, luigi, argo, n8n
!infrastructure; infrastructure provision provisioned manage iac code; terraform, pulumi, cloudformation, opentofu, bicep, cdk=aws-cdk, crossplane
configuration management; configuration configure machines hosts servers; ansible, chef, puppet, saltstack
python installer; dependency dependencies package packages manager install installed installs resolve lock locked tool; poetry, uv, pipenv, pdm, pip-tools, conda, hatch, rye, pip
!javascript installer; dependency dependencies package packages manager install installed installs tool; npm, pnpm, yarn, bun
php or ruby installer; dependency packages manager; composer, bundler
jvm build; build builds built tool; maven, gradle, sbt, ant
!javascript test; unit test tests testing run runner framework tested; jest, vitest, mocha, jasmine, ava, node:test
python test; unit test tests testing run runner framework; pytest, unittest, nose, nose2
end-to-end test; e2e end-to-end browser test tests testing run runner framework end; playwright, cypress, selenium, puppeteer, testcafe, webdriverio, nightwatch
load test; load performance test tests testing run; k6, locust, jmeter, gatling, artillery
python formatter; format formatted formatting formatter code; black, yapf, autopep8, ruff-format
javascript formatter; format formatted formatting formatter code; prettier, biome, dprint, standard-js
javascript linter; lint linted linting linter code; eslint, tslint, oxlint, jshint
python linter; lint linted linting linter code; pylint, flake8, ruff
python types; type types typed checker checking checked check static; mypy, pyright, pyre, pytype
bundler; bundle bundled bundler bundling build built builds; webpack, rollup, esbuild, parcel, vite, turbopack, rspack, rsbuild, snowpack
monorepo tool; monorepo workspace task runner tool; nx, turborepo, lerna, bazel, pants, moonrepo, rush
client state; state client global store stores frontend management; redux=redux-toolkit, zustand, mobx, recoil, jotai, pinia, vuex, valtio, xstate, ngrx
data fetching; fetch fetched fetching server state data cache cached; react-query=tanstack-query, swr, rtk-query, urql, relay
interface framework; frontend ui framework interface interfaces built written client web; react, vue, svelte, angular, solidjs, ember, preact, qwik, htmx
meta framework; frontend framework site app built; next.js=nextjs, nuxt, remix, sveltekit, gatsby, astro
styling; style styles styled styling css; tailwind=tailwindcss=tailwind-css, bootstrap, styled-components, emotion, css-modules, sass=scss, less-css, bulma, vanilla-extract, stylex
component library; component components library ui kit; mui=material-ui, chakra=chakra-ui, antd=ant-design, mantine, radix, shadcn
validation; validate validated validation validator input; zod, yup, joi, ajv, valibot, io-ts, class-validator, pydantic, marshmallow, cerberus
date library; date dates time handling library; moment=moment.js=momentjs, dayjs=day.js, date-fns, luxon
http client; http client requests call calls; axios, ky, got, node-fetch, undici, superagent, httpx, aiohttp
node server; http server framework backend api built web; express, fastify, koa, hapi, nestjs, hono
python server; http server framework backend api built web; django, flask, fastapi, starlette, tornado, sanic, litestar
go router; router http routing framework; gin, echo, chi, gorilla, fiber
?language; language written write code implemented coded; typescript, python, golang, rust, java, kotlin, scala, ruby, php, elixir, c#, haskell, clojure
error tracking; error errors exception exceptions crash crashes report reported reports tracker tracking sent send; sentry, rollbar, bugsnag, airbrake, honeybadger, raygun
metrics; metric metrics send sent collected exported monitoring; prometheus, datadog, graphite, statsd, influxdb, newrelic=new-relic, cloudwatch
tracing; trace traces tracing sent send exported; jaeger, zipkin, tempo, honeycomb, x-ray
log store; log logs shipped sent send stored collected aggregated; loki, splunk, elk, papertrail, logtail, graylog, datadog, cloudwatch
python logging; log logs logging logger library; loguru, structlog, logbook
node logging; log logs logging logger library; winston, pino, bunyan, log4js
alerting; alert alerts page paged paging on-call sent send; pagerduty, opsgenie, victorops
search; search searches engine index indexed powered full-text; elasticsearch, opensearch, meilisearch, algolia, typesense, solr, lucene, sphinx
secrets; secret secrets store stored credentials kept; vault=hashicorp-vault, secrets-manager=aws-secrets-manager, doppler, key-vault=azure-key-vault, 1password, sops, parameter-store, infisical
feature flags; feature flag flags toggle toggles read managed; launchdarkly, unleash, flagsmith, split.io, growthbook, configcat, optimizely, flipper
email; email emails mail mails send sent sending deliver delivered transactional; sendgrid, ses=amazon-ses=aws-ses, mailgun, postmark, mailchimp, mandrill, resend, sparkpost
text messages; text sms message messages send sent; twilio, vonage, messagebird, sns, plivo
payments; payment payments charge charged processed process card cards; stripe, adyen, braintree, paypal, mollie, square, paddle
login provider; login identity authentication auth users sign-in; auth0, okta, keycloak, cognito, clerk, firebase-auth
authentication; authenticate authenticated authentication auth login users; jwt=jwts, session-cookies=cookie-sessions=server-side-sessions, basic-auth=http-basic, api-keys=api-key, mtls=mutual-tls, saml
hosting; host hosted deploy deployed deployment deploys run runs cloud platform provider infrastructure; vercel, netlify, heroku, fly.io, render.com, cloudflare-pages, github-pages, railway, aws, gcp=google-cloud, azure, hetzner, digitalocean, linode, ovh
orchestration; container containers orchestrate orchestrated orchestration run runs scheduled cluster; kubernetes=k8s, nomad, ecs, docker-swarm, openshift, mesos
ci; ci pipeline pipelines continuous integration build builds run runs; github-actions, gitlab-ci, circleci, jenkins, travis=travis-ci, buildkite, teamcity, drone, azure-pipelines
proxy; proxy reverse load balancer ingress gateway traffic front; nginx, haproxy, traefik, caddy, envoy, kong
object store; object file files upload uploads uploaded bucket store stored storage kept; s3=amazon-s3, gcs, r2, minio, azure-blob, backblaze, ceph
cdn; cdn asset assets served static; cloudfront, cloudflare, fastly, akamai, bunny.net
api style; api apis speak speaks style exposed expose offer; graphql, rest=restful, soap, json-rpc, trpc, odata
transport; talk talks communicate communicates call calls communication transport; grpc, plain-http=http-with-json=http/json=json-over-http=rest, thrift-rpc, amqp, websocket=websockets, sse=server-sent-events
push; push pushed update updates live real-time realtime sent; websocket=websockets, sse=server-sent-events, long-polling, polling, webhooks
pagination; paginate paginated pagination paging page pages based style list lists; cursor=cursors=cursor-based=keyset=keysets, offset=offsets=offset-based=limit/offset=offset/limit=page-numbers
backoff; retry retries retried backoff wait waits delay delays spaced interval strategy; exponential=exponentially=exponential-backoff, linear=linear-backoff, fixed=fixed-delay=constant=constant-delay
cache writing; cache caches caching; write-through, write-behind=write-back, write-around, cache-aside=read-through
delivery; deliver delivered delivery message messages event events semantics guarantee; at-least-once, at-most-once, exactly-once
consistency; consistency consistent read reads; strongly=strong-consistency, eventually=eventual-consistency
isolation; transaction transactions isolation level run; serializable, read-committed, repeatable-read, read-uncommitted, snapshot-isolation
rendering; page pages render rendered rendering; ssr=server-side-rendering=server-rendered=on-the-server, csr=client-side-rendering=client-rendered=in-the-browser, ssg=static-site-generation=prerendered=build-time
release; release released deploy deployed deployment deployments rollout strategy style; blue-green=blue/green, canary, rolling=rolling-update=rolling-updates
branching; branching branch branches model workflow development; trunk-based=trunk-based-development, gitflow=git-flow, github-flow
versioning; version versions versioned versioning release releases scheme; semver=semantic-versioning, calver=calendar-versioning
api versioning; version versioned versioning api apis sent path url; url-path=in-the-url=in-the-path=path, header=headers=accept-header, query-parameter=query-string
modules; module modules package packages format shipped published compile compiled; esm=es-modules=esmodules, commonjs=cjs
identifiers; id ids identifier identifiers generated generate key keys scheme stored; uuid=guid=uuids=guids, uuidv4=uuid-v4=uuidv4s>uuid, uuidv7=uuid-v7=uuidv7s>uuid, uuidv1>uuid, ulid=ulids, nanoid=nanoids=nano-ids, cuid=cuids=cuid2, ksuid=ksuids, snowflake=snowflakes=snowflake-ids, auto-increment=autoincrement=auto-incrementing=autoincrementing=serial=bigserial=sequential=sequential-integers=auto-increment-integers=auto-incremented, objectid=objectids, typeid
naming; name names named naming case cased style convention written write spelled keys; camel=camelcase=camel-case=lowercamelcase=lower-camel-case, pascal=pascalcase=pascal-case=uppercamelcase=upper-camel-case=studlycase, snake=snake_case=snakecase=snake-case, kebab=kebab-case=kebabcase=dash-case, screaming=screaming_snake_case=screaming-snake-case=upper_snake_case=upper-snake-case=constant_case>upper-case, upper-case=uppercase=upper-cased=all-caps, lower-case=lowercase=lower-cased, hungarian=hungarian-notation
number; number form noun; singular, plural=pluralized=pluralised
time zone; time times zone timezone timezones zones local interpreted midnight stored shown end ends run runs evaluated; utc=gmt=zulu=etc/utc, pacific=pacific-time=pst=pdt=pt=america/los_angeles, eastern=eastern-time=est=edt=america/new_york, central-time=cst=cdt=america/chicago, mountain-time=mst=america/denver, cet=cest=europe/berlin=europe/paris=europe/amsterdam=europe/madrid=europe/rome=central-european-time=berlin-time, europe/london=bst=london-time, jst=asia/tokyo, ist=asia/kolkata, asia/shanghai, asia/singapore, australia/sydney, local-time=server-time=local-timezone=local-time-zone=the-server's-time-zone
date format; date dates timestamp timestamps time times string strings format formatted written serialized sent; iso-8601=iso8601=rfc-3339=rfc3339, unix=unix-timestamp=unix-timestamps=epoch=epoch-seconds=epoch-milliseconds=unix-time=unix-epoch
money; money amount amounts price prices store stored kept represented; cents=integer-cents=minor-units=integer-minor-units=whole-cents, decimal=decimals=numeric=bigdecimal=decimal(2), float=floats=floating-point=doubles
rounding; round rounded rounding amount amounts total totals; half-up=half-away-from-zero, half-even=half-to-even=bankers=banker's-rounding=bankers'-rounding, half-down
error format; error errors response responses returned api body bodies; problem-details=problem-documents=problem-document=rfc-7807=rfc7807=rfc-9457=problem+json=application/problem+json, plain-text=text/plain
line ending; line ending endings end; lf=unix-line-endings, crlf=windows-line-endings
charset; encoding encoded charset file files stored; utf-8=utf8, utf-16=utf16, latin-1=latin1=iso-8859-1, ascii, windows-1252=cp1252
license; license licence licensed code project released; mit, apache-2.0=apache-2=apache, gpl=gplv3=gpl-3.0, agpl=agplv3, bsd=bsd-3-clause, mpl=mpl-2.0, lgpl, unlicense, proprietary
tense; commit message messages subject subjects written tense mood; imperative=imperative-mood, past-tense, present-tense
commit style; commit message messages style convention; conventional-commits, gitmoji
merging; pull request requests merge merged merges merging pr prs branch branches; squash=squashed=squash-merge=squash-merged=squash-and-merge, rebase=rebased=rebase-merge, merge-commit=merge-commits
log format; log logs format formatted line lines written; json=json-lines=structured-json, logfmt, plain-text=plaintext
layout; architecture structured style; monolith=modular-monolith, microservices=microservice, serverless, hexagonal
documentation; documentation docs documented site built; mkdocs, docusaurus, sphinx-docs, vitepress, storybook, gitbook
tickets; ticket tickets issue issues tracked bug bugs; jira, linear-app, github-issues, asana, trello, youtrack
chat; chat team talk channel announcements; slack, microsoft-teams=ms-teams, discord, mattermost
migrations; migration migrations schema run managed handled tool; alembic, flyway, liquibase, goose, knex, dbmate, atlas, golang-migrate, prisma-migrate
mocking; mock mocks mocked mocking http; msw, nock, wiremock, mockito, sinon, testdouble
templating; template templates templating rendered engine; jinja=jinja2, handlebars, mustache, ejs, pug, nunjucks, liquid
concurrency; concurrency concurrent async io; asyncio, trio, gevent, threads, multiprocessing
"""

_RELEASE = re.compile(r"\bv(\d+)(?:\.\d+)*\b", re.I)
_LIKE = re.compile(
    r"\b(?:like|unlike|compatible with|similar to|such as|than|besides|e\.g\.|not|except|replaces?|beyond|of)\s+(?:the\s+|an?\s+)?$",
    re.I,
)
_FOLLOWING = re.compile(r"['’]?\s+[`'\"(]?([A-Za-z][\w-]*)")
_WORD = re.compile(r"[a-z0-9][\w+#'()]*(?:[./:-][\w+#'()]+)*", re.I)
# What a value is named with, not what it is chosen for.
_BESIDE = re.compile(
    r"^\s*(?:,|\(|\band\b|\bplus\b|\bwith\b).*?(?=\s(?:for|in|on|at|by|during|inside|when|across)\s|$)",
    re.I,
)
_PLAIN = frozenset(
    words(
        """keep kept store stored save saved live lives handle handled process processed go goes get gets
        manage managed power powered power done do does build built standard choice tool library
        service whole entire main-line own single plain simple written write sent send style default
        based powered convention always everywhere internally format whole via
        """
    )
) | {"via", "choic"}


def _parsed() -> dict[str, list[tuple[tuple[str, ...], Purpose, frozenset[str]]]]:
    found: dict[str, list[tuple[tuple[str, ...], Purpose, frozenset[str]]]] = {}
    for line in _ROWS.strip().splitlines():
        name, named, listed = (part.strip() for part in line.split(";"))
        job = Purpose(name.lstrip("!?"), frozenset(words(named)), name[0])
        for entry in listed.split(","):
            same, _, kind = entry.strip().partition(">")
            first, *_ = spelled = same.split("=")
            goes_by = frozenset({first, kind} - {""})
            for spelling in spelled:
                parts = tuple(re.split(r"[ _-]", spelling))
                found.setdefault(parts[0], []).append((parts, job, goes_by))
    return found


_BY_FIRST = _parsed()
_FREQUENT = STOP_WORDS | frozenset(
    "cache time seconds store server client files data key page".split()
)
_NEEDED = frozenset(
    max(
        re.findall(r"[a-z]+|\d+", " ".join(parts)),
        key=lambda part: (part not in _FREQUENT, len(part)),
    )
    for several in _BY_FIRST.values()
    for parts, _, _ in several
)
"""The most distinctive word of each alternative's name. A text without any of these words names none."""


def named_for(text: str) -> list[tuple[Purpose, frozenset[str], str, frozenset[str]]]:
    """(job, names, as written, purpose) of each job for which a text names exactly one alternative."""
    if not has(text, _NEEDED):
        return []
    tokens = [(m[0].lower(), m.start(), m.end()) for m in _WORD.finditer(text)]
    by_job: dict[str, list[Named]] = {}
    for named in _found(text, tokens):
        by_job.setdefault(named.job.name, []).append(named)
    choices: list[tuple[Purpose, frozenset[str], str, frozenset[str]]] = []
    for several in by_job.values():
        one = several[0]
        if not frozenset.intersection(*(named.names for named in several)):
            continue
        rest = f"{text[: one.start]} {_BESIDE.sub(' ', text[one.end :])}"
        spoken = stems(quantities(_RELEASE.sub(r"version\1", rest))[2])
        subject = frozenset(spoken) - one.job.named - _PLAIN
        called = not one.job.named.isdisjoint(spoken)
        if called or one.job.sort == "!" or (subject and one.job.sort != "?"):
            choices.append((one.job, one.names, text[one.start : one.end], subject))
    return choices


def _found(text: str, tokens: list[tuple[str, int, int]]) -> Iterator[Named]:
    """The longest names at each position, one per job."""
    pieces: list[tuple[str, int, int]] = []
    for word, start, _ in tokens:
        at = start
        for piece in re.split(r"([ _-])", word):
            if piece not in ("_", "-", ""):
                pieces.append((piece, at, at + len(piece)))
            at += len(piece)
    place = 0
    while place < len(pieces):
        longest: dict[str, Named] = {}
        size = 1
        for parts, job, names in _BY_FIRST.get(pieces[place][0], ()):
            here = tuple(piece for piece, _, _ in pieces[place : place + len(parts)])
            if here == parts and len(parts) >= size:
                if len(parts) > size:
                    longest, size = {}, len(parts)
                start, end = pieces[place][1], pieces[place + len(parts) - 1][2]
                if _stands_alone(text, start, end, job):
                    longest[job.name] = Named(start, end, job, names)
        yield from longest.values()
        place += size


def _stands_alone(text: str, start: int, end: int, job: Purpose) -> bool:
    """Whether a named alternative is the subject itself: not the level in "gzip level", nor something similar
    to it.
    """
    if _LIKE.search(text[:start]):
        return False
    following = _FOLLOWING.match(text, end)
    if following is None or following[1].casefold() in STOP_WORDS:
        return True
    found = words(following[1])
    if following[1].casefold() in NUMBER_WORDS:
        return True
    return not found or found[0] in job.named or found[0] in _PLAIN
