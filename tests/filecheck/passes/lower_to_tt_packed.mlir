// RUN: nt-opt %s --print-local-scope -p 'nt-schedule-programs,nt-lower-accesses,nt-lower-to-tt' | filecheck %s
// RUN: nt-opt %s -p 'nt-schedule-programs,nt-lower-accesses,nt-lower-to-tt' | nt-opt --print-local-scope | filecheck %s

// The argument says how the copy lies that it points to; the parameter's own strides stay those by
// which a launch binds symbols.
// CHECK-LABEL: tt.func @rows
// CHECK: %x: !tt.ptr<f16> {nt.param = "x", tt.divisibility = 16 : i32, nt.packed = #nt.exprs[k ceildiv 16 * 16, 1]}
// CHECK: nt.params = [#nt.param<"x" tensor [m, k] [s, 1]>, #nt.param<"y" tensor [m, 16] [16, 1]>]
!x_matrix = !nt.tensor<[m, k] x f16>
!y_matrix = !nt.tensor<[m, 16] x f16>
!rows = !nt.tensor<[m] x !nt.tensor<[16] x f16>>
nt.kernel @rows symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<k size 0 to ?>, #nt.symbol<s stride ? to ?>] arrange {
  %x = nt.source "x" "tensor" strides [k ceildiv 16 * 16, 1] packed [s, 1] aligned true : !x_matrix
  %0 = nt.access %x <[[m], [16]] -> [g0, b0] if [[b0, k ceildiv 16 * 16]]> : !x_matrix -> !rows
  %y = nt.source "y" "tensor" strides [16, 1] aligned false : !y_matrix
  %1 = nt.access %y <[[m], [16]] -> [g0, b0]> : !y_matrix -> !rows
  nt.arranged %0, %1 : !rows, !rows
} apply {
^bb0(%a : !nt.tensor<[16] x f16>, %b : !nt.tensor<[16] x f16>):
  %v = nt.load %a[] other 0.0 : f16 : !nt.tensor<[16] x f16>[] -> !nt.tensor<[16] x f16>
  nt.store %v, %b[] : !nt.tensor<[16] x f16>, !nt.tensor<[16] x f16>[]
  nt.return
}
