// RUN: nt-opt %s -p nt-forward-memory | filecheck %s
// RUN: nt-opt %s --print-local-scope --remarks -p nt-forward-memory | filecheck %s --check-prefix=REMARK

// Redundant loads, with no store between them, are one, whatever is stored elsewhere.
// CHECK-LABEL: nt.kernel @one_read
// CHECK: %0 = nt.load %x[]
// CHECK-NEXT: nt.store %0, %y[]
// CHECK-NEXT: nt.store %0, %z[]
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @one_read {{.*}}[#nt.remark<passed "nt-forward-memory" "load of `x` erased: its value was loaded before">
nt.kernel @one_read symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %z0 = nt.source "z" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %z1 = nt.tile %z0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1, %z1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>, %y : !nt.tensor<[64] x f32>, %z : !nt.tensor<[64] x f32>):
  %0 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %0, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  %1 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %1, %z[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// A store to the same alias set invalidates a load, and its value is forwarded; lanes that are not
// valid read what they read before.
// CHECK-LABEL: nt.kernel @shared_memory
// CHECK: %0 = nt.load %x[]
// CHECK-NEXT: nt.store %0, %y[]
// CHECK-NEXT: %1 = nt.load %x[]
// CHECK-NEXT: %2 = nt.stored %0 at %y[] other 0.000000e+00 : f32
// CHECK-NEXT: %3 = nt.elementwise "add"(%1, %2)
// REMARK: nt.kernel @shared_memory {{.*}}[#nt.remark<missed "nt-forward-memory" "load of `x` kept: `x` may share memory with `y`">
// REMARK-SAME: #nt.remark<passed "nt-forward-memory" "load of `y` erased: its value was stored before">
nt.kernel @shared_memory symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.source "y" "tensor" strides [1] memory "x" aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>, %y : !nt.tensor<[64] x f32>):
  %0 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %0, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  %1 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %2 = nt.load %y[] other 0.0 : f32 : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %3 = nt.elementwise "add"(%1, %2) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %3, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Dead stores: of several to one place the last one stays. Indices are compared by value numbering,
// and other indices are other elements.
// CHECK-LABEL: nt.kernel @overwritten
// CHECK: %0 = nt.load %x[%zero]
// CHECK-NEXT: %1 = nt.load %x[%one]
// CHECK-NEXT: %2 = nt.stored %1 at %x[%zero]
// CHECK-NEXT: %3 = nt.elementwise "add"(%0, %2)
// CHECK-NEXT: nt.store %0, %x[%one]
// CHECK-NEXT: nt.store %3, %x[%zero]
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @overwritten {{.*}}[#nt.remark<passed "nt-forward-memory" "load of `x` erased: its value was stored before">
// REMARK-SAME: #nt.remark<passed "nt-forward-memory" "store erased: it is overwritten before it may be read">
nt.kernel @overwritten symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x2 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x1 = nt.tile %x2 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
      -> !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x1
      : !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = nt.elementwise "sub"(%one, %one) : (i32, i32) -> i32
  %0 = nt.load %x[%zero] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %1 = nt.load %x[%one] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %1, %x[%none] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  %2 = nt.load %x[%zero] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %3 = nt.elementwise "add"(%0, %2) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %0, %x[%one] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  nt.store %3, %x[%zero] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  nt.return
}

