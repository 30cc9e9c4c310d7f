// A panel: one view as lines, of which one is the cursor's.

const LINES_OF_A_CHUNK = 100;
const RULER = { pin: "#e0a800", over: "#4a86e8", hit: "#d6408f" };

class Panel {
  /** `app` has `listings`, and is told of what the user does. */
  constructor(app, view) {
    this.app = app;
    this.marked = { over: [], pin: [], hit: [], now: [] };
    this.element = element("section", "panel");
    this.select = element("select");
    this.select.setAttribute("aria-label", "What this panel shows");
    this.select.addEventListener("change", () => this.show(this.select.value));
    this.size = element("span", "size");
    this.diff = button("diff", "What the pass changed (d)", () => this.toggleDiff());
    const copy = button("copy", "Copy the text", () => this.copy());
    const close = button("✕", "Close the panel (x)", () => app.close(this));
    close.setAttribute("aria-label", "Close the panel");
    const head = element("header");
    head.append(this.select, this.size, this.diff, copy, close);
    this.code = element("div", "code");
    this.code.tabIndex = 0;
    this.code.setAttribute("role", "listbox");
    this.code.setAttribute("aria-multiselectable", "true");
    this.ruler = element("canvas", "ruler");
    this.ruler.setAttribute("aria-hidden", "true");
    const body = element("div", "body");
    body.append(this.code, this.ruler);
    this.element.append(head, body);
    this.#listen();
    this.show(view);
  }

