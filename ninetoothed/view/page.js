// The page: takes the data apart, and joins the parts. Data are shown as text alone.

const $ = (id) => document.getElementById(id);

const KEYS = [
  ["/", "search all panels"],
  ["Enter, Shift+Enter", "in the search: next or previous line that is found; elsewhere n and N"],
  ["↑ ↓", "next or previous line of the panel"],
  ["Enter", "pin the line"],
  ["Esc", "unpin; end the search"],
  ["[ ]", "previous or next stage in the panel"],
  ["← →", "previous or next panel"],
  ["d", "what the pass changed"],
  ["a", "add a panel"],
  ["x", "close the panel"],
  ["r", "remarks in the source, or not"],
  ["t", "dark or light"],
  ["?", "these keys"],
];

async function unpacked() {
  const bytes = Uint8Array.from(atob($("data").textContent), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

class App {
  constructor(data) {
    this.data = data;
    this.listings = new Listings(data);
    this.panels = [];
    this.ids = new Map();
    this.pinnedKeys = null;
    this.overKeys = null;
    this.hits = [];
    this.hit = -1;
    this.#head();
    this.side = new Side(this);
    for (const view of this.#firstViews()) this.add(view);
    this.activate(this.panels[0]);
    this.#listen();
  }

  /** The source, the last module, and what runs. */
  #firstViews() {
    const { views } = this.listings;
    const last = views.filter((view) => view.startsWith("pass:")).pop();
    const made = views.filter((view) => view.startsWith("stage:"));
    const machine = ["stage:ptx", "stage:amdgcn"].find((view) => made.includes(view)) ?? made.pop();
    const found = [views[0], last, machine].filter(Boolean);
    return found.slice(0, innerWidth < 1100 ? 2 : 3);
  }

  #head() {
    const { kernel, target, config, resources, full, version, assumed } = this.data;
    $("kernel").textContent = kernel;
    const fact = (name, value, warns = false) => {
      const made = element("span", warns ? "fact warn" : "fact");
      const bold = element("b");
      bold.textContent = value;
      made.append(`${name} `, bold);
      $("facts").append(made);
    };
    fact("target", target);
    for (const [name, value] of config) fact(name, value);
    if (full) fact("guards", "all hold");
    const { registers, spills, shared } = resources;
    if (registers !== null) fact("registers", registers);
    if (spills !== null) fact("spills", spills, spills > 0);
    if (shared !== null) fact("shared memory", `${shared} B`);
    fact("ninetoothed", version);
    $("facts").title = assumed.join("\n");
    const rows = KEYS.flatMap(([names, meaning]) => {
      const [term, text] = [element("dt"), element("dd")];
      names.split(", ").forEach((name, index) => {
        const key = element("kbd");
        key.textContent = name;
        term.append(...(index ? [" ", key] : [key]));
      });
      text.textContent = meaning;
      return [term, text];
    });
    $("help-keys").append(...rows);
  }

  #listen() {
    $("add").addEventListener("click", () => this.addPanel());
    $("remarks").addEventListener("click", () => this.toggleRemarks());
    $("theme").addEventListener("click", () => this.theme());
    $("keys").addEventListener("click", () => $("help").showModal());
    $("pinned").addEventListener("click", () => this.pin(null));
    $("search").addEventListener("input", () => this.search());
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    const { key, target } = event;
    if (target === $("search")) {
      if (key === "Enter") this.nextHit(event.shiftKey ? -1 : 1);
      if (key === "Escape") this.#endSearch();
      return;
    }
    if (target.matches("input, select") && key !== "Escape") return;
    const panel = this.active;
    const inCode = target === panel?.code || target === document.body;
    const acts = {
      "/": () => $("search").select(),
      "?": () => $("help").showModal(),
      Escape: () => (this.pinnedKeys ? this.pin(null) : this.#endSearch()),
      "[": () => panel?.step(-1),
      "]": () => panel?.step(1),
      d: () => panel?.toggleDiff(),
      a: () => this.addPanel(),
      x: () => panel && this.close(panel),
      r: () => this.toggleRemarks(),
      t: () => this.theme(),
      n: () => this.nextHit(1),
      N: () => this.nextHit(-1),
    };
    const inPanel = {
      ArrowDown: () => panel.move(1),
      ArrowUp: () => panel.move(-1),
      PageDown: () => panel.move(25),
      PageUp: () => panel.move(-25),
      Home: () => panel.move(-Infinity),
      End: () => panel.move(Infinity),
      ArrowLeft: () => this.#focusPanel(-1),
      ArrowRight: () => this.#focusPanel(1),
      Enter: () => this.pin(panel.lines[panel.cursor]?.keys, panel),
    };
    const act = acts[key] ?? (inCode ? inPanel[key] : undefined);
    if (!act) return;
    event.preventDefault();
    act();
  }

  #focusPanel(delta) {
    const at = this.panels.indexOf(this.active) + delta;
    this.panels[at]?.code.focus();
  }

  idOf(panel) {
    if (!this.ids.has(panel)) this.ids.set(panel, `panel-${this.ids.size}`);
    return this.ids.get(panel);
  }

  add(view) {
    const panel = new Panel(this, view);
    this.panels.push(panel);
    $("panels").append(panel.element);
    // Only now has it a size.
    this.shown(panel);
    return panel;
  }

  addPanel() {
    const panel = this.add(this.active?.view ?? this.listings.views[0]);
    panel.code.focus();
  }

  close(panel) {
    if (this.panels.length === 1) return;
    const at = this.panels.indexOf(panel);
    this.panels.splice(at, 1);
    panel.element.remove();
    this.panels[Math.max(0, at - 1)].code.focus();
    this.search();
  }

  activate(panel) {
    this.active?.element.classList.remove("active");
    this.active = panel;
    panel.element.classList.add("active");
    this.side.current(panel.view);
  }

  /** Shows a view in the panel that is active; the source's stays if there is another one. */
  open(view) {
    const isSource = (panel) => panel.view.startsWith("file:");
    const others = this.panels.filter((panel) => !isSource(panel));
    const panel = isSource(this.active) && others.length ? others[0] : this.active;
    panel.show(view);
    this.activate(panel);
    return panel;
  }

  /** A panel shows another view. */
  shown(panel) {
    if (!this.panels.includes(panel)) return;
    panel.mark("over", panel.linesOf(this.overKeys));
    panel.mark("pin", panel.linesOf(this.pinnedKeys));
    if (this.marked("pin", panel)) panel.reveal(panel.linesOf(this.pinnedKeys)[0]);
    this.search();
    if (panel === this.active) this.side.current(panel.view);
  }

  marked(name, panel) {
    return panel.marked[name].length > 0;
  }

  /** Points at keys: their lines are shown in all panels. */
  over(keys) {
    const now = keys?.length ? keys : null;
    if (String(now) === String(this.overKeys)) return;
    this.overKeys = now;
    for (const panel of this.panels) panel.mark("over", panel.linesOf(now));
  }

  /** Pins keys, or unpins them if they are pinned; the other panels scroll to them. */
  pin(keys, from = null) {
    const same = String(keys) === String(this.pinnedKeys);
    this.pinnedKeys = keys?.length && !same ? keys : null;
    for (const panel of this.panels) {
      const lines = panel.linesOf(this.pinnedKeys);
      panel.mark("pin", lines);
      if (panel !== from && lines.length) panel.reveal(lines[0]);
    }
    $("pinned").hidden = !this.pinnedKeys;
    const names = (this.pinnedKeys ?? []).map((key) => this.listings.placeName(key));
    $("pinned").textContent = `pinned ${names.join(" ← ")}  ✕`;
  }

  toggleRemarks() {
    const { dataset } = document.documentElement;
    dataset.remarks = dataset.remarks === "off" ? "on" : "off";
    $("remarks").setAttribute("aria-pressed", String(dataset.remarks === "on"));
  }

  theme() {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const now = document.documentElement.dataset.theme ?? dark;
    document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
  }

  /** Finds what is searched in all panels, and where else it is. */
  search() {
    const query = $("search").value.toLowerCase();
    this.hits = [];
    this.hit = -1;
    for (const panel of this.panels) {
      const found = query
        ? panel.lines.filter((line) => line.text.toLowerCase().includes(query))
        : [];
      panel.mark("hit", found.map((line) => line.index));
      panel.mark("now", []);
      this.hits.push(...found.map((line) => ({ panel, index: line.index })));
    }
    $("found").textContent = query ? counted(this.hits.length) : "";
    this.markHits();
    this.#elsewhere(query);
  }

  /** Colours what is found inside of the lines, where the browser can. */
  markHits() {
    if (!CSS.highlights) return;
    const query = $("search").value.toLowerCase();
    const ranges = query ? this.hits.flatMap((hit) => rangesIn(hit.panel.row(hit.index), query)) : [];
    CSS.highlights.set("search", new Highlight(...ranges.slice(0, 5000)));
  }

  nextHit(delta) {
    if (!this.hits.length) return;
    const first = delta > 0 ? 0 : this.hits.length - 1;
    this.hit = this.hit < 0 ? first : (this.hit + delta + this.hits.length) % this.hits.length;
    const { panel, index } = this.hits[this.hit];
    for (const other of this.panels) other.mark("now", other === panel ? [index] : []);
    panel.setCursor(index);
    panel.reveal(index);
    $("found").textContent = `${this.hit + 1} of ${counted(this.hits.length)}`;
  }

  /** The views that no panel shows and that hold what is searched. */
  #elsewhere(query) {
    const open = new Set(this.panels.map((panel) => panel.view));
    const rows = [];
    for (const view of query.length > 1 ? this.listings.views : []) {
      if (open.has(view)) continue;
      const lines = this.listings.lines(view);
      const count = lines.filter((line) => line.text.toLowerCase().includes(query)).length;
      if (!count) continue;
      rows.push(button(`${this.listings.title(view)} · ${count}`, "Show it", () => this.open(view)));
    }
    $("elsewhere").replaceChildren(...rows);
    $("elsewhere").hidden = !rows.length;
  }

  #endSearch() {
    $("search").value = "";
    this.search();
    this.active?.code.focus();
  }
}

