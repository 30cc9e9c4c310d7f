// RUN: nt-opt %s -p nt-hoist-invariants | filecheck %s
// RUN: nt-opt %s --print-local-scope --remarks -p nt-hoist-invariants | filecheck %s --check-prefix=REMARK

// An op is hoisted out of the outermost loop in which it is invariant, past conditions; its operands
// go before it.
// CHECK-LABEL: nt.kernel @nested
// CHECK: %pid = tt.get_program_id 0
// CHECK-NEXT: %k = nt.size <k>
// CHECK-NEXT: %c = arith.constant 64
// CHECK-NEXT: [[a:%.*]] = arith.muli %pid, %k
// CHECK-NEXT: scf.for %i
// CHECK-NEXT: [[b:%.*]] = arith.muli %i, %c
// CHECK-NEXT: [[s:%.*]] = arith.addi [[a]], [[b]]
// CHECK-NEXT: scf.for %j
// CHECK-NEXT: scf.if %bit
// CHECK-NEXT: [[d:%.*]] = arith.addi [[s]], %j
// CHECK-NEXT: tt.print "" [[d]]
// REMARK: nt.kernel @nested {{.*}}[#nt.remark<passed "nt-hoist-invariants" "3 ops moved in front of the loop">
// REMARK-SAME: #nt.remark<passed "nt-hoist-invariants" "2 ops moved in front of the loop">
nt.kernel @nested symbols [#nt.symbol<k size 0 to ?>] arrange {
  nt.arranged
} apply {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %bit = arith.constant true
  %pid = tt.get_program_id 0 : i32
  scf.for %i = %zero to %ten step %one : i32 {
    scf.for %j = %zero to %ten step %one : i32 {
      scf.if %bit {
        %k = nt.size <k> : i32
        %c = arith.constant 64 : i32
        %a = arith.muli %pid, %k : i32
        %b = arith.muli %i, %c : i32
        %s = arith.addi %a, %b : i32
        %d = arith.addi %s, %j : i32
        tt.print "" %d {hex = false, isSigned = array<i32: 1>} : i32
      }
    }
  }
  nt.return
}

// A condition outside of loops keeps its ops: they need not run.
// CHECK-LABEL: nt.kernel @condition
// CHECK: scf.if %bit
// CHECK-NEXT: %k = nt.size <k>
nt.kernel @condition symbols [#nt.symbol<k size 0 to ?>] arrange {
  nt.arranged
} apply {
  %bit = arith.constant true
  scf.if %bit {
    %k = nt.size <k> : i32
    tt.print "" %k {hex = false, isSigned = array<i32: 1>} : i32
  }
  nt.return
}

// Both regions of a while loop.
// CHECK-LABEL: nt.kernel @while
// CHECK: %pid = tt.get_program_id 0
// CHECK-NEXT: %c = arith.constant 5
// CHECK-NEXT: %limit = arith.muli %pid, %c
// CHECK: %p = nt.pointer %a
// CHECK-NEXT: {{.*}}scf.while
// CHECK: ^{{.*}}(%i: i32):
// CHECK-NEXT: {{%.*}} = tt.addptr %p, %i
// REMARK: nt.kernel @while {{.*}}[#nt.remark<passed "nt-hoist-invariants" "3 ops moved in front of the loop">
nt.kernel @while symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x i32> -> !nt.tensor<[n] x i32>
  nt.arranged %0 : !nt.tensor<[n] x i32>
} apply {
^bb0(%a : !nt.tensor<[] x i32>):
  %start = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pid = tt.get_program_id 0 : i32
  %end = scf.while (%t = %start) : (i32) -> i32 {
    %c = arith.constant 5 : i32
    %limit = arith.muli %pid, %c : i32
    %more = arith.cmpi slt, %t, %limit : i32
    scf.condition(%more) %t : i32
  } do {
  ^bb0(%i : i32):
    %p = nt.pointer %a : !nt.tensor<[] x i32> -> !tt.ptr<i32>
    %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %q, %i : !tt.ptr<i32>
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  nt.return
}

// A division runs early where sizes and constants alone make the divisor, which is positive; one by a
// value that the program read does not, nor one by its number, which may be 0.
// CHECK-LABEL: nt.kernel @divisions
// CHECK: [[rest:%.*]] = arith.remsi [[lanes:%.*]], [[sizes:%.*]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: %q = arith.divsi %pid, %read
// CHECK-NEXT: tt.print "" %q
// CHECK-NEXT: %d = arith.divsi %read, %pid
// CHECK-NEXT: tt.print "" %d
// CHECK-NEXT: tt.print "" [[rest]]
// REMARK: nt.kernel @divisions {{.*}}[#nt.remark<missed "nt-hoist-invariants" "division kept in the loop: its divisor may be 0">
// REMARK-SAME: #nt.remark<passed "nt-hoist-invariants" "5 ops moved in front of the loop">
nt.kernel @divisions symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x i32> -> !nt.tensor<[n] x i32>
  nt.arranged %0 : !nt.tensor<[n] x i32>
} apply {
^bb0(%a : !nt.tensor<[] x i32>):
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = nt.pointer %a : !nt.tensor<[] x i32> -> !tt.ptr<i32>
  %read = tt.load %x : !tt.ptr<i32>
  %pid = tt.get_program_id 0 : i32
  scf.for %i = %zero to %read step %one : i32 {
    %q = arith.divsi %pid, %read : i32
    tt.print "" %q {hex = false, isSigned = array<i32: 1>} : i32
    %d = arith.divsi %read, %pid : i32
    tt.print "" %d {hex = false, isSigned = array<i32: 1>} : i32
    %n = nt.size <n> : i32
    %padded = arith.addi %n, %one : i32
    %sizes = tt.splat %padded : i32 -> tensor<64xi32>
    %lanes = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
    %rest = arith.remsi %lanes, %sizes : tensor<64xi32>
    tt.print "" %rest {hex = false, isSigned = array<i32: 1>} : tensor<64xi32>
  }
  nt.return
}

// Loads and what the user wrote stay.
// CHECK-LABEL: nt.kernel @stays
// CHECK: scf.for
// CHECK-NEXT: %v = tt.load %x
// CHECK-NEXT: %w = nt.elementwise "floordiv"(%one, %zero)
nt.kernel @stays symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %0 = nt.access %x <[[n]] -> [g0]> : !nt.tensor<[n] x i32> -> !nt.tensor<[n] x i32>
  nt.arranged %0 : !nt.tensor<[n] x i32>
} apply {
^bb0(%a : !nt.tensor<[] x i32>):
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = nt.pointer %a : !nt.tensor<[] x i32> -> !tt.ptr<i32>
  scf.for %i = %zero to %one step %one : i32 {
    %v = tt.load %x : !tt.ptr<i32>
    %w = nt.elementwise "floordiv"(%one, %zero) : (i32, i32) -> i32
    tt.print "" %v {hex = false, isSigned = array<i32: 1>} : i32
    tt.print "" %w {hex = false, isSigned = array<i32: 1>} : i32
  }
  nt.return
}
