// RUN: nt-opt %s -p nt-lower-to-tt | filecheck %s

// Named reductions combine by the op of their row, with the operand's signedness.
// CHECK-LABEL: tt.func @scans
// CHECK: %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
// CHECK-NEXT: ^bb0([[a:%.*]]: i32, [[b:%.*]]: i32):
// CHECK-NEXT:   [[c:%.*]] = arith.addi [[a]], [[b]] : i32
// CHECK-NEXT:   tt.scan.return [[c]] : i32
// CHECK-NEXT: }) : (tensor<64x2xi32>) -> tensor<64x2xi32>
// CHECK-NEXT: %o = "tt.reduce"(%s) <{axis = 1 : i32}> ({
// CHECK-NEXT: ^bb0([[d:%.*]]: i32, [[e:%.*]]: i32):
// CHECK-NEXT:   [[f:%.*]] = arith.ori [[d]], [[e]] : i32
// CHECK: %m = "tt.reduce"(%s) <{axis = 1 : i32}> ({
// CHECK: arith.maxui
nt.kernel @scans grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x ui32>
  nt.arranged %p : !nt.tensor<[] x ui32>
} apply {
^bb0(%ps : !nt.tensor<[] x ui32>):
  %v = nt.load %ps[] : !nt.tensor<[] x ui32>[] -> ui32
  %x = nt.full %v : ui32 -> !nt.tensor<[64, 2] x ui32>
  %s = nt.scan "cumsum" %x axis 0 reverse true : !nt.tensor<[64, 2] x ui32>
  %o = nt.reduce "reduce_or" %s axis 1 : !nt.tensor<[64, 2] x ui32> -> !nt.tensor<[64] x ui32>
  %m = nt.reduce "max" %s axis 1 : !nt.tensor<[64, 2] x ui32> -> !nt.tensor<[64] x ui32>
  nt.return
}

// Without a mask, the combine region is the user's.
// CHECK-LABEL: tt.func @plain
// CHECK: %m, %j = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
// CHECK-NEXT: ^bb0(%a: i32, %k: i32, %b: i32, %l: i32):
// CHECK-NEXT:   %c = arith.cmpi ugt, %a, %b : i32
// CHECK-NEXT:   %d = arith.select %c, %a, %b : i32
// CHECK-NEXT:   %e = arith.select %c, %k, %l : i32
// CHECK-NEXT:   tt.reduce.return %d, %e : i32, i32
// CHECK-NEXT: }) : (tensor<64xi32>, tensor<64xi32>) -> (i32, i32)
nt.kernel @plain grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x ui32>
  nt.arranged %p : !nt.tensor<[] x ui32>
} apply {
^bb0(%ps : !nt.tensor<[] x ui32>):
  %v = nt.load %ps[] : !nt.tensor<[] x ui32>[] -> ui32
  %x = nt.full %v : ui32 -> !nt.tensor<[64] x ui32>
  %i = nt.arange <0> : !nt.tensor<[64] x i32>
  %m, %j = nt.reduce_by %x, %i axis 0 {
  ^bb0(%a : ui32, %k : i32, %b : ui32, %l : i32):
    %c = nt.elementwise "gt"(%a, %b) : (ui32, ui32) -> i1
    %d = nt.elementwise "where"(%c, %a, %b) : (i1, ui32, ui32) -> ui32
    %e = nt.elementwise "where"(%c, %k, %l) : (i1, i32, i32) -> i32
    nt.yield %d, %e : ui32, i32
  } : !nt.tensor<[64] x ui32>, !nt.tensor<[64] x i32> -> ui32, i32
  nt.return
}

