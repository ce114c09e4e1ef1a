"""Everything contextd does in a day, in one run: for tests that watch the processes from outside.

Arguments: a repository, and a folder for homes. `--alone` first raises the loopback of a network
namespace that has nothing else. Prints one line per step; the exit code is 0 when every step worked.
"""

from __future__ import annotations

import fcntl
import http.cookiejar
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-P", "-m", "contextd"]
PAGES = ("/", "/records", "/sessions", "/awareness", "/schema", "/window", "/jobs")
EMBED = """
from contextd.embedders import open_embedder
print(open_embedder("minilm").embed(["a text"]).shape)
"""
IN_PROCESS = """
import sys
from contextd.app import Host
from contextd.domain.access import OWNER
from contextd.runtime.runtime import Request
host = Host.open(work=False)
request = Request(surface="python", caller=OWNER, cwd=sys.argv[1])
host.call("memory_search", request, {"query": "renewing tokens"})
host.work_off()
host.close()
"""
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 0x1
_VECTOR_SECONDS = 60.0


def raise_loopback() -> None:
    """What `ip link set lo up` does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


def run(root: Path, *command: str, given: str = "") -> str:
    """What a command printed; ends this program when it failed."""
    done = subprocess.run(
        command, cwd=root, input=given, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command[-4:])} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def contextd(root: Path, *arguments: str, given: str = "") -> str:
    """What a command of contextd printed."""
    return run(root, *COMMAND, *arguments, given=given)


def wait_for_vectors(root: Path) -> None:
    """Until the daemon has embedded everything."""
    deadline = time.monotonic() + _VECTOR_SECONDS
    while True:
        status = json.loads(contextd(root, "status", "--json"))
        if status["vectors"] and not status["pending"]:
            return
        if time.monotonic() > deadline:
            sys.exit(f"no vectors in {_VECTOR_SECONDS:g} s: {status}")
        time.sleep(0.2)


def over_mcp(root: Path, *flags: str) -> None:
    """An agent's handshake and a search, on stdio."""
    about = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "whole-path", "version": "1"},
    }
    search = {"name": "context_search", "arguments": {"query": "renewing tokens"}}
    messages = (
        {"id": 1, "method": "initialize", "params": about},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": search},
    )
    with subprocess.Popen(
        [*COMMAND, "mcp", *flags],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as agent:
        assert agent.stdin
        assert agent.stdout
        for message in messages:
            agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        agent.stdin.flush()
        answers = (json.loads(line) for line in agent.stdout)
        found: dict[str, Any] = next(answer for answer in answers if answer.get("id") == 2)
        agent.stdin.close()
    if "error" in found or found["result"].get("isError"):
        sys.exit(f"the search failed: {found}")


def look_at_pages(root: Path) -> None:
    """Every page of the dashboard, signed in as a browser is."""
    link = json.loads(contextd(root, "dashboard", "--no-open", "--json"))["link"]
    cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    browser = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)
    browser.addheaders = [("Accept", "text/html")]
    browser.open(link, timeout=30).read()
    origin = re.match(r"http://[^/]+", link)
    assert origin
    for page in PAGES:
        text = browser.open(origin[0] + page, timeout=30).read().decode()
        if "contextd" not in text:
            sys.exit(f"{page} is no page: {text[:200]}")


def hook(root: Path, event: str, **more: Any) -> None:
    """One hook of a client."""
    payload = {"session_id": "whole-path", "cwd": str(root), "hook_event_name": event, **more}
    contextd(root, "hook", "--client", "claude-code", given=json.dumps(payload))


def main() -> int:
    """Take every way in once."""
    if "--alone" in sys.argv:
        sys.argv.remove("--alone")
        raise_loopback()
    root, homes = Path(sys.argv[1]), Path(sys.argv[2])

    def step(name: str) -> None:
        print(name, flush=True)

    step("demo")
    demo = contextd(root, "demo")
    assert "Session B's briefing contains session A's thread" in demo

    os.environ["CONTEXTD_HOME"] = str(homes / "served")
    step("daemon")
    contextd(root, "init")
    contextd(root, "daemon", "start")
    try:
        wait_for_vectors(root)
        hook(root, "SessionStart", source="startup")
        contextd(
            root, "memory-record", "Tokens", "Renew tokens a minute early.", "it held", "success"
        )
        assert "Tokens" in contextd(root, "memory-search", "renewing tokens")
        over_mcp(root)
        hook(root, "SessionEnd", reason="exit")
        step("pages")
        look_at_pages(root)
        step("doctor")
        print(contextd(root, "doctor"))
    finally:
        contextd(root, "daemon", "stop")

    os.environ["CONTEXTD_HOME"] = str(homes / "foreground")
    step("foreground")
    with subprocess.Popen([*COMMAND, "daemon", "run"], cwd=root) as daemon:
        try:
            contextd(root, "memory-search", "renewing tokens")
        finally:
            daemon.terminate()

    os.environ["CONTEXTD_HOME"] = str(homes / "alone")
    step("standalone")
    contextd(root, "init", "--no-daemon")
    over_mcp(root, "--standalone")
    run(root, sys.executable, "-c", IN_PROCESS, str(root))
    run(root, sys.executable, "-c", EMBED)
    step("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
