"""Kernels as modules of ``nt``, for the interpreter's tests: elementwise ones, and a matmul."""

from __future__ import annotations

import re

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser

from ninetoothed.ir.nt import NT
from ninetoothed.ir.scf import SCF


def parse(text: str) -> ModuleOp:
    """The module of ``text``, verified."""
    context = Context()
    for dialect in (Builtin, Arith, SCF, NT):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def vector_kernel(body: str, dtype: str = "f32", output: str | None = None) -> ModuleOp:
    """``x`` and ``z`` in blocks of ``B``; ``body`` is the application, over ``%x`` and ``%z``."""
    text = "nt.kernel @f arrange {\n"
    for name, scalar in (("x", dtype), ("z", output or dtype)):
        source = f"!nt.tensor<[n] x {scalar}>"
        arranged = f"!nt.tensor<[n ceildiv B] x !nt.tensor<[B] x {scalar}>>"
        text += f"""
          %{name}0 = nt.source "{name}" "tensor" strides [{name}_stride_0] aligned false : {source}
          %{name}1 = nt.tile %{name}0 [B] strides [B] dilation [1] floor false level 0 :
            {source} -> {arranged}"""
    block, result = f"!nt.tensor<[B] x {dtype}>", f"!nt.tensor<[B] x {output or dtype}>"
    return parse(f"""{text}
          nt.arranged %x1, %z1 : !nt.tensor<[n ceildiv B] x {block}>,
            !nt.tensor<[n ceildiv B] x {result}>
        }} apply {{
        ^bb0(%x : {block}, %z : {result}):
          {body}
          nt.return
        }}""")


V = "!nt.tensor<[B] x f32>"
LOAD = f"%a = nt.load %x[] : {V}[] -> {V}"


def store(name: str, scalar: str = "f32") -> str:
    """Store ``%name`` to ``%z``."""
    block = f"!nt.tensor<[B] x {scalar}>"
    return f"nt.store %{name}, %z[] : {block}, {block}[]"


