"""Every page as a person meets it: it opens, breaks nothing, and can be used without a mouse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from contextd.surfaces.web.sections import NAVIGATION

PAGES = [
    "/", "/records", "/records/{lesson}", "/records/{lesson}/edit", "/sessions/{session}", "/schema",
    "/inbox", "/project",
]  # fmt: skip
FURTHER = [
    "/jobs", "/nowhere", "/awareness", "/person", "/consolidation", "/policies", "/savings",
    "/records?q=token+refresh", "/records?kind=memory&status=any", "/records?status=nonsense",
    "/records/ffffffff", "/sessions", "/sessions?status=archived", "/jobs?state=failed",
    "/records/new", "/records/new?answer=why&tags=x", "/window?session={session}",
    "/schema?scope=home", "/schema?template=team", "/window", "/jobs/nowhere",
    "/records/no/such/page", "/inbox?status=candidate", "/inbox/{doubted}/merge",
    "/inbox/{doubted}/merge?q=zzyzx", "/inbox/ffffffff/merge", "/records/{doubted}/edit?back=inbox",
    "/consolidation?collection=remediations", "/consolidation?collection=none", "/savings?days=7",
    "/project?zoom=150", "/project?module=prices", "/project?module=nothing",
]  # fmt: skip
ADDRESSES = [*PAGES, *(pytest.param(path, marks=pytest.mark.long) for path in FURTHER)]

Visit = Callable[..., Any]
MOVED = """
    window.moved = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
            // A badge or a footer that comes a frame later under load moves less; Web Vitals call 0.1 good.
            if (entry.hadRecentInput || entry.value < 0.01) continue;
            window.moved.push(...entry.sources.map((s) => s.node?.outerHTML ?? s.node?.textContent));
        }
    }).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture(scope="module")
def watched_page(one_page: Any) -> Any:
    """A page that notes what moves on it while an address comes up."""
    one_page.page.add_init_script(MOVED)
    return one_page


