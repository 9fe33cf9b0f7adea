// Products of fragments of cooperative matrices, on a target with the shape and a measured map.
// RUN: pumice-opt %s --pumice-prefetch-loads --cse | FileCheck %s --check-prefix=AHEAD
// RUN: pumice-opt %s --pumice-prefetch-loads --pumice-distribute-tiles --canonicalize | FileCheck %s

#r = #tile.layout<[16, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], subgroup = []>
#s = #tile.layout<[16, 16], register = [[4, 0], [8, 0], [2, 0]], lane = [[1, 0], [0, 1], [0, 2], [0, 4], [0, 8]], subgroup = []>
#f = #tile.layout<[16, 16], register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], subgroup = []>

// CHECK-LABEL: gpu.module @steps
// AHEAD-LABEL: gpu.module @steps
gpu.module @steps attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {
    cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32,
    cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup"],
    cooperativeMatrixFragments = ["accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0) (4,0)"]}>} {

// The sums stay a matrix from iteration to iteration. The next iteration's factors are loaded after the barrier, during
// the multiplications, and are needed only in the next iteration.
// CHECK: gpu.func @loop(%[[A:.*]]: memref<?xf16>, {{.*}}) workgroup(%[[M:.*]] : memref<{{[0-9]+}}xi32, #gpu.address_space<workgroup>>)
// CHECK-SAME: pumice.measured_maps = ["accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0) (4,0)"]
// CHECK: %[[ZERO:.*]] = gpu.subgroup_mma_constant_matrix
// CHECK: scf.for {{.*}} iter_args({{.*}} = %[[ZERO]]) -> ({{.*}}!gpu.mma_matrix<16x16xf32, "COp">)
// CHECK: gpu.barrier
// CHECK: vector.store {{.*}} %[[M]]
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: vector.load %[[A]]
// CHECK: %[[X:.*]] = vk.load_factor %[[M]]{{.*}} -> <16x16xf16, a>
// CHECK: %[[Y:.*]] = vk.load_factor %[[M]]{{.*}} -> <16x16xf16, b>
// CHECK-NOT: subgroup_mma_insert
// CHECK: vk.multiply_factors %[[X]], %[[Y]]
// CHECK-NOT: subgroup_mma_extract
// CHECK: scf.yield
// After the loop, each lane has its own elements.
// CHECK: gpu.subgroup_mma_extract_thread_local
// CHECK: memref.store

// AHEAD: %[[IS:.*]] = arith.cmpi slt, %{{.*}}, %[[END:.*]] : i32
// AHEAD: tile.load {{.*}} mask
// AHEAD: scf.for %[[K:.*]] = %{{.*}} to %[[END]] step {{.*}} iter_args(
// AHEAD: tile.dot
// AHEAD: %[[NEXT:.*]] = arith.addi %[[K]], %{{.*}} : i32
// AHEAD: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[END]] : i32
// AHEAD: tile.splat %[[MORE]]
// AHEAD: tile.load {{.*}}tile.prefetched
gpu.func @loop(%a: memref<?xf16>, %c: memref<?xf32>, %count: i32) kernel {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c256 = arith.constant dense<256> : tensor<16x16xi32, #r>
  %places = arith.constant dense<0> : tensor<16x16xi32, #r>
  %sum = scf.for %k = %c0 to %count step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32, #f>) : i32 {
    %turn = tile.splat %k : i32 -> tensor<16x16xi32, #r>
    %from = arith.muli %turn, %c256 : tensor<16x16xi32, #r>
    %at = arith.addi %from, %places : tensor<16x16xi32, #r>
    %x = tile.load from %a at %at {neighbours = 8 : i32} : (memref<?xf16>, tensor<16x16xi32, #r>) -> tensor<16x16xf16, #r>
    %d = tile.dot %x, %x, %s : tensor<16x16xf16, #r>, tensor<16x16xf16, #r> -> tensor<16x16xf32, #f>
    scf.yield %d : tensor<16x16xf32, #f>
  }
  %to = arith.constant dense<0> : tensor<16x16xi32, #f>
  tile.store %sum to %c at %to : (tensor<16x16xf32, #f>, memref<?xf32>, tensor<16x16xi32, #f>)
  gpu.return
}

// A loop that writes memory does not prefetch, nor does one whose product each lane computes by itself.
// AHEAD-LABEL: gpu.func @writes
// AHEAD-NOT: tile.prefetched
gpu.func @writes(%a: memref<?xf16>, %c: memref<?xf32>, %count: i32) kernel {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %places = arith.constant dense<0> : tensor<16x16xi32, #r>
  %to = arith.constant dense<0> : tensor<16x16xi32, #f>
  scf.for %k = %c0 to %count step %c1 : i32 {
    %x = tile.load from %a at %places : (memref<?xf16>, tensor<16x16xi32, #r>) -> tensor<16x16xf16, #r>
    %d = tile.dot %x, %x, %zero : tensor<16x16xf16, #r>, tensor<16x16xf16, #r> -> tensor<16x16xf32, #f>
    tile.store %d to %c at %to : (tensor<16x16xf32, #f>, memref<?xf32>, tensor<16x16xi32, #f>)
  }
  gpu.return
}
}

// Types without arithmetic, and integers, are bits in memory. They are words if lanes hold neighbours, else
// integers of the type's size.
// CHECK-LABEL: gpu.module @bits
gpu.module @bits attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix, VK_KHR_shader_bfloat16], {
    cooperativeMatrix, shaderBFloat16Type, shaderBFloat16CooperativeMatrix, shaderInt16, shaderInt8, vulkanMemoryModel, subgroupSize = 32 : i32,
    cooperativeMatrixPropertiesKHR = ["16x16x16 bf16 bf16 f32 f32 subgroup", "16x16x16 s8 s8 s32 s32 subgroup"],
    cooperativeMatrixFragments = ["accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0) (4,0)",
                                  "accumulator 16x16 s32 subgroup components (0,1) (0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0) (4,0)"]}>} {
// CHECK: gpu.func @words({{.*}}) workgroup(%[[M:.*]] : memref<{{[0-9]+}}xi32, #gpu.address_space<workgroup>>)
// CHECK: vector.bitcast {{.*}} : vector<8xi16> to vector<4xi32>
// CHECK: vk.load_factor %[[M]]{{.*}} -> <16x16xbf16, a>
// CHECK: vk.multiply_factors {{.*}} : <16x16xbf16, a>, <16x16xbf16, b>, !gpu.mma_matrix<16x16xf32, "COp">
gpu.func @words(%a: memref<?xbf16>, %c: memref<?xf32>) kernel {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %places = arith.constant dense<0> : tensor<16x16xi32, #r>
  %x = tile.load from %a at %places {neighbours = 8 : i32} : (memref<?xbf16>, tensor<16x16xi32, #r>) -> tensor<16x16xbf16, #r>
  %d = tile.dot %x, %x, %zero : tensor<16x16xbf16, #r>, tensor<16x16xbf16, #r> -> tensor<16x16xf32, #f>
  %to = arith.constant dense<0> : tensor<16x16xi32, #f>
  tile.store %d to %c at %to : (tensor<16x16xf32, #f>, memref<?xf32>, tensor<16x16xi32, #f>)
  gpu.return
}
// CHECK: gpu.func @single({{.*}}) workgroup(%[[M:.*]] : memref<{{[0-9]+}}xi16, #gpu.address_space<workgroup>>)
// CHECK: arith.bitcast {{.*}} : vector<8xbf16> to vector<8xi16>
// CHECK: vk.load_factor %[[M]]{{.*}} -> <16x16xbf16, a>
gpu.func @single(%a: memref<?xbf16>, %c: memref<?xf32>) kernel {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %places = arith.constant dense<0> : tensor<16x16xi32, #s>
  %x = tile.load from %a at %places : (memref<?xbf16>, tensor<16x16xi32, #s>) -> tensor<16x16xbf16, #s>
  %d = tile.dot %x, %x, %zero : tensor<16x16xbf16, #s>, tensor<16x16xbf16, #s> -> tensor<16x16xf32, #f>
  %to = arith.constant dense<0> : tensor<16x16xi32, #f>
  tile.store %d to %c at %to : (tensor<16x16xf32, #f>, memref<?xf32>, tensor<16x16xi32, #f>)
  gpu.return
}
// CHECK: gpu.func @bytes({{.*}}) workgroup(%[[M:.*]] : memref<{{[0-9]+}}xi32, #gpu.address_space<workgroup>>)
// CHECK: vk.load_factor %[[M]]{{.*}} -> <16x16xsi8, a>
// CHECK: vk.multiply_factors {{.*}} : <16x16xsi8, a>, <16x16xsi8, b>, !gpu.mma_matrix<16x16xi32, "COp">
gpu.func @bytes(%a: memref<?xi8>, %c: memref<?xi32>) kernel {
  %zero = arith.constant dense<0> : tensor<16x16xi32, #f>
  %places = arith.constant dense<0> : tensor<16x16xi32, #r>
  %x = tile.load from %a at %places {neighbours = 8 : i32} : (memref<?xi8>, tensor<16x16xi32, #r>) -> tensor<16x16xi8, #r>
  %d = tile.dot %x, %x, %zero : tensor<16x16xi8, #r>, tensor<16x16xi8, #r> -> tensor<16x16xi32, #f>
  %to = arith.constant dense<0> : tensor<16x16xi32, #f>
  tile.store %d to %c at %to : (tensor<16x16xi32, #f>, memref<?xi32>, tensor<16x16xi32, #f>)
  gpu.return
}
}