  #listen() {
    const { app, code } = this;
    this.element.addEventListener("focusin", () => app.activate(this));
    this.element.addEventListener("pointerdown", () => app.activate(this));
    code.addEventListener("pointerover", (event) => app.over(this.#lineAt(event.target)?.keys));
    code.addEventListener("pointerleave", () => app.over(null));
    code.addEventListener("click", (event) => {
      const line = this.#lineAt(event.target);
      // The end of a selection is no click.
      if (!line || !getSelection().isCollapsed) return;
      this.setCursor(line.index, false);
      app.pin(line.keys, this);
    });
    this.ruler.addEventListener("click", (event) => {
      const share = event.offsetY / this.ruler.clientHeight;
      this.reveal(Math.floor(share * this.lines.length));
    });
    this.seen = new IntersectionObserver(
      (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => this.#colour(entry.target)),
      { root: code, rootMargin: "800px" },
    );
    new ResizeObserver(() => this.drawRuler()).observe(this.ruler);
  }

  #lineAt(target) {
    const found = target.closest(".line");
    return found && this.lines[found.dataset.index];
  }

  /** Shows a view from its first line. */
  show(view) {
    const { listings } = this.app;
    this.view = view;
    this.lines = listings.lines(view).map((line, index) => ({ ...line, index }));
    this.cursor = -1;
    this.byKey = new Map();
    for (const line of this.lines) {
      for (const key of line.keys) {
        if (!this.byKey.has(key)) this.byKey.set(key, []);
        this.byKey.get(key).push(line.index);
      }
    }
    this.#options();
    this.seen.disconnect();
    for (const name of Object.keys(this.marked)) this.marked[name] = [];
    this.code.replaceChildren(...this.#chunks());
    this.code.removeAttribute("aria-activedescendant");
    this.code.setAttribute("aria-label", listings.title(view));
    this.code.scrollTop = 0;
    for (const chunk of this.code.querySelectorAll(".chunk")) this.seen.observe(chunk);
    const count = this.lines.filter((line) => line.number).length;
    this.size.textContent = counted(count);
    this.app.shown(this);
  }

  #options() {
    const { listings } = this.app;
    const [kind, id] = split(this.view);
    const groups = new Map();
    const now = kind === "diff" ? `pass:${id}` : this.view;
    for (const view of new Set([...listings.views, now])) {
      const name = listings.group(view);
      if (!groups.has(name)) groups.set(name, element("optgroup"));
      groups.get(name).label = name;
      groups.get(name).append(new Option(listings.title(view), view, false, view === now));
    }
    this.select.replaceChildren(...groups.values());
    this.select.value = now;
    const isPass = kind === "pass" || kind === "diff";
    this.diff.hidden = !isPass || !listings.data.passes[id].diff;
    this.diff.setAttribute("aria-pressed", String(kind === "diff"));
  }

  #chunks() {
    if (!this.lines.length) {
      const note = element("p", "empty");
      note.textContent = "The file cannot be read here.";
      return [note];
    }
    const chunks = [];
    for (let first = 0; first < this.lines.length; first += LINES_OF_A_CHUNK) {
      const chunk = element("div", "chunk");
      chunk.setAttribute("role", "presentation");
      const rows = this.lines.slice(first, first + LINES_OF_A_CHUNK);
      // Its height is known before it is drawn.
      chunk.style.containIntrinsicSize = `auto ${rows.length * 18}px`;
      chunk.append(...rows.map((line) => this.#row(line)));
      chunks.push(chunk);
    }
    return chunks;
  }

  #row(line) {
    const row = element("div", `line ${line.kind}`);
    row.dataset.index = line.index;
    row.id = `${this.app.idOf(this)}-${line.index}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", "false");
    if (line.keys.length) row.classList.add("linked", `h${this.app.listings.hues.get(line.keys[0])}`);
    if (line.number) {
      const number = element("i");
      number.textContent = line.number;
      row.append(number);
    }
    const text = element("span", "text");
    text.textContent = line.text;
    row.append(text);
    return row;
  }

  #colour(chunk) {
    this.seen.unobserve(chunk);
    for (const text of chunk.querySelectorAll(".line:not(.remark, .gap) > .text")) {
      colour(text, this.app.listings.language(this.view));
    }
    this.app.markHits(this);
  }

  row(index) {
    return this.code.querySelector(`[data-index="${index}"]`);
  }

  /** Marks the lines of `indices`, and no others, with a class. */
  mark(name, indices) {
    for (const row of this.marked[name]) row.classList.remove(name);
    const all = this.#rows();
    this.marked[name] = indices.map((index) => all[index]);
    for (const row of this.marked[name]) row.classList.add(name);
    if (name === "pin") {
      this.code.querySelectorAll('[aria-selected="true"]').forEach((row) => row.setAttribute("aria-selected", "false"));
      this.marked.pin.forEach((row) => row.setAttribute("aria-selected", "true"));
    }
    this.drawRuler();
  }

  #rows() {
    return this.code.getElementsByClassName("line");
  }

  /** The lines with one of some keys, in order. */
  linesOf(keys) {
    const found = new Set((keys ?? []).flatMap((key) => this.byKey.get(key) ?? []));
    return [...found].sort((a, b) => a - b);
  }

  /** Scrolls to a line, unless it is in sight. */
  reveal(index) {
    const row = this.#rows()[index];
    if (!row) return;
    const [inner, outer] = [row.getBoundingClientRect(), this.code.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) row.scrollIntoView({ block: "center", inline: "nearest" });
  }

  setCursor(index, scrolls = true) {
    if (!this.lines.length) return;
    const rows = this.#rows();
    rows[this.cursor]?.classList.remove("cursor");
    this.cursor = Math.max(0, Math.min(index, this.lines.length - 1));
    const row = rows[this.cursor];
    row.classList.add("cursor");
    this.code.setAttribute("aria-activedescendant", row.id);
    if (scrolls) row.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Moves the cursor, and points at its line. */
  move(delta) {
    const from = this.cursor < 0 ? this.#firstInSight() : this.cursor + delta;
    this.setCursor(from);
    this.app.over(this.lines[this.cursor]?.keys);
  }

  #firstInSight() {
    const top = this.code.getBoundingClientRect().top;
    const rows = [...this.#rows()];
    return Math.max(0, rows.findIndex((row) => row.getBoundingClientRect().bottom > top));
  }

  toggleDiff() {
    const [kind, id] = split(this.view);
    if (kind === "diff") this.show(`pass:${id}`);
    else if (kind === "pass" && this.app.listings.data.passes[id].diff) this.show(`diff:${id}`);
  }

  /** Shows the view before or behind this one. */
  step(delta) {
    const { views } = this.app.listings;
    const [kind, id] = split(this.view);
    const at = views.indexOf(kind === "diff" ? `pass:${id}` : this.view);
    const next = views[at + delta];
    if (!next) return;
    const [nextKind, nextId] = split(next);
    const keepsDiff = kind === "diff" && nextKind === "pass" && nextId > 0;
    this.show(keepsDiff ? `diff:${nextId}` : next);
  }

  copy() {
    navigator.clipboard?.writeText(this.lines.map((line) => line.text).join("\n"));
  }

  /** Draws where the lines are that are marked. */
  drawRuler() {
    const { ruler } = this;
    const [width, height] = [ruler.clientWidth, ruler.clientHeight];
    if (!width || !height) return;
    ruler.width = width;
    ruler.height = height;
    const paint = ruler.getContext("2d");
    for (const [name, fill] of Object.entries(RULER)) {
      paint.fillStyle = fill;
      for (const row of this.marked[name]) {
        const top = (row.dataset.index / this.lines.length) * height;
        paint.fillRect(1, Math.floor(top), width - 2, Math.max(2, height / this.lines.length));
      }
    }
  }
}

function element(tag, className = "") {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}

function button(text, title, act) {
  const made = element("button");
  made.type = "button";
  made.textContent = text;
  made.title = title;
  made.addEventListener("click", act);
  return made;
}
