"""Opening a report over 100,000 items in headless Chromium, beside a page of the same size that holds only the text.

Run: python benchmarks/report_page.py [ITEMS]

A page counts as open when its first items are drawn and the list can be used.  The bare page holds the same data and
shows one word: the rest is what the browser itself needs to read a file of that size.  Times are of the wall clock, the
least of five; for writing the page, processor time.  Scrolling: the median and the longest time of a frame while the
list is scrolled from end to end.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from chromium import CHROMIUM, Browser, browsing
from score_report_cases import large_report

from scorers.reports.html import to_html
from scorers.reports.page_data import page_data

TIMES = 5
BARE = '<!doctype html><meta charset="utf-8"><p>open</p><script type="application/json">{}</script>'

SCROLL = """
new Promise((done) => {
  const list = document.getElementById("list"), times = [], frames = 120;
  let number = 0, last = performance.now();
  const step = (now) => {
    times.push(now - last);
    last = now;
    list.scrollTop = (list.scrollHeight * ++number) / frames;
    if (number < frames) requestAnimationFrame(step);
    else done(JSON.stringify(times.slice(1).sort((a, b) => a - b)));
  };
  requestAnimationFrame(step);
})
"""

SEARCH = """
new Promise((done) => {
  const field = document.getElementById("search"), found = document.getElementById("found"), begin = performance.now();
  new MutationObserver(() => done(performance.now() - begin)).observe(found, { childList: true });
  field.value = "near the garden 99";
  document.getElementById("filters").requestSubmit();
})
"""


def least(browser: Browser, page: Path) -> float:
    """The least seconds in which a page opens."""
    return min(browser.open(page) for _ in range(TIMES))


def main() -> None:
    """Measure and print."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    if not CHROMIUM:
        raise SystemExit("no Chromium found (CHROMIUM names one)")
    report = large_report(items)
    begin = time.process_time()
    text = to_html(report)
    made = time.process_time() - begin
    with tempfile.TemporaryDirectory() as folder, browsing() as browser:
        page, bare = Path(folder, "page.html"), Path(folder, "bare.html")
        page.write_text(text, "utf-8")
        bare.write_text(BARE.format(page_data(report)), "utf-8")
        browser.size(1200, 900)
        print(f"{items:,} items, {page.stat().st_size / 1e6:.1f} MB, written in {made:.2f} s of processor time")
        alone, opened = least(browser, bare), least(browser, page)
        print(f"opens in {opened:.2f} s; a bare page with the same data in {alone:.2f} s ({opened / alone:.1f} times)")
        frames = json.loads(browser.evaluate(SCROLL))
        print(f"scrolls: a frame takes {frames[len(frames) // 2]:.0f} ms (median), {frames[-1]:.0f} ms (longest)")
        print(f"searches in {browser.evaluate(SEARCH):.0f} ms")


if __name__ == "__main__":
    main()