/** The left side: passes by stage, the target's stages, and remarks. */
class Side {
  constructor(app) {
    this.app = app;
    this.buttons = new Map();
    const { passes, stages, missing, remarks } = app.data;
    let from = 0;
    passes.forEach((pass, index) => {
      if (index === 0) this.#group("frontend", [this.#pass(0)]);
      else if (pass.stage || index === passes.length - 1) {
        const rows = [];
        for (let one = from + 1; one <= index; one++) rows.push(this.#pass(one));
        this.#group(pass.stage ?? "", rows, this.#time(passes.slice(from + 1, index + 1)));
      }
      if (index === 0 || pass.stage) from = index;
    });
    const rows = stages.map((stage) => this.#stage(stage));
    if (missing) rows.push(note(missing));
    this.#group("target", rows);
    if (remarks.length) this.#group("remarks", remarks.map((remark) => this.#remark(remark)));
    if (app.data.assumed.length) this.#group("assumed", app.data.assumed.map(note));
  }

  #time(passes) {
    const known = passes.filter((pass) => pass.ms !== undefined);
    return known.length ? milliseconds(known.reduce((sum, pass) => sum + pass.ms, 0)) : "";
  }

  #group(name, rows, end = "") {
    const head = element("h2");
    const time = element("span", "num");
    time.textContent = end;
    head.append(name, time);
    const list = element("ul");
    list.append(
      ...rows.map((row) => {
        const item = element("li");
        item.append(row);
        return item;
      }),
    );
    $("side").append(head, list);
  }

