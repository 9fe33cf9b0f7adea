// RUN: pumice-opt %s -pumice-expand-lane-math | FileCheck %s
// RUN: pumice-opt %s -pumice-expand-lane-math=avx512 | FileCheck %s --check-prefix=AVX512
// RUN: pumice-opt %s -pumice-expand-lane-math=fused=false | FileCheck %s --check-prefix=SPLIT
// RUN: pumice-opt %s -pumice-expand-lane-math=halves | FileCheck %s --check-prefix=HALVES

// AVX512-LABEL: func.func @functions
// AVX512: math.exp %arg0 : f32
// AVX512-NOT: math.exp2
// CHECK-LABEL: func.func @functions
// CHECK-NOT: math.{{exp|sin|pow|tanh}}
// CHECK: math.fma
// CHECK-NOT: scf.if
// CHECK: lane.if
// CHECK-NOT: {{math.(exp|sin|pow|tanh)|scf.if}}
// CHECK: return
func.func @functions(%x: f32, %y: f64, %h: f16) -> (f32, f32, f32, f64, f16) {
  %0 = math.exp %x : f32
  %1 = math.sin %x fastmath<afn> : f32
  %2 = math.powf %x, %1 fastmath<afn> : f32
  %3 = math.exp2 %y : f64
  %4 = math.tanh %h : f16
  return %0, %1, %2, %3, %4 : f32, f32, f32, f64, f16
}

// Operations for which CPUs have instructions stay.
// CHECK-LABEL: func.func @native
// CHECK: math.sqrt
// CHECK: math.floor
// CHECK: math.ctlz
// CHECK: math.copysign
func.func @native(%x: f32, %n: i64) -> (f32, f32, i64, f32) {
  %0 = math.sqrt %x : f32
  %1 = math.floor %x : f32
  %2 = math.ctlz %n : i64
  %3 = math.copysign %x, %0 : f32
  return %0, %1, %2, %3 : f32, f32, i64, f32
}

// An fma of halves is computed in f32 with the help of integers, unless the processor has f16
// instructions.
// CHECK-LABEL: func.func @fused_halves
// CHECK-NOT: math.fma
// CHECK: arith.addi
// CHECK: %[[BITS:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: %[[SUM:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK: arith.truncf %[[SUM]] : f32 to f16
// HALVES-LABEL: func.func @fused_halves
// HALVES: math.fma {{.*}} : f16
func.func @fused_halves(%x: f16, %y: f16, %z: f16) -> f16 {
  %0 = math.fma %x, %y, %z : f16
  return %0 : f16
}

// Without an fma instruction, only the fma of the source stays: those of a polynomial would become
// calls.
// SPLIT-LABEL: func.func @fused
// SPLIT-NOT: math.fma
// SPLIT: %[[R:.*]] = math.fma %arg0, %arg1, %arg0 : f32
// SPLIT-NOT: math.fma
// SPLIT: return
func.func @fused(%x: f32, %y: f32) -> (f32, f32) {
  %0 = math.log %x : f32
  %1 = math.fma %x, %y, %x : f32
  %2 = math.sin %1 : f32
  return %0, %2 : f32, f32
}
