// RUN: nt-opt %s -p nt-lower-to-tt | filecheck %s

// To fewer bits a float is rounded; to integers truncated, to narrow ones from 32 bits; to bits
// compared with zero.
// CHECK-LABEL: tt.func @from_f32
// CHECK: %to_f16 = arith.truncf %x : tensor<64xf32> to tensor<64xf16>
// CHECK-NEXT: %to_bf16 = arith.truncf %x : tensor<64xf32> to tensor<64xbf16>
// CHECK-NEXT: %to_f8E5M2 = tt.fp_to_fp %x rounding 1 : i32 : tensor<64xf32> -> tensor<64xf8E5M2>
// CHECK-NEXT: %to_f64 = arith.extf %x : tensor<64xf32> to tensor<64xf64>
// CHECK-NEXT: %to_i32 = arith.fptosi %x : tensor<64xf32> to tensor<64xi32>
// CHECK-NEXT: %to_ui32 = arith.fptoui %x : tensor<64xf32> to tensor<64xi32>
// CHECK-NEXT: [[v1:%.*]] = arith.fptosi %x : tensor<64xf32> to tensor<64xi32>
// CHECK-NEXT: %to_ui8 = arith.trunci [[v1]] : tensor<64xi32> to tensor<64xi8>
// CHECK-NEXT: [[v2:%.*]] = arith.fptosi %x : tensor<64xf32> to tensor<64xi32>
// CHECK-NEXT: %to_i16 = arith.trunci [[v2]] : tensor<64xi32> to tensor<64xi16>
// CHECK-NEXT: [[v0:%.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK-NEXT: %to_i1 = arith.cmpf une, %x, [[v0]] : tensor<64xf32>
nt.kernel @from_f32 grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %p
      : !nt.tensor<[] x f32>
} apply {
^bb0(%ps : !nt.tensor<[] x f32>):
  %a = nt.load %ps[] : !nt.tensor<[] x f32>[] -> f32
  %x = nt.full %a : f32 -> !nt.tensor<[64] x f32>
  %to_f16 = nt.cast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x f16>
  %to_bf16 = nt.cast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x bf16>
  %to_f8E5M2 = nt.cast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x f8E5M2>
  %to_f64 = nt.cast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x f64>
  %to_i32 = nt.cast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x i32>
  %to_ui32 = nt.cast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x ui32>
  %to_ui8 = nt.cast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x ui8>
  %to_i16 = nt.cast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x i16>
  %to_i1 = nt.cast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x i1>
  nt.return
}

// Halves meet in f32; floats of eight bits are made of them directly.
// CHECK-LABEL: tt.func @from_f16
// CHECK: [[v0:%.*]] = arith.extf %x : tensor<64xf16> to tensor<64xf32>
// CHECK-NEXT: %to_bf16 = arith.truncf [[v0]] : tensor<64xf32> to tensor<64xbf16>
// CHECK-NEXT: %to_f32 = arith.extf %x : tensor<64xf16> to tensor<64xf32>
// CHECK-NEXT: [[v1:%.*]] = arith.extf %x : tensor<64xf16> to tensor<64xf32>
// CHECK-NEXT: %to_f64 = arith.extf [[v1]] : tensor<64xf32> to tensor<64xf64>
// CHECK-NEXT: %to_f8E5M2 = tt.fp_to_fp %x rounding 1 : i32 : tensor<64xf16> -> tensor<64xf8E5M2>
nt.kernel @from_f16 grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f16>
  nt.arranged %p
      : !nt.tensor<[] x f16>
} apply {
^bb0(%ps : !nt.tensor<[] x f16>):
  %a = nt.load %ps[] : !nt.tensor<[] x f16>[] -> f16
  %x = nt.full %a : f16 -> !nt.tensor<[64] x f16>
  %to_bf16 = nt.cast %x : !nt.tensor<[64] x f16> -> !nt.tensor<[64] x bf16>
  %to_f32 = nt.cast %x : !nt.tensor<[64] x f16> -> !nt.tensor<[64] x f32>
  %to_f64 = nt.cast %x : !nt.tensor<[64] x f16> -> !nt.tensor<[64] x f64>
  %to_f8E5M2 = nt.cast %x : !nt.tensor<[64] x f16> -> !nt.tensor<[64] x f8E5M2>
  nt.return
}

