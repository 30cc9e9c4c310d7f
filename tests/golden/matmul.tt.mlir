// configuration: BLOCK_SIZE_0=64, BLOCK_SIZE_1=32, BLOCK_SIZE_2=128, num_warps=8, num_stages=3
builtin.module {
  tt.func @matmul_kernel(
    %input: !tt.ptr<f16> {nt.param = "input", tt.divisibility = 16 : i32},
    %other: !tt.ptr<f16> {nt.param = "other", tt.divisibility = 16 : i32},
    %output: !tt.ptr<f16> {nt.param = "output", tt.divisibility = 16 : i32},
    %input_size: i32 {nt.symbol = "input_size_0"},
    %input_size_1: i32 {nt.symbol = "input_size_1"},
    %input_stride: i32 {nt.symbol = "input_stride_0"},
    %other_size: i32 {nt.symbol = "other_size_0"},
    %other_size_1: i32 {nt.symbol = "other_size_1"},
    %other_stride: i32 {nt.symbol = "other_stride_0"},
    %output_size: i32 {nt.symbol = "output_size_0"},
    %output_size_1: i32 {nt.symbol = "output_size_1"},
    %output_stride: i32 {nt.symbol = "output_stride_0"}
  ) attributes {
    nt.params = [
      #nt.param<"input" tensor [input_size_0, input_size_1] [input_stride_0, 1]>,
      #nt.param<"other" tensor [other_size_0, other_size_1] [other_stride_0, 1]>,
      #nt.param<"output" tensor [output_size_0, output_size_1] [output_stride_0, 1]>
    ],
    nt.grid = #nt.expr<input_size_0 ceildiv 64 * (output_size_1 ceildiv 128)>,
    nt.checks = [
      #nt.check<
        agreement [input_size_0 ceildiv 64, output_size_1 ceildiv 128]
            = [output_size_0 ceildiv 64, other_size_1 ceildiv 128],
        "the outermost shapes of input and other must be equal, one program an element: they are {left} and {right}"
      >,
      #nt.check<
        agreement [input_size_0 ceildiv 64, output_size_1 ceildiv 128]
            = [output_size_0 ceildiv 64, output_size_1 ceildiv 128],
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
          min(input_size_1 ceildiv 32 - input_size_1 floordiv 32, 1) * min(1, other_size_1) * min(1, output_size_0)
              * min(1, output_size_1) * other_size_0,
          input_size_1 * min(input_size_1 ceildiv 32 - input_size_1 floordiv 32, 1) * min(1, other_size_1)
              * min(1, output_size_0) * min(1, output_size_1)
        ] = [
          min(
            input_size_1 * min(input_size_1 ceildiv 32 - input_size_1 floordiv 32, 1) * min(1, other_size_1)
                * min(1, output_size_0) * min(1, output_size_1),
            min(input_size_1 ceildiv 32 - input_size_1 floordiv 32, 1) * min(1, other_size_1) * min(1, output_size_0)
                * min(1, output_size_1) * other_size_0
          ),
          input_size_1 * min(input_size_1 ceildiv 32 - input_size_1 floordiv 32, 1) * min(1, other_size_1)
              * min(1, output_size_0) * min(1, output_size_1)
        ],
        "input ends before other, with which it is combined, so that what is stored in output is not defined: "
        "other_size_0 <= input_size_1 must hold, but they are {left}; pass tensors whose sizes fit, or declare what "
        "is read beyond the end, as in Tensor(2, other=0) for input"
      >
    ]
  } {
    %pid = tt.get_program_id 0 : i32
    %0 = arith.constant 128 : i32
    %1 = arith.constant 1 : i32
    %2 = arith.constant 127 : i32
    %3 = arith.addi %output_size_1, %2 : i32
    %4 = arith.divsi %3, %0 : i32
    %g0 = arith.divsi %pid, %4 : i32
    %g1 = arith.remsi %pid, %4 : i32
    %accumulator = arith.constant dense<0.000000e+00> : tensor<64x128xf32>
    %5 = arith.constant 0 : i32
    %6 = arith.constant 32 : i32
    %7 = arith.constant 31 : i32
    %8 = arith.addi %input_size_1, %7 : i32
    %9 = arith.divsi %8, %6 : i32
    %b0 = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
    %b1 = tt.make_range 0 : i32 32 : i32 -> tensor<32xi32>
    %10 = arith.muli %g0, %input_stride : i32
    %11 = arith.constant 64 : i32
    %12 = arith.muli %10, %11 : i32
    %13 = tt.addptr %input, %12 : !tt.ptr<f16>, i32
    %14 = tt.splat %input_stride : i32 -> tensor<64xi32>
    %15 = arith.muli %b0, %14 : tensor<64xi32>
    %16 = tt.expand_dims %15 1 : i32 : tensor<64xi32> -> tensor<64x1xi32>
    %17 = tt.broadcast %16 : tensor<64x1xi32> -> tensor<64x32xi32>
    %18 = tt.expand_dims %b1 0 : i32 : tensor<32xi32> -> tensor<1x32xi32>
    %19 = tt.broadcast %18 : tensor<1x32xi32> -> tensor<64x32xi32>
    %20 = arith.addi %17, %19 : tensor<64x32xi32>
    %21 = arith.muli %g0, %11 : i32
    %22 = tt.splat %21 : i32 -> tensor<64xi32>
    %23 = arith.addi %22, %b0 : tensor<64xi32>
    %24 = tt.splat %input_size : i32 -> tensor<64xi32>
    %25 = arith.cmpi slt, %23, %24 : tensor<64xi32>
    %26 = tt.splat %input_size_1 : i32 -> tensor<32xi32>
    %27 = tt.expand_dims %25 1 : i32 : tensor<64xi1> -> tensor<64x1xi1>
    %28 = tt.broadcast %27 : tensor<64x1xi1> -> tensor<64x32xi1>
    %29 = arith.constant 0.000000e+00 : f16
    %30 = tt.splat %29 : f16 -> tensor<64x32xf16>
    %b1_1 = tt.make_range 0 : i32 128 : i32 -> tensor<128xi32>
    %31 = arith.muli %g1, %0 : i32
    %32 = tt.addptr %other, %31 : !tt.ptr<f16>, i32
    %33 = tt.splat %other_stride : i32 -> tensor<32xi32>
    %34 = arith.muli %b1, %33 : tensor<32xi32>
    %35 = tt.expand_dims %34 1 : i32 : tensor<32xi32> -> tensor<32x1xi32>
    %36 = tt.broadcast %35 : tensor<32x1xi32> -> tensor<32x128xi32>
    %37 = tt.expand_dims %b1_1 0 : i32 : tensor<128xi32> -> tensor<1x128xi32>
    %38 = tt.broadcast %37 : tensor<1x128xi32> -> tensor<32x128xi32>
    %39 = arith.addi %36, %38 : tensor<32x128xi32>
    %40 = tt.splat %other_size : i32 -> tensor<32xi32>
    %41 = tt.splat %31 : i32 -> tensor<128xi32>
    %42 = arith.addi %41, %b1_1 : tensor<128xi32>
    %43 = tt.splat %other_size_1 : i32 -> tensor<128xi32>
    %44 = arith.cmpi slt, %42, %43 : tensor<128xi32>
    %45 = tt.expand_dims %44 0 : i32 : tensor<128xi1> -> tensor<1x128xi1>
    %46 = tt.broadcast %45 : tensor<1x128xi1> -> tensor<32x128xi1>
    %47 = tt.splat %29 : f16 -> tensor<32x128xf16>
    %accumulator_1 = scf.for %k = %5 to %9 step %1 iter_args(
      %accumulator_2 = %accumulator
    ) -> (tensor<64x128xf32>) : i32 {
      %48 = arith.muli %k, %6 : i32
      %49 = tt.addptr %13, %48 : !tt.ptr<f16>, i32
      %50 = tt.splat %49 : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
      %51 = tt.addptr %50, %20 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %52 = tt.splat %48 : i32 -> tensor<32xi32>
      %53 = arith.addi %52, %b1 : tensor<32xi32>
      %54 = arith.cmpi slt, %53, %26 : tensor<32xi32>
      %55 = tt.expand_dims %54 0 : i32 : tensor<32xi1> -> tensor<1x32xi1>
      %56 = tt.broadcast %55 : tensor<1x32xi1> -> tensor<64x32xi1>
      %57 = arith.andi %28, %56 : tensor<64x32xi1>
      %input_1 = tt.load %51, %57, %30 : tensor<64x32x!tt.ptr<f16>>
      %58 = arith.muli %k, %other_stride : i32
      %59 = arith.muli %58, %6 : i32
      %60 = tt.addptr %32, %59 : !tt.ptr<f16>, i32
      %61 = tt.splat %60 : !tt.ptr<f16> -> tensor<32x128x!tt.ptr<f16>>
      %62 = tt.addptr %61, %39 : tensor<32x128x!tt.ptr<f16>>, tensor<32x128xi32>
      %63 = arith.cmpi slt, %53, %40 : tensor<32xi32>
      %64 = tt.expand_dims %63 1 : i32 : tensor<32xi1> -> tensor<32x1xi1>
      %65 = tt.broadcast %64 : tensor<32x1xi1> -> tensor<32x128xi1>
      %66 = arith.andi %65, %46 : tensor<32x128xi1>
      %other_1 = tt.load %62, %66, %47 : tensor<32x128x!tt.ptr<f16>>
      %67 = tt.dot %input_1, %other_1, %accumulator 0 : i32 0
          : i32 : tensor<64x32xf16> * tensor<32x128xf16> -> tensor<64x128xf32>
      %accumulator_3 = arith.addf %accumulator_2, %67 : tensor<64x128xf32>
      scf.yield %accumulator_3 : tensor<64x128xf32>
    }
    %68 = arith.truncf %accumulator_1 : tensor<64x128xf32> to tensor<64x128xf16>
    %69 = arith.muli %g0, %output_stride : i32
    %70 = arith.muli %69, %11 : i32
    %71 = arith.addi %70, %31 : i32
    %72 = tt.addptr %output, %71 : !tt.ptr<f16>, i32
    %73 = tt.splat %72 : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
    %74 = tt.splat %output_stride : i32 -> tensor<64xi32>
    %75 = arith.muli %b0, %74 : tensor<64xi32>
    %76 = tt.expand_dims %75 1 : i32 : tensor<64xi32> -> tensor<64x1xi32>
    %77 = tt.broadcast %76 : tensor<64x1xi32> -> tensor<64x128xi32>
    %78 = tt.broadcast %37 : tensor<1x128xi32> -> tensor<64x128xi32>
    %79 = arith.addi %77, %78 : tensor<64x128xi32>
    %80 = tt.addptr %73, %79 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %81 = tt.splat %output_size : i32 -> tensor<64xi32>
    %82 = arith.cmpi slt, %23, %81 : tensor<64xi32>
    %83 = tt.splat %output_size_1 : i32 -> tensor<128xi32>
    %84 = arith.cmpi slt, %42, %83 : tensor<128xi32>
    %85 = tt.expand_dims %82 1 : i32 : tensor<64xi1> -> tensor<64x1xi1>
    %86 = tt.broadcast %85 : tensor<64x1xi1> -> tensor<64x128xi1>
    %87 = tt.expand_dims %84 0 : i32 : tensor<128xi1> -> tensor<1x128xi1>
    %88 = tt.broadcast %87 : tensor<1x128xi1> -> tensor<64x128xi1>
    %89 = arith.andi %86, %88 : tensor<64x128xi1>
    tt.store %80, %68, %89 : tensor<64x128x!tt.ptr<f16>>
    tt.return
  }
}
