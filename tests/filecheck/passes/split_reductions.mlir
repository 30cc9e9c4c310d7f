// RUN: nt-opt %s --print-local-scope -p 'nt-split-reductions{parts=4}' | filecheck %s
// RUN: nt-opt %s --print-local-scope -p 'nt-split-reductions{parts=4}' | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --print-local-scope -p nt-split-reductions | filecheck %s --check-prefix=OFF
// RUN: nt-opt %s --print-local-scope -p 'nt-split-reductions{parts=64}' | filecheck %s --check-prefix=MANY
// RUN: nt-opt %s --print-local-scope -p 'nt-split-reductions{parts=64 num_warps=1}' | filecheck %s --check-prefix=WARP
// RUN: nt-opt %s --remarks -p 'nt-split-reductions{parts=4}' 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: nt-opt %s --remarks -p nt-split-reductions 2>&1 | filecheck %s --check-prefix=POSSIBLE

// REMARK-COUNT-5: remark: iterations split over 4 programs [nt-split-reductions, passed]
// REMARK-NEXT: remark: iterations kept together: what it carries is more than a sum or an extreme [nt-split-reductions, missed]
// REMARK-NEXT: remark: iterations kept together: what it carries is more than a sum or an extreme [nt-split-reductions, missed]
// REMARK-NEXT: remark: iterations kept together: sums of fp16 would be rounded otherwise [nt-split-reductions, missed]
// REMARK-NEXT: remark: iterations kept together: it is not the only loop [nt-split-reductions, missed]
// REMARK-NEXT: remark: iterations kept together: nt.store would be done by each part [nt-split-reductions, missed]
// REMARK-NEXT: remark: iterations kept together: nt.print is done behind the loop [nt-split-reductions, missed]
// REMARK-NEXT: remark: iterations kept together: only a call knows the size m of what it carries [nt-split-reductions, missed]
// REMARK-NEXT: remark: iterations kept together: it carries no lanes [nt-split-reductions, missed]
// REMARK-NEXT: remark: iterations kept together: `y` has another number of outermost dims [nt-split-reductions, missed]
// REMARK-NOT: remark:

// POSSIBLE-COUNT-5: remark: iterations kept together: split_reductions is 1, and may be more where programs are few [nt-split-reductions, analysis]

