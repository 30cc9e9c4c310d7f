// RUN: nt-opt %s | filecheck %s
// RUN: nt-opt %s | nt-opt | filecheck %s
// RUN: nt-opt %s --debug-info | filecheck %s --check-prefix=LOC
// RUN: nt-opt %s --print-local-scope | filecheck %s --check-prefix=LOCAL

// A type that is long and occurs twice is defined above the module, under a parameter's name; what is too long for a
// line has an entry a line.
// CHECK: !x_source = !nt.tensor<[x_size_0, x_size_1] x f32>
// CHECK-NEXT: !x = !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_1] x f32>
// CHECK-NEXT: !x_access = !nt.tensor<[x_size_0 ceildiv BLOCK_SIZE_0, x_size_1 ceildiv BLOCK_SIZE_1] x !x>
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   nt.kernel @k symbols [
// CHECK-NEXT:     #nt.symbol<x_size_0 size 0 to ?>,
// CHECK-NEXT:     #nt.symbol<x_size_1 size 0 to ?>,
// CHECK-NEXT:     #nt.symbol<BLOCK_SIZE_0 meta 32 to 1024>,
// CHECK-NEXT:     #nt.symbol<BLOCK_SIZE_1 meta 32 to 1024>
// CHECK-NEXT:   ] checks [
// CHECK-NEXT:     #nt.check<
// CHECK-NEXT:       [x_size_0] = [x_size_1],
// CHECK-NEXT:       "the sizes must be equal, and this is said in more words than a line of a terminal holds, in which they are "
// CHECK-NEXT:       "{left} and {right}"
// CHECK-NEXT:     >
// CHECK-NEXT:   ] arrange {
// CHECK-NEXT:     %x = nt.source "x" "tensor" strides [x_size_1, 1] aligned false : !x_source
// CHECK-NEXT:     %0 = nt.access %x <
// CHECK-NEXT:       {{\[\[}}x_size_0 ceildiv BLOCK_SIZE_0, x_size_1 ceildiv BLOCK_SIZE_1], [BLOCK_SIZE_0, BLOCK_SIZE_1]]
// CHECK-NEXT:           -> [BLOCK_SIZE_0 * g0 + b0, BLOCK_SIZE_1 * g1 + b1]
// CHECK-NEXT:           if {{\[\[}}BLOCK_SIZE_0 * g0 + b0, x_size_0], [BLOCK_SIZE_1 * g1 + b1, x_size_1]]
// CHECK-NEXT:     > : !x_source -> !x_access

// Locations are behind the types.
// LOC: !x_access = !nt.tensor<
// LOC: #loc = loc("kernel.py":2:1)
// LOC-NEXT: #loc1 = loc("kernel.py":9:3)
// LOC-NEXT: builtin.module {
// LOC: %sum = nt.elementwise "add"(%a, %a) : (!x, !x) -> !x loc(#loc1)

// LOCAL-NOT: !x =
// LOCAL: nt.kernel @k symbols [#nt.symbol<x_size_0 size 0 to ?>, {{.*}}] checks [#nt.check<{{.*}} arrange {
// LOCAL: %sum = nt.elementwise "add"(%a, %a) : (!nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_1] x f32>, {{.*}} x f32>

!tile = !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_1] x f32>
nt.kernel @k symbols [#nt.symbol<x_size_0 size 0 to ?>, #nt.symbol<x_size_1 size 0 to ?>,
    #nt.symbol<BLOCK_SIZE_0 meta 32 to 1024>, #nt.symbol<BLOCK_SIZE_1 meta 32 to 1024>]
  checks [#nt.check<[x_size_0] = [x_size_1], "the sizes must be equal, and this is said in more words than a line of a "
    "terminal holds, in which they are {left} and {right}">]
arrange {
  %x = nt.source "x" "tensor" strides [x_size_1, 1] aligned false : !nt.tensor<[x_size_0, x_size_1] x f32> loc("kernel.py":2:1)
  %0 = nt.access %x <[[x_size_0 ceildiv BLOCK_SIZE_0, x_size_1 ceildiv BLOCK_SIZE_1], [BLOCK_SIZE_0, BLOCK_SIZE_1]]
      -> [BLOCK_SIZE_0 * g0 + b0, BLOCK_SIZE_1 * g1 + b1]
      if [[BLOCK_SIZE_0 * g0 + b0, x_size_0], [BLOCK_SIZE_1 * g1 + b1, x_size_1]]>
    : !nt.tensor<[x_size_0, x_size_1] x f32>
    -> !nt.tensor<[x_size_0 ceildiv BLOCK_SIZE_0, x_size_1 ceildiv BLOCK_SIZE_1] x !tile>
  nt.arranged %0 : !nt.tensor<[x_size_0 ceildiv BLOCK_SIZE_0, x_size_1 ceildiv BLOCK_SIZE_1] x !tile>
} apply {
^bb0(%x : !tile):
  %a = nt.load %x[] : !tile[] -> !tile
  %sum = nt.elementwise "add"(%a, %a) : (!tile, !tile) -> !tile loc("kernel.py":9:3)
  nt.store %sum, %x[] : !tile, !tile[]
  nt.return
}
