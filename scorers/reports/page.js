"use strict";
// All text from data is put in by textContent, never as HTML.
(() => {
  const $ = (id) => document.getElementById(id);
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const counted = new Intl.NumberFormat("en");

  // ---- theme: as the system, light, dark
  const themes = ["as the system", "light", "dark"];
  const remember = (value) => { try { localStorage.setItem("theme", value); } catch { /* no storage for files */ } };
  const remembered = () => { try { return localStorage.getItem("theme") || ""; } catch { return ""; } };
  const theme = $("theme");
  function useTheme(value) {
    if (value === "light" || value === "dark") document.documentElement.dataset.theme = value;
    else delete document.documentElement.dataset.theme;
    theme.querySelector("span").textContent = value === "light" || value === "dark" ? value : themes[0];
  }
  useTheme(remembered());
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme || themes[0];
    const next = themes[(themes.indexOf(now) + 1) % themes.length];
    useTheme(next);
    remember(next);
  });

  // ---- tables: sorted by a click on a heading, or Enter and Space
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  function sortBy(table, place, head) {
    const isNumber = head.classList.contains("number");
    const before = head.getAttribute("aria-sort");
    const first = isNumber ? "descending" : "ascending";
    const other = isNumber ? "ascending" : "descending";
    const order = before === first ? other : first;
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const value = (row) => {
      const cell = row.cells[place];
      if (!isNumber) return cell.textContent;
      return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
    };
    const rows = Array.from(body.rows, (row) => [value(row), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null); // what has no number stands last
      return sign * (isNumber ? a - b : collator.compare(a, b));
    });
    body.append(...rows.map(([, row]) => row));
  }
  for (const table of document.querySelectorAll("main .scroller table")) {
    Array.from(table.tHead.rows[0].cells).forEach((head, place) => {
      head.firstElementChild.addEventListener("click", () => sortBy(table, place, head));
    });
  }

  // ---- items
  if (!$("list")) return;
  const rowHeight = parseInt(getComputedStyle(document.documentElement).getPropertyValue("--row"), 10);
  const tallest = 8e6; // pixels: browsers draw no element that is much taller
  const slice = 10; // milliseconds of search before the page may answer again
  const list = $("list"), room = $("room"), details = $("details"), found = $("found"), filters = $("filters");
  let data, total, chosen = -1, shown = [], search = 0, timer = 0;
  const pool = new Map(); // place in `shown` -> element

  const glyphs = { right: "✓", wrong: "✗", tie: "=", missing: "–" };
  const score = (value) => (value === null ? "–" : String(value).replace("-", "−"));

  function words(parent, text, other, mark) {
    // The words in which two sentences differ are set off.
    const mine = text.split(" "), theirs = other.split(" ");
    let start = 0, end = 0;
    if (other) {
      while (start < mine.length && start < theirs.length && mine[start] === theirs[start]) start++;
      while (end < mine.length - start && end < theirs.length - start
        && mine[mine.length - 1 - end] === theirs[theirs.length - 1 - end]) end++;
    } else start = mine.length;
    const join = (from, to) => mine.slice(from, to).join(" ");
    if (mark) parent.append(mark);
    parent.append(join(0, start) + (start > 0 && start < mine.length ? " " : ""));
    if (start < mine.length - end) parent.append(make("b", "", join(start, mine.length - end)));
    if (end && start < mine.length) parent.append((mine.length - end > start ? " " : "") + join(mine.length - end));
    return parent;
  }

  function verdictText(item, model) {
    const verdict = data.verdicts[data.verdict[model][item]];
    const answer = data.answers.length ? data.answers[model][item] : "";
    const span = make("span", verdict === "right" || verdict === "wrong" ? verdict : "");
    const name = data.models.length > 1 ? `${data.models[model]} ` : "";
    span.textContent = `${glyphs[verdict] || "•"} ${name}${verdict}${answer ? `: ${answer}` : ""}`;
    return span;
  }

  function row(place) {
    const item = shown[place];
    const element = make("div", "item");
    element.id = `item-${place}`;
    element.setAttribute("role", "option");
    element.setAttribute("aria-setsize", String(shown.length));
    element.setAttribute("aria-posinset", String(place + 1));
    element.setAttribute("aria-selected", String(place === chosen));
    const said = make("div", "said");
    const only = $("model").value;
    data.models.forEach((_, model) => { if (only === "" || Number(only) === model) said.append(verdictText(item, model)); });
    said.append(data.id[item]);
    element.append(words(make("div", "good"), data.good[item], data.bad[item], ""));
    if (data.bad[item]) element.append(words(make("div", "bad"), data.bad[item], data.good[item], "* "));
    element.append(said);
    return element;
  }

  // A list taller than a browser can draw is scrolled in larger steps.
  const height = () => Math.min(shown.length * rowHeight, tallest);
  const ratio = () => {
    const hidden = shown.length * rowHeight - list.clientHeight;
    return hidden > 0 ? Math.max(1, hidden / Math.max(1, height() - list.clientHeight)) : 1;
  };

  function draw() {
    const top = list.scrollTop * ratio();
    const first = Math.max(0, Math.floor(top / rowHeight) - 4);
    const last = Math.min(shown.length, Math.ceil((top + list.clientHeight) / rowHeight) + 4);
    for (const [place, element] of pool) {
      if (place < first || place >= last) { element.remove(); pool.delete(place); }
    }
    for (let place = first; place < last; place++) {
      let element = pool.get(place);
      if (!element) {
        element = row(place);
        pool.set(place, element);
        room.append(element);
      }
      element.style.top = `${list.scrollTop + place * rowHeight - top}px`;
    }
  }

  function redraw() {
    for (const element of pool.values()) element.remove();
    pool.clear();
    room.style.height = `${height()}px`;
    draw();
  }

  function choose(place) {
    if (!shown.length) return;
    const before = pool.get(chosen);
    if (before) before.setAttribute("aria-selected", "false");
    chosen = Math.min(Math.max(place, 0), shown.length - 1);
    const top = chosen * rowHeight, seen = list.scrollTop * ratio();
    if (top < seen) list.scrollTop = top / ratio();
    else if (top + rowHeight > seen + list.clientHeight) list.scrollTop = (top + rowHeight - list.clientHeight) / ratio();
    draw();
    const element = pool.get(chosen);
    if (element) element.setAttribute("aria-selected", "true");
    list.setAttribute("aria-activedescendant", `item-${chosen}`);
    describe(shown[chosen]);
  }

  function describe(item) {
    details.replaceChildren(words(make("p", "good"), data.good[item], data.bad[item], ""));
    if (data.bad[item]) details.append(words(make("p", "bad"), data.bad[item], data.good[item], "* "));
    const facts = [["id", data.id[item]], ["paradigm", data.paradigms[data.paradigm[item]]],
      ["template", data.templates[data.template[item]]],
      ...data.attributes.map((attribute) => [attribute.name, attribute.values[attribute.of[item]]])];
    const terms = make("dl");
    for (const [name, value] of facts) if (value) terms.append(make("dt", "", name), make("dd", "", value));
    const table = make("table"), head = table.createTHead().insertRow();
    const isPair = Boolean(data.bad[item]);
    const has = data.scores.some((ends) => ends[0][item] !== null || ends[1][item] !== null);
    const names = ["model", "verdict", ...(has ? (isPair ? ["good", "bad"] : ["score"]) : [])];
    for (const name of names) head.append(make("th", "", name));
    const body = table.createTBody();
    data.models.forEach((name, model) => {
      const line = body.insertRow(), verdict = data.verdicts[data.verdict[model][item]];
      const answer = data.answers.length ? data.answers[model][item] : "";
      line.append(make("td", "", name), make("td", verdict in glyphs ? verdict : "", answer ? `${verdict}: ${answer}` : verdict));
      if (has) line.append(make("td", "number", score(data.scores[model][0][item])));
      if (has && isPair) line.append(make("td", "number", score(data.scores[model][1][item])));
    });
    details.append(terms, table);
  }

  // ---- filter and search, in slices, so that the page stays alive; a new search ends the one before
  function matcher() {
    const paradigm = $("paradigm").value, verdict = $("verdict").value, only = $("model").value;
    const query = $("search").value.trim().toLowerCase();
    const models = only === "" ? data.models.map((_, model) => model) : [Number(only)];
    const holds = (text) => text.toLowerCase().includes(query);
    const values = data.attributes.map((attribute) => attribute.values.map(holds));
    return (item) => {
      if (paradigm !== "" && data.paradigm[item] !== Number(paradigm)) return false;
      if (verdict === "differ") {
        if (!data.verdict.some((of) => of[item] !== data.verdict[0][item])) return false;
      } else if (verdict !== "" && !models.some((model) => data.verdict[model][item] === Number(verdict))) return false;
      if (!query) return true;
      return holds(data.good[item]) || holds(data.bad[item]) || holds(data.id[item])
        || data.attributes.some((attribute, place) => values[place][attribute.of[item]])
        || data.answers.some((of) => holds(of[item]));
    };
  }

  function look() {
    const mine = ++search, matches = matcher(), matching = [];
    let item = 0;
    list.setAttribute("aria-busy", "true");
    const next = () => {
      if (mine !== search) return;
      const end = performance.now() + slice;
      while (item < total && performance.now() < end) {
        for (const stop = Math.min(total, item + 500); item < stop; item++) if (matches(item)) matching.push(item);
      }
      if (item < total) { setTimeout(next); return; }
      list.removeAttribute("aria-busy");
      shown = matching;
      chosen = -1;
      list.removeAttribute("aria-activedescendant");
      list.scrollTop = 0;
      details.replaceChildren(make("p", "note", shown.length ? "Choose an item to see its scores." : "No item is like this."));
      const all = shown.length === total;
      found.textContent = all ? `${counted.format(total)} items` : `${counted.format(shown.length)} of ${counted.format(total)} items`;
      redraw();
    };
    next();
  }

  function option(select, value, text) {
    const made = make("option", "", text);
    made.value = value;
    select.append(made);
  }

  function start() {
    data = JSON.parse($("data").textContent);
    $("data").remove();
    total = data.id.length;
    data.paradigms.forEach((name, place) => option($("paradigm"), String(place), name));
    data.verdicts.forEach((name, place) => { if (name) option($("verdict"), String(place), name); });
    if (data.models.length > 1) option($("verdict"), "differ", "models differ");
    data.models.forEach((name, place) => option($("model"), String(place), name));
    filters.hidden = false;
    list.parentElement.hidden = false;

    list.addEventListener("scroll", draw, { passive: true });
    addEventListener("resize", draw);
    list.addEventListener("click", (event) => {
      const element = event.target.closest(".item");
      if (!element) return;
      choose(Number(element.getAttribute("aria-posinset")) - 1);
      if (matchMedia("(max-width: 46rem)").matches) details.scrollIntoView({ block: "nearest" });
    });
    list.addEventListener("keydown", (event) => {
      const page = Math.max(1, Math.floor(list.clientHeight / rowHeight) - 1);
      const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + page, PageUp: chosen - page,
        Home: 0, End: shown.length - 1, Enter: Math.max(chosen, 0), " ": Math.max(chosen, 0) }[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      choose(to);
      if (event.key === "Enter") details.focus();
    });
    details.addEventListener("keydown", (event) => { if (event.key === "Escape") list.focus(); });
    $("search").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, 120); });
    filters.addEventListener("change", (event) => { if (event.target !== $("search")) look(); });
    filters.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(timer); look(); });
    filters.addEventListener("reset", () => { clearTimeout(timer); setTimeout(look); });

    // A paradigm's name in its table leads to its items.
    const places = new Map(data.paradigms.map((name, place) => [name, place]));
    for (const head of document.querySelectorAll('table[data-key="by-paradigm"] tbody th')) {
      const place = places.get(head.textContent);
      if (place === undefined) continue;
      const button = make("button", "", head.textContent);
      button.type = "button";
      button.title = "Show its items";
      button.addEventListener("click", () => {
        filters.reset();
        $("paradigm").value = String(place);
        $("items").scrollIntoView();
        list.focus({ preventScroll: true });
      });
      head.replaceChildren(button);
    }
    look();
    document.documentElement.dataset.ready = "yes";
  }
  // The page is drawn first, then the items are read.
  requestAnimationFrame(() => setTimeout(start));
})();
