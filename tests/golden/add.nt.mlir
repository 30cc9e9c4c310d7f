// element types assumed: lhs: fp32, rhs: fp32, output: fp32
// configuration: BLOCK_SIZE_0=256, num_warps=4, num_stages=3
!lhs_source = !nt.tensor<[lhs_size_0] x f32>
!rhs_source = !nt.tensor<[rhs_size_0] x f32>
!output_source = !nt.tensor<[output_size_0] x f32>
!block = !nt.tensor<[BLOCK_SIZE_0] x f32>
!lhs_access = !nt.tensor<[lhs_size_0 ceildiv BLOCK_SIZE_0] x !block>
!rhs_access = !nt.tensor<[rhs_size_0 ceildiv BLOCK_SIZE_0] x !block>
!output_access = !nt.tensor<[output_size_0 ceildiv BLOCK_SIZE_0] x !block>
builtin.module {
  nt.kernel @add_kernel symbols [
    #nt.symbol<lhs_size_0 size 0 to ?>,
    #nt.symbol<lhs_stride_0 stride ? to ?>,
    #nt.symbol<rhs_size_0 size 0 to ?>,
    #nt.symbol<rhs_stride_0 stride ? to ?>,
    #nt.symbol<output_size_0 size 0 to ?>,
    #nt.symbol<output_stride_0 stride ? to ?>,
    #nt.symbol<BLOCK_SIZE_0 meta 32 to 1024>
  ] checks [
    #nt.check<
      agreement [lhs_size_0 ceildiv BLOCK_SIZE_0] = [rhs_size_0 ceildiv BLOCK_SIZE_0],
      "the outermost shapes of lhs and rhs must be equal, one program an element: they are {left} and {right}"
    >,
    #nt.check<
      agreement [lhs_size_0 ceildiv BLOCK_SIZE_0] = [output_size_0 ceildiv BLOCK_SIZE_0],
      "the outermost shapes of lhs and output must be equal, one program an element: they are {left} and {right}"
    >,
    #nt.check<
      defined [output_size_0, lhs_size_0] = [min(lhs_size_0, output_size_0), lhs_size_0],
      "output is written where lhs has no element, so that nothing defined is stored: output_size_0 <= lhs_size_0 "
      "must hold, but they are {left}; pass tensors whose sizes fit, or declare what is read beyond the end, as in "
      "Tensor(1, other=0) for lhs"
    >,
    #nt.check<
      defined [output_size_0, rhs_size_0] = [min(output_size_0, rhs_size_0), rhs_size_0],
      "output is written where rhs has no element, so that nothing defined is stored: output_size_0 <= rhs_size_0 "
      "must hold, but they are {left}; pass tensors whose sizes fit, or declare what is read beyond the end, as in "
      "Tensor(1, other=0) for rhs"
    >
  ] arrange {
    %lhs = nt.source "lhs" "tensor" strides [lhs_stride_0] aligned false {in_bounds = "proved"} : !lhs_source
    %rhs = nt.source "rhs" "tensor" strides [rhs_stride_0] aligned false {in_bounds = "proved"} : !rhs_source
    %output = nt.source "output" "tensor" strides [output_stride_0]
        aligned false {in_bounds = "proved", coverage = "proved", races = "proved", defined = "checked"}
        : !output_source
    %0 = nt.access %lhs <
      [[lhs_size_0 ceildiv BLOCK_SIZE_0], [BLOCK_SIZE_0]] -> [BLOCK_SIZE_0 * g0 + b0]
          if [[BLOCK_SIZE_0 * g0 + b0, lhs_size_0]]
    > : !lhs_source -> !lhs_access
    %1 = nt.access %rhs <
      [[rhs_size_0 ceildiv BLOCK_SIZE_0], [BLOCK_SIZE_0]] -> [BLOCK_SIZE_0 * g0 + b0]
          if [[BLOCK_SIZE_0 * g0 + b0, rhs_size_0]]
    > : !rhs_source -> !rhs_access
    %2 = nt.access %output <
      [[output_size_0 ceildiv BLOCK_SIZE_0], [BLOCK_SIZE_0]] -> [BLOCK_SIZE_0 * g0 + b0]
          if [[BLOCK_SIZE_0 * g0 + b0, output_size_0]]
    > : !output_source -> !output_access
    nt.arranged %0, %1, %2 : !lhs_access, !rhs_access, !output_access
  } apply {
  ^bb0(%lhs_1: !block, %rhs_1: !block, %output_1: !block):
    %lhs_2 = nt.load %lhs_1[] : !block[] -> !block
    %rhs_2 = nt.load %rhs_1[] : !block[] -> !block
    %3 = nt.elementwise "add"(%lhs_2, %rhs_2) : (!block, !block) -> !block
    nt.store %3, %output_1[] : !block, !block[]
    nt.return
  }
}
