// RUN: pumice-opt %s --pumice-spirv-to-lanes | FileCheck %s
// Divisors, shift amounts and conversions are guarded, so that no result becomes poison.

!in = !spirv.struct<(i32 [0], i32 [4], f32 [8], f32 [12], i64 [16])>
spirv.GlobalVariable @in bind(0, 0) : !spirv.ptr<!in, StorageBuffer>

// CHECK-LABEL: func.func @arithmetic
spirv.func @arithmetic() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  %in = spirv.mlir.addressof @in : !spirv.ptr<!in, StorageBuffer>
  // CHECK: %[[X:.*]]:2 = lane.load
  // CHECK: %[[F:.*]]:2 = lane.load
  // CHECK: %[[L:.*]] = lane.load
  %all = spirv.Load "StorageBuffer" %in : !in
  %x = spirv.CompositeExtract %all[0 : i32] : !in
  %y = spirv.CompositeExtract %all[1 : i32] : !in
  %f = spirv.CompositeExtract %all[2 : i32] : !in
  %g = spirv.CompositeExtract %all[3 : i32] : !in
  %l = spirv.CompositeExtract %all[4 : i32] : !in
  %3 = spirv.Constant 3 : i32
  %40 = spirv.Constant 40 : i32
  // CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[X]]#1
  // CHECK: %[[SAFE:.*]] = arith.select %[[ZERO]]
  // CHECK: %[[Q:.*]] = arith.divui %[[X]]#0, %[[SAFE]]
  // CHECK: %[[ONES:.*]] = arith.constant -1 : i32
  // CHECK: arith.select %[[ZERO]], %[[ONES]], %[[Q]]
  %a = spirv.UDiv %x, %y : i32
  // CHECK: arith.cmpi eq, %[[X]]#1
  // CHECK: arith.cmpi eq, %[[X]]#1
  // CHECK: arith.divsi %[[X]]#0
  // CHECK: arith.select
  // CHECK: arith.select
  %b = spirv.SDiv %x, %y : i32
  // A constant divisor needs no guard.
  // CHECK-NOT: arith.cmpi
  // CHECK: arith.remsi %[[X]]#0, %{{.*}} : i32
  %c = spirv.SRem %x, %3 : i32
  // Shift amounts are taken modulo the width: 40 becomes 8.
  // CHECK: %[[EIGHT:.*]] = arith.constant 8 : i32
  // CHECK: arith.shli %[[X]]#0, %[[EIGHT]]
  %d = spirv.ShiftLeftLogical %x, %40 : i32, i32
  // CHECK: %[[MASK:.*]] = arith.constant 31 : i32
  // CHECK: %[[BY:.*]] = arith.andi %[[X]]#1, %[[MASK]]
  // CHECK: arith.shrsi %[[X]]#0, %[[BY]]
  %e = spirv.ShiftRightArithmetic %x, %y : i32, i32
  // CHECK-DAG: arith.constant 2.14748352E+9 : f32
  // CHECK-DAG: arith.constant -2.14748365E+9 : f32
  // CHECK: %[[ABOVE:.*]] = arith.select
  // CHECK: %[[WITHIN:.*]] = arith.select
  // CHECK: arith.fptosi %[[WITHIN]] : f32 to i32
  %h = spirv.ConvertFToS %f : f32 to i32
  // CHECK: arith.mulf %[[F]]#0, %[[F]]#1 fastmath<contract>
  %m = spirv.FMul %f, %g : f32
  // CHECK: arith.mulf %[[F]]#0, %[[F]]#1 : f32
  %n = spirv.FMul %f, %g {spvx.decorations = {NoContraction}} : f32
  // CHECK: arith.divf
  // CHECK: math.floor
  // CHECK: math.fma
  %o = spirv.FMod %f, %g : f32
  // CHECK: %[[SUM:.*]] = arith.addi
  // CHECK: arith.cmpi ult, %[[SUM]]
  %p = spirv.IAddCarry %x, %y : !spirv.struct<(i32, i32)>
  // CHECK: arith.extsi %[[X]]#0 : i32 to i64
  // CHECK: arith.muli
  // CHECK: arith.trunci
  %q = spirv.SMulExtended %x, %y : !spirv.struct<(i32, i32)>
  // CHECK: arith.bitcast %[[F]]#0 : f32 to i32
  %r = spirv.Bitcast %f : f32 to i32
  // CHECK: arith.trunci %[[L]] : i64 to i32
  // CHECK: arith.shrui %[[L]]
  %s = spirv.Bitcast %l : i64 to vector<2xi32>
  spirv.Return
}

// CHECK-LABEL: func.func @functions
spirv.func @functions() "None" attributes {spvx.execution_model = "GLCompute", spvx.modes = {ContractionOff}, lane.workgroup_size = array<i32: 1, 1, 1>} {
  %in = spirv.mlir.addressof @in : !spirv.ptr<!in, StorageBuffer>
  %all = spirv.Load "StorageBuffer" %in : !in
  // CHECK: %[[X:.*]]:2 = lane.load
  // CHECK: %[[F:.*]]:2 = lane.load
  %f = spirv.CompositeExtract %all[2 : i32] : !in
  %g = spirv.CompositeExtract %all[3 : i32] : !in
  // CHECK: arith.addf %[[F]]#0, %[[F]]#1 : f32
  %0 = spirv.FAdd %f, %g : f32
  // CHECK: math.sin %[[F]]#0
  %1 = spirv.GL.Sin %f : f32
  // CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[F]]#0, %[[F]]#1
  // CHECK: arith.select %[[LESS]], %[[F]]#0, %[[F]]#1
  %2 = spirv.GL.FMin %f, %g : f32
  // CHECK: arith.minnumf
  %3 = spvx.op "GLSL.std.450/NMin"(%f, %g) : (f32, f32) -> f32
  // CHECK: math.trunc
  // CHECK: math.copysign
  %4 = spvx.op "GLSL.std.450/ModfStruct"(%f) : (f32) -> !spirv.struct<(f32, f32)>
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %v = spirv.CompositeConstruct %f, %g : (f32, f32) -> vector<2xf32>
  %5 = spirv.GL.PackHalf2x16 %v : vector<2xf32> -> i32
  // CHECK: math.sqrt
  %6 = spirv.GL.Length %v : vector<2xf32> -> f32
  // CHECK: lane.printf "%d: %.2f, %.2f%%\0A", %{{.*}}, %[[F]]#0, %[[F]]#1 : i32, f32, f32
  %i = spirv.CompositeExtract %all[0 : i32] : !in
  spvx.op "NonSemantic.DebugPrintf/DebugPrintf"(%i, %v) {format = "%d: %v2.2f%%\n"} : (i32, vector<2xf32>) -> ()
  spirv.Return
}
