// RUN: nt-opt %s -p 'cache-hints{level=2}' | filecheck %s
nt.kernel @k grid #nt.expr<4> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[64] x f32>
  %0 = nt.access %x <[[4], [16]] -> [g0 * 16 + b0]> : !nt.tensor<[64] x f32> -> !nt.tensor<[4] x !nt.tensor<[16] x f32>>
  nt.arranged %0 : !nt.tensor<[4] x !nt.tensor<[16] x f32>>
} apply {
^bb0(%a : !nt.tensor<[16] x f32>):
  %pointer = nt.pointer %a : !nt.tensor<[16] x f32> -> !tt.ptr<f32>
  %pid = tt.get_program_id 0 : i32
  %own = tt.addptr %pointer, %pid : !tt.ptr<f32>, i32
  // CHECK: tt.load %pointer evictionPolicy = evict_last
  %1 = tt.load %pointer : !tt.ptr<f32>
  // CHECK: tt.load %own evictionPolicy = evict_first
  %2 = tt.load %own : !tt.ptr<f32>
  // CHECK: tt.load %own cacheModifier = cg :
  %3 = tt.load %own cacheModifier = cg : !tt.ptr<f32>
  nt.return
}
