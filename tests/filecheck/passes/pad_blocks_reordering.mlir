// RUN: nt-opt %s --print-local-scope -p nt-pad-blocks | filecheck %s

// Lane (i, j) of the padded result is lane 5 * i + j of the operand; those behind stay inside it.
// CHECK-LABEL: nt.kernel @moves
// CHECK: %v = nt.arange <0> : !nt.tensor<[16] x i32>
// CHECK-NEXT: [[l:%.*]] = nt.arange <0> : !nt.tensor<[32] x i32>
// CHECK-NEXT: [[c3:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: [[f3:%.*]] = nt.full [[c3]]
// CHECK-NEXT: [[c7:%.*]] = arith.constant 7 : i32
// CHECK-NEXT: [[f7:%.*]] = nt.full [[c7]]
// CHECK-NEXT: [[j:%.*]] = nt.elementwise "and"([[l]], [[f7]])
// CHECK-NEXT: [[i:%.*]] = nt.elementwise "shr"([[l]], [[f3]])
// CHECK-NEXT: [[c5:%.*]] = arith.constant 5 : i32
// CHECK-NEXT: [[f5:%.*]] = nt.full [[c5]]
// CHECK-NEXT: [[s:%.*]] = nt.elementwise "mul"([[i]], [[f5]])
// CHECK-NEXT: [[p:%.*]] = nt.elementwise "add"([[s]], [[j]])
// CHECK-NEXT: [[c15:%.*]] = arith.constant 15 : i32
// CHECK-NEXT: [[f15:%.*]] = nt.full [[c15]]
// CHECK-NEXT: [[m:%.*]] = nt.elementwise "and"([[p]], [[f15]])
// CHECK-NEXT: [[g:%.*]] = nt.gather %v{{\[}}[[m]]] axis 0
// CHECK-NEXT: %rows = nt.reshape [[g]] : !nt.tensor<[32] x i32> -> !nt.tensor<[4, 8] x i32>
nt.kernel @moves arrange {
  nt.arranged
} apply {
  %v = nt.arange <0> : !nt.tensor<[15] x i32>
  %rows = nt.reshape %v : !nt.tensor<[15] x i32> -> !nt.tensor<[3, 5] x i32>
  nt.return
}

// Where only the first dim grows, lanes stay where they are; a last dim of 2 does not grow.
// CHECK-LABEL: nt.kernel @keeps
// CHECK: %v = nt.arange <0> : !nt.tensor<[16] x i32>
// CHECK-NEXT: %rows = nt.reshape %v : !nt.tensor<[16] x i32> -> !nt.tensor<[4, 4] x i32>
// CHECK-NEXT: %pair = nt.join %rows, %rows : !nt.tensor<[4, 4] x i32> -> !nt.tensor<[4, 4, 2] x i32>
// CHECK-NEXT: %one, %two = nt.split %pair : !nt.tensor<[4, 4, 2] x i32> -> !nt.tensor<[4, 4] x i32>
// CHECK-NEXT: nt.return
nt.kernel @keeps arrange {
  nt.arranged
} apply {
  %v = nt.arange <0> : !nt.tensor<[12] x i32>
  %rows = nt.reshape %v : !nt.tensor<[12] x i32> -> !nt.tensor<[3, 4] x i32>
  %pair = nt.join %rows, %rows : !nt.tensor<[3, 4] x i32> -> !nt.tensor<[3, 4, 2] x i32>
  %one, %two = nt.split %pair : !nt.tensor<[3, 4, 2] x i32> -> !nt.tensor<[3, 4] x i32>
  nt.return
}

