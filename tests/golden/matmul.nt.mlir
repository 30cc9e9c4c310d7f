// configuration: BLOCK_SIZE_0=64, BLOCK_SIZE_1=32, BLOCK_SIZE_2=128, num_warps=8, num_stages=3
!input_source = !nt.tensor<[input_size_0, input_size_1] x f16>
!other_source = !nt.tensor<[other_size_0, other_size_1] x f16>
!output_source = !nt.tensor<[output_size_0, output_size_1] x f16>
!input_load = !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_1] x f16>
!input = !nt.tensor<[input_size_1 ceildiv BLOCK_SIZE_1] x !input_load>
!input_access = !nt.tensor<[input_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2] x !input>
!other_load = !nt.tensor<[BLOCK_SIZE_1, BLOCK_SIZE_2] x f16>
!other = !nt.tensor<[other_size_0 ceildiv BLOCK_SIZE_1] x !other_load>
!other_access = !nt.tensor<[output_size_0 ceildiv BLOCK_SIZE_0, other_size_1 ceildiv BLOCK_SIZE_2] x !other>
!output = !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f16>
!output_access = !nt.tensor<[output_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2] x !output>
!accumulator = !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f32>
builtin.module {
  nt.kernel @matmul_kernel symbols [
    #nt.symbol<input_size_0 size 0 to ?>,
    #nt.symbol<input_size_1 size 0 to ?>,
    #nt.symbol<input_stride_0 stride ? to ?>,
    #nt.symbol<input_stride_1 stride ? to ?>,
    #nt.symbol<other_size_0 size 0 to ?>,
    #nt.symbol<other_size_1 size 0 to ?>,
    #nt.symbol<other_stride_0 stride ? to ?>,
    #nt.symbol<other_stride_1 stride ? to ?>,
    #nt.symbol<output_size_0 size 0 to ?>,
    #nt.symbol<output_size_1 size 0 to ?>,
    #nt.symbol<output_stride_0 stride ? to ?>,
    #nt.symbol<output_stride_1 stride ? to ?>,
    #nt.symbol<BLOCK_SIZE_0 meta 32 to 1024>,
    #nt.symbol<BLOCK_SIZE_1 meta 32 to 1024>,
    #nt.symbol<BLOCK_SIZE_2 meta 32 to 1024>
  ] checks [
    #nt.check<
      agreement [input_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2]
          = [output_size_0 ceildiv BLOCK_SIZE_0, other_size_1 ceildiv BLOCK_SIZE_2],
      "the outermost shapes of input and other must be equal, one program an element: they are {left} and {right}"
    >,
    #nt.check<
      agreement [input_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2]
          = [output_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2],
      "the outermost shapes of input and output must be equal, one program an element: they are {left} and {right}"
    >,
    #nt.check<
      defined [
        min(1, input_size_1) * min(1, output_size_1) * output_size_0,
        input_size_0 * min(1, input_size_1) * min(1, output_size_1)
      ] = [
        min(
          input_size_0 * min(1, input_size_1) * min(1, output_size_1),
          min(1, input_size_1) * min(1, output_size_1) * output_size_0
        ),
        input_size_0 * min(1, input_size_1) * min(1, output_size_1)
      ],
      "output is written where input has no element, so that nothing defined is stored: output_size_0 <= "
      "input_size_0 must hold, but they are {left}; pass tensors whose sizes fit, or declare what is read beyond "
      "the end, as in Tensor(2, other=0) for input"
    >,
    #nt.check<
      defined [
        min(1, input_size_1) * min(1, output_size_0) * output_size_1,
        min(1, input_size_1) * min(1, output_size_0) * other_size_1
      ] = [
        min(
          min(1, input_size_1) * min(1, output_size_0) * other_size_1,
          min(1, input_size_1) * min(1, output_size_0) * output_size_1
        ),
        min(1, input_size_1) * min(1, output_size_0) * other_size_1
      ],
      "output is written where other has no element, so that nothing defined is stored: output_size_1 <= "
      "other_size_1 must hold, but they are {left}; pass tensors whose sizes fit, or declare what is read beyond "
      "the end, as in Tensor(2, other=0) for other"
    >,
    #nt.check<
      defined [
        input_size_1 * min(1, input_size_0) * min(1, output_size_0) * min(1, output_size_1),
        min(1, input_size_0) * min(1, output_size_0) * min(1, output_size_1) * other_size_0
      ] = [
        min(
          input_size_1 * min(1, input_size_0) * min(1, output_size_0) * min(1, output_size_1),
          min(1, input_size_0) * min(1, output_size_0) * min(1, output_size_1) * other_size_0
        ),
        min(1, input_size_0) * min(1, output_size_0) * min(1, output_size_1) * other_size_0
      ],
      "other ends before input, with which it is combined, so that what is stored in output is not defined: "
      "input_size_1 <= other_size_0 must hold, but they are {left}; pass tensors whose sizes fit, or declare what "
      "is read beyond the end, as in Tensor(2, other=0) for other"
    >,
    #nt.check<
      defined [
        min(input_size_1 ceildiv BLOCK_SIZE_1 - input_size_1 floordiv BLOCK_SIZE_1, 1) * min(1, other_size_1)
            * min(1, output_size_0) * min(1, output_size_1) * other_size_0,
        input_size_1 * min(input_size_1 ceildiv BLOCK_SIZE_1 - input_size_1 floordiv BLOCK_SIZE_1, 1)
            * min(1, other_size_1) * min(1, output_size_0) * min(1, output_size_1)
      ] = [
        min(
          input_size_1 * min(input_size_1 ceildiv BLOCK_SIZE_1 - input_size_1 floordiv BLOCK_SIZE_1, 1)
              * min(1, other_size_1) * min(1, output_size_0) * min(1, output_size_1),
          min(input_size_1 ceildiv BLOCK_SIZE_1 - input_size_1 floordiv BLOCK_SIZE_1, 1) * min(1, other_size_1)
              * min(1, output_size_0) * min(1, output_size_1) * other_size_0
        ),
        input_size_1 * min(input_size_1 ceildiv BLOCK_SIZE_1 - input_size_1 floordiv BLOCK_SIZE_1, 1)
            * min(1, other_size_1) * min(1, output_size_0) * min(1, output_size_1)
      ],
      "input ends before other, with which it is combined, so that what is stored in output is not defined: "
      "other_size_0 <= input_size_1 must hold, but they are {left}; pass tensors whose sizes fit, or declare what "
      "is read beyond the end, as in Tensor(2, other=0) for input"
    >
  ] arrange {
    %input = nt.source "input" "tensor" strides [input_stride_0, input_stride_1] aligned false {in_bounds = "proved"}
        : !input_source
    %other = nt.source "other" "tensor" strides [other_stride_0, other_stride_1] aligned false {in_bounds = "proved"}
        : !other_source
    %output = nt.source "output" "tensor" strides [output_stride_0, output_stride_1]
        aligned false {in_bounds = "proved", coverage = "proved", races = "proved", defined = "checked"}
        : !output_source
    %0 = nt.access %input <
      [
        [input_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2],
        [input_size_1 ceildiv BLOCK_SIZE_1],
        [BLOCK_SIZE_0, BLOCK_SIZE_1]
      ] -> [BLOCK_SIZE_0 * g0 + b0, BLOCK_SIZE_1 * k1_0 + b1]
          if [[BLOCK_SIZE_0 * g0 + b0, input_size_0], [BLOCK_SIZE_1 * k1_0 + b1, input_size_1]]
    > : !input_source -> !input_access
    %1 = nt.access %other <
      [
        [output_size_0 ceildiv BLOCK_SIZE_0, other_size_1 ceildiv BLOCK_SIZE_2],
        [other_size_0 ceildiv BLOCK_SIZE_1],
        [BLOCK_SIZE_1, BLOCK_SIZE_2]
      ] -> [BLOCK_SIZE_1 * k1_0 + b0, BLOCK_SIZE_2 * g1 + b1]
          if [[BLOCK_SIZE_1 * k1_0 + b0, other_size_0], [BLOCK_SIZE_2 * g1 + b1, other_size_1]]
    > : !other_source -> !other_access
    %2 = nt.access %output <
      [[output_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2], [BLOCK_SIZE_0, BLOCK_SIZE_2]]
          -> [BLOCK_SIZE_0 * g0 + b0, BLOCK_SIZE_2 * g1 + b1]
          if [[BLOCK_SIZE_0 * g0 + b0, output_size_0], [BLOCK_SIZE_2 * g1 + b1, output_size_1]]
    > : !output_source -> !output_access
    nt.arranged %0, %1, %2 : !input_access, !other_access, !output_access
  } apply {
  ^bb0(%input_1: !input, %other_1: !other, %output_1: !output):
    %3 = arith.constant 0.000000e+00 : f32
    %accumulator = nt.full %3 : f32 -> !accumulator
    %4 = arith.constant 0 : i32
    %5 = nt.size <input_size_1 ceildiv BLOCK_SIZE_1> : i32
    %6 = arith.constant 1 : i32
    %accumulator_1 = scf.for %k = %4 to %5 step %6 iter_args(%accumulator_2 = %accumulator) -> (!accumulator) : i32 {
      %input_2 = nt.load %input_1[%k] other 0.000000e+00 : f16 : !input[i32] -> !input_load
      %other_2 = nt.load %other_1[%k] other 0.000000e+00 : f16 : !other[i32] -> !other_load
      %7 = arith.constant 0.000000e+00 : f32
      %8 = nt.full %7 : f32 -> !accumulator
      %9 = nt.dot %input_2, %other_2, %8 : !input_load, !other_load -> !accumulator
      %accumulator_3 = nt.elementwise "add"(%accumulator_2, %9) : (!accumulator, !accumulator) -> !accumulator
      scf.yield %accumulator_3 : !accumulator
    }
    %10 = nt.cast %accumulator_1 : !accumulator -> !output
    nt.store %10, %output_1[] : !output, !output[]
    nt.return
  }
}
