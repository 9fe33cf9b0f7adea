// RUN: pumice-opt %s | pumice-opt | FileCheck %s
// Instructions by name print as they parse.

// CHECK-LABEL: func.func @length
func.func @length(%x: f32) -> i32 {
  // CHECK: spvx.op "GLSL.std.450/Modf"({{.*}}) : (f32) -> (f32, f32)
  %m:2 = spvx.op "GLSL.std.450/Modf"(%x) : (f32) -> (f32, f32)
  // CHECK: spvx.op "Example"({{.*}}) {literals = array<i32: 0, 7>} : (f32) -> i32
  %n = spvx.op "Example"(%x) {literals = array<i32: 0, 7>} : (f32) -> i32
  return %n : i32
}