@pytest.mark.parametrize("path", ADDRESSES)
def test_a_page_opens_fits_its_window_and_breaks_nothing(
    watched_page: Any, known: dict[str, str], path: str
) -> None:
    page = watched_page.page
    page.set_viewport_size({"width": 1440, "height": 900})
    answer = watched_page.go(path.format(**known))
    assert answer.status < 500
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.moved") == [], "something jumped while the page came up"
    expect(page.locator("h1")).to_have_count(1)
    assert page.title().endswith("· contextd")
    wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    for width in (1440, 900, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(wider) is False, width
    assert (watched_page.errors, watched_page.foreign) == ([], [])


@pytest.mark.parametrize("path", ADDRESSES)
def test_a_page_has_no_serious_accessibility_finding(
    one_page: Any, known: dict[str, str], axe: str, path: str
) -> None:
    one_page.go(path.format(**known))
    page = one_page.page
    folded = page.locator("details:not([open]) > summary:visible")
    while folded.count():
        folded.first.click()
    # Evaluated over the debugger's channel, which the page's policy does not govern.
    page.evaluate(axe + "; 0")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate("async () => (await axe.run()).violations")
        serious = [
            (v["id"], [node["target"] for node in v["nodes"]], v["nodes"][0]["failureSummary"])
            for v in found
            if v["impact"] in ("serious", "critical")
        ]
        assert (scheme, serious) == (scheme, [])


def test_a_record_with_a_script_in_it_stays_text(visit: Visit, known: dict[str, str]) -> None:
    visitor = visit()
    for path in (f"/records/{known['hostile']}", "/records", "/records?q=comment+broke+us", "/"):
        visitor.go(path)
        assert visitor.page.evaluate("window.hacked") is None
        assert visitor.page.get_by_text("<script>").count() > 0
    visitor.go(f"/sessions/{known['session']}")
    expect(visitor.page.get_by_text("Please fix <b>it</b>.")).to_have_count(1)


def test_the_policy_allows_nothing_but_our_own_files(visit: Visit) -> None:
    visitor = visit()
    answer = visitor.go("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    # Said and enforced: what the policy forbids does not run.
    blocked = """() => new Promise((told) => {
        addEventListener('securitypolicyviolation', (e) => told(e.effectiveDirective));
        const script = document.createElement('script');
        script.textContent = 'window.hacked = 1';
        document.body.append(script);
    })"""
    assert visitor.page.evaluate(blocked).startswith("script-src")
    assert visitor.page.evaluate("window.hacked") is None
    visitor.errors.clear()


@pytest.mark.long
def test_a_search_says_why_a_hit_is_where_it_is(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/records")
    visitor.fill(page.get_by_label("Search by words and meaning"), "sliding window token")
    page.get_by_role("button", name="Search").click()
    why = page.locator("details.why").first
    expect(why).to_contain_text("words #1")
    why.locator("summary").click()
    expect(why.locator("dt").first).to_be_visible()
    expect(page.get_by_role("img", name="words adds").first).to_be_visible()


@pytest.mark.long
def test_a_search_without_a_hit_says_so_and_leaves_no_gap(
    visit: Visit, call: Callable[..., Any]
) -> None:
    visitor = visit()
    visitor.go("/records?q=zzyzx+quux+frobnicate")
    expect(visitor.page.get_by_role("heading", name="No results")).to_be_visible()
    assert not any("zzyzx" in gap["description"] for gap in call("get_gaps")["gaps"])


@pytest.mark.long
def test_filters_narrow_the_list_and_pages_go_on(visit: Visit, call: Callable[..., Any]) -> None:
    for number in range(33):
        # Names, since figures that differ would be contradictions for the pages of other tests.
        name = "".join("abcdefghij"[int(digit)] for digit in f"{number:02}")
        call("save_context", content=f"The parcel of {name} wants a label.", tags=["parcel"])
    visitor = visit()
    page = visitor.page
    visitor.go("/records?tag=parcel")
    expect(page.get_by_text("33 records, newest first")).to_be_visible()
    expect(page.locator(".rows > li")).to_have_count(30)
    page.get_by_role("link", name="Older").click()
    page.get_by_role("link", name="Newest").wait_for()
    expect(page.locator(".rows > li")).to_have_count(3)
    page.get_by_label("Kind").select_option("memory")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("heading", name="No record matches these filters").wait_for()
    assert page.url.endswith("/records?kind=memory&tag=parcel")


@pytest.mark.long
def test_every_part_of_the_menu_is_reached_by_keyboard(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    visitor.go("/")
    reached = []
    wanted = [name for _, pages in NAVIGATION for _, _, name, _ in pages]
    for _ in range(len(wanted) + 6):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
    assert [name for name in reached if name in wanted] == wanted
    page.get_by_role("link", name="Jobs", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/jobs")
    jobs = page.get_by_role("link", name="Jobs", exact=True)
    expect(jobs).to_have_attribute("aria-current", "page")


@pytest.mark.long
def test_a_slash_goes_to_the_search_and_stays_a_slash_in_a_field(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/records")
    page.keyboard.press("/")
    page.keyboard.type("a/b")
    expect(page.get_by_label("Search by words and meaning")).to_have_value("a/b")


@pytest.mark.long
def test_the_menu_folds_on_a_small_screen(visit: Visit) -> None:
    visitor = visit(viewport={"width": 390, "height": 800})
    page = visitor.page
    visitor.go("/")
    jobs = page.get_by_role("link", name="Jobs", exact=True)
    expect(jobs).to_be_hidden()
    button = page.get_by_role("button", name="Menu")
    button.focus()
    page.keyboard.press("Enter")
    expect(jobs).to_be_visible()
    expect(button).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(jobs).to_be_hidden()


@pytest.mark.long
def test_the_theme_follows_the_system_and_a_choice_outlives_the_page(visit: Visit) -> None:
    visitor = visit(color_scheme="dark")
    page = visitor.page
    visitor.go("/")
    shade = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(shade)
    page.get_by_role("button", name="Light").click()
    light = page.evaluate(shade)
    assert light != dark
    visitor.go("/jobs")
    assert page.evaluate(shade) == light
    expect(page.get_by_role("button", name="Light")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Auto").click()
    assert page.evaluate(shade) == dark


@pytest.mark.long
def test_pages_and_their_forms_work_without_script(visit: Visit, known: dict[str, str]) -> None:
    visitor = visit(java_script_enabled=False, viewport={"width": 390, "height": 800})
    page = visitor.page
    visitor.go("/")
    page.get_by_role("link", name="Records", exact=True).click()
    page.wait_for_url("**/records")
    visitor.go(f"/records/{known['lesson']}/edit")
    visitor.fill(page.get_by_label("Tags"), "noscript")
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("heading", name="What will change")).to_be_visible()


@pytest.mark.long
def test_invisible_characters_and_escapes_are_spelled_out_and_an_edit_form_keeps_them(
    visit: Visit, call: Callable[..., Any]
) -> None:
    text = "Open \u202egpj.exe\u202c, print \x1b[31mred\x1b[0m and **stay** calm&amp;<i>."
    made = call("save_context", content=text)["id"]
    visitor = visit()
    page = visitor.page
    visitor.go(f"/records/{made}")
    shown = page.get_by_role("main").inner_text()
    assert "⟨U+202E⟩gpj.exe⟨U+202C⟩" in shown
    assert "⟨ESC⟩[31mred⟨ESC⟩[0m" in shown
    assert "**stay** calm&amp;<i>." in shown
    visitor.go(f"/records/{made}/edit")
    expect(page.get_by_label("Content"), "an edit starts from what is there").to_have_value(text)
    call("delete_record", id=made)


@pytest.mark.long
def test_keys_lead_through_the_pages_and_the_lists(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/")
    page.keyboard.type("gr")
    page.wait_for_url("**/records")
    page.keyboard.press("j")
    page.keyboard.press("j")
    titles = page.locator(".row a.title")
    assert page.evaluate("document.activeElement.href") == page.evaluate(
        "(link) => link.href", titles.nth(1).element_handle()
    )
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url("**/records/*")
    page.keyboard.press("e")
    page.wait_for_url("**/edit")
    page.get_by_label("Tags").focus()
    page.keyboard.type("gr")
    assert page.url.endswith("/edit"), "a letter in a field is a letter"
    page.get_by_role("link", name="Overview").focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
