// RUN: pumice-opt %s --pumice-expand-math | FileCheck %s

gpu.module @m {
  // GLSL.std.450 has these for f32, exactly or within GLSL's accuracy.
  // CHECK-LABEL: func @native
  // CHECK-NEXT: math.exp %
  // CHECK-NEXT: math.exp2 %
  // CHECK-NEXT: math.log %
  // CHECK-NEXT: math.log2 %
  // CHECK-NEXT: math.sqrt %
  // CHECK-NEXT: math.rsqrt %
  // CHECK-NEXT: math.absf %
  // CHECK-NEXT: math.floor %
  // CHECK-NEXT: math.ceil %
  // CHECK-NEXT: math.roundeven %
  // CHECK-NEXT: math.fma %
  // CHECK-NEXT: return
  func.func @native(%x: f32) -> f32 {
    %0 = math.exp %x : f32
    %1 = math.exp2 %0 : f32
    %2 = math.log %1 : f32
    %3 = math.log2 %2 : f32
    %4 = math.sqrt %3 : f32
    %5 = math.rsqrt %4 : f32
    %6 = math.absf %5 : f32
    %7 = math.floor %6 : f32
    %8 = math.ceil %7 : f32
    %9 = math.roundeven %8 : f32
    %10 = math.fma %9, %9, %x : f32
    return %10 : f32
  }

  // Approximations are allowed: GLSL's own instructions suffice.
  // CHECK-LABEL: func @approximate
  // CHECK-NEXT: math.sin %{{.*}} fastmath<afn>
  // CHECK-NEXT: math.tanh %{{.*}} fastmath<afn>
  // CHECK-NEXT: math.powf %{{.*}} fastmath<afn>
  // CHECK-NEXT: return
  func.func @approximate(%x: f32) -> f32 {
    %0 = math.sin %x fastmath<afn> : f32
    %1 = math.tanh %0 fastmath<afn> : f32
    %2 = math.powf %1, %x fastmath<afn> : f32
    return %2 : f32
  }

  // This excludes f64, for which GLSL has no instructions.
  // CHECK-LABEL: func @approximate_f64
  // CHECK-NOT: math.exp
  // CHECK: math.roundeven %{{.*}} : f64
  // CHECK-NOT: math.exp
  // CHECK: return
  func.func @approximate_f64(%x: f64) -> f64 {
    %0 = math.exp %x fastmath<afn> : f64
    return %0 : f64
  }

  // Small arguments need no branch. Others use the bits of 2/pi.
  // CHECK-LABEL: func @sine
  // CHECK-NOT: math.sin
  // CHECK: scf.if
  // CHECK: arith.mului_extended
  // CHECK: } else {
  // CHECK: scf.yield
  // CHECK-NOT: math.sin
  // CHECK: return
  func.func @sine(%x: f32) -> f32 {
    %0 = math.sin %x : f32
    return %0 : f32
  }

  // One branch for all elements.
  // CHECK-LABEL: func @sine_of_vector
  // CHECK: vector.extract %{{.*}}[0] : i1 from vector<3xi1>
  // CHECK: scf.if %{{.*}} -> (vector<3xf32>, vector<3xf32>, vector<3xi32>)
  func.func @sine_of_vector(%x: vector<3xf32>) -> vector<3xf32> {
    %0 = math.sin %x : vector<3xf32>
    return %0 : vector<3xf32>
  }

  // Half precision and narrower types are computed in f32.
  // CHECK-LABEL: func @half
  // CHECK: %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
  // CHECK: %[[R:.*]] = math.exp %[[X]] : f32
  // CHECK: arith.truncf %[[R]] : f32 to f16
  func.func @half(%x: f16) -> f16 {
    %0 = math.exp %x : f16
    return %0 : f16
  }

  // CHECK-LABEL: func @brain
  // CHECK: %[[X:.*]] = arith.extf %{{.*}} : vector<2xbf16> to vector<2xf32>
  // CHECK: %[[R:.*]] = math.sqrt %[[X]] : vector<2xf32>
  // CHECK: arith.truncf %[[R]] : vector<2xf32> to vector<2xbf16>
  func.func @brain(%x: vector<2xbf16>) -> vector<2xbf16> {
    %0 = math.sqrt %x : vector<2xbf16>
    return %0 : vector<2xbf16>
  }

  // CHECK-LABEL: func @square
  // CHECK-NEXT: arith.mulf %[[X:.*]], %[[X]] : f32
  // CHECK-NEXT: return
  func.func @square(%x: f32) -> f32 {
    %two = arith.constant 2.0 : f32
    %0 = math.powf %x, %two : f32
    return %0 : f32
  }

  // Bits, not comparisons, detect NaN.
  // CHECK-LABEL: func @is_nan
  // CHECK: arith.bitcast %{{.*}} : f32 to i32
  // CHECK: arith.andi
  // CHECK: arith.cmpi sgt
  // CHECK-NEXT: return
  func.func @is_nan(%x: f32) -> i1 {
    %0 = math.isnan %x : f32
    return %0 : i1
  }

  // CHECK-LABEL: func @count_bits
  // CHECK: arith.extui %{{.*}} : i8 to i32
  // CHECK: math.ctlz %{{.*}} : i32
  // CHECK: arith.trunci %{{.*}} : i32 to i8
  // CHECK: math.ctpop %{{.*}} : i32
  // CHECK: math.ctpop %{{.*}} : i32
  func.func @count_bits(%x: i8, %y: i64) -> (i8, i64) {
    %0 = math.ctlz %x : i8
    %1 = math.ctpop %y : i64
    return %0, %1 : i8, i64
  }

  // The upper word has 16 of the 48 bits. A bit above them stops the count of trailing zeros.
  // CHECK-LABEL: func @count_odd_width
  // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : i32
  // CHECK-DAG: %[[STOP:.*]] = arith.constant 65536 : i32
  // CHECK: %[[HIGH:.*]] = math.ctlz %{{.*}} : i32
  // CHECK: arith.subi %[[HIGH]], %[[C16]] : i32
  // CHECK: %[[LOW:.*]] = math.ctlz %{{.*}} : i32
  // CHECK: arith.addi %[[LOW]], %[[C16]] : i32
  // CHECK: %[[STOPPED:.*]] = arith.ori %{{.*}}, %[[STOP]] : i32
  // CHECK: math.cttz %[[STOPPED]] : i32
  func.func @count_odd_width(%x: i48) -> (i48, i48) {
    %0 = math.ctlz %x : i48
    %1 = math.cttz %x : i48
    return %0, %1 : i48, i48
  }

  // CHECK-LABEL: func @integer_power
  // CHECK: scf.while
  func.func @integer_power(%x: i32, %n: i32) -> i32 {
    %0 = math.ipowi %x, %n : i32
    return %0 : i32
  }

  // CHECK-LABEL: func @both
  // CHECK-COUNT-1: scf.if
  // CHECK-NOT: scf.if
  // CHECK: return
  func.func @both(%x: f64) -> (f64, f64) {
    %s, %c = math.sincos %x : f64
    return %s, %c : f64, f64
  }
}
