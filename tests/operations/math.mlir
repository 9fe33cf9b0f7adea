// op: math.$OP
// for $OP: absf, ceil, floor, trunc, roundeven, sqrt, rsqrt, sin, cos, exp, exp2, log, log2
// for $OP: acos, acosh, asin, asinh, atan, atanh, cosh, sinh, tan, tanh, log10, log1p, expm1, round
// for $OP: cbrt, erf, erfc
// for $T: bf16, f16, f32, f64, vector<3xf32>, vector<4xf64>, vector<8xf16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %z = math.$OP %x : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: math.$OP
// for $OP: atan2, powf, copysign
// for $T: bf16, f16, f32, f64, vector<3xf32>, vector<4xf64>, vector<8xf16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %b: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %y = memref.load %b[%i] : memref<4x$T>
    %z = math.$OP %x, %y : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: math.$OP
// for $OP: sqrt, rsqrt, sin, cos, exp, log, tanh, erf, expm1, round
// for $F: fast, afn, contract, nnan,ninf
gpu.module @sample {
  gpu.func @kernel(%x: f32, %r: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %z = math.$OP %x fastmath<$F> : f32
    memref.store %z, %r[%i] : memref<4xf32>
    gpu.return
  }
}
// -----
// op: math.fma
// for $T: bf16, f16, f32, f64, vector<3xf32>, vector<4xf64>, vector<8xf16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %b: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %y = memref.load %b[%i] : memref<4x$T>
    %z = math.fma %x, %y, %x : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: math.clampf
// for $T: bf16, f16, f32, f64, vector<3xf32>, vector<4xf64>, vector<8xf16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %b: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %y = memref.load %b[%i] : memref<4x$T>
    %z = math.clampf %x to [%y, %y] : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: math.sincos
// for $T: bf16, f16, f32, f64, vector<3xf32>, vector<4xf64>, vector<8xf16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %sin, %cos = math.sincos %x : $T
    memref.store %sin, %r[%i] : memref<4x$T>
    memref.store %cos, %a[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: math.$OP
// for $OP: isfinite, isinf, isnan, isnormal
// for $T to $B: bf16 to i1, f16 to i1, f32 to i1, f64 to i1, vector<3xf32> to vector<3xi1>
// for $T to $B: vector<8xf16> to vector<8xi1>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %b: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %y = memref.load %b[%i] : memref<4x$T>
    %c = math.$OP %x : $T
    %z = arith.select %c, %x, %y : $B, $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: math.fpowi
// for $T to $I: bf16 to i32, f16 to i32, f32 to i32, f64 to i32, f32 to i64, f32 to i8, f16 to i16
// for $T to $I: vector<3xf32> to vector<3xi32>, vector<8xf16> to vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %p: memref<4x$I>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %y = memref.load %p[%i] : memref<4x$I>
    %z = math.fpowi %x, %y : $T, $I
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: math.ipowi
// for $T: i8, i16, i32, i64, index, vector<3xi32>, vector<8xi16>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %b: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %y = memref.load %b[%i] : memref<4x$T>
    %z = math.ipowi %x, %y : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
// -----
// op: math.$OP
// for $OP: absi, ctlz, cttz, ctpop
// for $T: i1, i8, i16, i24, i32, i64, index, vector<3xi32>, vector<8xi16>, vector<4xi64>
gpu.module @sample {
  gpu.func @kernel(%a: memref<4x$T>, %r: memref<4x$T>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<4x$T>
    %z = math.$OP %x : $T
    memref.store %z, %r[%i] : memref<4x$T>
    gpu.return
  }
}
