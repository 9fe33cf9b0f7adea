// Parameters that an OpenCL kernel does not use exist all the same, and need no capability of their elements.
// RUN: pumice compile %s --target opencl-3.0 --emit mlir | FileCheck %s
// RUN: pumice compile %s --target opencl-3.0 --emit spirv -o - | spirv-val --target-env opencl2.2 -

gpu.module @m {
  gpu.func @k(%bytes: memref<?xi8>, %h: f16, %v: vector<3xi16>, %n: index, %w: vector<2xf64>, %x: memref<4xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    memref.store %c1, %x[%c0] : memref<4xi32>
    gpu.return
  }
}

// CHECK: requires #spirv.vce<v1.0, [Addresses, Kernel, Int64], []>
// CHECK: spirv.func @k(%{{.*}}: !spirv.ptr<i32, CrossWorkgroup>, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !spirv.ptr<i32, CrossWorkgroup>) "None"