// Each part takes a share, and the last to arrive adds them up.
// CHECK-LABEL: nt.kernel @sum
// CHECK: nt.access %x <{{\[\[}}1, 4], [n ceildiv 64], [64]]
// CHECK: nt.access %y <{{\[\[}}1, 4]]
// CHECK: %number = nt.program_number : i32
// CHECK: %program = nt.elementwise "floordiv"(%number,
// CHECK-NEXT: %part = nt.elementwise "mod"(%number,
// CHECK: %share = nt.size <n ceildiv 256> : i32
// CHECK-NEXT: %[[FIRST:.*]] = nt.elementwise "mul"(%part, %share)
// CHECK-NEXT: %[[END:.*]] = nt.elementwise "add"(%[[FIRST]], %share)
// CHECK-NEXT: %[[LOW:.*]] = nt.elementwise "maximum"(%[[FIRST]], %c0)
// CHECK-NEXT: %[[HIGH:.*]] = nt.elementwise "minimum"(%[[END]], %count)
// CHECK-NEXT: %total = scf.for %i = %[[LOW]] to %[[HIGH]] step %c1 iter_args(%t = %zero) -> (f32) : i32 {
// CHECK: }
// CHECK-NEXT: %[[MEMORY:.*]] = nt.scratch "partials0" 1 : !tt.ptr<f32>
// CHECK-NEXT: %[[PLACE:.*]] = nt.cast %number : i32 -> i64
// CHECK-NEXT: %[[POINTER:.*]] = nt.addptr %[[MEMORY]], %[[PLACE]]
// CHECK-NEXT: nt.pointer_store %total, %[[POINTER]]
// CHECK-NEXT: %{{.*}} = arith.constant 4 : i32
// CHECK-NEXT: nt.barrier
// CHECK: %[[ARRIVALS:.*]] = nt.scratch "arrivals0" 1 zeroed : !tt.ptr<i32>
// CHECK-NEXT: %[[COUNTER:.*]] = nt.addptr %[[ARRIVALS]], %program
// CHECK-NEXT: %[[BEFORE:.*]] = nt.atomic "add" %[[COUNTER]], %{{.*}} "acq_rel" "gpu"
// CHECK-NEXT: %last = nt.elementwise "eq"(%[[BEFORE]],
// CHECK-NEXT: scf.if %last {
// CHECK: %[[ALL:.*]] = scf.for %{{.*}} iter_args(%[[SO_FAR:.*]] = %zero) -> (f32) : i32 {
// CHECK: %[[PART:.*]] = nt.pointer_load %{{[0-9]+}} : !tt.ptr<f32> -> f32
// CHECK-NEXT: nt.elementwise "add"(%[[SO_FAR]], %[[PART]])
// CHECK: } {tt.loop_unroll_factor = 4 : i32, tt.num_stages = 1 : i32}
// CHECK-NEXT: nt.store %[[ALL]], %b[]
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: nt.return
// Numbers of all parts are read at once.
// MANY-LABEL: nt.kernel @sum
// MANY: scf.if %last {
// MANY: nt.pointer_load
// MANY: } {tt.loop_unroll_factor = 64 : i32, tt.num_stages = 1 : i32}
// OFF-LABEL: nt.kernel @sum
// OFF: %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero) -> (f32) : i32 {
// OFF: nt.store %total, %b[]
nt.kernel @sum symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Of many lanes, each group's last part combines what the group has found, where its first part wrote,
// and the last group's all that groups have: what the loop begins with counts once, and no thread
// writes what another has yet to read.
// One warp has registers for fewer.
// WARP-LABEL: nt.kernel @levels
// WARP: } {tt.loop_unroll_factor = 4 : i32, tt.num_stages = 1 : i32}
// MANY-LABEL: nt.kernel @levels
// MANY: scf.for %i = {{.*}} iter_args(%t = %[[NOTHING:.*]]) -> (!nt.tensor<[1024] x f32>) : i32 {
// MANY: nt.pointer_store %total,
// MANY: %[[EIGHT:.*]] = arith.constant 8 : i32
// MANY-NEXT: %group = nt.elementwise "floordiv"(%number, %[[EIGHT]])
// MANY-NEXT: nt.barrier
// MANY: %[[SEVEN:.*]] = arith.constant 7 : i32
// MANY-NEXT: %[[ARRIVALS:.*]] = nt.scratch "arrivals0" 1 zeroed
// MANY-NEXT: %[[COUNTER:.*]] = nt.addptr %[[ARRIVALS]], %group
// MANY-NEXT: %[[BEFORE:.*]] = nt.atomic "add" %[[COUNTER]], %{{.*}} "acq_rel" "gpu"
// MANY-NEXT: %last = nt.elementwise "eq"(%[[BEFORE]], %[[SEVEN]])
// MANY-NEXT: scf.if %last {
// MANY-NEXT: %[[FIRST:.*]] = nt.elementwise "mul"(%group, %[[EIGHT]])
// MANY: %[[SOME:.*]] = scf.for %[[INDEX:.*]] = {{.*}} iter_args(%{{.*}} = %[[NOTHING]])
// MANY-NEXT: nt.elementwise "add"(%[[FIRST]], %[[INDEX]])
// MANY: } {tt.loop_unroll_factor = 8 : i32, tt.num_stages = 1 : i32}
// MANY-NEXT: nt.barrier
// MANY: nt.cast %[[FIRST]] : i32 -> i64
// MANY: nt.pointer_store %[[SOME]],
// MANY: nt.barrier
// MANY: nt.scratch "arrivals1" 1 zeroed
// MANY-NEXT: nt.addptr %{{.*}}, %program
// MANY: scf.if %{{.*}} {
// MANY-NEXT: nt.elementwise "mul"(%program,
// MANY: %[[ALL:.*]] = scf.for %[[GROUP:.*]] = {{.*}} iter_args(%{{.*}} = %start)
// MANY: nt.elementwise "mul"(%[[GROUP]],
// MANY: }
// MANY: nt.reduce "sum" %[[ALL]]
// MANY: nt.store
// MANY-NEXT: } else {
// MANY-NEXT: }
// MANY-NEXT: } else {
// MANY-NEXT: }
// MANY-NEXT: nt.return
nt.kernel @levels symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 1024], [1024]] -> [k1_0 * 1024 + b0] if [[k1_0 * 1024 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 1024] x !nt.tensor<[1024] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 1024] x !nt.tensor<[1024] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 1024] x !nt.tensor<[1024] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 1024> : i32
  %seven = arith.constant 7.0 : f32
  %start = nt.full %seven : f32 -> !nt.tensor<[1024] x f32>
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %start) -> (!nt.tensor<[1024] x f32>) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 1024] x !nt.tensor<[1024] x f32>>[i32] -> !nt.tensor<[1024] x f32>
    %u = nt.elementwise "add"(%t, %v) : (!nt.tensor<[1024] x f32>, !nt.tensor<[1024] x f32>) -> !nt.tensor<[1024] x f32>
    scf.yield %u : !nt.tensor<[1024] x f32>
  }
  %sum = nt.reduce "sum" %total axis 0 : !nt.tensor<[1024] x f32> -> f32
  nt.store %sum, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// A sum that begins with a number begins with none in each part; a maximum begins with it in all.