// With a mask it combines a valid bit, too: where one side is not valid, the other is the result.
// CHECK-LABEL: tt.func @lifted
// CHECK: %s, %r = "tt.scan"(%x, %g) <{axis = 0 : i32, reverse = false}> ({
// CHECK-NEXT: ^bb0(%a: f32, [[some:%.*]]: i1, %b: f32, [[more:%.*]]: i1):
// CHECK-NEXT:   %c = arith.mulf %a, %b : f32
// CHECK-NEXT:   [[one:%.*]] = arith.select [[more]], %c, %a : f32
// CHECK-NEXT:   [[all:%.*]] = arith.select [[some]], [[one]], %b : f32
// CHECK-NEXT:   [[bit:%.*]] = arith.ori [[some]], [[more]] : i1
// CHECK-NEXT:   tt.scan.return [[all]], [[bit]] : f32, i1
// CHECK-NEXT: }) : (tensor<64xf32>, tensor<64xi1>) -> (tensor<64xf32>, tensor<64xi1>)
// CHECK-NEXT: %t, %u = "tt.reduce"(%s, %r) <{axis = 0 : i32}> ({
nt.kernel @lifted grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %p : !nt.tensor<[] x f32>
} apply {
^bb0(%ps : !nt.tensor<[] x f32>):
  %v = nt.load %ps[] : !nt.tensor<[] x f32>[] -> f32
  %x = nt.full %v : f32 -> !nt.tensor<[64] x f32>
  %i = nt.arange <0> : !nt.tensor<[64] x i32>
  %g = nt.cast %i : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i1>
  %s, %r = nt.scan_by %x valid %g : !nt.tensor<[64] x i1> axis 0 reverse false {
  ^bb0(%a : f32, %b : f32):
    %c = nt.elementwise "mul"(%a, %b) : (f32, f32) -> f32
    nt.yield %c : f32
  } : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x f32>, !nt.tensor<[64] x i1>
  %t, %u = nt.reduce_by %s valid %r : !nt.tensor<[64] x i1> axis 0 {
  ^bb0(%a : f32, %b : f32):
    nt.yield %b : f32
  } : !nt.tensor<[64] x f32> -> f32, i1
  nt.return
}

// Triton counts integers of 32 bits that are in range, as unsigned ones: negative ones are not. Those
// of fewer bits are widened by their own sign.
// CHECK-LABEL: tt.func @counts
// CHECK: [[w:%.*]] = arith.extsi %b : tensor<64xi8> to tensor<64xi32>
// CHECK-NEXT: [[n:%.*]] = arith.constant dense<16> : tensor<64xi32>
// CHECK-NEXT: [[i:%.*]] = arith.cmpi ult, [[w]], [[n]] : tensor<64xi32>
// CHECK-NEXT: %h = tt.histogram [[w]], [[i]] : tensor<64xi1> : tensor<64xi32> -> tensor<16xi32>
// CHECK: [[j:%.*]] = arith.cmpi ult, %l, {{%.*}} : tensor<64xi64>
// CHECK-NEXT: [[m:%.*]] = arith.andi %m, [[j]] : tensor<64xi1>
// CHECK-NEXT: [[t:%.*]] = arith.trunci %l : tensor<64xi64> to tensor<64xi32>
// CHECK-NEXT: %k = tt.histogram [[t]], [[m]]
// CHECK: [[v:%.*]] = arith.extui %u : tensor<64xi8> to tensor<64xi32>
// CHECK: %g = tt.histogram [[v]]
nt.kernel @counts grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %i = nt.arange <0> : !nt.tensor<[64] x i32>
  %m = nt.cast %i : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i1>
  %b = nt.cast %i : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i8>
  %h = nt.histogram %b : !nt.tensor<[64] x i8> -> !nt.tensor<[16] x i32>
  %l = nt.cast %i : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i64>
  %k = nt.histogram %l mask %m : !nt.tensor<[64] x i1> : !nt.tensor<[64] x i64> -> !nt.tensor<[16] x i32>
  %u = nt.cast %i : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x ui8>
  %g = nt.histogram %u : !nt.tensor<[64] x ui8> -> !nt.tensor<[16] x i32>
  nt.return
}

