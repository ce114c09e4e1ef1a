"""A TCP proxy in the test's process, in front of a server, whose network a test can take away."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self


class NetworkProxy:
    """Forwards connections to a socket file. While `swallowing`, it accepts and reads everything, and forwards
    nothing: the kernels on both sides see a healthy connection. Once a client sends what `cuts` accepts, it is
    cut off: the server gets that, and its answer is lost.
    """

    def __init__(self, target: Path) -> None:
        self.swallowing = threading.Event()
        self.cuts: Callable[[bytes], bool] | None = None
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self._target))
                self._sockets += [client, server]
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                if self._is_cut(source, data):
                    source.shutdown(socket.SHUT_RDWR)
                if not self.swallowing.is_set():
                    target.sendall(data)
        # Also after an error: a server that hears nothing of the end keeps the locks of the transaction.
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def _is_cut(self, source: socket.socket, data: bytes) -> bool:
        if source.family == socket.AF_UNIX or self.cuts is None or not self.cuts(data):
            return False
        self.cuts = None
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for one in (self._listener, *self._sockets):
            one.close()