// CHECK-LABEL: nt.kernel @extremes
// CHECK: %share = nt.size <(n + 447) floordiv 512> : i32
// CHECK: %[[COUNT:.*]] = nt.size <(n + 63) floordiv 128> : i32
// CHECK-NEXT: %[[LEAST:.*]] = nt.elementwise "minimum"(%{{.*}}, %[[COUNT]])
// CHECK-NEXT: %[[SCALED:.*]] = nt.elementwise "mul"(%[[LEAST]], %c2)
// CHECK-NEXT: %[[MOVED:.*]] = nt.elementwise "add"(%c1, %[[SCALED]])
// CHECK: %[[LOW:.*]] = nt.elementwise "maximum"(%[[MOVED]], %c1)
// CHECK: %[[NOTHING:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-NEXT: scf.for %i = %[[LOW]] to %{{.*}} step %c2 iter_args(%t = %[[NOTHING]], %m = %seven)
// CHECK: nt.scratch "partials0" 1
// CHECK: nt.scratch "partials1" 1
// CHECK: scf.if %last {
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %seven, %[[MOST:.*]] = %seven) -> (f32, f32) : i32 {
// CHECK: nt.elementwise "add"(%[[SUM]],
// CHECK: nt.elementwise "maximum"(%[[MOST]],
nt.kernel @extremes symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %total, %largest = scf.for %i = %c1 to %count step %c2 iter_args(%t = %seven, %m = %seven) -> (f32, f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "sub"(%t, %s) : (f32, f32) -> f32
    %w = nt.elementwise "maximum"(%s, %m) : (f32, f32) -> f32
    scf.yield %u, %w : f32, f32
  }
  %p = nt.elementwise "mul"(%total, %largest) : (f32, f32) -> f32
  nt.store %p, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// What asks for its number is told that of the program that it is a part of.
// CHECK-LABEL: nt.kernel @numbers
// CHECK: %number = nt.program_number
// CHECK: %program = nt.elementwise "floordiv"(%number, %[[PARTS:.*]])
// CHECK: %[[COUNT:.*]] = nt.program_count
// CHECK-NEXT: %all = nt.elementwise "floordiv"(%[[COUNT]], %[[PARTS]])
// CHECK: scf.if %last {
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %program) -> (i32) : i32 {
nt.kernel @numbers symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %me = nt.program_number : i32
  %all = nt.program_count : i32
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %me) -> (i32) : i32 {
    %u = nt.elementwise "add"(%t, %i) : (i32, i32) -> i32
    %w = nt.elementwise "add"(%all, %u) : (i32, i32) -> i32
    scf.yield %w : i32
  }
  %f = nt.cast %total : i32 -> f32
  nt.store %f, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Blocks are written row-major; the accumulator of a dot begins with zeros in each part.
