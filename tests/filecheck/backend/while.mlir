// RUN: nt-opt %s -t ttir --generic | filecheck %s --check-prefix=TTIR
// RUN: nt-opt %s -t triton-python | filecheck %s --check-prefix=PY

// A condition of one expression stands where Python has it.
// TTIR: %e, %r = "scf.while"({{%.*}}, %f) ({
// TTIR-NEXT: (%i: i32 {{.*}}, %acc: f32 {{.*}}):
// TTIR-NEXT: %go = "arith.cmpi"
// TTIR-NEXT: "scf.condition"(%go, %i, %acc) : (i1, i32, f32) -> ()
// TTIR-NEXT: }, {
// TTIR-NEXT: (%j: i32 {{.*}}, %b: f32 {{.*}}):
// TTIR: "scf.yield"(%k, %c)

// PY: i = tl.full((), 0, tl.int32)
// PY-NEXT: acc = f
// PY-NEXT: while i < n:
// PY-NEXT: i = i + 1
// PY-NEXT: acc = acc * f
// PY-NEXT: tl.store(y, acc)
tt.func @loop(%y: !tt.ptr<f32> {"nt.param" = "y"}, %n: i32 {"nt.param" = "n"}, %f: f32 {"nt.param" = "f"})
    attributes {"nt.params" = [#nt.param<"y" tensor [] []>, #nt.param<"n" scalar [] []>, #nt.param<"f" scalar [] []>],
                "nt.grid" = #nt.expr<1>, "nt.checks" = []} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %e, %r = scf.while (%i = %c0, %acc = %f) : (i32, f32) -> (i32, f32) {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i, %acc : i32, f32
  } do {
  ^bb0(%j: i32, %b: f32):
    %k = arith.addi %j, %c1 : i32
    %c = arith.mulf %b, %f : f32
    scf.yield %k, %c : i32, f32
  }
  tt.store %y, %r : !tt.ptr<f32>
  tt.return
}
