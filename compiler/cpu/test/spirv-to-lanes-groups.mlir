// RUN: pumice-opt %s --pumice-spirv-to-lanes -split-input-file -verify-diagnostics | FileCheck %s

// In a reduction over the workgroup, each subgroup stores its result in memory, and a loop combines
// these.
// CHECK-LABEL: func.func @sum()
// CHECK-SAME: lane.shared_bytes = 128 : i64
// CHECK-SAME: lane.unmarked
// CHECK-DAG: lane.shared 0
// CHECK: %[[WHOLE:.*]] = lane.reduce add %{{.*}} : i32
// CHECK: %[[OWN:.*]] = lane.builtin subgroup_id
// CHECK: lane.barrier
// CHECK: lane.store %[[WHOLE]]
// CHECK: lane.barrier
// CHECK: %[[END:.*]] = lane.builtin num_subgroups
// CHECK: cf.br ^[[HEADER:bb.]](%{{.*}}, %{{.*}} : i32, i32)
// CHECK: ^[[HEADER]](%[[I:.*]]: i32, %[[SUM:.*]]: i32):
// CHECK: arith.cmpi ult, %[[I]], %[[END]] : i32
// CHECK: lane.store %[[SUM]]
spirv.func @sum(%p: !spirv.ptr<i32, CrossWorkgroup>) "None" attributes {spvx.execution_model = "Kernel", lane.workgroup_size = array<i32: 32, 1, 1>} {
  %x = spirv.Load "CrossWorkgroup" %p ["Aligned", 4] : i32
  %s = spvx.op "GroupIAdd"(%x) {literals = array<i32: 2, 0>} : (i32) -> i32
  spirv.Store "CrossWorkgroup" %p, %s ["Aligned", 4] : i32
  spirv.Return
}

// -----

// Vectors of halves in memory. Aligned vectors of three elements take the space of four.
// CHECK-LABEL: func.func @halves()
// CHECK: arith.constant 8 : i64
// CHECK: lane.load {{.*}} align 2 : f16, f16, f16
// CHECK: arith.extf
spirv.func @halves(%p: !spirv.ptr<f16, CrossWorkgroup>, %i: i64, %q: !spirv.ptr<vector<3xf32>, CrossWorkgroup>) "None" attributes {spvx.execution_model = "Kernel"} {
  %x = spvx.op "OpenCL.std/vloada_halfn"(%i, %p) {literals = array<i32: 3>} : (i64, !spirv.ptr<f16, CrossWorkgroup>) -> vector<3xf32>
  spirv.Store "CrossWorkgroup" %q, %x ["Aligned", 16] : vector<3xf32>
  spirv.Return
}

// -----

// Conversions with rounding modes.
// CHECK-LABEL: func.func @rounded()
// CHECK: math.roundeven
// CHECK: math.ceil
// CHECK-NOT: math.floor
spirv.func @rounded(%p: !spirv.ptr<i32, CrossWorkgroup>, %x: f32) "None" attributes {spvx.execution_model = "Kernel"} {
  %a = spirv.ConvertFToS %x {spvx.decorations = {FPRoundingMode = array<i32: 0>}} : f32 to i32
  %b = spirv.ConvertFToS %x {spvx.decorations = {FPRoundingMode = array<i32: 2>}} : f32 to i32
  %c = spirv.ConvertFToS %x : f32 to i32
  %d = spirv.IAdd %a, %b : i32
  %e = spirv.IAdd %c, %d : i32
  spirv.Store "CrossWorkgroup" %p, %e ["Aligned", 4] : i32
  spirv.Return
}

// -----

// If the launch decides the size, it must be known at compile time, because memory is needed for
// each invocation.
spirv.func @open(%p: !spirv.ptr<i32, CrossWorkgroup>, %x: i32) "None" attributes {spvx.execution_model = "Kernel"} {
  // expected-error @+1 {{group instructions need a workgroup size that is known}}
  %s = spvx.op "GroupIAdd"(%x) {literals = array<i32: 2, 0>} : (i32) -> i32
  spirv.Store "CrossWorkgroup" %p, %s ["Aligned", 4] : i32
  spirv.Return
}
