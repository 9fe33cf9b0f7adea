// A kernel of gpu with operations of gen, for three targets in one executable. intel-pvc has the instructions; for the
// others, they become shuffles, arithmetic and accesses to elements. Both routes make the same instructions.
// RUN: pumice compile %s --target intel-pvc --emit spirv -o %t.spirv.spv
// RUN: %python %S/inputs/instructions.py %t.spirv.spv | FileCheck %s
// RUN: pumice compile %s --target intel-pvc --via llvm --emit spirv -o %t.llvm.spv
// RUN: %python %S/inputs/instructions.py %t.llvm.spv | FileCheck %s
// RUN: pumice compile %s --target intel-cpu --emit spirv-asm | FileCheck %s --check-prefix=EMULATED
// RUN: pumice compile %s --target intel-pvc --target intel-cpu --target cpu -o %t.pumice
// RUN: pumice inspect %t.pumice --no-asm | FileCheck %s --check-prefix=FILE
// RUN: %python %S/inputs/kernel.py %t.json %t.pumice
// RUN: pumice run --launch %t.json --device cpu:0 | FileCheck %s --check-prefix=RAN
// RUN: not pumice compile %s --target opencl-3.0 -o %t.none 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK-DAG: OpCapability 6228
// CHECK-DAG: OpCapability 6229
// CHECK-DAG: OpCapability 6236
// CHECK-DAG: OpExtension SPV_INTEL_2d_block_io
// CHECK-DAG: OpExtension SPV_INTEL_subgroup_matrix_multiply_accumulate
// The modes are LocalSize and SubgroupSize.
// CHECK-DAG: OpExecutionMode 17 16 1 1
// CHECK-DAG: OpExecutionMode 35 16
// CHECK-NOT: OpFunctionCall
// CHECK-DAG: OpSubgroup2DBlockPrefetchINTEL 2 16 8 1 % 96 16 96 %
// CHECK-DAG: OpSubgroup2DBlockLoadINTEL 2 16 8 1 % 96 16 96 % %
// CHECK-DAG: OpSubgroup2DBlockLoadTransformINTEL 2 16 16 1 % 64 48 64 % %
// CHECK-DAG: OpSubgroupMatrixMultiplyAccumulateINTEL 16 0xc00
// CHECK-DAG: OpSubgroup2DBlockStoreINTEL 4 16 8 1 % % 128 16 128 %
// CHECK-NOT: OpFunctionCall
// EMULATED-NOT: INTEL
// EMULATED: OpGroupNonUniformShuffle
// FILE: variant 0: opencl-spirv for intel-pvc
// FILE: cl_intel_subgroup_2d_block_io, cl_intel_subgroup_matrix_multiply_accumulate
// FILE: variant 1: opencl-spirv for intel-cpu
// RAN: PASS
// NONE: kernel.mlir:[[#]]:{{[0-9]+}}: error: 'gen.block_load_2d' needs sub-groups of 16, but the target's subgroupSize is 1

// c = a·b, where a has 16 × 48, b has 48 × 32 and c has 16 × 32 elements. Each sub-group computes 8 × 16 of them.
gpu.module @kernels {
  gpu.func @multiply(%a: memref<16x48xf16>, %b: memref<48x32xf16>, %c: memref<16x32xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>} {
    %dim_x = arith.constant 0 : i32
    %dim_y = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %i8 = arith.constant 8 : i32
    %i16 = arith.constant 16 : i32
    %i48 = arith.constant 48 : i32
    %i64 = arith.constant 64 : i32
    %i96 = arith.constant 96 : i32
    %i128 = arith.constant 128 : i32
    %none = arith.constant dense<0.0> : vector<8xf32>
    %group_x = gen.work_group_id %dim_x
    %group_y = gen.work_group_id %dim_y
    %number_x = arith.index_cast %group_x : index to i32
    %number_y = arith.index_cast %group_y : index to i32
    %x = arith.muli %number_x, %i16 : i32
    %y = arith.muli %number_y, %i8 : i32
    %at_a = vk.address_of %a : memref<16x48xf16>
    %at_b = vk.address_of %b : memref<48x32xf16>
    %at_c = vk.address_of %c : memref<16x32xf32>
    %sum = scf.for %k = %zero to %i48 step %i16 iter_args(%before = %none) -> vector<8xf32> : i32 {
      gen.block_prefetch_2d %at_a[%k, %y] of %i96, %i16, %i96 bits 16 shape 8, 16, 1 : i64
      %left = gen.block_load_2d %at_a[%k, %y] of %i96, %i16, %i96 bits 16 shape 8, 16, 1 : i64 -> vector<8xi16>
      %right = gen.block_load_2d transformed %at_b[%x, %k] of %i64, %i48, %i64 bits 16 shape 16, 16, 1
          : i64 -> vector<8xi32>
      %after = gen.matrix_mad f16 %left, f16 %right, %before : vector<8xi16>, vector<8xi32>, vector<8xf32>
      scf.yield %after : vector<8xf32>
    }
    %words = arith.bitcast %sum : vector<8xf32> to vector<8xi32>
    gen.block_store_2d %words, %at_c[%x, %y] of %i128, %i16, %i128 bits 32 shape 8, 16 : vector<8xi32>, i64
    gpu.return
  }
}
