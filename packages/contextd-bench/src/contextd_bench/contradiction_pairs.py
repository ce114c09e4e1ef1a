"""Pairs of technical sentences made from templates: contradictions, and look-alikes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

SEED = 20260801

_SLOTS: dict[str, tuple[str, ...]] = {
    "service": (
        "the payment service", "the auth service", "the search API", "the gateway", "the worker",
        "the billing API", "the notification service", "the image proxy",
    ),
    "thing": (
        "the session token", "the access token", "the cache entry", "the password reset link",
        "the upload URL", "the invite", "the lock", "the signed cookie",
    ),
    "task": (
        "logging", "caching", "styling", "end-to-end tests", "database migrations", "linting",
        "date handling", "dependency injection", "state management", "background jobs",
    ),
    "tool": (
        "Redis", "Celery", "Alembic", "Tailwind", "Vitest", "Winston", "Zustand", "esbuild",
        "Playwright", "loguru", "dayjs", "Biome",
    ),
    "language": ("Python", "Node", "Go", "Rust", "Java", "TypeScript"),
    "version": ("3.11", "18.2", "1.22", "20.4", "4.9", "2.7", "5.3"),
    "port": ("8080", "3000", "5432", "9090", "6379", "8443", "4000"),
    "minutes": ("5", "10", "15", "30", "45", "60", "90"),
    "count": ("3", "5", "8", "10", "20", "50", "100"),
    "folder": (
        "src/components", "app/views", "lib/shared", "packages/ui", "tests/unit", "spec/models",
        "server/routes", "internal/api",
    ),
    "practice": (
        "force push to main", "commit generated files", "use global variables", "mock the database",
        "deploy on Fridays", "squash commits", "store secrets in the repository",
        "log request bodies", "use default exports", "retry failed payments",
        "edit migrations that already ran", "call the API from components",
    ),
    "feature": (
        "rate limiting", "dark mode", "strict mode", "query caching", "two-factor login",
        "the nightly export", "source maps", "telemetry", "connection pooling",
    ),
    "artifact": (
        "error messages", "commit messages", "API responses", "user passwords", "audit logs",
        "feature flags", "uploaded images", "database backups",
    ),
    "place": ("S3", "Postgres", "the CDN", "Vault", "the event bus", "MongoDB", "local disk"),
    "branch": ("main", "master", "develop", "trunk"),
    "manager": ("npm", "pnpm", "yarn", "bun"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences, whether they contradict each other, and the template they come from."""

    one: str
    other: str
    contradictory: bool
    template: int


