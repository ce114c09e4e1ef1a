"""A server on this machine that speaks the embeddings interface, and answers as it is told to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class Endpoint:
    """What it was asked, and what it answers next: a status with headers, or vectors of so many numbers; or
    nothing, as long as it is `held`. `visits` are the methods of all requests.
    """

    port: int = 0
    dimensions: int = 8
    refusals: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    raw: Any = None
    held: Event | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    visits: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address for `embedder.url`."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def texts(self) -> list[str]:
        """Every text it was sent."""
        return [text for body in self.asked for text in body["input"]]

    def vectors(self, texts: list[str]) -> list[list[float]]:
        """Numbers that depend on the words of a text: what shares words is near."""
        rows = []
        for text in texts:
            row = [0.01] * self.dimensions
            for word in text.casefold().split():
                row[sha256(word.encode()).digest()[0] % self.dimensions] += 1.0
            rows.append(row)
        return rows


@contextmanager
def endpoint() -> Iterator[Endpoint]:
    """One that runs until the end of the block."""
    told = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.visits.append(self.command)
            self.send_error(405)

        def do_POST(self) -> None:
            told.visits.append(self.command)
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.asked.append(body)
            told.keys.append(self.headers.get("Authorization"))
            if told.held is not None:
                told.held.wait()
                return
            if told.refusals:
                status, headers = told.refusals.pop(0)
                answer: Any = {"error": {"message": f"no: {self.headers.get('Authorization')}"}}
            else:
                status, headers = 200, {}
                rows = told.vectors(body["input"])
                data = [{"index": i, "embedding": row} for i, row in enumerate(rows)]
                answer = {"data": data[::-1]} if told.raw is None else told.raw
            sent = json.dumps(answer).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.port = server.server_port
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
