// The route through LLVM IR gives a module with the same interface, which computes the same.
// RUN: pumice compile %s --target intel-cpu --via llvm --emit spirv-asm | FileCheck %s
// RUN: pumice compile %s --target intel-cpu --via llvm -o %t.llvm.pumice
// RUN: pumice run %t.llvm.pumice --launch %S/inputs/via.json --device cpu:0 | FileCheck %s --check-prefix=RAN
// RUN: pumice compile %s --target intel-cpu --via spirv -o %t.spirv.pumice
// RUN: pumice run %t.spirv.pumice --launch %S/inputs/via.json --device cpu:0 | FileCheck %s --check-prefix=RAN
// RUN: not pumice compile %s --target intel-cpu --via metal -o %t.none 2>&1 | FileCheck %s --check-prefix=ROUTE

gpu.module @m {
  gpu.func @k(%x: memref<?xf32>, %n: memref<64xi32>, %a: f32) workgroup(%t : memref<64xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<?xf32>
    %p = arith.mulf %v, %a : f32
    %s = math.sqrt %p : f32
    memref.store %s, %t[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %j = arith.subi %c63, %i : index
    %w = memref.load %t[%j] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %x[%i] : memref<?xf32>
    %old = memref.atomic_rmw addi %c1, %n[%c0] : (i32, memref<64xi32>) -> i32
    gpu.return
  }
}

// CHECK-NOT: OpCapability Shader
// CHECK: OpMemoryModel Physical64 OpenCL
// CHECK: OpEntryPoint Kernel %k "k"
// CHECK: OpExecutionMode %k LocalSize 64 1 1
// Intel's runtime makes slow atomics for C++.
// CHECK: OpSource OpenCL_C 300000
// CHECK: OpVariable %{{.*}} Workgroup
// CHECK: OpExtInst %float %{{.*}} sqrt
// CHECK: OpControlBarrier
// CHECK: OpAtomicIAdd
// RAN: x: [126, 124, {{.*}}, 2, 0]
// RAN: n: [64, 0, {{.*}}]
// RAN: PASS
// ROUTE: unknown route 'metal'; --via takes spirv or llvm