// CHECK-LABEL: nt.kernel @dot
// CHECK: scf.for %i = %{{.*}} to %{{.*}} step %c1 iter_args(%d = %start)
// CHECK: }
// CHECK-NEXT: %[[MEMORY:.*]] = nt.scratch "partials0" 512 : !tt.ptr<f32>
// CHECK: %[[START:.*]] = nt.addptr %[[MEMORY]],
// CHECK-NEXT: nt.full %[[START]] : !tt.ptr<f32> -> !nt.tensor<[16, 32] x !tt.ptr<f32>>
// CHECK: nt.pointer_store %product, %{{.*}} : !nt.tensor<[16, 32] x f32>
// CHECK: scf.if %last {
// CHECK: nt.pointer_load
// CHECK: nt.store %{{.*}}, %c[]
nt.kernel @dot symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [n, 1] aligned false : !nt.tensor<[16, n] x f32>
  %y = nt.source "y" "tensor" strides [32, 1] aligned false : !nt.tensor<[n, 32] x f32>
  %z = nt.source "z" "tensor" strides [32, 1] aligned false : !nt.tensor<[16, 32] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 16], [16, 16]] -> [b0, k1_0 * 16 + b1] if [[k1_0 * 16 + b1, n]]>
      : !nt.tensor<[16, n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 16] x f32>>>
  %1 = nt.access %y <[[1], [n ceildiv 16], [16, 32]] -> [k1_0 * 16 + b0, b1] if [[k1_0 * 16 + b0, n]]>
      : !nt.tensor<[n, 32] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 32] x f32>>>
  %2 = nt.access %z <[[1], [16, 32]] -> [b0, b1]>
      : !nt.tensor<[16, 32] x f32> -> !nt.tensor<[1] x !nt.tensor<[16, 32] x f32>>
  nt.arranged %0, %1, %2 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 16] x f32>>>, !nt.tensor<[1] x !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 32] x f32>>>, !nt.tensor<[1] x !nt.tensor<[16, 32] x f32>>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 16] x f32>>, %b : !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 32] x f32>>, %c : !nt.tensor<[16, 32] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <n ceildiv 16> : i32
  %zero = arith.constant 0.0 : f32
  %start = nt.full %zero : f32 -> !nt.tensor<[16, 32] x f32>
  %product = scf.for %i = %c0 to %count step %c1 iter_args(%d = %start) -> (!nt.tensor<[16, 32] x f32>) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 16] x f32>>[i32] -> !nt.tensor<[16, 16] x f32>
    %w = nt.load %b[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 16] x !nt.tensor<[16, 32] x f32>>[i32] -> !nt.tensor<[16, 32] x f32>
    %e = nt.dot %v, %w, %d : !nt.tensor<[16, 16] x f32>, !nt.tensor<[16, 32] x f32> -> !nt.tensor<[16, 32] x f32>
    scf.yield %e : !nt.tensor<[16, 32] x f32>
  }
  nt.store %product, %c[] : !nt.tensor<[16, 32] x f32>, !nt.tensor<[16, 32] x f32>[]
  nt.return
}

// What is carried is scaled.
// CHECK-LABEL: nt.kernel @horner
// CHECK-NOT: nt.scratch
nt.kernel @horner symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %m = nt.elementwise "mul"(%t, %seven) : (f32, f32) -> f32
    %u = nt.elementwise "add"(%m, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// A carried value depends on another.
// CHECK-LABEL: nt.kernel @running
// CHECK-NOT: nt.scratch
nt.kernel @running symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %total, %seen = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero, %r = %zero) -> (f32, f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    %m = nt.elementwise "maximum"(%r, %u) : (f32, f32) -> f32
    scf.yield %u, %m : f32, f32
  }
  nt.store %seen, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Sums of 16 bits are rounded each time.
// CHECK-LABEL: nt.kernel @halves
// CHECK-NOT: nt.scratch
nt.kernel @halves symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %none = arith.constant 0.0 : f16
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %none) -> (f16) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %h = nt.cast %s : f32 -> f16
    %u = nt.elementwise "add"(%t, %h) : (f16, f16) -> f16
    scf.yield %u : f16
  }
  %f = nt.cast %total : f16 -> f32
  nt.store %f, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// The last part would go through all tiles alone.
