// RUN: pumice-opt %s --pumice-place-loads --mlir-print-local-scope | FileCheck %s
// RUN: pumice-opt %s --pumice-fuse-fragment-loops=registers=4 --pumice-place-loads | FileCheck %s --check-prefix=LOOPS
// RUN: pumice-opt %s --pumice-prefetch-loads --pumice-place-loads | FileCheck %s --check-prefix=AHEAD

#pairs = #tile.layout<[16], register = [1], lane = [2, 4, 8], subgroup = []>
#two = #tile.layout<[32], register = [1], lane = [2, 4, 8], subgroup = [16]>
#across = #tile.layout<[32], register = [1], lane = [4, 8, 16], subgroup = [2]>
#many = #tile.layout<[64], register = [8, 16, 32], lane = [1, 2, 4], subgroup = []>
#r = #tile.layout<[16, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], subgroup = []>
#f = #tile.layout<[16, 16], register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], subgroup = []>

gpu.module @places {

// Accesses are as wide as they promise, and as a lane holds neighbours. Loads without a number are not reported, and
// neither are values that are computed from a load.
// CHECK-LABEL: gpu.func @wide
// CHECK-SAME: pumice.loads = [{at = "place-loads.mlir:[[@LINE+5]]:8", at_once = 2 : i64, elements = 16 : i64, form = "pointers", registers = 2 : i64, times = 1 : i64, type = "16xf32"}]
gpu.func @wide(%x: memref<?xf32>) kernel {
  %a = memref.alloca() : memref<2xf32, #gpu.address_space<private>>
  %c0 = arith.constant 0 : i32
  %i = tile.range 0 to 16 : tensor<16xi32, #pairs>
  %t = tile.load from %x at %i {neighbours = 4 : i32, pumice.load = {number = 0 : i32, form = "pointers", type = tensor<16xf32>}}
      : (memref<?xf32>, tensor<16xi32, #pairs>) -> tensor<16xf32, #pairs>
  %u = tile.load from %x at %i : (memref<?xf32>, tensor<16xi32, #pairs>) -> tensor<16xf32, #pairs>
  %v = arith.addf %t, %u : tensor<16xf32, #pairs>
  tile.array_store %v to %a[%c0] [0, 1] : tensor<16xf32, #pairs> to memref<2xf32, #gpu.address_space<private>>
  gpu.return
}

// Neighbouring lanes load neighbours. Values go to an array, and through workgroup memory to another layout.
// CHECK-LABEL: gpu.func @kept
// CHECK-SAME: array_bytes = 4 : i64
// CHECK-SAME: at_once = 8 : i64
// CHECK-SAME: workgroup_bytes = 128 : i64
gpu.func @kept(%x: memref<?xf16>) kernel {
  %a = memref.alloca() : memref<2xf16, #gpu.address_space<private>>
  %c0 = arith.constant 0 : i32
  %i = tile.range 0 to 32 : tensor<32xi32, #two>
  %t = tile.load from %x at %i {pumice.load = {number = 0 : i32, form = "pointers", type = tensor<32xf16>, lanes = 8 : i32}}
      : (memref<?xf16>, tensor<32xi32, #two>) -> tensor<32xf16, #two>
  tile.array_store %t to %a[%c0] [0, 1] : tensor<32xf16, #two> to memref<2xf16, #gpu.address_space<private>>
  %w = arith.extf %t : tensor<32xf16, #two> to tensor<32xf32, #two>
  %c = tile.convert_layout %w : tensor<32xf32, #two> -> tensor<32xf32, #across>
  %j = tile.range 0 to 32 : tensor<32xi32, #across>
  %n = arith.truncf %c : tensor<32xf32, #across> to tensor<32xf16, #across>
  tile.store %n to %x at %j : (tensor<32xf16, #across>, memref<?xf16>, tensor<32xi32, #across>)
  gpu.return
}

// The second loop loads %x again, since that is cheaper than an array. %y is kept: %x, which
// may overlap it, is written in between.
// LOOPS-LABEL: gpu.func @again
// LOOPS-SAME: registers = 4 : i64, times = 2 : i64, type = "64xf32"
// LOOPS-LABEL: gpu.func @written
// LOOPS-SAME: array_bytes = 32 : i64
// LOOPS-SAME: times = 1 : i64
gpu.func @again(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  %i = tile.range 0 to 64 : tensor<64xi32, #many>
  %t = tile.load from %x at %i {pumice.load = {number = 0 : i32, form = "pointers", type = tensor<64xf32>}}
      : (memref<?xf32>, tensor<64xi32, #many>) -> tensor<64xf32, #many>
  %s = tile.reduce %t axis 0 : (tensor<64xf32, #many>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  %all = tile.splat %s : f32 -> tensor<64xf32, #many>
  %u = arith.addf %t, %all : tensor<64xf32, #many>
  tile.store %u to %y at %i : (tensor<64xf32, #many>, memref<?xf32>, tensor<64xi32, #many>)
  gpu.return
}
gpu.func @written(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
  %c0 = arith.constant 0 : index
  %i = tile.range 0 to 64 : tensor<64xi32, #many>
  %t = tile.load from %x at %i {pumice.load = {number = 0 : i32, form = "pointers", type = tensor<64xf32>}}
      : (memref<?xf32>, tensor<64xi32, #many>) -> tensor<64xf32, #many>
  %s = tile.reduce %t axis 0 : (tensor<64xf32, #many>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  memref.store %s, %y[%c0] : memref<?xf32>
  %all = tile.splat %s : f32 -> tensor<64xf32, #many>
  %u = arith.addf %t, %all : tensor<64xf32, #many>
  tile.store %u to %y at %i : (tensor<64xf32, #many>, memref<?xf32>, tensor<64xi32, #many>)
  gpu.return
}
}

// Factors are loaded an iteration ahead. They go through workgroup memory, whose lines are 16 bytes longer.
// AHEAD-LABEL: gpu.module @matrices
// AHEAD: gpu.func @loop
// AHEAD-SAME: pumice.loads = [{ahead, {{[^}]*}}fragments = "factor", {{[^}]*}}times = 1 : i64, {{[^}]*}}workgroup_bytes = 768 : i64}]
gpu.module @matrices attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {
    cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32,
    cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup"],
    cooperativeMatrixFragments = ["accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0) (4,0)"]}>} {
gpu.func @loop(%a: memref<?xf16>, %n: i32, %y: memref<?xf32>) kernel {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %one = arith.constant dense<1.0> : tensor<16x16xf16, #r>
  %sum = scf.for %k = %c0 to %n step %c16 iter_args(%s = %zero) -> (tensor<16x16xf32, #f>) : i32 {
    %i = tile.splat %k : i32 -> tensor<16x16xi32, #r>
    %v = tile.load from %a at %i {pumice.load = {number = 0 : i32, form = "pointers", type = tensor<16x16xf16>}}
        : (memref<?xf16>, tensor<16x16xi32, #r>) -> tensor<16x16xf16, #r>
    %d = tile.dot %v, %one, %s : tensor<16x16xf16, #r>, tensor<16x16xf16, #r> -> tensor<16x16xf32, #f>
    scf.yield %d : tensor<16x16xf32, #f>
  }
  %j = tile.splat %n : i32 -> tensor<16x16xi32, #f>
  tile.store %sum to %y at %j : (tensor<16x16xf32, #f>, memref<?xf32>, tensor<16x16xi32, #f>)
  gpu.return
}
}
