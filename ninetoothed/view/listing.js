// Listings: what a panel can show, as lines with keys. A key is a line of a source file, as a number;
// lines with a common key are linked.
//
// A view is named `file:0`, `pass:7`, `diff:7` or `stage:ptx`.

const KEYS_OF_A_FILE = 1e7;
const HUES = 10;
const CONTEXT = 3;

class Listings {
  /** `data` is what ninetoothed/view/page.py writes. */
  constructor(data) {
    this.data = data;
    this.keySets = data.places.map((flat) => {
      const keys = [];
      for (let i = 0; i < flat.length; i += 2) keys.push(this.key(flat[i], flat[i + 1]));
      return keys;
    });
    const forms = data.forms.map((form) => form.split(/([\0\x01])/));
    this.texts = data.texts.map((text) => decoded(forms, text));
    this.hues = new Map();
    const known = new Set(this.keySets.flat());
    [...known].sort((a, b) => a - b).forEach((key, rank) => this.hues.set(key, rank % HUES));
    this.changed = data.passes.map((pass, index) => index === 0 || Boolean(pass.diff));
    this.made = new Map();
  }

  key(file, line) {
    return file * KEYS_OF_A_FILE + line;
  }

  /** `kernel.py:21` of a key. */
  placeName(key) {
    const file = this.data.files[Math.floor(key / KEYS_OF_A_FILE)].name;
    return `${file.split(/[\\/]/).pop()}:${key % KEYS_OF_A_FILE}`;
  }

  /** All views in the order of the compilation, without passes that changed nothing and diffs. */
  get views() {
    const { files, passes, stages } = this.data;
    return [
      ...files.map((_, index) => `file:${index}`),
      ...passes.map((_, index) => `pass:${index}`).filter((_, index) => this.changed[index]),
      ...stages.map((stage) => `stage:${stage.name}`),
    ];
  }

  title(view) {
    const [kind, id] = split(view);
    if (kind === "file") return this.data.files[id].name.split(/[\\/]/).pop();
    if (kind === "stage") return id;
    const stage = this.stageBehind(id);
    return `${id}: ${this.data.passes[id].name}${stage ? ` → ${stage}` : ""}`;
  }

  /** The stage that the IR is in behind a pass, unless another one changes it until then. */
  stageBehind(id) {
    const { passes } = this.data;
    let last = id;
    while (last < passes.length - 1 && !passes[last].stage && !this.changed[last + 1]) last++;
    return passes[last].stage;
  }

  group(view) {
    return { file: "Source", pass: "NineToothed", stage: "Target" }[split(view)[0]];
  }

  language(view) {
    const [kind, id] = split(view);
    if (kind === "file") return "python";
    return kind === "stage" ? id : "ir";
  }

  /** The lines of a view: text, number, keys, and kind, a class of theirs. */
  lines(view) {
    let found = this.made.get(view);
    if (!found) {
      const [kind, id] = split(view);
      if (kind === "file") found = this.#file(id);
      else if (kind === "diff") found = this.#diff(id);
      else found = this.#text(kind === "pass" ? this.data.passes[id].text : this.#stage(id).text);
      this.made.set(view, found);
    }
    return found;
  }

  #stage(name) {
    return this.data.stages.find((stage) => stage.name === name);
  }

  #file(id) {
    const remarks = Map.groupBy(
      this.data.remarks.filter((remark) => remark.places?.[0][0] === id),
      (remark) => remark.places[0][1],
    );
    const text = this.data.files[id].text.replace(/\n$/, "");
    if (!text) return [];
    return text.split("\n").flatMap((line, index) => {
      const key = this.key(id, index + 1);
      const keys = this.hues.has(key) ? [key] : [];
      const below = (remarks.get(index + 1) ?? []).map((remark) => ({
        text: `${remark.message}  [${remark.pass}, ${remark.kind}]`,
        keys,
        kind: `remark ${remark.kind}`,
      }));
      return [{ text: line, number: index + 1, keys, kind: "" }, ...below];
    });
  }

  #text(id) {
    const { sets } = this.data.texts[id];
    return this.texts[id].map((_, index) => this.#line(id, sets, index, ""));
  }

  #line(id, sets, index, kind) {
    const keys = sets[index] < 0 ? [] : this.keySets[sets[index]];
    return { text: this.texts[id][index], number: index + 1, keys, kind };
  }

  /** What a pass changed, with a few lines around. */
  #diff(id) {
    const { passes, texts } = this.data;
    const [before, after] = [passes[id - 1].text, passes[id].text];
    const rows = [];
    const push = (text, from, to, kind) => {
      for (let i = from; i < to; i++) rows.push(this.#line(text, texts[text].sets, i, kind));
    };
    for (const [index, [tag, oldFrom, oldTo, from, to]] of passes[id].diff.entries()) {
      if (tag !== "equal") {
        push(before, oldFrom, oldTo, "del");
        push(after, from, to, "add");
        continue;
      }
      const head = index === 0 ? from : Math.min(from + CONTEXT, to);
      const isLast = index === passes[id].diff.length - 1;
      const tail = Math.max(head, isLast ? to : to - CONTEXT);
      push(after, from, head, "");
      const hidden = isLast ? to - head : tail - head;
      if (hidden > 0) rows.push({ text: `⋯ ${counted(hidden)} ⋯`, keys: [], kind: "gap" });
      if (!isLast) push(after, tail, to, "");
    }
    return rows;
  }

  /** How many lines a pass added and removed. */
  counts(id) {
    let [added, removed] = [0, 0];
    for (const [tag, oldFrom, oldTo, from, to] of this.data.passes[id].diff ?? []) {
      if (tag === "equal") continue;
      added += to - from;
      removed += oldTo - oldFrom;
    }
    return { added, removed };
  }
}

function counted(lines) {
  return `${lines} ${lines === 1 ? "line" : "lines"}`;
}

/** `["pass", 7]` of `pass:7`; the id of a stage is its name. */
function split(view) {
  const at = view.indexOf(":");
  const [kind, id] = [view.slice(0, at), view.slice(at + 1)];
  return [kind, kind === "stage" ? id : Number(id)];
}

/** The lines of a text that is told by forms and numbers, as ninetoothed/view/line_forms.py does. */
function decoded(table, { forms, numbers }) {
  const before = new Map();
  let next = 0;
  return forms.map((form) => {
    const parts = [...table[form]];
    const known = before.get(form) ?? [];
    const found = [];
    for (let at = 1; at < parts.length; at += 2) {
      const number = (known[found.length] ?? 0) + numbers[next++];
      found.push(number);
      parts[at] = parts[at] === "\0" ? String(number) : `0x${number.toString(16)}`;
    }
    before.set(form, found);
    return parts.join("");
  });
}
