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
    %output_stride: i32 {nt.symbol = "output_stride_0"},
    %multiplier: i32 {nt.reciprocal = "multiplier", nt.divisor = #nt.expr<output_size_1 ceildiv 128>},
    %shift: i32 {nt.reciprocal = "shift", nt.divisor = #nt.expr<output_size_1 ceildiv 128>}
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
    %5 = tt.mulhiui %pid, %multiplier : i32
    %6 = arith.addi %5, %pid : i32
    %g0 = arith.shrui %6, %shift : i32
    %7 = arith.muli %g0, %4 : i32
    %g1 = arith.subi %pid, %7 : i32
    %accumulator = arith.constant dense<0.000000e+00> : tensor<64x128xf32>
    %8 = arith.constant 0 : i32
    %9 = arith.constant 32 : i32
    %10 = arith.constant 31 : i32
    %11 = arith.addi %input_size_1, %10 : i32
    %12 = arith.divsi %11, %9 : i32
    %b0 = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
    %b1 = tt.make_range 0 : i32 32 : i32 -> tensor<32xi32>
    %13 = arith.muli %g0, %input_stride : i32
    %14 = arith.constant 64 : i32
    %15 = arith.muli %13, %14 : i32
    %16 = tt.addptr %input, %15 : !tt.ptr<f16>, i32
    %17 = tt.splat %input_stride : i32 -> tensor<64xi32>
    %18 = arith.muli %b0, %17 : tensor<64xi32>
    %19 = tt.expand_dims %18 1 : i32 : tensor<64xi32> -> tensor<64x1xi32>
    %20 = tt.broadcast %19 : tensor<64x1xi32> -> tensor<64x32xi32>
    %21 = tt.expand_dims %b1 0 : i32 : tensor<32xi32> -> tensor<1x32xi32>
    %22 = tt.broadcast %21 : tensor<1x32xi32> -> tensor<64x32xi32>
    %23 = arith.addi %20, %22 : tensor<64x32xi32>
    %24 = arith.muli %g0, %14 : i32
    %25 = tt.splat %24 : i32 -> tensor<64xi32>
    %26 = arith.addi %25, %b0 : tensor<64xi32>
    %27 = tt.splat %input_size : i32 -> tensor<64xi32>
    %28 = arith.cmpi slt, %26, %27 : tensor<64xi32>
    %29 = tt.splat %input_size_1 : i32 -> tensor<32xi32>
    %30 = tt.expand_dims %28 1 : i32 : tensor<64xi1> -> tensor<64x1xi1>
    %31 = tt.broadcast %30 : tensor<64x1xi1> -> tensor<64x32xi1>
    %32 = arith.constant 0.000000e+00 : f16
    %33 = tt.splat %32 : f16 -> tensor<64x32xf16>
    %b1_1 = tt.make_range 0 : i32 128 : i32 -> tensor<128xi32>
    %34 = arith.muli %g1, %0 : i32
    %35 = tt.addptr %other, %34 : !tt.ptr<f16>, i32
    %36 = tt.splat %other_stride : i32 -> tensor<32xi32>
    %37 = arith.muli %b1, %36 : tensor<32xi32>
    %38 = tt.expand_dims %37 1 : i32 : tensor<32xi32> -> tensor<32x1xi32>
    %39 = tt.broadcast %38 : tensor<32x1xi32> -> tensor<32x128xi32>
    %40 = tt.expand_dims %b1_1 0 : i32 : tensor<128xi32> -> tensor<1x128xi32>
    %41 = tt.broadcast %40 : tensor<1x128xi32> -> tensor<32x128xi32>
    %42 = arith.addi %39, %41 : tensor<32x128xi32>
    %43 = tt.splat %other_size : i32 -> tensor<32xi32>
    %44 = tt.splat %34 : i32 -> tensor<128xi32>
    %45 = arith.addi %44, %b1_1 : tensor<128xi32>
    %46 = tt.splat %other_size_1 : i32 -> tensor<128xi32>
    %47 = arith.cmpi slt, %45, %46 : tensor<128xi32>
    %48 = tt.expand_dims %47 0 : i32 : tensor<128xi1> -> tensor<1x128xi1>
    %49 = tt.broadcast %48 : tensor<1x128xi1> -> tensor<32x128xi1>
    %50 = tt.splat %32 : f16 -> tensor<32x128xf16>
    %accumulator_1 = scf.for %k = %8 to %12 step %1 iter_args(
      %accumulator_2 = %accumulator
    ) -> (tensor<64x128xf32>) : i32 {
      %51 = arith.muli %k, %9 : i32
      %52 = tt.addptr %16, %51 : !tt.ptr<f16>, i32
      %53 = tt.splat %52 : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
      %54 = tt.addptr %53, %23 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
      %55 = tt.splat %51 : i32 -> tensor<32xi32>
      %56 = arith.addi %55, %b1 : tensor<32xi32>
      %57 = arith.cmpi slt, %56, %29 : tensor<32xi32>
      %58 = tt.expand_dims %57 0 : i32 : tensor<32xi1> -> tensor<1x32xi1>
      %59 = tt.broadcast %58 : tensor<1x32xi1> -> tensor<64x32xi1>
      %60 = arith.andi %31, %59 : tensor<64x32xi1>
      %input_1 = tt.load %54, %60, %33 : tensor<64x32x!tt.ptr<f16>>
      %61 = arith.muli %k, %other_stride : i32
      %62 = arith.muli %61, %9 : i32
      %63 = tt.addptr %35, %62 : !tt.ptr<f16>, i32
      %64 = tt.splat %63 : !tt.ptr<f16> -> tensor<32x128x!tt.ptr<f16>>
      %65 = tt.addptr %64, %42 : tensor<32x128x!tt.ptr<f16>>, tensor<32x128xi32>
      %66 = arith.cmpi slt, %56, %43 : tensor<32xi32>
      %67 = tt.expand_dims %66 1 : i32 : tensor<32xi1> -> tensor<32x1xi1>
      %68 = tt.broadcast %67 : tensor<32x1xi1> -> tensor<32x128xi1>
      %69 = arith.andi %68, %49 : tensor<32x128xi1>
      %other_1 = tt.load %65, %69, %50 : tensor<32x128x!tt.ptr<f16>>
      %70 = tt.dot %input_1, %other_1, %accumulator 0 : i32 0
          : i32 : tensor<64x32xf16> * tensor<32x128xf16> -> tensor<64x128xf32>
      %accumulator_3 = arith.addf %accumulator_2, %70 : tensor<64x128xf32>
      scf.yield %accumulator_3 : tensor<64x128xf32>
    }
    %71 = arith.truncf %accumulator_1 : tensor<64x128xf32> to tensor<64x128xf16>
    %72 = arith.muli %g0, %output_stride : i32
    %73 = arith.muli %72, %14 : i32
    %74 = arith.addi %73, %34 : i32
    %75 = tt.addptr %output, %74 : !tt.ptr<f16>, i32
    %76 = tt.splat %75 : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
    %77 = tt.splat %output_stride : i32 -> tensor<64xi32>
    %78 = arith.muli %b0, %77 : tensor<64xi32>
    %79 = tt.expand_dims %78 1 : i32 : tensor<64xi32> -> tensor<64x1xi32>
    %80 = tt.broadcast %79 : tensor<64x1xi32> -> tensor<64x128xi32>
    %81 = tt.broadcast %40 : tensor<1x128xi32> -> tensor<64x128xi32>
    %82 = arith.addi %80, %81 : tensor<64x128xi32>
    %83 = tt.addptr %76, %82 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %84 = tt.splat %output_size : i32 -> tensor<64xi32>
    %85 = arith.cmpi slt, %26, %84 : tensor<64xi32>
    %86 = tt.splat %output_size_1 : i32 -> tensor<128xi32>
    %87 = arith.cmpi slt, %45, %86 : tensor<128xi32>
    %88 = tt.expand_dims %85 1 : i32 : tensor<64xi1> -> tensor<64x1xi1>
    %89 = tt.broadcast %88 : tensor<64x1xi1> -> tensor<64x128xi1>
    %90 = tt.expand_dims %87 0 : i32 : tensor<128xi1> -> tensor<1x128xi1>
    %91 = tt.broadcast %90 : tensor<1x128xi1> -> tensor<64x128xi1>
    %92 = arith.andi %89, %91 : tensor<64x128xi1>
    tt.store %83, %71, %92 : tensor<64x128x!tt.ptr<f16>>
    tt.return
  }
}
