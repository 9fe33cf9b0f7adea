// y = a * x + y through the compiler and a real driver, by device addresses and by descriptors.
// REQUIRES: lavapipe
// RUN: split-file %s %t
// RUN: pumice compile %t/saxpy.mlir --target lavapipe22 --addressing physical -o %t/physical.pumice
// RUN: pumice compile %t/saxpy.mlir --target lavapipe22 --addressing descriptors -o %t/descriptors.pumice
// RUN: env %lavapipe pumice run --launch %t/run.json
// RUN: pumice compile %t/saxpy.mlir --target rdna2 --emit spirv -o - | %validate
// RUN: pumice compile %t/saxpy.mlir --target apple-m1 --emit spirv -o %t/apple.spv
// RUN: %validate %t/apple.spv
// RUN: pumice msl %t/apple.spv | FileCheck %s
// CHECK: kernel void saxpy(

//--- saxpy.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @saxpy(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>) kernel {
      %block = gpu.block_id x
      %width = gpu.block_dim x
      %thread = gpu.thread_id x
      %start = arith.muli %block, %width : index
      %i = arith.addi %start, %thread : index
      %zero = arith.constant 0 : index
      %n = memref.dim %x, %zero : memref<?xf32>
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %xi = memref.load %x[%i] : memref<?xf32>
        %yi = memref.load %y[%i] : memref<?xf32>
        %product = arith.mulf %a, %xi : f32
        %sum = arith.addf %product, %yi : f32
        memref.store %sum, %y[%i] : memref<?xf32>
      }
      gpu.return
    }
  }
}

//--- run.json
{"cases": [
  {"name": "physical", "executable": "physical.pumice", "groups": [2], "workgroup_size": [4, 1, 1],
   "arguments": [2.5, "x", "y"],
   "buffers": {"x": {"data": [0, 1, 2, 3, 4, 5, 6]},
               "y": {"data": [1, 1, 1, 1, 1, 1, 1, 9], "expect": [1, 3.5, 6, 8.5, 11, 13.5, 16, 9]}}},
  {"name": "descriptors", "executable": "descriptors.pumice", "groups": [2],
   "workgroup_size": [4, 1, 1], "arguments": [2.5, "x", "y"],
   "buffers": {"x": {"data": [0, 1, 2, 3, 4, 5, 6]},
               "y": {"data": [1, 1, 1, 1, 1, 1, 1, 9], "expect": [1, 3.5, 6, 8.5, 11, 13.5, 16, 9]}}}
]}
