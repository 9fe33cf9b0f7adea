// RUN: pumice-opt %s --pumice-spirv-to-lanes | FileCheck %s

!block = !spirv.struct<(i32 [0], i64 [8], f32 [16])>
spirv.GlobalVariable @b bind(0, 0) : !spirv.ptr<!block, StorageBuffer>
spirv.GlobalVariable @s : !spirv.ptr<i32, Workgroup>

// CHECK-LABEL: func.func @atomics
spirv.func @atomics() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 1, 1, 1>} {
  %0 = spirv.Constant 0 : i32
  %1 = spirv.Constant 1 : i32
  %2 = spirv.Constant 2 : i32
  %long = spirv.Constant 3 : i64
  %f = spirv.Constant 1.0 : f32
  %b = spirv.mlir.addressof @b : !spirv.ptr<!block, StorageBuffer>
  %s = spirv.mlir.addressof @s : !spirv.ptr<i32, Workgroup>
  // CHECK: %[[B:.*]] = lane.buffer 0, 0
  // CHECK: %[[S:.*]] = lane.shared 0
  %p = spirv.AccessChain %b[%0] : !spirv.ptr<!block, StorageBuffer>, i32 -> !spirv.ptr<i32, StorageBuffer>
  %q = spirv.AccessChain %b[%1] : !spirv.ptr<!block, StorageBuffer>, i32 -> !spirv.ptr<i64, StorageBuffer>
  %r = spirv.AccessChain %b[%2] : !spirv.ptr<!block, StorageBuffer>, i32 -> !spirv.ptr<f32, StorageBuffer>
  // CHECK: lane.atomic add monotonic %[[B]], %{{.*}} : i32
  %3 = spirv.AtomicIAdd <Device> <None> %p, %1 : !spirv.ptr<i32, StorageBuffer>
  // CHECK: lane.atomic umax acq_rel %{{.*}}, %{{.*}} : i64
  %4 = spirv.AtomicUMax <Device> <AcquireRelease|UniformMemory> %q, %long : !spirv.ptr<i64, StorageBuffer>
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: lane.atomic sub monotonic %[[S]], %[[ONE]] exclusive : i32
  %5 = spirv.AtomicIDecrement <Workgroup> <None> %s : !spirv.ptr<i32, Workgroup>
  // CHECK: lane.atomic fadd monotonic %{{.*}}, %{{.*}} : f32
  %6 = spirv.EXT.AtomicFAdd <Device> <None> %r, %f : !spirv.ptr<f32, StorageBuffer>
  // CHECK: lane.atomic fmin monotonic
  %7 = spvx.op "AtomicFMinEXT"(%r, %f) {literals = array<i32: 1, 0>} : (!spirv.ptr<f32, StorageBuffer>, f32) -> f32
  // SPIR-V's operands are (value, comparator). Those of the lane dialect are (comparator, value).
  // CHECK: lane.compare_exchange acquire %[[B]], %[[C0:.*]], %[[C1:.*]] : i32
  %8 = spirv.AtomicCompareExchange <Device> <Acquire> <None> %p, %1, %0 : !spirv.ptr<i32, StorageBuffer>
  // CHECK: lane.load %[[B]] align 4 {atomic_order = "acquire"} : i32
  %9 = spvx.op "AtomicLoad"(%p) {literals = array<i32: 1, 2>} : (!spirv.ptr<i32, StorageBuffer>) -> i32
  // CHECK: lane.store %{{.*}} to %[[B]] align 4 {atomic_order = "monotonic"} : i32
  spvx.op "AtomicStore"(%p, %1) {literals = array<i32: 1, 0>} : (!spirv.ptr<i32, StorageBuffer>, i32) -> ()
  // CHECK: lane.store %{{.*}} to %[[S]] align 4 : i32
  spvx.op "AtomicStore"(%s, %1) {literals = array<i32: 1, 0>} : (!spirv.ptr<i32, Workgroup>, i32) -> ()
  // CHECK: %[[OLD:.*]] = lane.atomic exchange
  // CHECK: arith.cmpi ne, %[[OLD]]
  %10 = spvx.op "AtomicFlagTestAndSet"(%p) {literals = array<i32: 1, 0>} : (!spirv.ptr<i32, StorageBuffer>) -> i1
  spirv.Return
}
