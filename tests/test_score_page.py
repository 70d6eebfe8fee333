"""The report's page in headless Chromium: it opens, sorts, filters, searches, scrolls, and fits a telephone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import CHROMIUM, Browser, browsing
from score_report_cases import NASTY, full_report, large_report

from scorers.reports.html import to_html
from scorers.reports.model import Breakdown, Report, Row

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium found (CHROMIUM names one)"),
    # The whole file goes to one process of xdist: one browser serves it.
]

LARGE = 100_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "full.html").write_text(to_html(full_report()), "utf-8")
    (folder / "large.html").write_text(to_html(large_report(LARGE)), "utf-8")
    return folder


@pytest.fixture
def page(browser: Browser, pages: Path) -> Browser:
    browser.size(1200, 900)
    browser.prefer("light")
    browser.open(pages / "full.html")
    return browser


FOUND = "document.getElementById('found').textContent"
CHOSEN = "document.getElementById('list').getAttribute('aria-activedescendant')"


def set_to(browser: Browser, name: str, text: str) -> None:
    """Choose the option with this text, as a user does."""
    browser.evaluate(
        f"(() => {{ const select = document.getElementById({name!r});"
        f" select.value = Array.from(select.options).find((option) => option.text === {text!r}).value;"
        " select.dispatchEvent(new Event('change', { bubbles: true })); })()"
    )


def look_for(browser: Browser, text: str) -> None:
    """Type into the search field."""
    browser.evaluate("(() => { const field = document.getElementById('search'); field.value = ''; field.focus(); })()")
    browser.send("Input.insertText", text=text)


def test_nothing_fails_and_nothing_is_fetched(page: Browser) -> None:
    failures = [event for event in page.events if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
    assert failures == []
    asked = [e["params"]["request"]["url"] for e in page.events if e.get("method") == "Network.requestWillBeSent"]
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_data_is_shown_as_text(page: Browser) -> None:
    assert page.evaluate("document.title") == f"Scores {NASTY}"
    look_for(page, "</SCRIPT>")
    page.wait_for(f"{FOUND} === '1 of 41 items'")
    assert page.evaluate("document.querySelector('.item .good').textContent") == NASTY
    assert page.evaluate("document.querySelectorAll('script').length") == 1


def test_headings_sort_by_keys(page: Browser) -> None:
    table = "document.querySelector('table[data-key=by-phenomenon]')"
    column = f"Array.from({table}.tBodies[0].rows, (row) => row.cells[2].textContent.slice(0, 4))"
    head = f"{table}.tHead.rows[0].cells[2]"
    page.evaluate(f"{head}.firstElementChild.focus()")
    page.press("Enter")
    assert page.evaluate(f"{head}.getAttribute('aria-sort')") == "descending"
    assert page.evaluate(column) == ["73.0", "63.0", "53.0"]
    page.press(" ")
    assert page.evaluate(f"{head}.getAttribute('aria-sort')") == "ascending"
    assert page.evaluate(column) == ["53.0", "63.0", "73.0"]
    page.press("Tab")
    page.press("Enter")
    assert page.evaluate(f"{table}.querySelectorAll('[aria-sort]').length") == 1
    page.evaluate(f"{table}.tHead.rows[0].cells[0].firstElementChild.click()")
    assert page.evaluate(f"{table}.tBodies[0].rows[0].cells[0].textContent") == "agreement"


def test_numbers_are_sorted_as_numbers_and_blanks_stand_last(browser: Browser, tmp_path: Path) -> None:
    shares = (("a", 0.095), ("b", None), ("c", 1.0), ("d", 0.5))
    rows = tuple(Row(label, "m", 1, 0, share) for label, share in shares)
    path = tmp_path / "page.html"
    path.write_text(to_html(Report("t", (), ("m",), groups=(Breakdown("paradigm", rows),))), "utf-8")
    browser.open(path)
    sort = "document.querySelector('table').tHead.rows[0].cells[2].firstElementChild.click()"
    order = "Array.from(document.querySelector('table').tBodies[0].rows, (row) => row.cells[0].textContent).join('')"
    browser.evaluate(sort)
    assert browser.evaluate(order) == "cdab"
    browser.evaluate(sort)
    assert browser.evaluate(order) == "adcb"


def test_the_first_stop_of_the_tab_key_skips_to_the_report(page: Browser) -> None:
    page.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.wait_for("document.activeElement.getBoundingClientRect().left >= 0")
    page.press("Enter")
    page.wait_for("document.activeElement.id === 'main'")


def test_filters_narrow_the_list(page: Browser) -> None:
    report = full_report()
    assert page.evaluate(FOUND) == "41 items"
    set_to(page, "verdict", "tie")
    ties = sum("tie" in item.verdicts for item in report.items)
    page.wait_for(f"{FOUND} === '{ties} of 41 items'")
    set_to(page, "model", "roberta-base")
    page.wait_for(f"{FOUND} === '0 of 41 items'")
    set_to(page, "verdict", "wrong")
    wrong = sum(item.verdicts[0] == "wrong" for item in report.items)
    page.wait_for(f"{FOUND} === '{wrong} of 41 items'")
    set_to(page, "verdict", "models differ")
    differing = sum(item.verdicts[0] != item.verdicts[1] for item in report.items)
    page.wait_for(f"{FOUND} === '{differing} of 41 items'")
    page.evaluate("document.querySelector('#filters [type=reset]').click()")
    page.wait_for(f"{FOUND} === '41 items'")
    set_to(page, "paradigm", "agreement-1")
    page.wait_for(f"{FOUND} === '13 of 41 items'")


def test_a_paradigm_of_the_table_leads_to_its_items(page: Browser) -> None:
    page.evaluate("document.querySelector('table[data-key=by-paradigm] tbody th button').click()")
    page.wait_for(f"{FOUND} === '14 of 41 items'")
    assert page.evaluate("document.activeElement.id") == "list"


def test_keys_walk_through_the_items(page: Browser) -> None:
    page.evaluate("document.getElementById('list').focus()")
    page.press("ArrowDown")
    page.press("ArrowDown")
    assert page.evaluate(CHOSEN) == "item-1"
    assert page.evaluate("document.getElementById('item-1').getAttribute('aria-selected')") == "true"
    details = page.evaluate("document.getElementById('details').textContent")
    for text in ("the dog number 1 is here .", "p:1", "agreement-1", "crossed:n", "sg", "−11.5", "−11.25", "−19.5"):
        assert text in details, text
    page.press("End")
    assert page.evaluate(CHOSEN) == "item-40"
    page.press("Enter")
    assert page.evaluate("document.activeElement.id") == "details"


def test_dark_and_light(page: Browser) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.prefer("dark")
    dark = page.evaluate(paper)
    assert light == "rgb(255, 255, 255)"
    assert dark != light
    said = []
    for _ in range(3):
        page.evaluate("document.getElementById('theme').click()")
        said.append((page.evaluate("document.getElementById('theme').textContent"), page.evaluate(paper)))
    assert said == [("Theme: light", light), ("Theme: dark", dark), ("Theme: as the system", dark)]


@pytest.mark.parametrize("width", [320, 375])
def test_a_telephone_scrolls_down_only(page: Browser, width: int) -> None:
    page.size(width, 740, is_phone=True)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    script = (
        "Array.from(document.querySelectorAll('main *, header *, footer *'))"
        ".filter((part) => !part.closest('.scroller, #list, svg, .skip'))"
        ".filter((part) => part.getBoundingClientRect().right > innerWidth + 1)"
        ".map((part) => part.outerHTML.slice(0, 90))"
    )
    assert page.evaluate(script) == []


def test_a_large_report_opens_scrolls_and_is_searched(browser: Browser, pages: Path) -> None:
    browser.size(1200, 900)
    # Generous, since tests share the machine; benchmarks/report_page.py measures.
    assert browser.open(pages / "large.html") < 10
    assert browser.evaluate(FOUND) == "100,000 items"
    assert browser.evaluate("document.querySelectorAll('.item').length") < 40
    browser.evaluate(
        "(() => { const list = document.getElementById('list'); list.scrollTop = list.scrollHeight / 2; })()"
    )
    middle = "Math.min(...Array.from(document.querySelectorAll('.item'), (item) => Number(item.ariaPosInSet)))"
    browser.wait_for(f"Math.abs({middle} - 50000) < 20")
    browser.evaluate("document.getElementById('list').focus()")
    browser.press("End")
    assert browser.evaluate(CHOSEN) == "item-99999"
    seen = "(({ top, bottom }) => [top, bottom])(document.getElementById('item-99999').getBoundingClientRect())"
    top, bottom = browser.evaluate(seen)
    frame = browser.evaluate(
        "(({ top, bottom }) => [top, bottom])(document.getElementById('list').getBoundingClientRect())"
    )
    assert frame[0] <= top < bottom <= frame[1] + 1
    look_for(browser, "NEAR THE GARDEN 99")
    expected = sum("near the garden 99" in item.good for item in large_report(LARGE).items)
    browser.wait_for(f"{FOUND} === '{expected:,} of 100,000 items'")
