// configuration: BLOCK_SIZE_0=64, BLOCK_SIZE_1=32, BLOCK_SIZE_2=128, num_warps=8, num_stages=3
builtin.module {
  nt.kernel @matmul_kernel symbols [#nt.symbol<input_size_0 size 0 to ?>, #nt.symbol<input_size_1 size 0 to ?>, #nt.symbol<input_stride_0 stride ? to ?>, #nt.symbol<input_stride_1 stride ? to ?>, #nt.symbol<other_size_0 size 0 to ?>, #nt.symbol<other_size_1 size 0 to ?>, #nt.symbol<other_stride_0 stride ? to ?>, #nt.symbol<other_stride_1 stride ? to ?>, #nt.symbol<output_size_0 size 0 to ?>, #nt.symbol<output_size_1 size 0 to ?>, #nt.symbol<output_stride_0 stride ? to ?>, #nt.symbol<output_stride_1 stride ? to ?>, #nt.symbol<BLOCK_SIZE_0 meta 32 to 1024>, #nt.symbol<BLOCK_SIZE_1 meta 32 to 1024>, #nt.symbol<BLOCK_SIZE_2 meta 32 to 1024>] checks [#nt.check<agreement [input_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2] = [output_size_0 ceildiv BLOCK_SIZE_0, other_size_1 ceildiv BLOCK_SIZE_2], "the outermost shapes of input and other must be equal, one program an element: they are {left} and {right}">, #nt.check<agreement [input_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2] = [output_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2], "the outermost shapes of input and output must be equal, one program an element: they are {left} and {right}">] arrange {
    %input = nt.source "input" "tensor" strides [input_stride_0, input_stride_1] aligned false {in_bounds = "proved"} : !nt.tensor<[input_size_0, input_size_1] x f16>
    %other = nt.source "other" "tensor" strides [other_stride_0, other_stride_1] aligned false {in_bounds = "proved"} : !nt.tensor<[other_size_0, other_size_1] x f16>
    %output = nt.source "output" "tensor" strides [output_stride_0, output_stride_1] aligned false {in_bounds = "proved", coverage = "proved", races = "proved"} : !nt.tensor<[output_size_0, output_size_1] x f16>
    %0 = nt.access %input <[[input_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2], [input_size_1 ceildiv BLOCK_SIZE_1], [BLOCK_SIZE_0, BLOCK_SIZE_1]] -> [BLOCK_SIZE_0 * g0 + b0, BLOCK_SIZE_1 * k1_0 + b1] if [[BLOCK_SIZE_0 * g0 + b0, input_size_0], [BLOCK_SIZE_1 * k1_0 + b1, input_size_1]]> : !nt.tensor<[input_size_0, input_size_1] x f16> -> !nt.tensor<[input_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2] x !nt.tensor<[input_size_1 ceildiv BLOCK_SIZE_1] x !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_1] x f16>>>
    %1 = nt.access %other <[[output_size_0 ceildiv BLOCK_SIZE_0, other_size_1 ceildiv BLOCK_SIZE_2], [other_size_0 ceildiv BLOCK_SIZE_1], [BLOCK_SIZE_1, BLOCK_SIZE_2]] -> [BLOCK_SIZE_1 * k1_0 + b0, BLOCK_SIZE_2 * g1 + b1] if [[BLOCK_SIZE_1 * k1_0 + b0, other_size_0], [BLOCK_SIZE_2 * g1 + b1, other_size_1]]> : !nt.tensor<[other_size_0, other_size_1] x f16> -> !nt.tensor<[output_size_0 ceildiv BLOCK_SIZE_0, other_size_1 ceildiv BLOCK_SIZE_2] x !nt.tensor<[other_size_0 ceildiv BLOCK_SIZE_1] x !nt.tensor<[BLOCK_SIZE_1, BLOCK_SIZE_2] x f16>>>
    %2 = nt.access %output <[[output_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2], [BLOCK_SIZE_0, BLOCK_SIZE_2]] -> [BLOCK_SIZE_0 * g0 + b0, BLOCK_SIZE_2 * g1 + b1] if [[BLOCK_SIZE_0 * g0 + b0, output_size_0], [BLOCK_SIZE_2 * g1 + b1, output_size_1]]> : !nt.tensor<[output_size_0, output_size_1] x f16> -> !nt.tensor<[output_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2] x !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f16>>
    nt.arranged %0, %1, %2 : !nt.tensor<[input_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2] x !nt.tensor<[input_size_1 ceildiv BLOCK_SIZE_1] x !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_1] x f16>>>, !nt.tensor<[output_size_0 ceildiv BLOCK_SIZE_0, other_size_1 ceildiv BLOCK_SIZE_2] x !nt.tensor<[other_size_0 ceildiv BLOCK_SIZE_1] x !nt.tensor<[BLOCK_SIZE_1, BLOCK_SIZE_2] x f16>>>, !nt.tensor<[output_size_0 ceildiv BLOCK_SIZE_0, output_size_1 ceildiv BLOCK_SIZE_2] x !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f16>>
  } apply {
  ^bb0(%input_1: !nt.tensor<[input_size_1 ceildiv BLOCK_SIZE_1] x !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_1] x f16>>, %other_1: !nt.tensor<[other_size_0 ceildiv BLOCK_SIZE_1] x !nt.tensor<[BLOCK_SIZE_1, BLOCK_SIZE_2] x f16>>, %output_1: !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f16>):
    %3 = arith.constant 0.000000e+00 : f32
    %accumulator = nt.full %3 : f32 -> !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f32>
    %4 = arith.constant 0 : i32
    %5 = nt.size <input_size_1 ceildiv BLOCK_SIZE_1> : i32
    %6 = arith.constant 1 : i32
    %accumulator_1 = scf.for %k = %4 to %5 step %6 iter_args(%accumulator_2 = %accumulator) -> (!nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f32>) : i32 {
      %input_2 = nt.load %input_1[%k] other 0.000000e+00 : f16 : !nt.tensor<[input_size_1 ceildiv BLOCK_SIZE_1] x !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_1] x f16>>[i32] -> !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_1] x f16>
      %other_2 = nt.load %other_1[%k] other 0.000000e+00 : f16 : !nt.tensor<[other_size_0 ceildiv BLOCK_SIZE_1] x !nt.tensor<[BLOCK_SIZE_1, BLOCK_SIZE_2] x f16>>[i32] -> !nt.tensor<[BLOCK_SIZE_1, BLOCK_SIZE_2] x f16>
      %7 = arith.constant 0.000000e+00 : f32
      %8 = nt.full %7 : f32 -> !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f32>
      %9 = nt.dot %input_2, %other_2, %8 : !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_1] x f16>, !nt.tensor<[BLOCK_SIZE_1, BLOCK_SIZE_2] x f16> -> !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f32>
      %accumulator_3 = nt.elementwise "add"(%accumulator_2, %9) : (!nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f32>, !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f32>) -> !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f32>
      scf.yield %accumulator_3 : !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f32>
    }
    %10 = nt.cast %accumulator_1 : !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f32> -> !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f16>
    nt.store %10, %output_1[] : !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f16>, !nt.tensor<[BLOCK_SIZE_0, BLOCK_SIZE_2] x f16>[]
    nt.return
  }
}