// Eight-bit floats have an op of their own; where bits are lost, above, it names the rounding.
// CHECK-LABEL: tt.func @from_f8
// CHECK: %to_f16 = tt.fp_to_fp %x : tensor<64xf8E5M2> -> tensor<64xf16>
// CHECK-NEXT: %to_f32 = tt.fp_to_fp %x : tensor<64xf8E5M2> -> tensor<64xf32>
// CHECK-NEXT: [[v0:%.*]] = tt.fp_to_fp %x : tensor<64xf8E5M2> -> tensor<64xf32>
// CHECK-NEXT: %to_bf16 = arith.truncf [[v0]] : tensor<64xf32> to tensor<64xbf16>
// CHECK-NEXT: [[v1:%.*]] = tt.fp_to_fp %x : tensor<64xf8E5M2> -> tensor<64xf32>
// CHECK-NEXT: %to_f64 = arith.extf [[v1]] : tensor<64xf32> to tensor<64xf64>
// CHECK-NEXT: [[v2:%.*]] = tt.fp_to_fp %x : tensor<64xf8E5M2> -> tensor<64xf32>
// CHECK-NEXT: %to_f8E4M3FN = tt.fp_to_fp [[v2]] rounding 1 : i32 : tensor<64xf32> -> tensor<64xf8E4M3FN>
nt.kernel @from_f8 grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f8E5M2>
  nt.arranged %p
      : !nt.tensor<[] x f8E5M2>
} apply {
^bb0(%ps : !nt.tensor<[] x f8E5M2>):
  %a = nt.load %ps[] : !nt.tensor<[] x f8E5M2>[] -> f8E5M2
  %x = nt.full %a : f8E5M2 -> !nt.tensor<[64] x f8E5M2>
  %to_f16 = nt.cast %x : !nt.tensor<[64] x f8E5M2> -> !nt.tensor<[64] x f16>
  %to_f32 = nt.cast %x : !nt.tensor<[64] x f8E5M2> -> !nt.tensor<[64] x f32>
  %to_bf16 = nt.cast %x : !nt.tensor<[64] x f8E5M2> -> !nt.tensor<[64] x bf16>
  %to_f64 = nt.cast %x : !nt.tensor<[64] x f8E5M2> -> !nt.tensor<[64] x f64>
  %to_f8E4M3FN = nt.cast %x : !nt.tensor<[64] x f8E5M2> -> !nt.tensor<[64] x f8E4M3FN>
  nt.return
}

// A signed integer; to ui32 nothing happens, for memory has no signs.
// CHECK-LABEL: tt.func @from_i32
// CHECK: %to_i64 = arith.extsi %x : tensor<64xi32> to tensor<64xi64>
// CHECK-NEXT: %to_i16 = arith.trunci %x : tensor<64xi32> to tensor<64xi16>
// CHECK-NEXT: %to_f32 = arith.sitofp %x : tensor<64xi32> to tensor<64xf32>
// CHECK-NEXT: [[v0:%.*]] = arith.constant dense<0> : tensor<64xi32>
// CHECK-NEXT: %to_i1 = arith.cmpi ne, %x, [[v0]] : tensor<64xi32>
nt.kernel @from_i32 grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x i32>
  nt.arranged %p
      : !nt.tensor<[] x i32>
} apply {
^bb0(%ps : !nt.tensor<[] x i32>):
  %a = nt.load %ps[] : !nt.tensor<[] x i32>[] -> i32
  %x = nt.full %a : i32 -> !nt.tensor<[64] x i32>
  %to_i64 = nt.cast %x : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i64>
  %to_i16 = nt.cast %x : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i16>
  %to_ui32 = nt.cast %x : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x ui32>
  %to_f32 = nt.cast %x : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x f32>
  %to_i1 = nt.cast %x : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x i1>
  nt.return
}

// An unsigned one is extended with zeros.
// CHECK-LABEL: tt.func @from_ui8
// CHECK: %to_i32 = arith.extui %x : tensor<64xi8> to tensor<64xi32>
// CHECK-NEXT: %to_f32 = arith.uitofp %x : tensor<64xi8> to tensor<64xf32>
nt.kernel @from_ui8 grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x ui8>
  nt.arranged %p
      : !nt.tensor<[] x ui8>
} apply {
^bb0(%ps : !nt.tensor<[] x ui8>):
  %a = nt.load %ps[] : !nt.tensor<[] x ui8>[] -> ui8
  %x = nt.full %a : ui8 -> !nt.tensor<[64] x ui8>
  %to_i32 = nt.cast %x : !nt.tensor<[64] x ui8> -> !nt.tensor<[64] x i32>
  %to_f32 = nt.cast %x : !nt.tensor<[64] x ui8> -> !nt.tensor<[64] x f32>
  %to_i8 = nt.cast %x : !nt.tensor<[64] x ui8> -> !nt.tensor<[64] x i8>
  nt.return
}

// A bit is 0 or 1.
// CHECK-LABEL: tt.func @from_i1
// CHECK: %to_i32 = arith.extui %x : tensor<64xi1> to tensor<64xi32>
// CHECK-NEXT: %to_f32 = arith.uitofp %x : tensor<64xi1> to tensor<64xf32>
nt.kernel @from_i1 grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x i1>
  nt.arranged %p
      : !nt.tensor<[] x i1>
} apply {
^bb0(%ps : !nt.tensor<[] x i1>):
  %a = nt.load %ps[] : !nt.tensor<[] x i1>[] -> i1
  %x = nt.full %a : i1 -> !nt.tensor<[64] x i1>
  %to_i32 = nt.cast %x : !nt.tensor<[64] x i1> -> !nt.tensor<[64] x i32>
  %to_f32 = nt.cast %x : !nt.tensor<[64] x i1> -> !nt.tensor<[64] x f32>
  nt.return
}

