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
    %b0 = tt.make_range 0 : i32 256 : i32 -> tensor<256xi32>
    %0 = arith.constant 256 : i32
    %1 = arith.muli %pid, %0 : i32
    %2 = tt.addptr %lhs, %1 : !tt.ptr<f32>, i32
    %3 = tt.splat %2 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %4 = tt.addptr %3, %b0 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %5 = tt.splat %1 : i32 -> tensor<256xi32>
    %6 = arith.addi %5, %b0 : tensor<256xi32>
    %7 = tt.splat %output_size : i32 -> tensor<256xi32>
    %8 = arith.cmpi slt, %6, %7 : tensor<256xi32>
    %lhs_1 = tt.load %4, %8 : tensor<256x!tt.ptr<f32>>
    %9 = tt.addptr %rhs, %1 : !tt.ptr<f32>, i32
    %10 = tt.splat %9 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %11 = tt.addptr %10, %b0 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %rhs_1 = tt.load %11, %8 : tensor<256x!tt.ptr<f32>>
    %12 = arith.addf %lhs_1, %rhs_1 : tensor<256xf32>
    %13 = tt.addptr %output, %1 : !tt.ptr<f32>, i32
    %14 = tt.splat %13 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %15 = tt.addptr %14, %b0 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %16 = arith.constant 1 : i32
    %17 = arith.subi %output_size, %16 : i32
    %18 = tt.splat %17 : i32 -> tensor<256xi32>
    %19 = arith.cmpi sle, %6, %18 : tensor<256xi32>
    tt.store %15, %12, %19 : tensor<256x!tt.ptr<f32>>
    tt.return
  }
}
