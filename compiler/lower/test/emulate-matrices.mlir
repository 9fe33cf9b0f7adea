// RUN: pumice-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(pumice-emulate-matrices,canonicalize,cse))' | FileCheck %s

// Each lane covers two rows of the result: A comes from (lane / 16) * 16 + k, B from two rows.
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32}>} {
  // CHECK-LABEL: gpu.func @product
  // CHECK-SAME:    pumice.required_subgroup_size = 32 : i32
  // CHECK-DAG:     %[[LANE:.*]] = gpu.lane_id
  // CHECK-DAG:     %[[COL:.*]] = arith.andi %[[LANE]], %c15
  // CHECK-DAG:     %[[ROW:.*]] = arith.shrui %[[LANE]], %c4
  // CHECK-COUNT-24: memref.load %{{.*}} : memref<16x16xf16>
  // CHECK-NOT:     memref.load
  // CHECK:         scf.for {{.*}} -> (vector<8xf32>)
  // CHECK:           arith.extf %{{.*}} : f16 to f32
  // CHECK:           gpu.shuffle idx %{{.*}}, %{{.*}}, %c32_i32 : f32
  // CHECK:           math.fma
  // CHECK:           vector.from_elements {{.*}} : vector<8xf32>
  // CHECK:         vector.extract
  // CHECK-COUNT-8: memref.store %{{.*}} : memref<16x16xf32>
  // CHECK-NOT:     gpu.subgroup_mma
  gpu.func @product(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf16>, %d: memref<16x16xf32>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %B = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
    %H = gpu.subgroup_mma_load_matrix %c[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "COp">
    %C = gpu.subgroup_mma_elementwise extf %H : (!gpu.mma_matrix<16x16xf16, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
    %R = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %C) -> !gpu.mma_matrix<16x16xf32, "COp"> {
      %next = gpu.subgroup_mma_compute %A, %B, %acc : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      scf.yield %next : !gpu.mma_matrix<16x16xf32, "COp">
    }
    gpu.subgroup_mma_store_matrix %R, %d[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.return
  }

  // The memref's strides are not known: the whole address goes into the last index.
  // CHECK-LABEL: gpu.func @addressing
  // CHECK-SAME:    (%[[A:.*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>, %[[I:.*]]: index, %[[J:.*]]: index
  // CHECK-DAG:     %[[COL:.*]] = arith.andi %{{.*}}, %c7
  // CHECK-DAG:     %[[ROW:.*]] = arith.shrui %{{.*}}, %c3
  // CHECK:         %[[SKIP:.*]] = arith.muli %[[ROW]], %c100
  // CHECK:         %[[AT:.*]] = arith.addi %[[SKIP]], %[[COL]]
  // CHECK:         %[[LAST:.*]] = arith.addi %[[J]], %[[AT]]
  // CHECK:         memref.load %[[A]][%[[I]], %[[LAST]]]
  // The matrix is transposed, in memory of one dimension: column · 20 + row.
  // CHECK:         %[[DOWN:.*]] = arith.muli %[[COL]], %c20
  // CHECK:         %[[TO:.*]] = arith.addi %[[DOWN]], %[[ROW]]
  // CHECK:         memref.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<?xf32, #gpu.address_space<workgroup>>
  gpu.func @addressing(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %i: index, %j: index) workgroup(%w: memref<?xf32, #gpu.address_space<workgroup>>) kernel {
    %M = gpu.subgroup_mma_load_matrix %a[%i, %j] {leadDimension = 100 : index} : memref<?x?xf32, strided<[?, 1], offset: ?>> -> !gpu.mma_matrix<8x8xf32, "COp">
    gpu.subgroup_mma_store_matrix %M, %w[%i] {leadDimension = 20 : index, transpose} : !gpu.mma_matrix<8x8xf32, "COp">, memref<?xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @elements
  // CHECK-SAME:    (%[[X:.*]]: f32, %[[I:.*]]: index, %{{.*}}: memref<8x8xf32>)
  // CHECK:         %[[V:.*]] = vector.broadcast %[[X]] : f32 to vector<2xf32>
  // CHECK:         %[[N:.*]] = arith.negf %[[V]] : vector<2xf32>
  // CHECK:         %[[M:.*]] = arith.maximumf %[[V]], %[[N]] : vector<2xf32>
  // CHECK:         %[[M0:.*]] = vector.extract %[[M]][0]
  // CHECK:         %[[M1:.*]] = vector.extract %[[M]][1]
  // CHECK:         %[[IS1:.*]] = arith.cmpi eq, %[[I]], %c1
  // CHECK:         %[[E:.*]] = arith.select %[[IS1]], %[[M1]], %[[M0]] : f32
  // CHECK:         memref.store %[[E]]
  // CHECK:         memref.store %[[M1]]
  gpu.func @elements(%x: f32, %i: index, %m: memref<8x8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %C = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<8x8xf32, "COp">
    %N = gpu.subgroup_mma_elementwise negatef %C : (!gpu.mma_matrix<8x8xf32, "COp">) -> !gpu.mma_matrix<8x8xf32, "COp">
    %M = gpu.subgroup_mma_elementwise maxf %C, %N : (!gpu.mma_matrix<8x8xf32, "COp">, !gpu.mma_matrix<8x8xf32, "COp">) -> !gpu.mma_matrix<8x8xf32, "COp">
    %e = gpu.subgroup_mma_extract_thread_local %M[%i] : !gpu.mma_matrix<8x8xf32, "COp"> -> f32
    %R = gpu.subgroup_mma_insert_thread_local %e, %M[%c0] : f32, !gpu.mma_matrix<8x8xf32, "COp"> -> !gpu.mma_matrix<8x8xf32, "COp">
    gpu.subgroup_mma_store_matrix %R, %m[%c0, %c0] {leadDimension = 8 : index} : !gpu.mma_matrix<8x8xf32, "COp">, memref<8x8xf32>
    gpu.return
  }
}

// -----

// One shape is native. The other web of the kernel is not, and its size is free: 16 is the usual one.
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {subgroupSize = 16 : i32, minSubgroupSize = 8 : i32, maxSubgroupSize = 32 : i32, subgroupSizeControl, computeFullSubgroups, subgroupFeatures = 127 : i32, cooperativeMatrix, vulkanMemoryModel, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup"]}>} {
  // CHECK-LABEL: gpu.func @webs
  // CHECK-SAME:    pumice.required_subgroup_size = 16 : i32
  // CHECK:         gpu.subgroup_mma_load_matrix {{.*}}"AOp"
  // CHECK:         gpu.subgroup_mma_load_matrix {{.*}}"BOp"
  // CHECK:         gpu.subgroup_mma_constant_matrix
  // CHECK:         gpu.subgroup_mma_compute
  // CHECK:         gpu.subgroup_mma_store_matrix
  // CHECK-NOT:     gpu.subgroup_mma
  // Lanes hold whole columns, so A is broadcast, and B is not moved.
  // CHECK:         gpu.subgroup_broadcast %{{.*}}, specific_lane %c0_i32 : f32
  // CHECK:         math.fma
  // CHECK-NOT:     gpu.shuffle
  gpu.func @webs(%a: memref<16x16xf16>, %c: memref<16x16xf32>, %x: memref<8x16xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %B = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index, transpose} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
    %C = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
    %R = gpu.subgroup_mma_compute %A, %B, %C : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %R, %c[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    %X = gpu.subgroup_mma_load_matrix %x[%c0, %c0] {leadDimension = 16 : index} : memref<8x16xf32> -> !gpu.mma_matrix<8x8xf32, "AOp">
    %Y = gpu.subgroup_mma_load_matrix %x[%c0, %c0] {leadDimension = 16 : index} : memref<8x16xf32> -> !gpu.mma_matrix<8x16xf32, "BOp">
    %Z = gpu.subgroup_mma_load_matrix %x[%c0, %c0] {leadDimension = 16 : index} : memref<8x16xf32> -> !gpu.mma_matrix<8x16xf32, "COp">
    %W = gpu.subgroup_mma_compute %X, %Y, %Z : !gpu.mma_matrix<8x8xf32, "AOp">, !gpu.mma_matrix<8x16xf32, "BOp"> -> !gpu.mma_matrix<8x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %W, %x[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<8x16xf32, "COp">, memref<8x16xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @native
  // CHECK-NOT:     pumice.required_subgroup_size
  // CHECK:         gpu.subgroup_mma_load_matrix
  // CHECK:         gpu.subgroup_mma_store_matrix
  gpu.func @native(%c: memref<16x16xf32>) kernel {
    %c0 = arith.constant 0 : index
    %C = gpu.subgroup_mma_load_matrix %c[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %C, %c[%c0, %c0] {leadDimension = 16 : index, transpose} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @integers
  // CHECK:         arith.extsi %{{.*}} : i8 to i32
  // CHECK:         arith.extui %{{.*}} : i8 to i32
  // CHECK:         arith.muli %{{.*}} : i32
  // CHECK:         arith.addi %{{.*}} : i32
  gpu.func @integers(%a: memref<16x16xi8>, %c: memref<16x16xi32>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xi8> -> !gpu.mma_matrix<16x16xsi8, "AOp">
    %B = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xi8> -> !gpu.mma_matrix<16x16xui8, "BOp">
    %C = gpu.subgroup_mma_load_matrix %c[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xi32> -> !gpu.mma_matrix<16x16xi32, "COp">
    %R = gpu.subgroup_mma_compute %A, %B, %C : !gpu.mma_matrix<16x16xsi8, "AOp">, !gpu.mma_matrix<16x16xui8, "BOp"> -> !gpu.mma_matrix<16x16xi32, "COp">
    gpu.subgroup_mma_store_matrix %R, %c[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xi32, "COp">, memref<16x16xi32>
    gpu.return
  }
}

// -----

// Native matrices need full subgroups: a size that divides the workgroup is required.
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {subgroupSize = 64 : i32, minSubgroupSize = 32 : i32, maxSubgroupSize = 64 : i32, requiredSubgroupSizeStages = 32 : i32, subgroupSizeControl, subgroupFeatures = 127 : i32, cooperativeMatrix, vulkanMemoryModel, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup"]}>} {
  // CHECK-LABEL: gpu.func @native_narrow
  // CHECK-SAME:    pumice.full_subgroups
  // CHECK-SAME:    pumice.required_subgroup_size = 32 : i32
  gpu.func @native_narrow(%c: memref<16x16xf32>) kernel attributes {known_block_size = array<i32: 32, 2, 1>} {
    %x = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %C = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %C, %c[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.return
  }
}
