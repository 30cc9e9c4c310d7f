// RUN: nt-opt %s --split-input-file --verify-diagnostics | filecheck %s

// What passes take for granted of a kernel's parts. Errors point at the op.

// CHECK: InvalidIRError: nt.elementwise uses an argument of the application as a value; load it first
// CHECK-NEXT: line [[# @LINE + 6]], column 3
nt.kernel @argument_as_value arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x : !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %b = nt.elementwise "neg"(%a) : (!nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: InvalidIRError: nt.store uses an argument of the application as a value; load it first
nt.kernel @argument_is_stored arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x : !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  nt.store %a, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// -----

// CHECK: InvalidIRError: nt.load refers to a value that is no argument of the application
nt.kernel @value_as_tile arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x : !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %b = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %c = nt.load %b[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: InvalidIRError: nt.load: there is no eviction policy 'evict_soon'; there are '', 'evict_first', 'evict_last'
nt.kernel @unknown_policy arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %x : !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %b = nt.load %a[] evict "evict_soon" : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.return
}

// -----

// CHECK: InvalidIRError: nt.kernel: the arrangement cannot hold arith.constant
nt.kernel @arithmetic_in_the_arrangement arrange {
  %0 = arith.constant 1 : i32
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: InvalidIRError: nt.kernel: a padded size is a pair [size, number]
nt.kernel @padded_sizes padded_sizes [#nt.exprs[n, m]] arrange {
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: InvalidIRError: nt.check: 2 numbers on the left, 1 on the right
nt.kernel @checks checks [#nt.check<[n, m] = [4], "{left} and {right}">] arrange {
  nt.arranged
} apply {
  nt.return
}