// One lane is in order.
// CHECK-LABEL: tt.func @sort_one
// CHECK-NEXT: %i = tt.make_range 0 : i32 1 : i32 -> tensor<1xi32>
// CHECK-NEXT: tt.return
nt.kernel @sort_one grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %i = nt.arange <0> : !nt.tensor<[1] x i32>
  %s = nt.sort %i axis 0 descending false : !nt.tensor<[1] x i32> -> !nt.tensor<[1] x i32>
  nt.return
}

// Four: neighbours, the second pair descending, then pairs, then neighbours.
// CHECK-LABEL: tt.func @sort_four
// CHECK: [[h:%.*]] = tt.reshape %i : tensor<4xi32> -> tensor<2x2xi32>
// CHECK-NEXT: [[x:%.*]] = "tt.reduce"([[h]]) <{axis = 1 : i32}> ({
// CHECK: arith.xori
// CHECK: [[e:%.*]] = tt.expand_dims [[x]] 1 : i32 : tensor<2xi32> -> tensor<2x1xi32>
// CHECK-NEXT: [[b:%.*]] = tt.broadcast [[e]] : tensor<2x1xi32> -> tensor<2x2xi32>
// CHECK-NEXT: [[p:%.*]] = arith.xori [[h]], [[b]] : tensor<2x2xi32>
// CHECK: [[low:%.*]] = tt.broadcast {{%.*}} : tensor<1x2xi1> -> tensor<2x2xi1>
// CHECK: [[high:%.*]] = tt.broadcast {{%.*}} : tensor<2x1xi1> -> tensor<2x2xi1>
// CHECK-NEXT: [[u:%.*]] = arith.xori [[low]], [[high]] : tensor<2x2xi1>
// CHECK-NEXT: [[g:%.*]] = arith.cmpi sgt, [[h]], [[p]] : tensor<2x2xi32>
// CHECK-NEXT: [[s:%.*]] = arith.xori [[g]], [[u]] : tensor<2x2xi1>
// CHECK-NEXT: [[k:%.*]] = arith.select [[s]], [[p]], [[h]] : tensor<2x2xi1>, tensor<2x2xi32>
// CHECK-NEXT: [[y:%.*]] = "tt.reduce"([[k]]) <{axis = 0 : i32}> ({
// CHECK: "tt.reduce"({{%.*}}) <{axis = 1 : i32}> ({
// CHECK-NOT: "tt.reduce"
// CHECK: %s = tt.reshape {{%.*}} : tensor<2x2xi32> -> tensor<4xi32>
nt.kernel @sort_four grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %i = nt.arange <0> : !nt.tensor<[4] x i32>
  %s = nt.sort %i axis 0 descending false : !nt.tensor<[4] x i32> -> !nt.tensor<[4] x i32>
  nt.return
}

// Any dim can be sorted, and descending.
// CHECK-LABEL: tt.func @sort_columns
// CHECK: "tt.reduce"({{%.*}}) <{axis = 0 : i32}> ({
// CHECK: arith.cmpi eq
// CHECK: arith.cmpi sgt
// CHECK: %s = arith.select {{%.*}} : tensor<2x8xi1>, tensor<2x8xi16>
// CHECK-NEXT: tt.return
nt.kernel @sort_columns grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %i = nt.arange <0> : !nt.tensor<[8] x i32>
  %e = nt.expand_dims %i axis 0 : !nt.tensor<[8] x i32> -> !nt.tensor<[1, 8] x i32>
  %b = nt.broadcast %e : !nt.tensor<[1, 8] x i32> -> !nt.tensor<[2, 8] x i32>
  %x = nt.cast %b : !nt.tensor<[2, 8] x i32> -> !nt.tensor<[2, 8] x i16>
  %s = nt.sort %x axis 0 descending true : !nt.tensor<[2, 8] x i16> -> !nt.tensor<[2, 8] x i16>
  nt.return
}

