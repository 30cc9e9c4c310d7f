// RUN: nt-opt %s -t ttir --generic | filecheck %s --check-prefix=TTIR
// RUN: nt-opt %s -t triton-python | filecheck %s --check-prefix=PY

// Loops, branches and reductions, generic in one language and statements in the other.
// TTIR: "scf.for"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}) ({
// TTIR: "scf.yield"
// TTIR: "tt.reduce"({{%.*}}) <{axis = 0 : i32}> ({
// TTIR: "arith.maxnumf"
// TTIR: "tt.reduce.return"
// TTIR: "scf.if"(%c) ({

// PY: def control(y, n, f):
// PY: for i in range(n):
// PY-NEXT: acc = acc
// PY: tl.max(
// PY: if
// PY: else:
// PY: tl.store(y,
tt.func @control(%y: !tt.ptr<f32> {"nt.param" = "y"}, %n: i32 {"nt.param" = "n"}, %f: f32 {"nt.param" = "f"})
    attributes {"nt.params" = [#nt.param<"y" tensor [] []>, #nt.param<"n" scalar [] []>, #nt.param<"f" scalar [] []>],
                "nt.grid" = #nt.expr<1>, "nt.checks" = []} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant dense<1.0> : tensor<64xf32>
  %fs = tt.splat %f : f32 -> tensor<64xf32>
  %acc = scf.for %i = %c0 to %n step %c1 iter_args(%acc_1 = %init) -> (tensor<64xf32>) : i32 {
    %next = arith.mulf %acc_1, %fs : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %top = "tt.reduce"(%acc) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<64xf32>) -> f32
  %c = arith.cmpf ogt, %top, %f : f32
  %r = scf.if %c -> (f32) {
    scf.yield %top : f32
  } else {
    scf.yield %f : f32
  }
  tt.store %y, %r : !tt.ptr<f32>
  tt.return
}
