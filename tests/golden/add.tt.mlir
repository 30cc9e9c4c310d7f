// element types assumed: lhs: fp32, rhs: fp32, output: fp32
// configuration: BLOCK_SIZE_0=256, num_warps=4, num_stages=3
builtin.module {
  tt.func @add_kernel(
    %lhs: !tt.ptr<f32> {nt.param = "lhs", tt.divisibility = 16 : i32},
    %rhs: !tt.ptr<f32> {nt.param = "rhs", tt.divisibility = 16 : i32},
    %output: !tt.ptr<f32> {nt.param = "output", tt.divisibility = 16 : i32},
    %output_size: i32 {nt.symbol = "output_size_0"}
  ) attributes {
    nt.params = [
      #nt.param<"lhs" tensor [lhs_size_0] [1]>,
      #nt.param<"rhs" tensor [rhs_size_0] [1]>,
      #nt.param<"output" tensor [output_size_0] [1]>
    ],
    nt.grid = #nt.expr<lhs_size_0 ceildiv 256>,
    nt.checks = [
      #nt.check<
        agreement [lhs_size_0 ceildiv 256] = [rhs_size_0 ceildiv 256],
        "the outermost shapes of lhs and rhs must be equal, one program an element: they are {left} and {right}"
      >,
      #nt.check<
        agreement [lhs_size_0 ceildiv 256] = [output_size_0 ceildiv 256],
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
    ]
  } {
    %pid = tt.get_program_id 0 : i32
    %0 = arith.constant 256 : i32
    %1 = arith.muli %pid, %0 : i32
    %2 = arith.constant 255 : i32
    %3 = arith.addi %1, %2 : i32
    %whole = arith.cmpi slt, %3, %output_size : i32
    scf.if %whole {
      %b0 = tt.make_range 0 : i32 256 : i32 -> tensor<256xi32>
      %4 = tt.addptr %lhs, %1 : !tt.ptr<f32>, i32
      %5 = tt.splat %4 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
      %6 = tt.addptr %5, %b0 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
      %lhs_1 = tt.load %6 : tensor<256x!tt.ptr<f32>>
      %7 = tt.addptr %rhs, %1 : !tt.ptr<f32>, i32
      %8 = tt.splat %7 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
      %9 = tt.addptr %8, %b0 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
      %rhs_1 = tt.load %9 : tensor<256x!tt.ptr<f32>>
      %10 = arith.addf %lhs_1, %rhs_1 : tensor<256xf32>
      %11 = tt.addptr %output, %1 : !tt.ptr<f32>, i32
      %12 = tt.splat %11 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
      %13 = tt.addptr %12, %b0 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
      tt.store %13, %10 : tensor<256x!tt.ptr<f32>>
    } else {
      %b0_1 = tt.make_range 0 : i32 256 : i32 -> tensor<256xi32>
      %14 = tt.addptr %lhs, %1 : !tt.ptr<f32>, i32
      %15 = tt.splat %14 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
      %16 = tt.addptr %15, %b0_1 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
      %17 = tt.splat %1 : i32 -> tensor<256xi32>
      %18 = arith.addi %17, %b0_1 : tensor<256xi32>
      %19 = tt.splat %output_size : i32 -> tensor<256xi32>
      %20 = arith.cmpi slt, %18, %19 : tensor<256xi32>
      %lhs_2 = tt.load %16, %20 : tensor<256x!tt.ptr<f32>>
      %21 = tt.addptr %rhs, %1 : !tt.ptr<f32>, i32
      %22 = tt.splat %21 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
      %23 = tt.addptr %22, %b0_1 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
      %rhs_2 = tt.load %23, %20 : tensor<256x!tt.ptr<f32>>
      %24 = arith.addf %lhs_2, %rhs_2 : tensor<256xf32>
      %25 = tt.addptr %output, %1 : !tt.ptr<f32>, i32
      %26 = tt.splat %25 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
      %27 = tt.addptr %26, %b0_1 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
      %28 = arith.constant 1 : i32
      %29 = arith.subi %output_size, %28 : i32
      %30 = tt.splat %29 : i32 -> tensor<256xi32>
      %31 = arith.cmpi sle, %18, %30 : tensor<256xi32>
      tt.store %27, %24, %31 : tensor<256x!tt.ptr<f32>>
    }
    tt.return
  }
}
