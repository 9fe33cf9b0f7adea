// Subgroups and workgroup memory of kernels for OpenCL.
// RUN: pumice compile %s --target intel-pvc --emit mlir | FileCheck %s
// RUN: pumice compile %s --target intel-pvc -o %t.pumice && pumice inspect %t.pumice --no-asm | FileCheck %s --check-prefix=FILE
// RUN: not pumice compile %s --target opencl-3.0 -o %t.none 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: not pumice compile %s --target adreno-opencl -o %t.none 2>&1 | FileCheck %s --check-prefix=ADRENO

gpu.module @m {
  gpu.func @sums(%x: memref<?xf32>) kernel attributes {
      known_block_size = array<i32: 64, 1, 1>, pumice.required_subgroup_size = 32 : i32} {
    %i = gpu.global_id x
    %v = memref.load %x[%i] : memref<?xf32>
    %s = gpu.subgroup_reduce add %v : (f32) -> f32
    %z = gpu.subgroup_size : index
    %zi = arith.index_cast %z : index to i32
    %zf = arith.sitofp %zi : i32 to f32
    %t = arith.mulf %s, %zf : f32
    memref.store %t, %x[%i] : memref<?xf32>
    gpu.return
  }

  gpu.func @dynamic(%n: i64, %x: memref<16xi32>) kernel {
    %i = gpu.thread_id x
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %c0 = arith.constant 0 : index
    %words = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16xi32, #gpu.address_space<workgroup>>
    %v = memref.load %x[%i] : memref<16xi32>
    memref.store %v, %words[%i] : memref<16xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %words[%c0] : memref<16xi32, #gpu.address_space<workgroup>>
    memref.store %w, %x[%i] : memref<16xi32>
    gpu.return
  }
}

// CHECK: requires #spirv.vce<v1.4, [{{.*}}SubgroupDispatch{{.*}}GroupNonUniformArithmetic{{.*}}], []>
// CHECK-SAME: features = ["shaderInt64", "subgroupSizeControl"]
// CHECK: built_in("SubgroupMaxSize") : !spirv.ptr<i32, Input>
// CHECK: spirv.func @sums(%{{.*}}: !spirv.ptr<f32, CrossWorkgroup>, %{{.*}}: i32)
// CHECK: spirv.GroupNonUniformFAdd <Subgroup> <Reduce>
// CHECK: spirv.ExecutionMode @sums "SubgroupSize", 32

// The pointer to dynamic memory is the last parameter.
// CHECK: spirv.func @dynamic(%{{.*}}: i64, %{{.*}}: !spirv.ptr<i32, CrossWorkgroup>, %[[MEMORY:.*]]: !spirv.ptr<!spirv.array<{{.*}}>, Workgroup>)

// FILE: entry point sums
// FILE: entry point dynamic
// FILE: memory 0 bytes and what the launch adds
// FILE: dynamic is 'dynamic' in the code
// FILE: parameters 24 bytes in the kernel's own parameters

// LEAST: error: 'gpu.subgroup_reduce' needs cl_khr_subgroups or __opencl_c_subgroups, which target 'opencl-3.0' lacks
// ADRENO: error: 'gpu.subgroup_reduce' needs cl_khr_subgroup_non_uniform_arithmetic or cl_khr_subgroup_shuffle, which target 'adreno-opencl' lacks