# `{x}` is the same in both sentences; `{x1}` and `{x2}` differ.
CONTRADICTORY: tuple[tuple[str, str], ...] = (
    ("Always {practice}", "Never {practice}"),
    ("We {practice}", "We do not {practice}"),
    ("It is fine to {practice} in this repository", "Do not {practice} in this repository"),
    ("You must {practice}", "You must not {practice}"),
    ("{Feature} is enabled in production", "{Feature} is disabled in production"),
    ("{Feature} is turned on by default", "{Feature} is turned off by default"),
    ("{Feature} is required for new projects", "{Feature} is optional for new projects"),
    ("{Feature} is supported", "{Feature} is not supported"),
    ("{Feature} works with the new client", "{Feature} no longer works with the new client"),
    ("{Service} listens on port {port1}", "{Service} listens on port {port2}"),
    ("{Service} runs on port {port1}", "{Service} listens on port {port2}"),
    ("The port of {service} is {port1}", "{Service} uses port {port2}"),
    ("{Thing} expires after {minutes1} minutes", "{Thing} expires after {minutes2} minutes"),
    ("{Thing} is valid for {minutes1} minutes", "{Thing} is valid for {minutes2} minutes"),
    ("{Thing} lives {minutes1} minutes", "{Thing} lives for {minutes2} minutes"),
    ("The timeout of {service} is {minutes1} seconds", "The timeout of {service} is {minutes2} seconds"),
    ("{Service} times out after {minutes1} seconds", "{Service} times out after {minutes2} seconds"),
    ("{Service} retries {count1} times", "{Service} retries {count2} times"),
    ("The rate limit of {service} is {count1} requests per second", "{Service} has a rate limit of {count2} requests per second"),
    ("Set the pool size to {count1}", "Set the pool size to {count2}"),
    ("A page holds {count1} items", "A page holds {count2} items"),
    ("The project requires {language} {version1}", "The project requires {language} {version2}"),
    ("We are on {language} {version1}", "We are on {language} {version2}"),
    ("The minimum {language} version is {version1}", "The minimum {language} version is {version2}"),
    ("CI builds with {language} {version1}", "CI uses {language} {version2}"),
    ("Shared code lives in {folder1}", "Shared code lives in {folder2}"),
    ("Put new tests in {folder1}", "New tests go in {folder2}"),
    ("The routes are defined in {folder1}", "The routes are defined in {folder2}"),
    ("Use {tool1} for {task}", "Use {tool2} for {task}"),
    ("We use {tool1} for {task}", "For {task} we use {tool2}"),
    ("We chose {tool1} over {tool2} for {task}", "We chose {tool2} over {tool1} for {task}"),
    ("Prefer {tool1} over {tool2}", "Prefer {tool2} over {tool1}"),
    ("Use {tool1} instead of {tool2} for {task}", "Use {tool2} for {task}"),
    ("{tool1} is used for {task}", "{tool2} is used for {task}"),
    ("We switched to {tool1} for {task}", "We use {tool2} for {task}"),
    ("Use {tool} for {task}", "Do not use {tool} for {task}"),
    ("Prefer {tool} for {task}", "Avoid {tool} for {task}"),
    ("The default branch is {branch1}", "The default branch is {branch2}"),
    ("The package manager is {manager1}", "The package manager is {manager2}"),
    ("Indent with tabs", "Indent with spaces"),
    ("Use single quotes for strings", "Use double quotes for strings"),
    ("Run the linter before every commit", "Run the linter after every commit"),
    ("{Artifact} are stored in {place1}", "{Artifact} are stored in {place2}"),
    ("{Artifact} are encrypted", "{Artifact} are not encrypted"),
    ("{Artifact} must include a request id", "{Artifact} must not include a request id"),
    ("{Artifact} are kept for {minutes1} days", "{Artifact} are kept for {minutes2} days"),
    ("Writes to {place} are synchronous", "Writes to {place} are asynchronous"),
    ("There is no retry in {service}", "There is a retry in {service}"),
)  # fmt: skip

AGREEING: tuple[tuple[str, str], ...] = (
    ("{Service} listens on port {port}", "Port {port} is where {service} listens"),
    ("{Service1} listens on port {port}", "{Service2} times out after {port} ms"),
    ("{Service1} listens on port {port1}", "{Service2} listens on port {port2}"),
    ("{Service} listens on port {port}", "{Service} retries {count} times"),
    ("The timeout of {service} is {minutes} seconds", "The rate limit of {service} is {count} requests per second"),
    ("The timeout of {service1} is {minutes1} seconds", "The timeout of {service2} is {minutes2} seconds"),
    ("{Thing} expires after {minutes} minutes", "After {minutes} minutes {thing} is no longer valid"),
    ("{Thing1} expires after {minutes1} minutes", "{Thing2} expires after {minutes2} minutes"),
    ("{Thing} expires after {minutes} minutes", "{Thing} is signed with {count} rounds"),
    ("{Thing} is valid for 1 hour", "{Thing} is valid for 60 minutes"),
    ("Use {tool} for {task1}", "Use {tool} for {task2}"),
    ("Use {tool1} for {task1}", "Use {tool2} for {task2}"),
    ("Use {tool} for {task}", "For {task} we use {tool}"),
    ("Use {tool} for {task}", "{tool} is what we use for {task}"),
    ("Do not use {tool} for {task1}", "Use {tool} for {task2}"),
    ("We chose {tool1} over {tool2} for {task}", "Use {tool1} for {task}"),
    ("Use {tool1} instead of {tool2}", "Do not use {tool2}"),
    ("Never {practice}", "Do not {practice}"),
    ("Never {practice1}", "Always {practice2}"),
    ("Avoid it when people {practice}", "We do not {practice}"),
    ("{Feature1} is enabled in production", "{Feature2} is disabled in production"),
    ("{Feature} is enabled in production", "{Feature} is disabled in tests"),
    ("{Feature} is enabled in production", "{Feature} is covered by integration tests"),
    ("{Feature} is required", "{Feature} is mandatory"),
    ("The project requires {language1} {version1}", "The project requires {language2} {version2}"),
    ("The project requires {language} {version}", "{language} {version} is required"),
    ("CI builds with {language} {version}", "The {language} code is formatted in CI"),
    ("The minimum password length is {count1}", "The maximum password length is {count2}"),
    ("The staging pool has {count1} connections", "The production pool has {count2} connections"),
    ("Upload requests time out after {minutes1} seconds", "Download requests time out after {minutes2} seconds"),
    ("Shared code lives in {folder}", "Look in {folder} for shared code"),
    ("Shared code lives in {folder1}", "Generated code lives in {folder2}"),
    ("Put unit tests in {folder1}", "Put integration tests in {folder2}"),
    ("{Artifact1} are stored in {place1}", "{Artifact2} are stored in {place2}"),
    ("{Artifact} are stored in {place}", "{place} holds {artifact}"),
    ("{Artifact} are stored in {place}", "{Artifact} are encrypted"),
    ("{Artifact} are encrypted", "{Artifact} must not contain personal data"),
    ("The default branch is {branch}", "Pull requests are merged into {branch}"),
    ("The frontend uses React", "The frontend uses Tailwind"),
    ("The API returns JSON", "The API is documented with OpenAPI"),
    ("Do not block the event loop in {service}", "{Service} uses an event loop"),
    ("Run the linter before every commit", "Run the tests before every push"),
    ("Writes to {place1} are synchronous", "Writes to {place2} are asynchronous"),
    ("{Service} has {count} replicas", "{Service} has {count} replicas in every region"),
    ("Release {version1} fixed the leak in {service}", "Release {version2} added metrics to {service}"),
    ("There is no cache in front of {service1}", "There is a cache in front of {service2}"),
    ("Use tabs in Makefiles", "Use spaces in Python files"),
    ("{Service} was slow without an index", "{Service} is fast with the index"),
)  # fmt: skip