  #row(kind, mark, name, end, act) {
    const row = button("", "", act);
    row.className = kind;
    const parts = { mark, name };
    for (const [part, text] of Object.entries(parts)) {
      const made = element("span", part);
      made.textContent = text;
      row.append(made);
    }
    if (end) {
      const made = element("span", "num");
      made.append(...end);
      row.append(made);
    }
    return row;
  }

  #pass(index) {
    const { app } = this;
    const pass = app.data.passes[index];
    const { added, removed } = app.listings.counts(index);
    const [plus, minus] = [element("span", "plus"), element("span", "minus")];
    if (added) plus.textContent = `+${added} `;
    if (removed) minus.textContent = `−${removed} `;
    const time = pass.ms === undefined ? "" : milliseconds(pass.ms);
    const changes = app.listings.changed[index];
    const view = pass.diff ? `diff:${index}` : `pass:${index}`;
    const row = this.#row(changes ? "changes" : "same", changes ? "●" : "○", pass.name, [plus, minus, time], () =>
      app.open(view),
    );
    row.title = `${pass.name}: ${changes ? "changed the IR" : "changed nothing"}`;
    this.buttons.set(`pass:${index}`, row);
    return row;
  }

  #stage({ name, text }) {
    const { app } = this;
    const count = app.listings.texts[text].length;
    const row = this.#row("changes", "●", name, [counted(count)], () => app.open(`stage:${name}`));
    this.buttons.set(`stage:${name}`, row);
    return row;
  }

  #remark(remark) {
    const { app } = this;
    const keys = (remark.places ?? []).map(([file, line]) => app.listings.key(file, line));
    const place = keys.length ? `${app.listings.placeName(keys[0])}: ` : "";
    const mark = { passed: "✓", missed: "✗" }[remark.kind] ?? "i";
    const row = this.#row(`remark ${remark.kind}`, mark, place + remark.message, null, () => {
      app.pin(null);
      app.pin(keys);
    });
    row.title = `${remark.pass}, ${remark.kind}`;
    return row;
  }

  /** Marks the row of what the active panel shows. */
  current(view) {
    const [kind, id] = split(view);
    for (const [name, row] of this.buttons) {
      row.setAttribute("aria-current", String(name === (kind === "diff" ? `pass:${id}` : view)));
    }
  }
}

function note(text) {
  const made = element("p", "note");
  made.textContent = text;
  return made;
}

function milliseconds(value) {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

/** Where a text is in a line, as ranges. */
function rangesIn(row, query) {
  const walker = document.createTreeWalker(row.querySelector(".text"), NodeFilter.SHOW_TEXT);
  const ranges = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.toLowerCase();
    for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + query.length);
      ranges.push(range);
    }
  }
  return ranges;
}

const app = new App(await unpacked());
document.documentElement.dataset.ready = "true";
