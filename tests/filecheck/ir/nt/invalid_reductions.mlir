// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: nt.scan: the language has no scan cummax
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.scan "cummax" %v axis 0 reverse false : !nt.tensor<[64, 32] x f32>
  nt.return
}

// -----

// CHECK: nt.scan: there is no dim 2
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.scan "cumsum" %v axis 2 reverse false : !nt.tensor<[64, 32] x f32>
  nt.return
}

// -----

// CHECK: nt.sort: there is no dim 2
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.sort %v axis 2 descending false : !nt.tensor<[64, 32] x f32> -> !nt.tensor<[64, 32] x f32>
  nt.return
}

// -----

// CHECK: nt.sort: integers are sorted
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.sort %v axis 1 descending false : !nt.tensor<[64, 32] x f32> -> !nt.tensor<[64, 32] x f32>
  nt.return
}

// -----

// CHECK: nt.sort: !nt.tensor<[64] x i32> along 0 cannot be !nt.tensor<[8] x i64>
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.sort %n axis 0 descending false : !nt.tensor<[64] x i32> -> !nt.tensor<[8] x i64>
  nt.return
}

// -----

// CHECK: nt.sort: !nt.tensor<[64] x i32> along 0 cannot be !nt.tensor<[8, 8] x i32>
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.sort %n axis 0 descending false : !nt.tensor<[64] x i32> -> !nt.tensor<[8, 8] x i32>
  nt.return
}

// -----

// CHECK: nt.sort: of 64 lanes there are no first 128
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.sort %n axis 0 descending false : !nt.tensor<[64] x i32> -> !nt.tensor<[128] x i32>
  nt.return
}

// -----

// CHECK: nt.reduce_by: there is nothing to combine
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  "nt.reduce_by"() <{axis = 0 : i64, operandSegmentSizes = array<i32: 0, 0>}> ({
    "nt.yield"() : () -> ()
  }) : () -> ()
  nt.return
}

// -----

// CHECK: nt.reduce_by: there is no dim 1
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.reduce_by %n axis 1 {
  ^bb0(%a : i32, %b : i32):
    nt.yield %a : i32
  } : !nt.tensor<[64] x i32> -> i32
  nt.return
}

// -----

// CHECK: nt.reduce_by: the operands must have one shape
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r, %s = nt.reduce_by %n, %v axis 0 {
  ^bb0(%a : i32, %b : f32, %c : i32, %d : f32):
    nt.yield %a, %b : i32, f32
  } : !nt.tensor<[64] x i32>, !nt.tensor<[64, 32] x f32> -> i32, f32
  nt.return
}

// -----

// CHECK: nt.reduce_by: which lanes are valid is said by bits
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r, %s = nt.reduce_by %n valid %n : !nt.tensor<[64] x i32> axis 0 {
  ^bb0(%a : i32, %b : i32):
    nt.yield %a : i32
  } : !nt.tensor<[64] x i32> -> i32, i32
  nt.return
}

// -----

// CHECK: nt.reduce_by: the region must take two scalars of each operand
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.reduce_by %n axis 0 {
  ^bb0(%a : i32, %b : f32):
    nt.yield %a : i32
  } : !nt.tensor<[64] x i32> -> i32
  nt.return
}

// -----

// CHECK: nt.scan_by: the region must hold no branches and no loops
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.scan_by %n axis 0 reverse false {
  ^bb0(%a : i32, %b : i32):
    %t = arith.constant true
    scf.if %t {
    }
    nt.yield %a : i32
  } : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i32>
  nt.return
}

// -----

// CHECK: nt.scan_by: the region must give one scalar of each operand
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.scan_by %n axis 0 reverse false {
  ^bb0(%a : i32, %b : i32):
    nt.yield %a, %b : i32, i32
  } : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i32>
  nt.return
}

// -----

// CHECK: nt.reduce_by: the results must have the types i32
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.reduce_by %n axis 0 {
  ^bb0(%a : i32, %b : i32):
    nt.yield %a : i32
  } : !nt.tensor<[64] x i32> -> i64
  nt.return
}

// -----

// CHECK: nt.scan_by: the results must have the types !nt.tensor<[64] x i32>, !nt.tensor<[64] x i1>
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.scan_by %n valid %m : !nt.tensor<[64] x i1> axis 0 reverse false {
  ^bb0(%a : i32, %b : i32):
    nt.yield %a : i32
  } : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i32>
  nt.return
}

// -----

// CHECK: nt.histogram: the operand and the result must have one dim
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.histogram %v : !nt.tensor<[64, 32] x f32> -> !nt.tensor<[10] x i32>
  nt.return
}

// -----

// CHECK: nt.histogram: integers are counted
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %s = nt.reduce "sum" %v axis 1 : !nt.tensor<[64, 32] x f32> -> !nt.tensor<[64] x f32>
  %r = nt.histogram %s : !nt.tensor<[64] x f32> -> !nt.tensor<[10] x i32>
  nt.return
}

// -----

// CHECK: nt.histogram: counts must be i32
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.histogram %n : !nt.tensor<[64] x i32> -> !nt.tensor<[10] x i64>
  nt.return
}

// -----

// CHECK: nt.histogram: the mask must be bits of the operand's shape
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %r = nt.histogram %n mask %n : !nt.tensor<[64] x i32> : !nt.tensor<[64] x i32> -> !nt.tensor<[10] x i32>
  nt.return
}

// -----

// CHECK: Operation using value defined out of its IsolatedFromAbove parent
nt.kernel @k arrange {
  %x0 = nt.source "x0" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x0 : !nt.tensor<[] x f32>
} apply {
^bb0(%v : !nt.tensor<[64, 32] x f32>, %n : !nt.tensor<[64] x i32>, %m : !nt.tensor<[64] x i1>):
  %z = arith.constant 1 : i32
  %r = nt.reduce_by %n axis 0 {
  ^bb0(%a : i32, %b : i32):
    %c = nt.elementwise "add"(%a, %z) : (i32, i32) -> i32
    nt.yield %c : i32
  } : !nt.tensor<[64] x i32> -> i32
  nt.return
}
