"""A server's process over the PostgreSQL of the tests, with organisations of its own, called as members call it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Message, Scope

from contextd.app import Host, load_operations
from contextd.domain.access import Role
from contextd.domain.members import SignedIn, digest_of
from contextd.runtime.doors import ServerDoor, Verifier
from contextd.runtime.operation import Answer
from contextd.runtime.request_id import REQUEST
from contextd.runtime.runtime import Request
from contextd.runtime.settings import load_settings
from contextd_common.errors import ContextdError, Unavailable
from support import postgres_server
from support.local_host import LocalHost


@dataclass(frozen=True)
class Team:
    """An organisation on a server, with the token of its first administrator."""

    host: Host
    name: str
    admin: str

    def __call__(self, operation: str, token: str = "", **arguments: Any) -> Any:
        """The value that a member gets, the administrator without a token."""
        return self.answer(operation, token, **arguments).value

    def answer(self, operation: str, token: str = "", **arguments: Any) -> Answer:
        caller = self.host.door.caller("rest", token or self.admin)
        project = str(arguments.pop("project", ""))
        request = Request(surface="rest", caller=caller, client="test", project=project)
        return self.host.call(operation, request, arguments)

    def verdict(self, operation: str, token: str = "", **arguments: Any) -> str:
        """How a call ends: `done`, or the code of its error."""
        try:
            self.answer(operation, token, **arguments)
        except ContextdError as error:
            return error.code
        return "done"

    def member(self, name: str, role: Role, scope: str = "") -> str:
        """The token of a new member."""
        code = self("add_member", name=name, role=role, scope=scope)["code"]
        return self.host.exchange_code(code, "test")

    def id_of(self, name: str) -> str:
        """The id of the member of this name."""
        found = {one["name"]: one["id"] for one in self("list_members")["members"]}
        return str(found[name])


@contextmanager
def server(home: Path, **flags: Any) -> Iterator[Host]:
    """A process that answers, without a port."""
    load_operations()
    given = {"store.url": postgres_server.url(), "embedder.name": "none", **flags}
    host = Host.open_server(load_settings(home=home, flags=given), "calls")
    try:
        yield host
    finally:
        host.close()


@contextmanager
def team(host: Host) -> Iterator[Team]:
    """A new organisation on a server."""
    name = postgres_server.organisation()
    made = host.add_organisation(name, "ada")
    postgres_server.watch(host, name)
    yield Team(host, name, host.exchange_code(made.code, "first"))


class KnownTokens:
    """The credentials of `acme`, without a database. `away` stands for one that does not answer."""

    def __init__(self, known: Mapping[str, SignedIn]) -> None:
        self.known = {("acme", digest_of(token)): member for token, member in known.items()}
        self.asked: list[tuple[str, str]] = []
        self.away, self.revoked = False, set[str]()

    def signed_in(self, organisation: str, digest: str) -> SignedIn | None:
        self.asked.append((organisation, digest))
        if self.away:
            raise Unavailable("the database does not answer", "start it")
        return self.known.get((organisation, digest))

    def admits(self, organisation: str, token_id: str) -> bool:
        self.asked.append((organisation, token_id))
        return organisation == "acme" and token_id not in self.revoked

    def has_organisation(self, name: str) -> bool:
        return name == "acme"


class TeamHost(LocalHost):
    """A backend over a store in memory, with the door of a server."""

    def __init__(
        self,
        home: Path,
        tokens: KnownTokens,
        issuer: Verifier | None = None,
        *,
        code: bool = True,
    ) -> None:
        super().__init__(load_settings(home=home), ServerDoor(tokens, issuer), code=code)

    def check(self) -> None:
        """It is always there."""

    def exchange_code(self, code: str, label: str) -> str:
        return f"{label}:{code}"


@dataclass(frozen=True)
class Reply:
    """What came back over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def sent(
    app: ASGIApp,
    line: str,
    body: Any = None,
    *,
    token: str = "",
    pieces: list[Message] | None = None,
    **headers: str,
) -> Reply:
    """The reply to a request such as `GET /api/tools?x=1`. `pieces` are messages in place of the body, after which no
    more comes."""
    method, _, address = line.partition(" ")
    path, _, query = address.partition("?")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        named["authorization"] = f"Bearer {token}"
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "scheme": "http",
        "server": ("testserver", 80),
        "client": ("203.0.113.7", 4711),
        "headers": [(k.lower().encode(), v.encode()) for k, v in named.items()],
    }
    given = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    waiting = (
        list(pieces) if pieces else [{"type": "http.request", "body": given, "more_body": False}]
    )
    messages: list[Message] = []

    async def receive() -> Message:
        if not waiting:
            await asyncio.Event().wait()
        return waiting.pop(0)

    async def send(message: Message) -> None:
        messages.append(message)

    await app(scope, receive, send)
    assert REQUEST.get() == "", "a request outlived its answer"
    start, *rest = messages
    return Reply(
        start["status"],
        {k.decode().lower(): v.decode() for k, v in start["headers"]},
        b"".join(one.get("body", b"") for one in rest),
    )
