"""The core of a page that explores a kernel, run by node, and what the interpreter touches."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ninetoothed.view.exploration.exploration_page import CORE
from ninetoothed.view.skeleton import part

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node, which runs JavaScript, is not on PATH")

ALL_TOUCHED = """\
function allTouched(kernel, shapes, blocks) {
  const bound = bind(kernel, shapes, blocks);
  const { refusals, grid, count } = bound;
  const rows = [], lanes = [];
  let cut = false;
  for (const tensor of refusals.length ? [] : kernel.tensors) {
    const window = shapes[tensor.name].map((size) => [0, size]);
    for (let program = 0; program < count; program++) {
      const found = touched(bound, tensor, program, window);
      cut ||= found.cut;
      lanes.push([tensor.name, program, found.lanes, found.inside]);
      for (const [at, { read, write, steps }] of found.elements) {
        if (read) rows.push([tensor.name, "read", program, at]);
        if (write) rows.push([tensor.name, "write", program, at]);
      }
    }
  }
  return { refusals, grid, count, rows, lanes, cut };
}
"""
"""All that a kernel touches, with its lanes: in the core's terms."""


def core() -> str:
    """The scripts of the page that know no document."""
    return "\n".join(part(name, "ninetoothed.view.exploration") for name in CORE)


def run_core(script: str, expression: str) -> Any:
    """The value of an expression behind the core and a script."""
    assert NODE is not None
    text = f"{core()}{script}\nconsole.log(JSON.stringify({expression}));\n"
    done = subprocess.run([NODE, "-"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def all_touched(
    kernel_script: str, calls: Sequence[tuple[Mapping[str, Sequence[int]], Mapping[str, int]]]
) -> list[dict[str, Any]]:
    """What programs touch in some calls, each of which is shapes and block sizes by name."""
    return all_touched_by([(kernel_script, *call) for call in calls])


def all_touched_by(
    calls: Sequence[tuple[str, Mapping[str, Sequence[int]], Mapping[str, int]]],
) -> list[dict[str, Any]]:
    """The same of calls that have a kernel's script each, in one process."""
    blocks: list[str] = []
    for kernel_script, shapes, sizes in calls:
        text = json.dumps([dict(shapes), dict(sizes)])
        # As an expression, an object's "__proto__" would be no name.
        call = f"allTouched(KERNEL, ...JSON.parse({json.dumps(text)}))"
        blocks.append(f"{{ {kernel_script}\nTOUCHED.push({call}); }}")
    return run_core("\n".join([ALL_TOUCHED, "const TOUCHED = [];", *blocks]), "TOUCHED")