// Indices are masked into bounds.
// CHECK-LABEL: nt.kernel @picks
// CHECK: [[n:%.*]] = nt.cast %wide
// CHECK-NEXT: [[c:%.*]] = arith.constant 15 : i32
// CHECK-NEXT: [[f:%.*]] = nt.full [[c]]
// CHECK-NEXT: [[m:%.*]] = nt.elementwise "and"([[n]], [[f]])
// CHECK-NEXT: %few = nt.gather %v{{\[}}[[m]]] axis 0 : !nt.tensor<[16] x i32>[!nt.tensor<[8] x i32>]
nt.kernel @picks arrange {
  nt.arranged
} apply {
  %v = nt.arange <0> : !nt.tensor<[12] x i32>
  %i = nt.arange <0> : !nt.tensor<[5] x i32>
  %wide = nt.cast %i : !nt.tensor<[5] x i32> -> !nt.tensor<[5] x i64>
  %few = nt.gather %v[%wide] axis 0
      : !nt.tensor<[12] x i32>[!nt.tensor<[5] x i64>] -> !nt.tensor<[5] x i32>
  nt.return
}

// More lanes than the operand has along the axis: of blocks of one dim.
// CHECK-LABEL: nt.kernel @picks_more
// CHECK: [[flat:%.*]] = nt.reshape %rows : !nt.tensor<[4, 4] x i32> -> !nt.tensor<[16] x i32>
// CHECK-NEXT: [[g:%.*]] = nt.gather [[flat]][{{.*}}] axis 0 : !nt.tensor<[16] x i32>[!nt.tensor<[32] x i32>]
// CHECK-NEXT: %many = nt.reshape [[g]] : !nt.tensor<[32] x i32> -> !nt.tensor<[8, 4] x i32>
nt.kernel @picks_more arrange {
  nt.arranged
} apply {
  %v = nt.arange <0> : !nt.tensor<[12] x i32>
  %rows = nt.reshape %v : !nt.tensor<[12] x i32> -> !nt.tensor<[3, 4] x i32>
  %i = nt.arange <0> : !nt.tensor<[20] x i32>
  %j = nt.reshape %i : !nt.tensor<[20] x i32> -> !nt.tensor<[5, 4] x i32>
  %many = nt.gather %rows[%j] axis 0
      : !nt.tensor<[3, 4] x i32>[!nt.tensor<[5, 4] x i32>] -> !nt.tensor<[5, 4] x i32>
  nt.return
}

// Sizes that only a call knows: twice as many lanes as padded, places by the true size.
// CHECK-LABEL: nt.kernel @run_time
// CHECK: %flat = nt.reshape %pair : !nt.tensor<[1024, 2] x f32> -> !nt.tensor<[2048] x f32>
// CHECK: [[n:%.*]] = nt.size <n> : i32
// CHECK-NEXT: [[f:%.*]] = nt.full [[n]]
// CHECK-NEXT: [[i:%.*]] = nt.elementwise "floordiv"({{.*}}, [[f]])
// CHECK-NEXT: [[j:%.*]] = nt.elementwise "mod"({{.*}}, [[f]])
// CHECK: %both = nt.gather
nt.kernel @run_time symbols [#nt.symbol<n size 0 to ?>] padded_sizes [#nt.exprs[n, 1024]] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x0 = nt.access %x <[[1], [n]] -> [b0]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n] x f32>>
  nt.arranged %x0 : !nt.tensor<[1] x !nt.tensor<[n] x f32>>
} apply {
^bb0(%xs : !nt.tensor<[n] x f32>):
  %v = nt.load %xs[] : !nt.tensor<[n] x f32>[] -> !nt.tensor<[n] x f32>
  %pair = nt.join %v, %v : !nt.tensor<[n] x f32> -> !nt.tensor<[n, 2] x f32>
  %flat = nt.reshape %pair : !nt.tensor<[n, 2] x f32> -> !nt.tensor<[n * 2] x f32>
  %turned = nt.trans %pair order [1, 0] : !nt.tensor<[n, 2] x f32> -> !nt.tensor<[2, n] x f32>
  %both = nt.reshape %turned : !nt.tensor<[2, n] x f32> -> !nt.tensor<[n * 2] x f32>
  nt.return
}
