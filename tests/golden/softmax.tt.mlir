// block size input_size_1 assumed to be rounded up to 1024
// block size output_size_1 assumed to be rounded up to 1024
builtin.module {
  tt.func @softmax_kernel(
    %input: !tt.ptr<f16> {nt.param = "input", tt.divisibility = 16 : i32},
    %output: !tt.ptr<f16> {nt.param = "output", tt.divisibility = 16 : i32},
    %input_size: i32 {nt.symbol = "input_size_1"},
    %input_stride: i32 {nt.symbol = "input_stride_0"},
    %output_stride: i32 {nt.symbol = "output_stride_0"}
  ) attributes {
    nt.params = [
      #nt.param<"input" tensor [input_size_0, input_size_1] [input_stride_0, 1]>,
      #nt.param<"output" tensor [output_size_0, output_size_1] [output_stride_0, 1]>
    ],
    nt.grid = #nt.expr<input_size_0>,
    nt.checks = [
      #nt.check<
        [input_size_1] = [output_size_1],
        "in `output = numerator / ntl.sum(numerator, axis=1, keep_dims=True)` the sizes input_size_1 and "
        "output_size_1 must be equal: they are {left} and {right}"
      >,
      #nt.check<
        agreement [input_size_0, 1] = [output_size_0, 1],
        "the outermost shapes of input and output must be equal, one program an element: they are {left} and {right}"
      >
    ],
    nt.padded_sizes = [#nt.exprs[input_size_1, 1024]]
  } {
    %pid = tt.get_program_id 0 : i32
    %b1 = tt.make_range 0 : i32 1024 : i32 -> tensor<1024xi32>
    %0 = arith.muli %pid, %input_stride : i32
    %1 = tt.addptr %input, %0 : !tt.ptr<f16>, i32
    %2 = tt.splat %1 : !tt.ptr<f16> -> tensor<1x1024x!tt.ptr<f16>>
    %3 = tt.expand_dims %b1 0 : i32 : tensor<1024xi32> -> tensor<1x1024xi32>
    %4 = tt.addptr %2, %3 : tensor<1x1024x!tt.ptr<f16>>, tensor<1x1024xi32>
    %5 = tt.splat %input_size : i32 -> tensor<1024xi32>
    %6 = arith.cmpi slt, %b1, %5 : tensor<1024xi32>
    %7 = tt.expand_dims %6 0 : i32 : tensor<1024xi1> -> tensor<1x1024xi1>
    %8 = arith.constant 0xfc00 : f16
    %9 = tt.splat %8 : f16 -> tensor<1x1024xf16>
    %input_1 = tt.load %4, %7, %9 : tensor<1x1024x!tt.ptr<f16>>
    %row = arith.extf %input_1 : tensor<1x1024xf16> to tensor<1x1024xf32>
    %10 = "tt.reduce"(%row) <{axis = 1 : i32}> ({
    ^bb0(%11: f32, %12: f32):
      %13 = arith.maxnumf %11, %12 : f32
      tt.reduce.return %13 : f32
    }) : (tensor<1x1024xf32>) -> tensor<1xf32>
    %11 = tt.expand_dims %10 1 : i32 : tensor<1xf32> -> tensor<1x1xf32>
    %12 = tt.broadcast %11 : tensor<1x1xf32> -> tensor<1x1024xf32>
    %13 = arith.subf %row, %12 : tensor<1x1024xf32>
    %numerator = math.exp %13 : tensor<1x1024xf32>
    %14 = arith.constant dense<0.000000e+00> : tensor<1x1024xf32>
    %15 = arith.select %7, %numerator, %14 : tensor<1x1024xi1>, tensor<1x1024xf32>
    %16 = "tt.reduce"(%15) <{axis = 1 : i32}> ({
    ^bb0(%17: f32, %18: f32):
      %19 = arith.addf %17, %18 : f32
      tt.reduce.return %19 : f32
    }) : (tensor<1x1024xf32>) -> tensor<1xf32>
    %17 = tt.expand_dims %16 1 : i32 : tensor<1xf32> -> tensor<1x1xf32>
    %18 = tt.broadcast %17 : tensor<1x1xf32> -> tensor<1x1024xf32>
    %19 = arith.divf %numerator, %18 : tensor<1x1024xf32>
    %20 = arith.truncf %19 : tensor<1x1024xf32> to tensor<1x1024xf16>
    %21 = arith.muli %pid, %output_stride : i32
    %22 = tt.addptr %output, %21 : !tt.ptr<f16>, i32
    %23 = tt.splat %22 : !tt.ptr<f16> -> tensor<1x1024x!tt.ptr<f16>>
    %24 = tt.addptr %23, %3 : tensor<1x1024x!tt.ptr<f16>>, tensor<1x1024xi32>
    %25 = arith.constant 1 : i32
    %26 = arith.subi %input_size, %25 : i32
    %27 = tt.splat %26 : i32 -> tensor<1024xi32>
    %28 = arith.cmpi sle, %b1, %27 : tensor<1024xi32>
    %29 = tt.expand_dims %28 0 : i32 : tensor<1024xi1> -> tensor<1x1024xi1>
    tt.store %24, %20, %29 : tensor<1x1024x!tt.ptr<f16>>
    tt.return
  }
}
