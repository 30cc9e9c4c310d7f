// RUN: nt-opt %s | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-op-generic | nt-opt --print-local-scope | filecheck %s

// CHECK-LABEL: nt.kernel @jagged symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>]
nt.kernel @jagged symbols [#nt.symbol<b size 0 to ?>, #nt.symbol<n size 0 to ?>, #nt.symbol<length length 0 to ?>, #nt.symbol<start start 0 to ?>] arrange {
  // CHECK: nt.source "x" "tensor" strides [0, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, n] x f32>
  %x = nt.source "x" "tensor" strides [0, 1] jagged <1 length length start start offsets offsets i64> aligned false : !nt.tensor<[b, n] x f32>
  %0 = nt.tile %x [1, 64] strides [1, 64] dilation [1, 1] floor false level 0
      : !nt.tensor<[b, n] x f32> -> !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>
  nt.arranged %0 : !nt.tensor<[b, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[1, 64] x f32>):
  // CHECK: nt.sequences %a : !nt.tensor<[1, 64] x f32> -> !tt.ptr<i64>
  %p = nt.sequences %a : !nt.tensor<[1, 64] x f32> -> !tt.ptr<i64>
  nt.return
}

// CHECK: tt.func @launch() attributes {nt.params = [#nt.param<"x" tensor [b, n] [0, 1] offsets offsets along 1>]}
tt.func @launch() attributes {nt.params = [#nt.param<"x" tensor [b, n] [0, 1] offsets offsets along 1>]} {
  tt.return
}
