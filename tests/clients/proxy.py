"""A door without a lock before the loopback port of a running daemon: the conformance suite cannot send a
token.
"""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_HOP = frozenset({"connection", "transfer-encoding", "content-length", "keep-alive"})


@contextmanager
def unlocked(port: int, token: str, cwd: Path) -> Iterator[str]:
    """The address of a door through which every request comes with the token and from this directory."""

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def log_message(self, *arguments: Any) -> None:
            """Nothing."""

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            mine = f":{self.server.server_port}"  # type: ignore[attr-defined]
            headers = {
                name: value.replace(mine, f":{port}")
                if name.lower() in ("host", "origin")
                else value
                for name, value in self.headers.items()
                if name.lower() not in _HOP
            }
            headers |= {"Authorization": f"Bearer {token}", "x-contextd-cwd": str(cwd)}
            behind = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            with suppress(OSError, http.client.HTTPException):
                behind.request(self.command, self.path, body, headers)
                answer = behind.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in _HOP:
                        self.send_header(name, value)
                self.end_headers()
                while piece := answer.read1(1 << 16):
                    self.wfile.write(piece)
                    self.wfile.flush()
            behind.close()

        do_GET = do_POST = do_DELETE = do_OPTIONS = _pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
