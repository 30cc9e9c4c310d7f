// RUN: nt-opt %s -t ttir --generic | filecheck %s --check-prefix=TTIR
// RUN: nt-opt %s -t triton-python | filecheck %s --check-prefix=PY

// One function in both languages. Launch attributes stay behind; divisibility reaches Triton.
// TTIR: "tt.func"() <{sym_name = "copy", function_type = (!tt.ptr<f32>, !tt.ptr<f32>, i32) -> (), sym_visibility = "public"
// TTIR-SAME: arg_attrs = [{tt.divisibility = 16 : i32}, {}, {}]
// TTIR-NOT: nt.
// TTIR: %pid = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
// TTIR: %mask = "arith.cmpi"(%offs, {{%.*}}) <{predicate = 2 : i64}>
// TTIR: %v = "tt.load"(%xp, %mask)
// TTIR-SAME: operandSegmentSizes = array<i32: 1, 1, 0>
// TTIR: "tt.store"(%yp, %v, %mask)
// TTIR: "tt.return"() : () -> ()

// PY: import triton
// PY: @triton.jit
// PY-NEXT: def copy(x, y, n):
// PY: tl.program_id(0) * 64
// PY: tl.arange(0, 64)
// PY: mask = offs < n
// PY: v = tl.load(x + offs, mask=mask)
// PY: tl.store(y + offs, v, mask=mask)
tt.func @copy(
    %x: !tt.ptr<f32> {"nt.param" = "x", "tt.divisibility" = 16 : i32}, %y: !tt.ptr<f32> {"nt.param" = "y"},
    %n: i32 {"nt.symbol" = "n"}
) attributes {"nt.params" = [#nt.param<"x" tensor [n] [1]>, #nt.param<"y" tensor [n] [1]>],
              "nt.grid" = #nt.expr<n ceildiv 64>, "nt.checks" = []} {
  %pid = tt.get_program_id 0 : i32
  %c = arith.constant 64 : i32
  %start = arith.muli %pid, %c : i32
  %lanes = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
  %s = tt.splat %start : i32 -> tensor<64xi32>
  %offs = arith.addi %s, %lanes : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %offs : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp, %mask : tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %offs : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %yp, %v, %mask : tensor<64x!tt.ptr<f32>>
  tt.return
}
