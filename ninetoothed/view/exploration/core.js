// What programs touch, as pure functions of a kernel (see kernel_script.py) and of sizes. They know
// no document, and a test compares them with what the interpreter touches.

// Loops and lanes that are tried for one answer, and elements that it has; then it is cut.
const MOST_STEPS = 1 << 21;

// A tuple as the compiler's messages have it.
const tuple = (row) => `(${row.join(", ")}${row.length === 1 ? "," : ""})`;
const product = (row) => row.reduce((one, two) => one * two, 1);
const number = (index, shape) => index.reduce((sum, one, dim) => sum * shape[dim] + one, 0);

// The index of row-major number n of a shape.
function unravel(n, shape) {
  const index = new Array(shape.length);
  for (let dim = shape.length - 1; dim >= 0; dim--) {
    index[dim] = mod(n, shape[dim]);
    n = floordiv(n, shape[dim]);
  }
  return index;
}

// The values of all symbols for shapes and block sizes by name, what a call of these sizes is
// refused for, and its programs: {values, shapes, refusals: [{text, agreement}], grid, count}; `memo`
// keeps what is computed for them.
function bind(kernel, shapes, blocks) {
  // Symbols may have any name.
  const values = Object.create(null);
  for (const [name, value] of kernel.values) values[name] = value;
  const refusals = [];
  const refuse = (text, agreement = false) => refusals.push({ text, agreement });
  for (const block of kernel.blocks) {
    const value = (values[block.name] = blocks[block.name]);
    const below = block.lower !== null && value < block.lower;
    if (below || (block.upper !== null && value > block.upper)) {
      refuse(block.outside.replace("{value}", value));
    }
  }
  const checked = [];
  for (const tensor of kernel.tensors) {
    const shape = shapes[tensor.name];
    tensor.sizes.forEach((size, dim) => {
      if (typeof size === "string") values[size] = shape[dim];
      else checked.push([tensor, dim, ...size]);
    });
    let stride = 1;
    for (let dim = shape.length - 1; dim >= 0; dim--) {
      const name = tensor.strides[dim];
      if (name !== null && !(name in values)) values[name] = stride;
      stride *= Math.max(shape[dim], 1);
    }
  }
  for (const [tensor, dim, size, text] of checked) {
    const expected = size(values), actual = shapes[tensor.name][dim];
    if (expected !== actual) {
      const must = text === null ? expected : `${text}, here ${expected}`;
      refuse(`size ${dim} of ${tensor.name} is ${actual}; it must be ${must}`);
    }
  }
  for (const [name, value] of kernel.fixed) {
    if (values[name] !== value) {
      refuse(`${name} is ${values[name]}, but the kernel is compiled for ${value}; `
        + "write another page");
    }
  }
  const divides = (divisors) => {
    const found = divisors.find(([divisor]) => divisor(values) === 0);
    if (found) refuse(`${found[1]} divides by zero with the values of this call; give others`);
    return found !== undefined;
  };
  for (const check of kernel.checks) {
    if (divides(check.divisors)) continue;
    const left = check.left(values), right = check.right(values);
    if (left.every((one, place) => one === right[place])) continue;
    const text = check.message.replaceAll("{left}", tuple(left));
    refuse(text.replaceAll("{right}", tuple(right)), check.agreement);
  }
  for (const { divisors } of [kernel, ...kernel.tensors]) divides(divisors);
  const grid = kernel.grid(values).map((size) => Math.max(size, 0));
  const count = kernel.count === null ? product(grid) : Math.max(kernel.count(values), 0);
  return { values, shapes, refusals, grid, count, memo: new Map() };
}

// The indices of a program among the symbols' values.
function enter(bound, program) {
  unravel(program, bound.grid).forEach((one, dim) => { bound.values[`g${dim}`] = one; });
}

// How many loops and lanes are left from `depth` on.
function rest(part, values, depth) {
  if (depth >= part.ranges.length) return 1;
  const [name, size] = part.ranges[depth];
  const count = Math.max(size(values), 0);
  if (!name.startsWith("$")) return count * rest(part, values, depth + 1);
  let sum = 0;
  for (let one = 0; one < count; one++) {
    values[name] = one;
    sum += rest(part, values, depth + 1);
  }
  return sum;
}

const holds = (part, values, depth) => part.guards.every(([at, index, size]) => {
  if (at !== depth) return true;
  const value = index(values);
  return value >= 0 && value < size(values);
});