// CHECK-LABEL: nt.kernel @twice
// CHECK-NOT: nt.scratch
nt.kernel @twice symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  scf.for %i = %c0 to %count step %c1 : i32 {
    %v = nt.full %total : f32 -> !nt.tensor<[64] x f32>
    nt.store %v, %a[%i] : !nt.tensor<[64] x f32>, !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32]
  }
  nt.return
}

// Something is stored before.
// CHECK-LABEL: nt.kernel @stored
// CHECK-NOT: nt.scratch
nt.kernel @stored symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  nt.store %zero, %b[] : f32, !nt.tensor<[] x f32>[]
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Something is printed behind.
// CHECK-LABEL: nt.kernel @printed
// CHECK-NOT: nt.scratch
nt.kernel @printed symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %zero) -> (f32) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %u = nt.elementwise "add"(%t, %s) : (f32, f32) -> f32
    scf.yield %u : f32
  }
  nt.print "total" hex false(%total) : f32
  nt.store %total, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// The size of the block is a call's.
// CHECK-LABEL: nt.kernel @sized
// CHECK-NOT: nt.scratch
nt.kernel @sized symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %start = nt.full %zero : f32 -> !nt.tensor<[m] x f32>
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %start) -> (!nt.tensor<[m] x f32>) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %r = nt.full %s : f32 -> !nt.tensor<[m] x f32>
    %u = nt.elementwise "add"(%t, %r) : (!nt.tensor<[m] x f32>, !nt.tensor<[m] x f32>) -> !nt.tensor<[m] x f32>
    scf.yield %u : !nt.tensor<[m] x f32>
  }
  %sum = nt.reduce "sum" %total axis 0 : !nt.tensor<[m] x f32> -> f32
  nt.store %sum, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// A block without lanes has no memory.
// CHECK-LABEL: nt.kernel @without_lanes
// CHECK-NOT: nt.scratch
nt.kernel @without_lanes symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %start = nt.full %zero : f32 -> !nt.tensor<[0] x f32>
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %start) -> (!nt.tensor<[0] x f32>) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %r = nt.full %s : f32 -> !nt.tensor<[0] x f32>
    %u = nt.elementwise "add"(%t, %r) : (!nt.tensor<[0] x f32>, !nt.tensor<[0] x f32>) -> !nt.tensor<[0] x f32>
    scf.yield %u : !nt.tensor<[0] x f32>
  }
  %sum = nt.reduce "sum" %total axis 0 : !nt.tensor<[0] x f32> -> f32
  nt.store %sum, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}

// Programs have another number of dims.
// CHECK-LABEL: nt.kernel @dims
// CHECK-NOT: nt.scratch
nt.kernel @dims symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[1] x f32>
  %0 = nt.access %x <[[1], [n ceildiv 64], [64]] -> [k1_0 * 64 + b0] if [[k1_0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>
  %1 = nt.access %y <[[1, 1]] -> [0]> : !nt.tensor<[1] x f32> -> !nt.tensor<[1, 1] x f32>
  nt.arranged %0, %1 : !nt.tensor<[1] x !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>>, !nt.tensor<[1, 1] x f32>
} apply {
^bb0(%a : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>, %b : !nt.tensor<[] x f32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = nt.size <n ceildiv 64> : i32
  %zero = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  %start = nt.full %zero : f32 -> !nt.tensor<[4] x f32>
  %total = scf.for %i = %c0 to %count step %c1 iter_args(%t = %start) -> (!nt.tensor<[4] x f32>) : i32 {
    %v = nt.load %a[%i] other 0.0 : f32 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>[i32] -> !nt.tensor<[64] x f32>
    %s = nt.reduce "sum" %v axis 0 : !nt.tensor<[64] x f32> -> f32
    %r = nt.full %s : f32 -> !nt.tensor<[4] x f32>
    %u = nt.elementwise "add"(%t, %r) : (!nt.tensor<[4] x f32>, !nt.tensor<[4] x f32>) -> !nt.tensor<[4] x f32>
    scf.yield %u : !nt.tensor<[4] x f32>
  }
  %sum = nt.reduce "sum" %total axis 0 : !nt.tensor<[4] x f32> -> f32
  nt.store %sum, %b[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}
