"""Settings that name a database by its address or driver; other settings are not read."""

from __future__ import annotations

import re

from contextd_code.project.manifests.model import Manifest

_KNOWN = {
    "postgres": "postgres", "postgresql": "postgres", "postgresql_psycopg2": "postgres",
    "postgis": "postgres", "pgsql": "postgres", "mysql": "mysql", "mysql2": "mysql",
    "mariadb": "mariadb", "mongodb": "mongo", "redis": "redis", "rediss": "redis",
    "sqlite": "sqlite", "sqlite3": "sqlite", "spatialite": "sqlite", "libsql": "sqlite",
    "sqlserver": "mssql", "sqlsrv": "mssql", "mssql": "mssql", "clickhouse": "clickhouse",
    "h2": "h2", "cockroachdb": "cockroach", "amqp": "rabbitmq", "amqps": "rabbitmq",
}  # fmt: skip
"""The name in drivers and addresses → the matching container image."""

_ADDRESS = re.compile(
    r"""["'=\s](?:jdbc:)?(\w{2,12})(?:\+\w+)?:(?://|[\w.]*:mem|file|mem)"""
    r"""|jdbc:(\w+):|django\.(?:contrib\.gis\.)?db\.backends\.(\w+)"""
    r"""|^[ \t]*provider[ \t]*=[ \t]*"(\w+)"|^[ \t]*adapter:[ \t]*["']?(\w+)|^DB_CONNECTION=["']?(\w+)""",
    re.MULTILINE,
)
_COMMENT = re.compile(r"^[ \t]*(?:#|//).*$", re.MULTILINE)


def settings(path: str, text: str) -> Manifest:
    """The databases named in settings, sample environments and schemas."""
    content = _COMMENT.sub("", text[:200_000])
    names = (next(filter(None, found), "").lower() for found in _ADDRESS.findall(content))
    images = dict.fromkeys(_KNOWN[name] for name in names if name in _KNOWN)
    return Manifest(path, "settings", images=tuple(images))