// A value stored in an iteration is available until its end. Values from before the loop are
// available in it and behind it where the loop does not store to them.
// CHECK-LABEL: nt.kernel @turns
// CHECK: nt.store %0, %x[%c1]
// CHECK-NEXT: scf.for %k
// CHECK-NEXT: %1 = nt.load %x[%k]
// CHECK-NEXT: %2 = nt.elementwise "add"(%1, %b)
// CHECK-NEXT: nt.store %2, %x[%k]
// CHECK-NEXT: %3 = nt.stored %2 at %x[%k]
// CHECK-NEXT: nt.store %3, %z[]
// CHECK-NEXT: }
// CHECK-NEXT: %4 = nt.load %x[%c1]
// CHECK-NEXT: nt.store %4, %z[]
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @turns {{.*}}[#nt.remark<passed "nt-forward-memory" "load of `y` erased: its value was loaded before">
// REMARK-SAME: #nt.remark<passed "nt-forward-memory" "load of `x` erased: its value was stored before">
// REMARK-SAME: #nt.remark<missed "nt-forward-memory" "load of `x` kept: accesses of `x` may overlap">
nt.kernel @turns symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x2 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %x1 = nt.tile %x2 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
      -> !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %z0 = nt.source "z" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %z1 = nt.tile %z0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1, %z1
      : !nt.tensor<[n ceildiv 256] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>, %y : !nt.tensor<[64] x f32>, %z : !nt.tensor<[64] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %0 = nt.load %x[%c0] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  %b = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %0, %x[%c1] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  scf.for %k = %c0 to %c4 step %c1 : i32 {
    %1 = nt.load %x[%k] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %a = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    %2 = nt.elementwise "add"(%1, %a) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
    nt.store %2, %x[%k] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
    %3 = nt.load %x[%k] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    nt.store %3, %z[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  }
  %4 = nt.load %x[%c1] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %4, %z[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Values from before a branch are available in it. What a branch stores is not available behind it.
// CHECK-LABEL: nt.kernel @sides
// CHECK: %0 = nt.load %x[]
// CHECK-NEXT: nt.store %0, %y[]
// CHECK-NEXT: scf.if %c {
// CHECK-NEXT: nt.store %0, %z[]
// CHECK-NEXT: } else {
// CHECK-NEXT: %1 = nt.stored %0 at %y[]
// CHECK-NEXT: nt.store %1, %y[]
// CHECK-NEXT: }
// CHECK-NEXT: %2 = nt.load %y[]
// CHECK-NEXT: %3 = nt.load %z[]
// REMARK: nt.kernel @sides {{.*}}[#nt.remark<passed "nt-forward-memory" "load of `x` erased: its value was loaded before">
// REMARK-SAME: #nt.remark<passed "nt-forward-memory" "load of `y` erased: its value was stored before">
// REMARK-SAME: #nt.remark<missed "nt-forward-memory" "load of `y` kept: accesses of `y` may overlap">
nt.kernel @sides symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %z0 = nt.source "z" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %z1 = nt.tile %z0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1, %z1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>, %y : !nt.tensor<[64] x f32>, %z : !nt.tensor<[64] x f32>):
  %c = arith.constant true
  %0 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %0, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  scf.if %c {
    %1 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    nt.store %1, %z[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  } else {
    %2 = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
    nt.store %2, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  }
  %3 = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %4 = nt.load %z[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %5 = nt.elementwise "add"(%3, %4) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %5, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Where blocks overlap, a block stored at one index changes the others, and lanes are not proved
// to be alone.
// CHECK-LABEL: nt.kernel @overlapping
// CHECK: nt.store %0, %x[%c1]
// CHECK-NEXT: %1 = nt.load %x[%c0]
// CHECK-NEXT: nt.store %1, %x[%c1]
// CHECK-NEXT: %2 = nt.load %x[%c1]
// REMARK: nt.kernel @overlapping {{.*}}[#nt.remark<missed "nt-forward-memory" "load of `x` kept: accesses of `x` may overlap">
// REMARK-SAME: #nt.remark<missed "nt-forward-memory" "load of `x` kept: two lanes may have been stored to one element">
nt.kernel @overlapping symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x2 = nt.tile %x0 [64] strides [32] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 32 - 1] x !nt.tensor<[64] x f32>>
  %x1 = nt.tile %x2 [4] strides [4] dilation [1] floor false level 0
      : !nt.tensor<[n ceildiv 32 - 1] x !nt.tensor<[64] x f32>>
      -> !nt.tensor<[(n + 95) floordiv 128] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
  nt.arranged %x1
      : !nt.tensor<[(n + 95) floordiv 128] x !nt.tensor<[4] x !nt.tensor<[64] x f32>>>
} apply {
^bb0(%x : !nt.tensor<[4] x !nt.tensor<[64] x f32>>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %0 = nt.load %x[%c0] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %0, %x[%c1] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  %1 = nt.load %x[%c0] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %1, %x[%c1] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  %2 = nt.load %x[%c1] : !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
  nt.store %2, %x[%c0] : !nt.tensor<[64] x f32>, !nt.tensor<[4] x !nt.tensor<[64] x f32>>[i32]
  nt.return
}

// Loads through equal pointers are one, too. A pointer stays in its tensor, where a store through it
// may write any element.
// CHECK-LABEL: nt.kernel @pointers
// CHECK: %v = nt.pointer_load %p
// CHECK-NEXT: nt.pointer_store %v, %p
// CHECK-NEXT: %b = nt.load %x[]
// CHECK-NEXT: %w = nt.pointer_load %p
// CHECK-NEXT: nt.store %a, %y[]
// CHECK-NEXT: nt.store %b, %x[]
// CHECK-NEXT: %t = nt.pointer_load %q
// CHECK-NEXT: nt.pointer_store %t, %p
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @pointers {{.*}}[#nt.remark<passed "nt-forward-memory" "load of `x` erased: its value was loaded before">
// REMARK-SAME: #nt.remark<missed "nt-forward-memory" "load of `x` kept: accesses of `x` may overlap">
nt.kernel @pointers symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>, %y : !nt.tensor<[64] x f32>):
  %p = nt.pointer %x : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %q = nt.pointer %x : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %a = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %v = nt.pointer_load %p : !tt.ptr<f32> -> f32
  %u = nt.pointer_load %q : !tt.ptr<f32> -> f32
  nt.pointer_store %u, %p : f32, !tt.ptr<f32>
  %b = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %w = nt.pointer_load %p : !tt.ptr<f32> -> f32
  nt.store %a, %y[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.store %b, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  %t = nt.pointer_load %q : !tt.ptr<f32> -> f32
  nt.pointer_store %t, %p : f32, !tt.ptr<f32>
  nt.return
}

// Volatile loads stay as they are written, and no other load takes their values.
// CHECK-LABEL: nt.kernel @volatile_loads
// CHECK: %v = nt.pointer_load %p volatile
// CHECK-NEXT: %u = nt.pointer_load %p volatile
// CHECK-NEXT: %w = nt.pointer_load %p :
// CHECK-NEXT: nt.elementwise "add"(%v, %u)
// CHECK-NEXT: nt.elementwise "add"({{%.*}}, %w)
nt.kernel @volatile_loads symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>):
  %p = nt.pointer %x : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %v = nt.pointer_load %p volatile : !tt.ptr<f32> -> f32
  %u = nt.pointer_load %p volatile : !tt.ptr<f32> -> f32
  %w = nt.pointer_load %p : !tt.ptr<f32> -> f32
  %s = nt.elementwise "add"(%v, %u) : (f32, f32) -> f32
  %t = nt.elementwise "add"(%s, %w) : (f32, f32) -> f32
  nt.pointer_store %t, %p : f32, !tt.ptr<f32>
  nt.return
}

// An atomic that orders memory invalidates all values; a relaxed one, those of its alias set.
// CHECK-LABEL: nt.kernel @atomics
// CHECK: %a = nt.load %x[]
// CHECK-NEXT: %b = nt.load %y[]
// CHECK-NEXT: %c = nt.atomic
// CHECK-NEXT: %d = nt.load %y[]
// CHECK-NEXT: %e = nt.atomic
// CHECK-NEXT: %f = nt.load %x[]
// CHECK-NEXT: %g = nt.load %y[]
// CHECK-NEXT: %h = nt.elementwise "add"(%a, %f)
// CHECK-NEXT: %i = nt.elementwise "add"(%h, %g)
// CHECK-NEXT: %j = nt.elementwise "add"(%i, %a)
// REMARK: nt.kernel @atomics {{.*}}[#nt.remark<passed "nt-forward-memory" "load of `x` erased: its value was loaded before">
// REMARK-SAME: #nt.remark<missed "nt-forward-memory" "load of `y` kept: accesses of `y` may overlap">
// REMARK-SAME: #nt.remark<missed "nt-forward-memory" "load of `x` kept: an atomic orders memory">
nt.kernel @atomics symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x0 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %x1 = nt.tile %x0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  %y0 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.tile %y0 [64] strides [64] dilation [1] floor false level 0
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %x1, %y1
      : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>,
      !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%x : !nt.tensor<[64] x f32>, %y : !nt.tensor<[64] x f32>):
  %one = arith.constant 1.0 : f32
  %p = nt.pointer %y : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %a = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %b = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %c = nt.atomic "add" %p, %one "relaxed" "gpu" : !tt.ptr<f32>, f32
  %0 = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %d = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %e = nt.atomic "add" %p, %one "acq_rel" "gpu" : !tt.ptr<f32>, f32
  %f = nt.load %x[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %g = nt.load %y[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  %h = nt.elementwise "add"(%a, %f) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %i = nt.elementwise "add"(%h, %g) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  %j = nt.elementwise "add"(%i, %0) : (!nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>) -> !nt.tensor<[64] x f32>
  nt.store %j, %x[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}

// Numbers that are passed by value never change.
// CHECK-LABEL: nt.kernel @numbers
// CHECK: %0 = nt.load %s[]
// CHECK-NEXT: nt.atomic
// CHECK-NOT: nt.load
// CHECK: nt.return
// REMARK: nt.kernel @numbers {{.*}}nt.remarks = []
nt.kernel @numbers symbols [#nt.symbol<n size 0 to ?>] arrange {
  %s1 = nt.source "s" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  %x1 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  nt.arranged %s1, %x1
      : !nt.tensor<[] x f32>,
      !nt.tensor<[n] x f32>
} apply {
^bb0(%s : !nt.tensor<[] x f32>, %x : !nt.tensor<[] x f32>):
  %p = nt.pointer %x : !nt.tensor<[] x f32> -> !tt.ptr<f32>
  %0 = nt.load %s[] : !nt.tensor<[] x f32>[] -> f32
  %1 = nt.atomic "add" %p, %0 "acq_rel" "gpu" : !tt.ptr<f32>, f32
  %2 = nt.load %s[] : !nt.tensor<[] x f32>[] -> f32
  %3 = nt.atomic "add" %p, %2 "acq_rel" "gpu" : !tt.ptr<f32>, f32
  nt.return
}

// By assembly that is not pure, and by volatile loads, a program may wait for another one: what was
// read is read anew behind it, and what was stored may be read by that. A number that is passed by
// value stays, and so does what was read before pure assembly.
// CHECK-LABEL: nt.kernel @waiting
// CHECK: %0 = nt.load %x[]
// CHECK-NEXT: nt.load %s[]
// CHECK-NEXT: nt.inline_asm "" "=f,f" pure true
// CHECK-NEXT: nt.store %0, %y[]
// CHECK-NEXT: nt.inline_asm "fence.acq_rel.gpu;" "=f,f" pure false
// CHECK-NEXT: %2 = nt.load %x[]
// CHECK-NEXT: nt.store %2, %y[]
// CHECK: scf.while
// CHECK: nt.pointer_load {{%.*}} volatile
// CHECK: %3 = nt.load %x[]
// CHECK-NEXT: nt.store %3, %y[]
// CHECK-NEXT: nt.return
// REMARK: nt.kernel @waiting {{.*}}#nt.remark<missed "nt-forward-memory" "load of `x` kept: by nt.inline_asm a program may wait for another">
// REMARK-SAME: #nt.remark<missed "nt-forward-memory" "load of `x` kept: by nt.pointer_load a program may wait for another">
nt.kernel @waiting symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x1 = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y1 = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %s1 = nt.source "s" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %x1, %y1, %s1
      : !nt.tensor<[n] x f32>, !nt.tensor<[n] x f32>, !nt.tensor<[] x f32>
} apply {
^bb0(%x : !nt.tensor<[] x f32>, %y : !nt.tensor<[] x f32>, %s : !nt.tensor<[] x f32>):
  %p = nt.pointer %x : !nt.tensor<[] x f32> -> !tt.ptr<f32>
  %0 = nt.load %x[] : !nt.tensor<[] x f32>[] -> f32
  %1 = nt.load %s[] : !nt.tensor<[] x f32>[] -> f32
  %a = nt.inline_asm "" "=f,f" pure true pack 1 : i32(%1) : (f32) -> f32
  %2 = nt.load %x[] : !nt.tensor<[] x f32>[] -> f32
  nt.store %2, %y[] : f32, !nt.tensor<[] x f32>[]
  %b = nt.inline_asm "fence.acq_rel.gpu;" "=f,f" pure false pack 1 : i32(%1) : (f32) -> f32
  %3 = nt.load %x[] : !nt.tensor<[] x f32>[] -> f32
  nt.store %3, %y[] : f32, !nt.tensor<[] x f32>[]
  scf.while () : () -> () {
    %c = nt.pointer_load %p volatile : !tt.ptr<f32> -> f32
    %4 = nt.load %s[] : !nt.tensor<[] x f32>[] -> f32
    %d = nt.elementwise "lt"(%c, %4) : (f32, f32) -> i1
    scf.condition(%d)
  } do {
    scf.yield
  }
  %5 = nt.load %x[] : !nt.tensor<[] x f32>[] -> f32
  nt.store %5, %y[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}
