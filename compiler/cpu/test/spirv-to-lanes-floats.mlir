// RUN: pumice-opt %s --split-input-file --pumice-spirv-to-lanes | FileCheck %s
// Tests modes and decorations of floats.

!in = !spirv.struct<(f32 [0], f32 [4], f64 [8])>
spirv.GlobalVariable @in bind(0, 0) : !spirv.ptr<!in, StorageBuffer>

// Denormals are flushed only for f32, in operands and results.
// CHECK-LABEL: func.func @flushes
spirv.func @flushes() "None" attributes {spvx.execution_model = "GLCompute", spvx.modes = {DenormFlushToZero = array<i32: 32>}, lane.workgroup_size = array<i32: 1, 1, 1>} {
  %in = spirv.mlir.addressof @in : !spirv.ptr<!in, StorageBuffer>
  // CHECK: %[[F:.*]]:2 = lane.load
  // CHECK: %[[D:.*]] = lane.load
  %all = spirv.Load "StorageBuffer" %in : !in
  %x = spirv.CompositeExtract %all[0 : i32] : !in
  %y = spirv.CompositeExtract %all[1 : i32] : !in
  %d = spirv.CompositeExtract %all[2 : i32] : !in
  // CHECK: %[[SMALLEST:.*]] = arith.constant 1.17549435E-38 : f32
  // CHECK: %[[SIZE:.*]] = math.absf %[[F]]#0
  // CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[SIZE]], %[[SMALLEST]]
  // CHECK: %[[ZERO:.*]] = math.copysign %{{.*}}, %[[F]]#0
  // CHECK: %[[X:.*]] = arith.select %[[SMALL]], %[[ZERO]], %[[F]]#0
  // CHECK: arith.cmpf olt
  // CHECK: %[[SUM:.*]] = arith.addf %[[X]], %{{.*}} fastmath<contract> : f32
  // CHECK: math.absf %[[SUM]]
  // CHECK: arith.select
  %s = spirv.FAdd %x, %y : f32
  // CHECK-NOT: arith.cmpf
  // CHECK: arith.addf %[[D]], %[[D]] fastmath<contract> : f64
  %t = spirv.FAdd %d, %d : f64
  // Instructions that only pass on floats keep their bits.
  // CHECK-NOT: arith.cmpf
  // CHECK: lane.store %[[F]]#0, %[[F]]#1
  spirv.Store "StorageBuffer" %in, %all : !in
  spirv.Return
}

// -----

!in = !spirv.struct<(f32 [0], f32 [4], f64 [8])>
spirv.GlobalVariable @in bind(0, 0) : !spirv.ptr<!in, StorageBuffer>

// The error of a sum is computed exactly, by six additions. If it has the other sign, the sum moves
// one unit back.
// CHECK-LABEL: func.func @towards_zero
spirv.func @towards_zero() "None" attributes {spvx.execution_model = "GLCompute", spvx.modes = {RoundingModeRTZ = array<i32: 32>}, lane.workgroup_size = array<i32: 1, 1, 1>} {
  %in = spirv.mlir.addressof @in : !spirv.ptr<!in, StorageBuffer>
  // CHECK: %[[F:.*]]:2 = lane.load
  // CHECK: %[[D:.*]] = lane.load
  %all = spirv.Load "StorageBuffer" %in : !in
  %x = spirv.CompositeExtract %all[0 : i32] : !in
  %y = spirv.CompositeExtract %all[1 : i32] : !in
  %d = spirv.CompositeExtract %all[2 : i32] : !in
  // CHECK: %[[SUM:.*]] = arith.addf %[[F]]#0, %[[F]]#1 : f32
  // CHECK: %[[OFY:.*]] = arith.subf %[[SUM]], %[[F]]#0 : f32
  // CHECK-COUNT-3: arith.subf {{.*}} : f32
  // CHECK: %[[ERROR:.*]] = arith.addf {{.*}} : f32
  // CHECK: arith.bitcast %[[ERROR]] : f32 to i32
  // CHECK: arith.select
  %s = spirv.FAdd %x, %y : f32
  // The product is exact in f64, and then truncated.
  // CHECK: %[[PRODUCT:.*]] = arith.mulf {{.*}} : f64
  // CHECK: arith.truncf %[[PRODUCT]] : f64 to f32
  // CHECK: arith.select
  %p = spirv.FMul %x, %y : f32
  // CHECK: arith.mulf %[[D]], %[[D]] fastmath<contract> : f64
  %t = spirv.FMul %d, %d : f64
  // CHECK: arith.truncf %[[D]] : f64 to f32
  // CHECK: arith.select
  %n = spirv.FConvert %d : f64 to f32
  spirv.Return
}

// -----

!in = !spirv.struct<(f32 [0], f32 [4], f64 [8])>
module attributes {spvx.capabilities = array<i32: 1, 6029>} {
  spirv.GlobalVariable @in bind(0, 0) : !spirv.ptr<!in, StorageBuffer>

  // With FloatControls2, only what is listed is allowed. Flags that promise the absence of NaN are
  // not passed on.
  // CHECK-LABEL: func.func @fast
  spirv.func @fast() "None" attributes {spvx.execution_model = "GLCompute", spvx.modes = {FPFastMathDefault = array<i32: 32, 65536, 64, 0>}, lane.workgroup_size = array<i32: 1, 1, 1>} {
    %in = spirv.mlir.addressof @in : !spirv.ptr<!in, StorageBuffer>
    %all = spirv.Load "StorageBuffer" %in : !in
    %x = spirv.CompositeExtract %all[0 : i32] : !in
    %d = spirv.CompositeExtract %all[2 : i32] : !in
    // CHECK: arith.addf {{.*}} fastmath<contract> : f32
    %a = spirv.FAdd %x, %x : f32
    // CHECK: arith.addf %{{[^ ]*}}, %{{[^ ]*}} : f64
    %b = spirv.FAdd %d, %d : f64
    // CHECK: arith.addf {{.*}} fastmath<nsz> : f32
    %c = spirv.FAdd %x, %x {spvx.decorations = {FPFastMathMode = array<i32: 7>}} : f32
    // CHECK: arith.divf {{.*}} fastmath<reassoc,nsz,arcp,contract> : f32
    %e = spirv.FDiv %x, %x {spvx.decorations = {FPFastMathMode = array<i32: 16>}} : f32
    // CHECK: arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : f32
    %f = spirv.FMul %x, %x {spvx.decorations = {FPFastMathMode = array<i32: 0>}} : f32
    // CHECK: arith.mulf {{.*}} fastmath<reassoc> : f32
    %g = spirv.FMul %x, %x {spvx.decorations = {FPFastMathMode = array<i32: 196608>, NoContraction}} : f32
    spirv.Return
  }
}
