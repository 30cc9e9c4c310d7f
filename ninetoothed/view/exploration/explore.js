// The page: fields for sizes, and a panel for the programs and for each tensor, drawn on a canvas.

const MOST_ROWS = 64, MOST_COLUMNS = 96, IN_A_ROW = 32, MOST_PROGRAMS = 4096, MOST_NAMED = 8;
const LARGEST = 2 ** 31;
const $ = (id) => document.getElementById(id);

function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// What is drawn of a shape, and where: the last dim runs to the right, all others down; a vector
// continues in the next row. `box` has the ends of each dim.
function layout(shape) {
  const last = shape.length - 1;
  if (shape.length < 2) {
    const size = shape.length ? Math.min(shape[0], MOST_ROWS * IN_A_ROW) : 1;
    return {
      box: shape.map(() => [0, size]), columns: Math.min(size, IN_A_ROW), count: size,
      rows: Math.ceil(size / IN_A_ROW),
      at: ([one = 0]) => [Math.floor(one / IN_A_ROW), one % IN_A_ROW],
      index: (row, column) => shape.map(() => row * IN_A_ROW + column),
    };
  }
  const ends = [...shape];
  ends[last] = Math.min(ends[last], MOST_COLUMNS);
  let room = MOST_ROWS;
  for (let dim = last - 1; dim >= 0; dim--) {
    ends[dim] = Math.min(ends[dim], Math.max(room, 1));
    room = Math.floor(room / Math.max(ends[dim], 1));
  }
  const outer = ends.slice(0, last), rows = product(outer);
  return {
    box: ends.map((end) => [0, end]), columns: ends[last], rows, count: product(ends),
    at: (index) => [number(index.slice(0, last), outer), index[last]],
    index: (row, column) => [...unravel(row, outer), column],
  };
}

const isDrawn = (index, { box }) => index.every((one, dim) => one < box[dim][1]);
const dims = (shape) => (shape.length ? shape.join(" × ") : "one number");

// ---- state

// `pointed` and `cursor`: the panel and the cell that were pointed at last; `step`: the iteration that
// is shown, or null for all.
const state = {
  bound: null, program: 0, step: null, element: null, owners: [], pointed: null, cursor: 0,
};
const panels = [];
const dark = matchMedia("(prefers-color-scheme: dark)");

// ---- fields

const fields = [];

function addField(name, text, help, read) {
  const input = make("input", { value: text, title: help, autocomplete: "off", spellcheck: false });
  input.id = `field-${fields.length}`;
  const label = make("label", { htmlFor: input.id }, name);
  input.addEventListener("input", recompute);
  $("sizes").append(make("span", {}, label, input));
  fields.push({ name, input, read });
}

const integer = (text) => (/^\s*\d+\s*$/.test(text) && Number(text) < LARGEST ? Number(text) : null);

function readShape(text, ndim) {
  const parts = text.replace(/^\s*[([]|,?\s*[)\]]?\s*$/g, "").split(",").filter((one) => one.trim());
  const shape = parts.map(integer);
  return shape.length === ndim && !shape.includes(null) ? shape : null;
}

function addFields() {
  for (const { name, shape } of KERNEL.tensors) {
    const help = `the shape of ${name}: ${shape.length} sizes with commas between them, as in `
      + (shape.length ? shape.join(", ") : "()");
    addField(name, shape.join(", "), help, (text) => readShape(text, shape.length));
  }
  for (const { name, value, lower, upper } of KERNEL.blocks) {
    const help = `${name}: an integer from ${lower ?? "any"} to ${upper ?? "any"}`;
    addField(name, String(value), help, integer);
  }
}

function recompute() {
  const read = Object.create(null), wrong = [];
  for (const { name, input, read: reader } of fields) {
    const value = (read[name] = reader(input.value));
    input.setAttribute("aria-invalid", String(value === null));
    if (value === null) wrong.push({ text: input.title });
  }
  const bound = wrong.length ? null : bind(KERNEL, read, read);
  const refusals = bound ? bound.refusals : wrong;
  $("refused").replaceChildren(...refusals.map(({ text, agreement }) => make("p", {}, agreement
    ? `${text} (calls like this are compiled as another class; this page is not of it)` : text)));
  state.bound = refusals.length ? null : bound;
  $("panels").hidden = state.bound === null;
  Object.assign(state, { element: null, owners: [], pointed: null });
  if (state.bound === null) return say("");
  state.program = Math.max(0, Math.min(state.program, bound.count - 1));
  for (const panel of panels) panel.resize(bound);
  show();
}

const say = (text) => { $("status").textContent = text; };

// ---- panels