// Towards zero a float is rounded from f32.
// CHECK-LABEL: tt.func @truncated
// CHECK: %to_f16 = tt.fp_to_fp %x rounding 0 : i32 : tensor<64xf32> -> tensor<64xf16>
// CHECK-NEXT: [[v0:%.*]] = arith.extf %to_f16 : tensor<64xf16> to tensor<64xf32>
// CHECK-NEXT: %to_f8E5M2 = tt.fp_to_fp [[v0]] rounding 0 : i32 : tensor<64xf32> -> tensor<64xf8E5M2>
nt.kernel @truncated grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %p
      : !nt.tensor<[] x f32>
} apply {
^bb0(%ps : !nt.tensor<[] x f32>):
  %a = nt.load %ps[] : !nt.tensor<[] x f32>[] -> f32
  %x = nt.full %a : f32 -> !nt.tensor<[64] x f32>
  %to_f16 = nt.cast %x rounding "rtz" : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x f16>
  %to_f8E5M2 = nt.cast %to_f16 rounding "rtz" : !nt.tensor<[64] x f16> -> !nt.tensor<[64] x f8E5M2>
  nt.return
}

// Bits under another type; a sign is none in memory.
// CHECK-LABEL: tt.func @bits
// CHECK: %to_i32 = tt.bitcast %x : tensor<64xf32> -> tensor<64xi32>
// CHECK-NEXT: tt.return
nt.kernel @bits grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f32>
  nt.arranged %p
      : !nt.tensor<[] x f32>
} apply {
^bb0(%ps : !nt.tensor<[] x f32>):
  %a = nt.load %ps[] : !nt.tensor<[] x f32>[] -> f32
  %x = nt.full %a : f32 -> !nt.tensor<[64] x f32>
  %to_i32 = nt.bitcast %x : !nt.tensor<[64] x f32> -> !nt.tensor<[64] x i32>
  %to_ui32 = nt.bitcast %to_i32 : !nt.tensor<[64] x i32> -> !nt.tensor<[64] x ui32>
  nt.return
}

// Numbers of unsigned types lose the sign that says so.
// CHECK-LABEL: tt.func @numbers
// CHECK-NEXT: %c = arith.constant 3 : i32
// CHECK-NEXT: %x = arith.constant dense<3> : tensor<64xi32>
nt.kernel @numbers grid #nt.expr<n ceildiv 64> arrange {
  nt.arranged
} apply {
  %c = nt.constant 3 : ui32
  %x = nt.full %c : ui32 -> !nt.tensor<[64] x ui32>
  nt.return
}

// Floats of eight bits are computed with in f32, and rounded once; a choice computes nothing.
// CHECK-LABEL: tt.func @eight
// CHECK: [[v0:%.*]] = tt.fp_to_fp %x : tensor<64xf8E4M3FN> -> tensor<64xf32>
// CHECK-NEXT: [[v1:%.*]] = tt.fp_to_fp %x : tensor<64xf8E4M3FN> -> tensor<64xf32>
// CHECK-NEXT: [[v2:%.*]] = arith.addf [[v0]], [[v1]] : tensor<64xf32>
// CHECK-NEXT: %sum = tt.fp_to_fp [[v2]] rounding 1 : i32 : tensor<64xf32> -> tensor<64xf8E4M3FN>
// CHECK-NEXT: [[v3:%.*]] = tt.fp_to_fp %sum : tensor<64xf8E4M3FN> -> tensor<64xf32>
// CHECK-NEXT: [[v4:%.*]] = tt.fp_to_fp %x : tensor<64xf8E4M3FN> -> tensor<64xf32>
// CHECK-NEXT: %less = arith.cmpf olt, [[v3]], [[v4]] : tensor<64xf32>
// CHECK-NEXT: %chosen = arith.select %less, %sum, %x : tensor<64xi1>, tensor<64xf8E4M3FN>
nt.kernel @eight grid #nt.expr<n ceildiv 64> arrange {
  %p = nt.source "p" "scalar" strides [] aligned false : !nt.tensor<[] x f8E4M3FN>
  nt.arranged %p
      : !nt.tensor<[] x f8E4M3FN>
} apply {
^bb0(%ps : !nt.tensor<[] x f8E4M3FN>):
  %a = nt.load %ps[] : !nt.tensor<[] x f8E4M3FN>[] -> f8E4M3FN
  %x = nt.full %a : f8E4M3FN -> !nt.tensor<[64] x f8E4M3FN>
  %sum = nt.elementwise "add"(%x, %x) : (!nt.tensor<[64] x f8E4M3FN>, !nt.tensor<[64] x f8E4M3FN>) -> !nt.tensor<[64] x f8E4M3FN>
  %less = nt.elementwise "lt"(%sum, %x) : (!nt.tensor<[64] x f8E4M3FN>, !nt.tensor<[64] x f8E4M3FN>) -> !nt.tensor<[64] x i1>
  %chosen = nt.elementwise "where"(%less, %sum, %x) : (!nt.tensor<[64] x i1>, !nt.tensor<[64] x f8E4M3FN>, !nt.tensor<[64] x f8E4M3FN>) -> !nt.tensor<[64] x f8E4M3FN>
  nt.return
}
