// RUN: nt-opt %s -t triton-python | filecheck %s

// A condition that reads memory is computed before the loop and behind each iteration, and with it
// the values that the loop forwards.
// CHECK: p = x
// CHECK-NEXT: value = tl.load(p)
// CHECK-NEXT: going = value > f
// CHECK-NEXT: seen = value
// CHECK-NEXT: while going:
// CHECK-NEXT: tl.store(y, seen)
// CHECK-NEXT: p = x + 1
// CHECK-NEXT: [[again:value.*]] = tl.load(p)
// CHECK-NEXT: going = [[again]] > f
// CHECK-NEXT: seen = [[again]]
// CHECK-NEXT: tl.store(y, seen)
tt.func @loop(%x: !tt.ptr<f32> {"nt.param" = "x"}, %y: !tt.ptr<f32> {"nt.param" = "y"}, %f: f32 {"nt.param" = "f"})
    attributes {"nt.params" = [#nt.param<"x" tensor [] []>, #nt.param<"y" tensor [] []>, #nt.param<"f" scalar [] []>],
                "nt.grid" = #nt.expr<1>, "nt.checks" = []} {
  %c1 = arith.constant 1 : i32
  %seen = scf.while (%p = %x) : (!tt.ptr<f32>) -> f32 {
    %value = tt.load %p : !tt.ptr<f32>
    %go = arith.cmpf ogt, %value, %f : f32
    scf.condition(%go) %value : f32
  } do {
  ^bb0(%v: f32):
    tt.store %y, %v : !tt.ptr<f32>
    %q = tt.addptr %x, %c1 : !tt.ptr<f32>, i32
    scf.yield %q : !tt.ptr<f32>
  }
  tt.store %y, %seen : !tt.ptr<f32>
  tt.return
}