// How many loops and lanes of a part have an element; null: too many to try them.
function inside(part, values, budget) {
  const last = Math.max(0, ...part.guards.map(([at]) => at));
  const count = (depth) => {
    if (budget.left-- <= 0) return 0;
    if (!holds(part, values, depth)) return 0;
    if (depth === last) return rest(part, values, depth);
    const [name, size] = part.ranges[depth];
    let sum = 0;
    for (let one = 0, end = size(values); one < end && budget.left > 0; one++) {
      values[name] = one;
      sum += count(depth + 1);
    }
    return sum;
  };
  const found = count(0);
  return budget.left > 0 ? found : null;
}

// What a part decides within a window, each once: rows [[dim, coordinate]…, [place, step]…]. A
// window has for each dim the first coordinate and the one behind the last.
function solve(part, values, budget, window) {
  const found = new Map();
  const visit = (depth) => {
    if (budget.left-- <= 0) return;
    if (!holds(part, values, depth)) return;
    const isOut = part.dims.some(([dim, at, index]) => {
      if (at !== depth) return false;
      const value = index(values);
      return value < window[dim][0] || value >= window[dim][1];
    });
    if (isOut) return;
    if (depth < part.ranges.length) {
      const [name, size] = part.ranges[depth];
      for (let one = 0, end = size(values); one < end && budget.left > 0; one++) {
        values[name] = one;
        visit(depth + 1);
      }
      return;
    }
    const dims = part.dims.map(([dim, , index]) => [dim, index(values)]);
    const steps = part.steps.map(([place, , index]) => [place, index(values)]);
    found.set(`${dims} ${steps}`, { dims, steps });
  };
  visit(0);
  return [...found.values()];
}

// What `compute` gives for a part and the program entered, kept by all that it depends on; with a
// budget that is spent, a piece of it.
function kept(memo, values, part, key, budget, compute) {
  if (!memo.has(part)) memo.set(part, new Map());
  const known = memo.get(part);
  const full = `${key} ${part.programs.map((name) => values[name])}`;
  if (!known.has(full)) {
    const found = compute(part, values, budget);
    known.set(full, { found, cut: budget.left <= 0 });
  }
  return known.get(full);
}

// What a program touches of a tensor within a window: {elements: Map from the row-major number to
// {read, write, steps: Set}, lanes, inside, cut}. `lanes` are all of its uses, `inside` those with
// an element in the tensor, or null where they are too many to be counted. A step is the first
// index of the levels between, or -1 where there is none.
function touched(bound, tensor, program, window) {
  enter(bound, program);
  const { values, memo } = bound, shape = bound.shapes[tensor.name];
  const within = (...given) => solve(...given, window);
  const budget = () => ({ left: MOST_STEPS });
  const result = { elements: new Map(), lanes: 0, inside: 0, cut: false };
  for (const use of tensor.uses) {
    let lanes = 1, valid = 1;
    let rows = [{ index: new Array(shape.length), step: -1 }];
    for (const part of use.parts) {
      lanes *= rest(part, values, 0);
      const counted = kept(memo, values, part, "inside", budget(), inside);
      valid = valid === null || counted.cut ? null : valid * counted.found;
      const solved = kept(memo, values, part, window, budget(), within);
      result.cut ||= solved.cut;
      const next = [];
      for (const row of rows) {
        for (const { dims, steps } of solved.found) {
          const index = [...row.index];
          for (const [dim, one] of dims) index[dim] = one;
          const first = steps.find(([place]) => place === 0);
          next.push({ index, step: first ? first[1] : row.step });
        }
        if (next.length > MOST_STEPS) { result.cut = true; break; }
      }
      rows = next;
    }
    result.lanes += lanes;
    result.inside = valid === null || result.inside === null ? null : result.inside + valid;
    for (const { index, step } of rows) {
      const at = number(index, shape);
      let element = result.elements.get(at);
      if (!element) {
        result.elements.set(at, (element = { read: false, write: false, steps: new Set() }));
      }
      element[use.kind] = true;
      element.steps.add(step);
    }
  }
  return result;
}

// The programs that touch an element of a tensor, and how many were asked: {programs, looked}. The
// first `most` are, or fewer where each takes long.
function programsOf(bound, tensor, element, most) {
  const index = unravel(element, bound.shapes[tensor.name]);
  const window = index.map((one) => [one, one + 1]);
  const programs = [], memo = new Map(), budget = { left: MOST_STEPS };
  const within = (...given) => solve(...given, window);
  const end = Math.min(bound.count, most);
  let looked = 0;
  for (; looked < end && budget.left > 0; looked++) {
    enter(bound, looked);
    const touches = tensor.uses.some((use) => use.parts.every(
      (part) => kept(memo, bound.values, part, "", budget, within).found.length > 0));
    if (touches) programs.push(looked);
  }
  return { programs, looked };
}
