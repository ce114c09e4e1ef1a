"""Who is let in to the pages, and what a page of somebody else cannot do. No browser needed."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from homes import Home, temporary_home

from contextd.surfaces.web.pages import PARTS

FORM = "application/x-www-form-urlencoded"


def ask(home: Home, method: str, path: str, body: str = "", **headers: str) -> tuple[int, Any, str]:
    """(status, headers, text) of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", home.about()["port"], timeout=30)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, body.encode() or None, given)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def link(home: Home, *words: str) -> str:
    done = home.run("dashboard", *words, "--no-open", "--json")
    assert done.returncode == 0, done.stderr
    parts = urlsplit(json.loads(done.stdout)["link"])
    assert parts.hostname == "127.0.0.1"
    return f"{parts.path}?{parts.query}"


@pytest.fixture(scope="module")
def cookie(home: Home) -> str:
    """The cookie of a signed-in browser."""
    status, headers, _ = ask(home, "GET", link(home))
    assert status == 303
    return str(headers["set-cookie"].partition(";")[0])


@pytest.fixture(scope="module")
def csrf(home: Home, cookie: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', ask(home, "GET", "/jobs", Cookie=cookie)[2])
    assert found
    return found[1]


@pytest.mark.parametrize("path", ["/", "/records", "/schema", "/records/abcd/edit", "/jobs/x/y"])
def test_nobody_sees_a_page_without_signing_in(home: Home, path: str) -> None:
    status, _, text = ask(home, "GET", path)
    assert status == 401
    assert "contextd dashboard" in text


def test_a_link_works_once_and_its_cookie_is_for_this_site_and_no_script(home: Home) -> None:
    once = link(home)
    status, headers, _ = ask(home, "GET", once)
    assert (status, headers["location"]) == (303, "/")
    made = headers["set-cookie"].lower()
    for part in ("contextd_", "httponly", "samesite=strict", "path=/", "max-age=43200"):
        assert part in made
    again, headers, text = ask(home, "GET", once)
    assert again == 401
    assert "used already" in text
    assert "set-cookie" not in headers


@pytest.mark.parametrize(
    ("wanted", "led"),
    [
        ("/records", "/records"),
        ("/awareness?project=x", "/awareness?project=x"),
        ("//evil.invalid/", "/"),
        ("https://evil.invalid/", "/"),
        ("/\\evil.invalid", "/"),
        ("/api/records", "/"),
    ],
)
def test_a_link_leads_to_our_own_pages_only(home: Home, wanted: str, led: str) -> None:
    status, headers, _ = ask(home, "GET", link(home, wanted))
    assert (status, headers["location"]) == (303, led)


def test_the_cookie_opens_no_door_but_the_pages(home: Home, cookie: str) -> None:
    assert ask(home, "GET", "/", Cookie=cookie)[0] == 200
    for path in ("/api/records", "/openapi.json", "/mcp"):
        assert ask(home, "GET", path, Cookie=cookie)[0] == 401


def test_a_page_answers_only_under_this_machines_names(home: Home, cookie: str) -> None:
    assert ask(home, "GET", "/", Cookie=cookie, Host="evil.invalid")[0] == 421
    assert ask(home, "GET", "/signin?code=x", Host="evil.invalid")[0] == 421


def test_a_form_is_taken_only_with_its_token_and_from_this_very_port(
    home: Home, cookie: str, csrf: str
) -> None:
    port = home.about()["port"]
    here = {"Cookie": cookie, "Content_Type": FORM}
    body = urlencode({"csrf": csrf})

    def send(body: str, **more: str) -> int:
        return ask(home, "POST", "/awareness/compare", body, **here, **more)[0]

    assert send(body) == 303
    assert send(body, Origin=f"http://127.0.0.1:{port}") == 303
    assert send("") == 403
    assert send(urlencode({"csrf": csrf[:-1] + "!"})) == 403
    assert send(body, Origin=f"http://127.0.0.1:{port + 1}") == 403
    assert send(body, Origin="http://evil.invalid") == 403
    assert send(body, Origin="null") == 403
    assert send(body, Sec_Fetch_Site="cross-site") == 403
    assert send(body, Sec_Fetch_Site="same-site") == 403
    assert ask(home, "POST", "/awareness/compare", body, Content_Type=FORM)[0] == 401


def test_a_form_that_is_too_large_is_refused(home: Home, cookie: str, csrf: str) -> None:
    body = urlencode({"csrf": csrf, "text": "x" * (1 << 20)})
    status, _, _ = ask(home, "POST", "/schema/save", body, Cookie=cookie, Content_Type=FORM)
    assert status == 413


def test_every_answer_of_a_page_carries_the_policy(home: Home, cookie: str) -> None:
    for path in ("/", "/signin?code=x", "/static/app.css", "/static/none", "/records/zzzz"):
        headers = ask(home, "GET", path, Cookie=cookie)[1]
        assert headers["content-security-policy"].startswith(
            "default-src 'none'; script-src 'self'"
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_pages_are_not_kept_by_the_browser_and_files_are(home: Home, cookie: str) -> None:
    _, headers, text = ask(home, "GET", "/", Cookie=cookie)
    assert headers["cache-control"] == "no-store"
    found = re.search(r'href="(/static/app\.css\?v=[0-9a-f]+)"', text)
    assert found
    assert "immutable" in ask(home, "GET", found[1])[1]["cache-control"]


@pytest.mark.parametrize("name", ["../pages.py", "..%2Fpages.py", "templates", "app.css%00"])
def test_static_files_are_ours_only(home: Home, name: str) -> None:
    assert ask(home, "GET", f"/static/{name}")[0] in (401, 404)


def test_signing_out_ends_the_session(home: Home) -> None:
    _, headers, _ = ask(home, "GET", link(home))
    mine = headers["set-cookie"].partition(";")[0]
    page = ask(home, "GET", "/", Cookie=mine)[2]
    token = re.search(r'name="csrf" value="([^"]+)"', page)
    assert token
    body = urlencode({"csrf": token[1]})
    assert ask(home, "POST", "/signout", body, Cookie=mine, Content_Type=FORM)[0] == 200
    assert ask(home, "GET", "/", Cookie=mine)[0] == 401


@pytest.fixture(scope="module")
def besieged() -> Iterator[Home]:
    """A daemon of its own: what is tried there must not lock others out."""
    with temporary_home() as lonely:
        lonely.environment["CONTEXTD_EMBEDDER_NAME"] = "none"
        lonely.start()
        yield lonely


def test_guessing_codes_is_slowed_down_and_keeps_nobody_with_a_right_one_out(
    besieged: Home,
) -> None:
    told = [ask(besieged, "GET", f"/signin?code=guess{n}")[::2] for n in range(14)]
    assert told[0][0] == 401
    assert told[-1][0] == 429
    assert "Too many attempts" in told[-1][1]
    status, headers, _ = ask(besieged, "GET", link(besieged))
    assert (status, "set-cookie" in headers) == (303, True)


def test_two_homes_have_a_port_and_a_cookie_each_and_keep_them(home: Home, besieged: Home) -> None:
    cookies = []
    for one in (home, besieged):
        headers = ask(one, "GET", link(one))[1]
        cookies.append(headers["set-cookie"].partition("=")[0])
    assert cookies[0] != cookies[1]
    port = besieged.about()["port"]
    assert port != home.about()["port"]
    assert besieged.run("daemon", "stop").returncode == 0
    besieged.start()
    assert besieged.about()["port"] == port, "a bookmark still leads here"


def test_a_used_link_leads_who_is_signed_in_where_it_leads(home: Home, cookie: str) -> None:
    once = link(home, "/records")
    assert ask(home, "GET", once)[0] == 303
    status, headers, _ = ask(home, "GET", once, Cookie=cookie)
    assert (status, headers["location"]) == (303, "/records")
    assert "set-cookie" not in headers


BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"


def test_a_browser_gets_a_page_for_any_path_and_a_program_an_answer_it_can_read(
    home: Home, cookie: str
) -> None:
    status, headers, text = ask(home, "GET", "/nowhere/at/all", Accept=BROWSER)
    assert (status, headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert "contextd dashboard" in text
    status, _, text = ask(home, "GET", "/nowhere/at/all", Accept=BROWSER, Cookie=cookie)
    assert (status, "Page not found" in text) == (404, True)
    for accept in ("application/json", "*/*"):
        status, headers, _ = ask(home, "GET", "/nowhere/at/all", Accept=accept)
        assert (status, headers["content-type"]) == (401, "application/problem+json")
    token = (home.path / "token").read_text().strip()
    known = ask(home, "GET", "/nowhere", Authorization=f"Bearer {token}")
    assert (known[0], json.loads(known[2])["status"]) == (404, 404)
    assert ask(home, "GET", "/api/records", Accept=BROWSER, Cookie=cookie)[0] == 401


EVERYWHERE = [
    "/", "/records", "/records/new", "/signin?code=x", "/static/app.css", "/inbox", "/nowhere",
    "/api/records", "/api/operations", "/openapi.json", "/healthz", "/readyz", "/mcp", "/mcp/x/core",
]  # fmt: skip


@pytest.mark.parametrize("path", EVERYWHERE)
def test_every_route_checks_host_and_origin_and_size_before_anything_else(
    home: Home, cookie: str, path: str
) -> None:
    token = (home.path / "token").read_text().strip()
    known = {"Cookie": cookie, "Authorization": f"Bearer {token}", "Accept": BROWSER}
    for host in ("evil.invalid", "127.0.0.1.evil.invalid", "contextd", "[::2]", "a@127.0.0.2", ""):
        assert ask(home, "GET", path, Host=host, **known)[0] in (400, 421), host
    for origin in ("http://evil.invalid", "null", "http://127.0.0.1.evil.invalid", "file://"):
        assert ask(home, "GET", path, Origin=origin, **known)[0] == 403, origin
        assert ask(home, "POST", path, "{}", Origin=origin, **known)[0] == 403, origin
    assert ask(home, "POST", path, Content_Length=str(1 << 40), **known)[0] == 413


def test_events_of_mcp_are_not_for_pages_of_others(home: Home) -> None:
    token = (home.path / "token").read_text().strip()
    stream = {"Accept": "text/event-stream", "Authorization": f"Bearer {token}"}
    assert ask(home, "GET", "/mcp", Origin="http://evil.invalid", **stream)[0] == 403
    assert ask(home, "GET", "/mcp", Host="evil.invalid", **stream)[0] == 421
    assert ask(home, "GET", "/mcp", Accept="text/event-stream")[0] == 401
    knock = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    status, _, _ = ask(home, "GET", "/mcp", Sec_WebSocket_Key="x" * 22 + "==", **knock)
    assert status in (400, 401, 403, 426)


def forms() -> list[str]:
    """Every path that takes a form, as the pages declare them."""
    found = ["/signout", *(path for part in PARTS for path, _ in part.FORMS)]
    return [path.replace("{id}", "abcdef12") for path in found]


@pytest.mark.parametrize("path", forms())
def test_no_form_is_taken_without_its_token_or_from_elsewhere(
    home: Home, cookie: str, csrf: str, path: str
) -> None:
    here = {"Cookie": cookie, "Content_Type": FORM}
    right = urlencode({"csrf": csrf})
    assert ask(home, "POST", path, "", **here)[0] == 403
    assert ask(home, "POST", path, urlencode({"csrf": ""}), **here)[0] == 403
    assert ask(home, "POST", path, f"csrf={csrf}&csrf=x", **here)[0] == 403
    assert ask(home, "POST", path, right, Origin="http://127.0.0.1:1", **here)[0] == 403
    assert ask(home, "POST", path, right, Sec_Fetch_Site="cross-site", **here)[0] == 403
    assert ask(home, "POST", path, right, Content_Type=FORM)[0] == 401
    body = json.dumps({"csrf": csrf})
    for kind in ("text/plain", "multipart/form-data; boundary=x", "application/json"):
        assert ask(home, "POST", path, body, Cookie=cookie, Content_Type=kind)[0] == 403, kind
    assert ask(home, "GET", f"{path}?csrf={csrf}", Cookie=cookie)[0] in (200, 404, 409)


def test_the_port_is_open_on_this_machine_only_and_its_token_is_its_owners(home: Home) -> None:
    listening = f"{home.about()['port']:04X}"
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("only Linux tells who listens where")
    lines = [line.split() for line in table.read_text().splitlines()[1:]]
    assert {at for _, at, *_ in lines if at.endswith(":" + listening)} == {f"0100007F:{listening}"}
    six = Path("/proc/net/tcp6")
    if six.exists():
        assert f":{listening} " not in six.read_text()
    assert (home.path / "token").stat().st_mode & 0o777 == 0o600


def test_an_unknown_project_is_refused_and_a_known_one_is_shown(
    home: Home, cookie: str, call: Callable[..., Any]
) -> None:
    scope = call("list_projects")["current"]
    status, _, text = ask(home, "GET", f"/?project={scope}", Cookie=cookie)
    assert (status, f'value="{scope}" selected' in text) == (200, True)
    assert ask(home, "GET", "/?project=nobody-has-this", Cookie=cookie)[0] == 404
    assert ask(home, "GET", "/", Cookie=cookie)[0] == 200


def test_every_page_opens_in_a_home_without_projects() -> None:
    with temporary_home() as empty:
        (elsewhere := empty.path / "elsewhere").mkdir()
        empty.project = elsewhere
        _, headers, _ = ask(empty, "GET", link(empty))
        cookie = str(headers["set-cookie"].partition(";")[0])
        paths = [path for part in PARTS for path, _ in part.LOOKS if "{" not in path]
        assert len(paths) >= 12
        states = {path: ask(empty, "GET", path, Cookie=cookie)[0] for path in paths}
        assert {path: state for path, state in states.items() if state != 200} == {}