// A panel of cells; `shapeOf` gives its shape, `paint` what a cell looks like, `enter` is called
// with the index that is pointed at or moved to.
function addPanel(name, kind, tensor, shapeOf, paint, enter) {
  const canvas = make("canvas", { tabIndex: 0 });
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-roledescription", "grid");
  const title = make("span", { className: "words" }), count = make("p", { className: "count" });
  const facts = make("p");
  for (const [question, answer] of tensor ? tensor.verdicts : []) {
    const text = `${question.replace("_", " ")}: ${answer}`;
    facts.append(make("span", { className: `fact ${answer}` }, text), " ");
  }
  const cut = make("p", { className: "words" });
  const scroll = make("div", { className: "scroll" }, canvas);
  const section = make("section", {}, make("h2", {}, name), title, facts, scroll, cut, count);
  section.setAttribute("aria-label", name);
  $("panels").append(section);
  const panel = { canvas, tensor, count, cursor: 0, shape: [], drawn: null, side: 0 };

  panel.resize = (bound) => {
    const shape = (panel.shape = shapeOf(bound)), drawn = (panel.drawn = layout(shape));
    const total = product(shape), words = `${dims(shape)} ${kind}`;
    panel.side = drawn.columns <= 24 ? 18 : drawn.columns <= 48 ? 12 : 8;
    panel.cursor = Math.max(0, Math.min(panel.cursor, total - 1));
    title.textContent = words;
    canvas.setAttribute("aria-label", `${name}, ${words}; arrow keys move`);
    const ends = dims(drawn.box.map(([, end]) => end));
    cut.textContent = drawn.count < total ? `cut: the first ${ends} are drawn` : "";
    const width = drawn.columns * panel.side + 1, height = drawn.rows * panel.side + 1;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    // Nothing is there to be moved to.
    canvas.tabIndex = drawn.count ? 0 : -1;
  };

  panel.draw = () => {
    const { drawn, side, shape } = panel, pen = canvas.getContext("2d");
    const ratio = window.devicePixelRatio || 1;
    const color = (variable) => {
      canvas.style.color = `var(--${variable})`;
      return getComputedStyle(canvas).color;
    };
    const colors = { rule: color("rule"), ink: color("ink"), accent: color("accent") };
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.font = `${side - 8}px monospace`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (let row = 0; row < drawn.rows; row++) {
      for (let column = 0; column < drawn.columns; column++) {
        const index = drawn.index(row, column);
        if (!isDrawn(index, drawn)) continue;
        const at = number(index, shape), look = paint(at);
        const x = column * side + 0.5, y = row * side + 0.5;
        if (look.fill) {
          pen.fillStyle = look.fill;
          pen.fillRect(x, y, side, side);
        }
        pen.lineWidth = 1;
        pen.strokeStyle = colors.rule;
        pen.strokeRect(x, y, side, side);
        if (look.text && side >= 18) {
          pen.fillStyle = colors.ink;
          pen.fillText(look.text, x + side / 2, y + side / 2);
        }
        if (look.dot) {
          pen.fillStyle = colors.ink;
          pen.fillRect(x + side - side / 3, y + 1, side / 4, side / 4);
        }
        if (look.frame) {
          pen.lineWidth = 2;
          pen.strokeStyle = look.frame === "cursor" ? colors.ink : colors.accent;
          pen.strokeRect(x + 1.5, y + 1.5, side - 3, side - 3);
        }
      }
    }
  };

  panel.go = (row, column) => {
    const { drawn } = panel;
    if (row < 0 || column < 0 || row >= drawn.rows || column >= drawn.columns) return;
    const index = drawn.index(row, column);
    if (!isDrawn(index, drawn)) return;
    panel.cursor = number(index, panel.shape);
    if (state.pointed === panel && state.cursor === panel.cursor) return;
    Object.assign(state, { pointed: panel, cursor: panel.cursor });
    enter(panel.cursor, index);
  };
  // A finger only presses.
  for (const kind of ["pointermove", "pointerdown"]) {
    canvas.addEventListener(kind, (event) => panel.go(
      Math.floor(event.offsetY / panel.side), Math.floor(event.offsetX / panel.side)));
  }
  const here = () => panel.drawn.at(unravel(panel.cursor, panel.shape));
  canvas.addEventListener("focus", () => {
    // A pointer that is pressed tells itself where it is.
    if (canvas.matches(":focus-visible")) panel.go(...here());
  });
  canvas.addEventListener("keydown", (event) => {
    const [row, column] = here(), { rows, columns } = panel.drawn;
    const moves = {
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      Home: [0, 0], End: [rows - 1, columns - 1],
    };
    if (!(event.key in moves) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    panel.go(...moves[event.key]);
    const [y, x] = here().map((one) => one * panel.side);
    scroll.scrollLeft = Math.min(Math.max(scroll.scrollLeft, x + panel.side - scroll.clientWidth), x);
    scroll.scrollTop = Math.min(Math.max(scroll.scrollTop, y + panel.side - scroll.clientHeight), y);
  });
  panels.push(panel);
  return panel;
}

const hue = (step) => {
  const turn = (210 + 67 * Math.max(step, 0)) % 360;
  return dark.matches ? `hsl(${turn} 45% 36%)` : `hsl(${turn} 75% 80%)`;
};

function addPanels() {
  addPanel("programs", "programs", null, (bound) => {
    // A class of calls may have another number of programs than its grid.
    return product(bound.grid) === bound.count ? bound.grid : [bound.count];
  }, (at) => ({
    fill: at === state.program ? hue(0) : null,
    frame: state.owners.includes(at) ? "owner" : null,
  }), (at) => {
    Object.assign(state, { program: at, element: null, owners: [] });
    show();
  });
  for (const tensor of KERNEL.tensors) {
    const panel = addPanel(tensor.name, "elements", tensor, (bound) => bound.shapes[tensor.name],
      (at) => {
        const element = panel.touched.elements.get(at);
        const steps = element && shownSteps(element);
        const isHere = state.element && state.element.panel === panel && state.element.at === at;
        return {
          fill: steps && steps.length ? hue(steps[0]) : null,
          text: steps && steps.length && steps[0] >= 0 ? String(steps[0]) : "",
          dot: steps && steps.length && element.write,
          frame: isHere ? "cursor" : null,
        };
      }, (at, index) => {
        state.element = { panel, at };
        const found = programsOf(state.bound, tensor, at, MOST_PROGRAMS);
        state.owners = found.programs;
        const named = found.programs.slice(0, MOST_NAMED).map(programText).join(", ");
        const more = found.programs.length > MOST_NAMED ? ", …" : "";
        const all = found.looked < state.bound.count ? `, of the first ${found.looked}` : "";
        const count = `${found.programs.length} program${found.programs.length === 1 ? "" : "s"}`;
        say(tensor.left_out ? `element ${tuple(index)} of ${tensor.name}`
          : `element ${tuple(index)} of ${tensor.name}: touched by ${count}${all}`
            + (named ? `: ${named}${more}` : ""));
        draw();
      });
  }
}

const programText = (program) => tuple(unravel(program, panels[0].shape));
const shownSteps = ({ steps }) => [...steps].filter(
  (step) => state.step === null || step === state.step || step < 0).sort((one, two) => one - two);

function countText(tensor, found) {
  if (tensor.left_out) return `left out: ${tensor.left_out}`;
  if (!tensor.uses.length) return "neither read nor written";
  if (!state.bound.count) return "there is no program";
  const shown = [...found.elements.values()].filter((one) => shownSteps(one).length);
  const kinds = ["read", "write"].filter((kind) => tensor.uses.some((use) => use.kind === kind));
  const lanes = found.inside === null ? `${found.lanes} lanes, too many to count those outside`
    : `${found.lanes} lanes, ${found.lanes - found.inside} of them outside the tensor`;
  const often = tensor.uses.some((use) => use.conditional)
    ? "; at most, for whether it is executed is known at run time only" : "";
  const part = found.cut ? "; there are more than are looked for" : "";
  const drawn = `${shown.length} element${shown.length === 1 ? "" : "s"} drawn`;
  return `${kinds.join(" and ")}: ${drawn}; ${lanes}${often}${part}`;
}

// ---- showing

function show() {
  const { bound, program } = state;
  const steps = new Set();
  for (const panel of panels) {
    if (!panel.tensor) continue;
    panel.touched = bound.count ? touched(bound, panel.tensor, program, panel.drawn.box)
      : { elements: new Map(), lanes: 0, inside: 0, cut: false };
    for (const { steps: own } of panel.touched.elements.values()) {
      for (const step of own) if (step >= 0) steps.add(step);
    }
  }
  const select = $("iteration"), names = ["all", ...[...steps].sort((one, two) => one - two)];
  if (state.step !== null && !steps.has(state.step)) state.step = null;
  select.replaceChildren(...names.map((one) => make("option", { value: String(one) }, String(one))));
  select.value = state.step === null ? "all" : String(state.step);
  select.disabled = names.length === 1;
  say(bound.count ? `program ${programText(program)} of ${bound.count}` : "there is no program");
  draw();
}

function draw() {
  for (const panel of panels) {
    if (panel.tensor) panel.count.textContent = countText(panel.tensor, panel.touched);
    panel.draw();
  }
}

function setStep(text) {
  state.step = text === "all" ? null : Number(text);
  draw();
}

$("kernel").textContent = KERNEL.name;
const UNDECIDED = "some checks are of offsets, which are data, and are left to the call";
$("notes").textContent = [...KERNEL.notes, ...(KERNEL.undecided ? [UNDECIDED] : [])].join("; ");
$("iteration").addEventListener("change", (event) => setStep(event.target.value));
document.addEventListener("keydown", (event) => {
  const select = $("iteration"), move = { "[": -1, "]": 1 }[event.key];
  if (!move || event.target.matches("input") || state.bound === null) return;
  const place = select.selectedIndex + move;
  if (place < 0 || place >= select.options.length) return;
  select.selectedIndex = place;
  setStep(select.value);
});
dark.addEventListener("change", () => state.bound && draw());
addFields();
addPanels();
recompute();
document.documentElement.dataset.ready = "";