// The first two of eight: pairs are sorted, along the bit above the two that are halved first;
// from each half of those, and of what is left, the larger, each time with a merge.
// CHECK-LABEL: tt.func @sort_first
// CHECK: [[h:%.*]] = tt.reshape %i : tensor<8xi32> -> tensor<2x2x2xi32>
// CHECK-NEXT: "tt.reduce"([[h]]) <{axis = 0 : i32}> ({
// CHECK: arith.xori
// CHECK: [[pairs:%.*]] = arith.select {{%.*}} : tensor<2x2x2xi1>, tensor<2x2x2xi32>
// CHECK-NEXT: [[half:%.*]] = "tt.reduce"([[pairs]]) <{axis = 2 : i32}> ({
// CHECK: arith.maxsi
// CHECK: (tensor<2x2x2xi32>) -> tensor<2x2xi32>
// CHECK-NEXT: "tt.reduce"([[half]]) <{axis = 0 : i32}> ({
// CHECK: [[pairs:%.*]] = arith.select {{%.*}} : tensor<2x2xi1>, tensor<2x2xi32>
// CHECK-NEXT: [[half:%.*]] = "tt.reduce"([[pairs]]) <{axis = 1 : i32}> ({
// CHECK: arith.maxsi
// CHECK: (tensor<2x2xi32>) -> tensor<2xi32>
// CHECK-NEXT: "tt.reduce"([[half]]) <{axis = 0 : i32}> ({
// CHECK: arith.xori
// CHECK: arith.cmpi eq
// CHECK: %s = arith.select {{%.*}} : tensor<2xi1>, tensor<2xi32>
// CHECK-NEXT: tt.return
nt.kernel @sort_first grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %i = nt.arange <0> : !nt.tensor<[8] x i32>
  %s = nt.sort %i axis 0 descending true : !nt.tensor<[8] x i32> -> !nt.tensor<[2] x i32>
  nt.return
}

// The smallest of all is a reduction.
// CHECK-LABEL: tt.func @sort_one_of_many
// CHECK: "tt.reduce"(%i) <{axis = 0 : i32}> ({
// CHECK: arith.minsi
// CHECK: %s = tt.splat {{%.*}} : i32 -> tensor<1xi32>
// CHECK-NEXT: tt.return
nt.kernel @sort_one_of_many grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %i = nt.arange <0> : !nt.tensor<[8] x i32>
  %s = nt.sort %i axis 0 descending false : !nt.tensor<[8] x i32> -> !nt.tensor<[1] x i32>
  nt.return
}

// Of what is bitonic, the larger of each half, and a merge; reversed, into the opposite order.
// CHECK-LABEL: tt.func @sort_bitonic
// CHECK: [[h:%.*]] = tt.reshape %i : tensor<8xi32> -> tensor<2x2x2xi32>
// CHECK-NEXT: [[half:%.*]] = "tt.reduce"([[h]]) <{axis = 0 : i32}> ({
// CHECK: arith.maxsi
// CHECK: "tt.reduce"([[half]]) <{axis = 0 : i32}> ({
// CHECK: arith.cmpi ne
// CHECK: "tt.reduce"({{%.*}}) <{axis = 1 : i32}> ({
// CHECK-NOT: "tt.reduce"
// CHECK: %s = tt.reshape {{%.*}} : tensor<2x2xi32> -> tensor<4xi32>
nt.kernel @sort_bitonic grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %i = nt.arange <0> : !nt.tensor<[8] x i32>
  %s = nt.sort bitonic %i axis 0 descending true reversed : !nt.tensor<[8] x i32> -> !nt.tensor<[4] x i32>
  nt.return
}

// CHECK-LABEL: tt.func @sort_unsigned
// CHECK: arith.cmpi ugt
nt.kernel @sort_unsigned grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %i = nt.arange <0> : !nt.tensor<[2] x i32>
  %u = nt.cast %i : !nt.tensor<[2] x i32> -> !nt.tensor<[2] x ui8>
  %s = nt.sort %u axis 0 descending false : !nt.tensor<[2] x ui8> -> !nt.tensor<[2] x ui8>
  nt.return
}
