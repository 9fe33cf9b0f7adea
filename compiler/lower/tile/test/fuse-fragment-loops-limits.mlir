// RUN: not pumice-opt %s --split-input-file --pumice-fuse-fragment-loops="most-turns=65535 private-bytes=4096" 2>&1 | FileCheck %s
// Kernels that exceed the limits of drivers are rejected.

// CHECK: error: 'gpu.func' op needs 70000 turns of loops; there are 65535 on this driver: take a smaller block, or more warps
gpu.module @tiles {
gpu.func @long(%x: memref<?xf32>) kernel {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 70000 : i32
  %i = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  scf.for %k = %c0 to %n step %c1 : i32 {
    memref.store %f, %x[%i] : memref<?xf32>
  }
  gpu.return
}
}

// -----

#flat = #tile.layout<[32768], register = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384], lane = [1, 2, 4, 8], subgroup = []>
// CHECK: error: 'gpu.func' op needs 8192 bytes of private memory; there are 4096 for each lane: take a smaller block, or more warps
gpu.module @tiles {
gpu.func @kept(%x: memref<?xf32>) kernel {
  %i = tile.range 0 to 32768 : tensor<32768xi32, #flat>
  %t = tile.load from %x at %i : (memref<?xf32>, tensor<32768xi32, #flat>) -> tensor<32768xf32, #flat>
  %t1 = math.exp %t : tensor<32768xf32, #flat>
  %s1 = tile.reduce %t1 axis 0 : (tensor<32768xf32, #flat>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %b1 = tile.splat %s1 : f32 -> tensor<32768xf32, #flat>
  %d1 = arith.divf %t1, %b1 : tensor<32768xf32, #flat>
  tile.store %d1 to %x at %i : (tensor<32768xf32, #flat>, memref<?xf32>, tensor<32768xi32, #flat>)
  gpu.return
}
}
