// block size input_size_1 assumed to be rounded up to 1024
// block size output_size_1 assumed to be rounded up to 1024
!input_source = !nt.tensor<[input_size_0, input_size_1] x f16>
!output_source = !nt.tensor<[output_size_0, output_size_1] x f16>
!input = !nt.tensor<[1, input_size_1] x f16>
!input_access = !nt.tensor<[input_size_0, 1] x !input>
!output = !nt.tensor<[1, output_size_1] x f16>
!output_access = !nt.tensor<[output_size_0, 1] x !output>
!row = !nt.tensor<[1, input_size_1] x f32>
builtin.module {
  nt.kernel @softmax_kernel symbols [
    #nt.symbol<input_size_0 size 0 to ?>,
    #nt.symbol<input_size_1 size 0 to ?>,
    #nt.symbol<input_stride_0 stride ? to ?>,
    #nt.symbol<input_stride_1 stride ? to ?>,
    #nt.symbol<output_size_0 size 0 to ?>,
    #nt.symbol<output_size_1 size 0 to ?>,
    #nt.symbol<output_stride_0 stride ? to ?>,
    #nt.symbol<output_stride_1 stride ? to ?>
  ] checks [
    #nt.check<
      [input_size_1] = [output_size_1],
      "in `output = numerator / ntl.sum(numerator, axis=1, keep_dims=True)` the sizes input_size_1 and "
      "output_size_1 must be equal: they are {left} and {right}"
    >,
    #nt.check<
      agreement [input_size_0, 1] = [output_size_0, 1],
      "the outermost shapes of input and output must be equal, one program an element: they are {left} and {right}"
    >
  ] arrange {
    %input = nt.source "input" "tensor" strides [input_stride_0, input_stride_1] aligned false {in_bounds = "proved"}
        : !input_source
    %output = nt.source "output" "tensor" strides [output_stride_0, output_stride_1]
        aligned false {in_bounds = "proved", coverage = "proved", races = "proved", defined = "proved"} : !output_source
    %0 = nt.access %input <[[input_size_0, 1], [1, input_size_1]] -> [g0, b1]> : !input_source -> !input_access
    %1 = nt.access %output <[[output_size_0, 1], [1, output_size_1]] -> [g0, b1]> : !output_source -> !output_access
    nt.arranged %0, %1 : !input_access, !output_access
  } apply {
  ^bb0(%input_1: !input, %output_1: !output):
    %input_2 = nt.load %input_1[] : !input[] -> !input
    %row = nt.cast %input_2 : !input -> !row
    %2 = nt.reduce "max" %row axis 1 : !row -> !nt.tensor<[1] x f32>
    %3 = nt.expand_dims %2 axis 1 : !nt.tensor<[1] x f32> -> !nt.tensor<[1, 1] x f32>
    %4 = nt.broadcast %3 : !nt.tensor<[1, 1] x f32> -> !row
    %5 = nt.elementwise "sub"(%row, %4) : (!row, !row) -> !row
    %numerator = nt.elementwise "exp"(%5) : (!row) -> !row
    %6 = nt.reduce "sum" %numerator axis 1 : !row -> !nt.tensor<[1] x f32>
    %7 = nt.expand_dims %6 axis 1 : !nt.tensor<[1] x f32> -> !nt.tensor<[1, 1] x f32>
    %8 = nt.broadcast %7 : !nt.tensor<[1, 1] x f32> -> !row
    %9 = nt.elementwise "truediv"(%numerator, %8) : (!row, !row) -> !row
    %10 = nt.cast %9 : !row -> !input
    %11 = builtin.unrealized_conversion_cast %10 : !input to !output
    nt.store %11, %output_1[] : !output, !output[]
    nt.return
  }
}
