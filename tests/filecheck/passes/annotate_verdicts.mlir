// RUN: nt-opt %s --print-local-scope -p nt-annotate-verdicts | filecheck %s

// Read and written, block by block.
// CHECK-LABEL: nt.kernel @tiled
// CHECK: nt.source "x" {{.*}} {in_bounds = "proved", coverage = "proved", races = "proved", defined = "proved"}
nt.kernel @tiled symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<B meta 32 to 1024>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [B] strides [B] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv B] x !nt.tensor<[B] x f32>>
} apply {
^bb0(%a : !nt.tensor<[B] x f32>):
  %0 = nt.load %a[] : !nt.tensor<[B] x f32>[] -> !nt.tensor<[B] x f32>
  nt.store %0, %a[] : !nt.tensor<[B] x f32>, !nt.tensor<[B] x f32>[]
  nt.return
}

// What is only read is not asked for its coverage.
// CHECK-LABEL: nt.kernel @read
// CHECK: nt.source "x" {{.*}} {in_bounds = "proved"} :
nt.kernel @read symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x : !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x f32>):
  %0 = nt.load %a[] : !nt.tensor<[] x f32>[] -> f32
  nt.return
}

// A last block that does not fit is left out, and every second block overlaps.
// CHECK-LABEL: nt.kernel @windows
// CHECK: nt.source "x" {{.*}} {in_bounds = "proved", coverage = "open", races = "open", defined = "proved"}
nt.kernel @windows symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [4] strides [2] dilation [1] floor true level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n floordiv 2 - 1] x !nt.tensor<[4] x f32>>
  nt.arranged %x0 : !nt.tensor<[n floordiv 2 - 1] x !nt.tensor<[4] x f32>>
} apply {
^bb0(%a : !nt.tensor<[4] x f32>):
  %0 = nt.load %a[] : !nt.tensor<[4] x f32>[] -> !nt.tensor<[4] x f32>
  nt.store %0, %a[] : !nt.tensor<[4] x f32>, !nt.tensor<[4] x f32>[]
  nt.return
}

// All blocks of a row, one after the other, from the last to the first.
// CHECK-LABEL: nt.kernel @loop
// CHECK: nt.source "x" {{.*}} {in_bounds = "proved", coverage = "proved", races = "proved", defined = "proved"}
nt.kernel @loop symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[m, n] x f32>
  %x0 = nt.tile %x [1, 64] strides [1, 64] dilation [1, 1] floor false level 0
      : !nt.tensor<[m, n] x f32> -> !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>
  %x1 = nt.tile %x0 [1, n ceildiv 64] strides [1, n ceildiv 64] dilation [1, 1] floor false level 0
      : !nt.tensor<[m, n ceildiv 64] x !nt.tensor<[1, 64] x f32>> -> !nt.tensor<[m, 1] x !nt.tensor<[1, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>>
  nt.arranged %x1 : !nt.tensor<[m, 1] x !nt.tensor<[1, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[1, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %last = nt.size <n ceildiv 64 - 1> : i32
  %count = nt.size <n ceildiv 64> : i32
  scf.for %i = %c0 to %count step %c1 : i32 {
    %k = nt.elementwise "sub"(%last, %i) : (i32, i32) -> i32
    %0 = nt.load %a[%c0, %k] : !nt.tensor<[1, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>[i32, i32] -> !nt.tensor<[1, 64] x f32>
    nt.store %0, %a[%c0, %k] : !nt.tensor<[1, 64] x f32>, !nt.tensor<[1, n ceildiv 64] x !nt.tensor<[1, 64] x f32>>[i32, i32]
  }
  nt.return
}

// Addresses of a parameter with a level between: nothing is known of where they lead.
// CHECK-LABEL: nt.kernel @pointers
// CHECK: nt.source "x" {{.*}} {in_bounds = "proved", coverage = "open", races = "open", defined = "open"}
nt.kernel @pointers symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.tile %x [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x1 = nt.tile %x0 [n ceildiv 64] strides [n ceildiv 64] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  nt.arranged %x1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>):
  %one = arith.constant 1.0 : f32
  %start = nt.pointer %a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>> -> !tt.ptr<f32>
  nt.pointer_store %one, %start : f32, !tt.ptr<f32>
  nt.return
}
