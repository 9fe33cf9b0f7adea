// Software pipelines for products of fragments in loops.
// RUN: pumice-opt %s --pumice-pipeline-products --cse --mlir-print-local-scope | FileCheck %s
// RUN: pumice-opt %s --pumice-pipeline-products=first-depth=16 --cse | FileCheck %s --check-prefix=EVEN
// RUN: pumice-opt %s --pumice-pipeline-products --cse --pumice-distribute-tiles --canonicalize | FileCheck %s --check-prefix=LANES

#a = #tile.layout<[16, 64], register = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], subgroup = []>
#b = #tile.layout<[64, 16], register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], subgroup = []>
#f = #tile.layout<[16, 16], register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], subgroup = []>

gpu.module @steps attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {
    cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32,
    cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup"],
    cooperativeMatrixFragments = ["accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0) (4,0)"]}>} {

// The first piece of each factor is staged before the loop, and so are the fragments of the first step. In the loop, each
// step stages the piece of the next step, begins to load the same piece of the next iteration, and multiplies fragments
// that the previous step loaded.
// CHECK-LABEL: gpu.func @one
// CHECK: tile.load {{.*}} mask
// CHECK: tile.load {{.*}} mask
// CHECK: gpu.barrier
// CHECK: tile.stage {{.*}} dimension 1 first 0 depth 32
// CHECK: tile.stage {{.*}} dimension 0 first 0 depth 16
// CHECK: gpu.barrier
// CHECK: %[[X0:.*]] = vk.load_factor {{.*}} -> <16x16xf16, a>
// CHECK: %[[Y0:.*]] = vk.load_factor {{.*}} -> <16x16xf16, b>
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[X:.*]] = %[[X0]], %[[Y:.*]] = %[[Y0]])
// CHECK: tile.begin_loads 0 piece 0
// CHECK: tile.begin_loads 1 piece 0
// CHECK: tile.stage {{.*}} dimension 0 first 16 depth 16
// CHECK: tile.begin_loads 1 piece 1
// CHECK: gpu.barrier {vk.workgroup_only}
// CHECK: %[[X1:.*]] = vk.load_factor {{.*}}, a>
// CHECK: %[[Y1:.*]] = vk.load_factor {{.*}}, b>
// CHECK: vk.multiply_factors %[[X]], %[[Y]]
// CHECK: tile.stage {{.*}} dimension 1 first 32 depth 32
// CHECK: tile.begin_loads 0 piece 1
// CHECK: tile.stage {{.*}} dimension 0 first 32 depth 16
// CHECK: tile.begin_loads 1 piece 2
// CHECK: gpu.barrier {vk.workgroup_only}
// CHECK: vk.multiply_factors %[[X1]], %[[Y1]]
// CHECK: tile.stage {{.*}} dimension 0 first 48 depth 16
// CHECK: gpu.barrier {vk.workgroup_only}
// CHECK: vk.multiply_factors
// The last step stages the next iteration's first pieces. If there is none, it loads this iteration's again.
// CHECK: arith.select
// CHECK: tile.load {{.*}}tile.prefetched
// CHECK: tile.load {{.*}}tile.prefetched
// CHECK: tile.stage {{.*}} dimension 1 first 0 depth 32
// CHECK: tile.stage {{.*}} dimension 0 first 0 depth 16
// CHECK: gpu.barrier {vk.workgroup_only}
// CHECK: %[[XN:.*]] = vk.load_factor {{.*}}, a>
// CHECK: %[[YN:.*]] = vk.load_factor {{.*}}, b>
// CHECK: vk.multiply_factors
// CHECK: scf.yield {{.*}} %[[XN]], %[[YN]]

// EVEN-LABEL: gpu.func @one
// EVEN: tile.stage {{.*}} dimension 1 first 0 depth 16
// EVEN: scf.for
// EVEN: tile.stage {{.*}} dimension 1 first 16 depth 16
// EVEN: tile.stage {{.*}} dimension 0 first 16 depth 16

