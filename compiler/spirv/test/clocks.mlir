// Two readings of one clock stay separate, and the clock's requirements are added. Targets without
// clocks are rejected.
// RUN: pumice compile %s --target h200 --emit spirv-asm -o - | FileCheck %s
// RUN: not pumice compile %s --target '#vk.target_env<v1.3, [], {shaderInt64}>' --emit spirv-asm -o - 2>&1 | FileCheck %s --check-prefix=LACKS

// CHECK: OpCapability ShaderClockKHR
// CHECK: OpExtension "SPV_KHR_shader_clock"
// CHECK-DAG: %[[SUBGROUP:.*]] = OpConstant %uint 3
// CHECK-DAG: %[[DEVICE:.*]] = OpConstant %uint 1
// CHECK: OpReadClockKHR %ulong %clock_scope_{{[0-9]}}
// CHECK: OpReadClockKHR %ulong %clock_scope_{{[0-9]}}
// CHECK: OpReadClockKHR %ulong %clock_scope_{{[0-9]}}
// CHECK-NOT: OpReadClockKHR
// LACKS: error: needs the feature shader{{Device|Subgroup}}Clock, which the target lacks
gpu.module @m {
  gpu.func @k(%x: memref<3xi64>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %a = vk.read_clock
    memref.store %a, %x[%c0] : memref<3xi64>
    %b = vk.read_clock
    memref.store %b, %x[%c1] : memref<3xi64>
    %c = vk.read_clock subgroup
    memref.store %c, %x[%c2] : memref<3xi64>
    gpu.return
  }
}
