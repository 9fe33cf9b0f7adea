// RUN: pumice-opt %s --pumice-fold-nan-checks | FileCheck %s

// MLIR expands arith.maxnumf to GLSL's FMax and a check of each operand.
// CHECK-LABEL: func.func @largest
// CHECK-NEXT: %[[R:.*]] = arith.maxnumf %arg0, %arg1 : f32
// CHECK-NEXT: return %[[R]]
func.func @largest(%a: f32, %b: f32) -> f32 {
  %less = arith.cmpf olt, %a, %b : f32
  %most = arith.select %less, %b, %a : f32
  %aIsNan = arith.cmpf uno, %a, %a : f32
  %inner = arith.select %aIsNan, %b, %most : f32
  %bIsNan = arith.cmpf uno, %b, %b : f32
  %r = arith.select %bIsNan, %a, %inner : f32
  return %r : f32
}

// FMin has the opposite comparison. Here the first operand is checked last.
// CHECK-LABEL: func.func @smallest
// CHECK-NEXT: %[[R:.*]] = arith.minnumf %arg0, %arg1 : f64
// CHECK-NEXT: return %[[R]]
func.func @smallest(%a: f64, %b: f64) -> f64 {
  %less = arith.cmpf olt, %b, %a : f64
  %least = arith.select %less, %b, %a : f64
  %bIsNan = arith.cmpf uno, %b, %b : f64
  %inner = arith.select %bIsNan, %a, %least : f64
  %aIsNan = arith.cmpf uno, %a, %a : f64
  %r = arith.select %aIsNan, %b, %inner : f64
  return %r : f64
}

// The checks stay if NaN wins, or if only one operand is checked.
// CHECK-LABEL: func.func @others
// CHECK-NOT: maxnumf
// CHECK: return
func.func @others(%a: f32, %b: f32, %c: f32) -> (f32, f32, f32) {
  %less = arith.cmpf olt, %a, %b : f32
  %most = arith.select %less, %b, %a : f32
  %aIsNan = arith.cmpf uno, %a, %a : f32
  %bIsNan = arith.cmpf uno, %b, %b : f32
  %nanA = arith.select %aIsNan, %a, %most : f32
  %nanB = arith.select %bIsNan, %b, %nanA : f32
  %one = arith.select %bIsNan, %a, %most : f32
  %third = arith.select %aIsNan, %c, %most : f32
  %wrong = arith.select %bIsNan, %a, %third : f32
  return %nanB, %one, %wrong : f32, f32, f32
}