// Each access of a piece comes after the stores of the current iteration's piece.
// LANES-LABEL: gpu.func @one
// LANES: scf.for
// LANES: vector.load %arg0
// LANES: vector.load %arg1
// LANES: vector.store {{.*}} vector<4xi32>
// LANES: vector.load %arg1
// LANES: gpu.barrier {vk.workgroup_only}
// LANES-COUNT-2: vk.load_factor
// LANES: vk.multiply_factors
// LANES-NOT: tile.
gpu.func @one(%x: memref<?xf16>, %y: memref<?xf16>, %c: memref<?xf32>, %count: i32) kernel {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %k = %c0 to %count step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32, #f>) : i32 {
    %i = tile.splat %k : i32 -> tensor<16x64xi32, #a>
    %j = tile.splat %k : i32 -> tensor<64x16xi32, #b>
    %l = tile.load from %x at %i {neighbours = 8 : i32} : (memref<?xf16>, tensor<16x64xi32, #a>) -> tensor<16x64xf16, #a>
    %r = tile.load from %y at %j {neighbours = 8 : i32} : (memref<?xf16>, tensor<64x16xi32, #b>) -> tensor<64x16xf16, #b>
    %d = tile.dot %l, %r, %s : tensor<16x64xf16, #a>, tensor<64x16xf16, #b> -> tensor<16x16xf32, #f>
    scf.yield %d : tensor<16x16xf32, #f>
  }
  %to = arith.constant dense<0> : tensor<16x16xi32, #f>
  tile.store %sum to %c at %to : (tensor<16x16xf32, #f>, memref<?xf32>, tensor<16x16xi32, #f>)
  gpu.return
}

// A factor that the loop does not change stays in fragments. The other one is staged at the end of the iteration before.
// CHECK-LABEL: gpu.func @fixed
// CHECK: tile.stage {{.*}} dimension 1 first 0 depth 64
// CHECK: gpu.barrier
// CHECK-COUNT-4: vk.load_factor {{.*}}, a>
// CHECK: tile.stage {{.*}} dimension 0 first 0 depth 64
// CHECK: scf.for
// CHECK: tile.begin_loads
// CHECK-NOT: vk.load_factor {{.*}}, a>
// CHECK-COUNT-4: vk.multiply_factors
// CHECK: tile.load {{.*}}tile.prefetched
// CHECK: tile.stage {{.*}} dimension 0 first 0 depth 64
// CHECK: gpu.barrier {vk.workgroup_only}
// CHECK: scf.yield
gpu.func @fixed(%x: memref<?xf16>, %y: memref<?xf16>, %c: memref<?xf32>, %count: i32) kernel {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = arith.constant dense<0> : tensor<16x64xi32, #a>
  %l = tile.load from %x at %i {neighbours = 8 : i32} : (memref<?xf16>, tensor<16x64xi32, #a>) -> tensor<16x64xf16, #a>
  %sum = scf.for %k = %c0 to %count step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32, #f>) : i32 {
    %j = tile.splat %k : i32 -> tensor<64x16xi32, #b>
    %r = tile.load from %y at %j {neighbours = 8 : i32} : (memref<?xf16>, tensor<64x16xi32, #b>) -> tensor<64x16xf16, #b>
    %d = tile.dot %l, %r, %s : tensor<16x64xf16, #a>, tensor<64x16xf16, #b> -> tensor<16x16xf32, #f>
    scf.yield %d : tensor<16x16xf32, #f>
  }
  %to = arith.constant dense<0> : tensor<16x16xi32, #f>
  tile.store %sum to %c at %to : (tensor<16x16xf32, #f>, memref<?xf32>, tensor<16x16xi32, #f>)
  gpu.return
}

// Loops that write memory have no pipeline: an earlier load might not see what an earlier iteration wrote.
// CHECK-LABEL: gpu.func @writes
// CHECK-NOT: tile.stage
// CHECK: tile.dot
gpu.func @writes(%x: memref<?xf16>, %y: memref<?xf16>, %c: memref<?xf32>, %count: i32) kernel {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %to = arith.constant dense<0> : tensor<16x16xi32, #f>
  scf.for %k = %c0 to %count step %c1 : i32 {
    %i = tile.splat %k : i32 -> tensor<16x64xi32, #a>
    %j = tile.splat %k : i32 -> tensor<64x16xi32, #b>
    %l = tile.load from %x at %i {neighbours = 8 : i32} : (memref<?xf16>, tensor<16x64xi32, #a>) -> tensor<16x64xf16, #a>
    %r = tile.load from %y at %j {neighbours = 8 : i32} : (memref<?xf16>, tensor<64x16xi32, #b>) -> tensor<64x16xf16, #b>
    %d = tile.dot %l, %r, %zero : tensor<16x64xf16, #a>, tensor<64x16xf16, #b> -> tensor<16x16xf32, #f>
    tile.store %d to %c at %to : (tensor<16x16xf32, #f>, memref<?xf32>, tensor<16x16xi32, #f>)
  }
  gpu.return
}
}