_SHORT = {"GM": "m ceildiv BM", "GN": "n ceildiv BN", "GKA": "k ceildiv BK", "GKB": "k2 ceildiv BK"}
_MATMUL = """
nt.kernel @matmul symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>,
    #nt.symbol<k size 0 to ?>, #nt.symbol<BM meta 1 to ?>, #nt.symbol<BN meta 1 to ?>,
    #nt.symbol<BK meta 1 to ?>] checks [#nt.check<[k] = [k2], "inner sizes {left} and {right}">]
arrange {
  %a0 = nt.source "a" "tensor" strides [as0, as1] aligned false : !nt.tensor<[m, k] x f32>
  %a1 = nt.tile %a0 [BM, BK] strides [BM, BK] dilation [1, 1] floor false level 0 :
    !nt.tensor<[m, k] x f32> -> !nt.tensor<[GM, GKA] x !nt.tensor<[BM, BK] x f32>>
  %a2 = nt.tile %a1 [1, GKA] strides [1, GKA] dilation [1, 1] floor false level 0 :
    !nt.tensor<[GM, GKA] x !nt.tensor<[BM, BK] x f32>> ->
    !nt.tensor<[GM, 1] x !nt.tensor<[1, GKA] x !nt.tensor<[BM, BK] x f32>>>
  %a3 = nt.expand %a2 [-1, GN] level 0 :
    !nt.tensor<[GM, 1] x !nt.tensor<[1, GKA] x !nt.tensor<[BM, BK] x f32>>> ->
    !nt.tensor<[GM, GN] x
      !nt.tensor<[1, GKA] x !nt.tensor<[BM, BK] x f32>>>
  %a4 = nt.squeeze %a3 [0] level 1 :
    !nt.tensor<[GM, GN] x
      !nt.tensor<[1, GKA] x !nt.tensor<[BM, BK] x f32>>> ->
    !nt.tensor<[GM, GN] x !nt.tensor<[GKA] x !nt.tensor<[BM, BK] x f32>>>
  %b0 = nt.source "b" "tensor" strides [bs0, bs1] aligned false : !nt.tensor<[k2, n] x f32>
  %b1 = nt.tile %b0 [BK, BN] strides [BK, BN] dilation [1, 1] floor false level 0 :
    !nt.tensor<[k2, n] x f32> -> !nt.tensor<[GKB, GN] x !nt.tensor<[BK, BN] x f32>>
  %b2 = nt.tile %b1 [GKB, 1] strides [GKB, 1] dilation [1, 1] floor false level 0 :
    !nt.tensor<[GKB, GN] x !nt.tensor<[BK, BN] x f32>> ->
    !nt.tensor<[1, GN] x !nt.tensor<[GKB, 1] x !nt.tensor<[BK, BN] x f32>>>
  %b3 = nt.expand %b2 [GM, -1] level 0 :
    !nt.tensor<[1, GN] x !nt.tensor<[GKB, 1] x !nt.tensor<[BK, BN] x f32>>> ->
    !nt.tensor<[GM, GN] x
      !nt.tensor<[GKB, 1] x !nt.tensor<[BK, BN] x f32>>>
  %b4 = nt.squeeze %b3 [1] level 1 :
    !nt.tensor<[GM, GN] x
      !nt.tensor<[GKB, 1] x !nt.tensor<[BK, BN] x f32>>> ->
    !nt.tensor<[GM, GN] x
      !nt.tensor<[GKB] x !nt.tensor<[BK, BN] x f32>>>
  %c0 = nt.source "c" "tensor" strides [cs0, cs1] aligned false : !nt.tensor<[m, n] x f32>
  %c1 = nt.tile %c0 [BM, BN] strides [BM, BN] dilation [1, 1] floor false level 0 :
    !nt.tensor<[m, n] x f32> -> !nt.tensor<[GM, GN] x !nt.tensor<[BM, BN] x f32>>
  nt.arranged %a4, %b4, %c1 :
    !nt.tensor<[GM, GN] x !nt.tensor<[GKA] x !nt.tensor<[BM, BK] x f32>>>,
    !nt.tensor<[GM, GN] x
      !nt.tensor<[GKB] x !nt.tensor<[BK, BN] x f32>>>,
    !nt.tensor<[GM, GN] x !nt.tensor<[BM, BN] x f32>>
} apply {
^bb0(%a : !nt.tensor<[GKA] x !nt.tensor<[BM, BK] x f32>>,
     %b : !nt.tensor<[GKB] x !nt.tensor<[BK, BN] x f32>>,
     %c : !nt.tensor<[BM, BN] x f32>):
  %zero = arith.constant 0.0 : f32
  %acc0 = nt.full %zero : f32 -> !nt.tensor<[BM, BN] x f32>
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %steps = nt.size <GKA> : i32
  %acc = scf.for %i = %first to %steps step %one iter_args(%sum = %acc0)
      -> (!nt.tensor<[BM, BN] x f32>) : i32 {
    %l = nt.load %a[%i] :
      !nt.tensor<[GKA] x !nt.tensor<[BM, BK] x f32>>[i32] -> !nt.tensor<[BM, BK] x f32>
    %r = nt.load %b[%i] :
      !nt.tensor<[GKB] x !nt.tensor<[BK, BN] x f32>>[i32] -> !nt.tensor<[BK, BN] x f32>
    %next = nt.dot %l, %r, %sum "tf32" :
      !nt.tensor<[BM, BK] x f32>, !nt.tensor<[BK, BN] x f32> -> !nt.tensor<[BM, BN] x f32>
    scf.yield %next : !nt.tensor<[BM, BN] x f32>
  }
  nt.store %acc, %c[] : !nt.tensor<[BM, BN] x f32>, !nt.tensor<[BM, BN] x f32>[]
  nt.return
}
"""
MATMUL = re.sub(r"\bG\w+", lambda found: _SHORT[found[0]], _MATMUL)
"""``a @ b`` as the user arranged it; blocks of ``BM``, ``BN`` and ``BK``."""