def pairs(per_template: int = 12, seed: int = SEED) -> list[Pair]:
    """Pairs from every template, the same for the same seed. Templates are numbered over both lists."""
    rng = random.Random(seed)
    made: list[Pair] = []
    for number, (one, other) in enumerate((*CONTRADICTORY, *AGREEING)):
        seen: set[tuple[str, str]] = set()
        for _ in range(per_template):
            filled = _filled(one, other, rng)
            if filled not in seen:
                seen.add(filled)
                made.append(Pair(*filled, number < len(CONTRADICTORY), number))
    return made


def half(pair: Pair) -> int:
    """0 for templates used in tuning, 1 for held-out ones."""
    return pair.template % 2


def _filled(one: str, other: str, rng: random.Random) -> tuple[str, str]:
    values: dict[str, str] = {}
    for name, options in _SLOTS.items():
        first, second = rng.sample(options, 2)
        for key, value in ((name, first), (f"{name}1", first), (f"{name}2", second)):
            values[key] = value
            values[key.capitalize()] = value[0].upper() + value[1:]
    return _capital(one.format_map(values)), _capital(other.format_map(values))


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def templates() -> Sequence[tuple[str, str]]:
    """Every template, contradictions first."""
    return (*CONTRADICTORY, *AGREEING)


def written() -> list[Pair]:
    """Hand-written pairs by several people, from before the rules.

    `template` is 0 for pairs whose mistakes were then fixed, 1 for held-out ones.
    """
    text = (files("contextd_bench") / "written_pairs.txt").read_text(encoding="utf-8")
    found: list[Pair] = []
    part = -1
    for line in text.splitlines():
        if line.startswith("# set:"):
            part += 1
        elif not line.startswith("#"):
            label, one, other = line.split("|")
            found.append(Pair(one, other, label == "C", part))
    return found


def developers() -> list[Pair]:
    """Pairs of developers' sentences in previously missed classes, by the author of the rules.

    `template` is 0 for the half whose mistakes were fixed, 1 for the held-out half.
    """
    text = (files("contextd_bench") / "developer_pairs.txt").read_text(encoding="utf-8")
    rows = (line.split("|") for line in text.splitlines() if not line.startswith("#"))
    return [
        Pair(one, other, label == "C", sha256(f"{one}|{other}".encode()).digest()[0] % 2)
        for label, one, other in rows
    ]


def repeats() -> dict[str, list[tuple[str, str]]]:
    """Pairs of similar texts: repeated (S), different (D), contradicting (C)."""
    text = (files("contextd_bench") / "repeat_pairs.txt").read_text(encoding="utf-8")
    found: dict[str, list[tuple[str, str]]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            label, one, other = line.split("|")
            found.setdefault(label, []).append((one.replace("\\n", "\n"), other))
    return found
