// The lowest bit of an i8 that was only loaded: nothing folds back to a truncation of i8, which this
// target can store but not compute with.
// RUN: pumice compile %s --target videocore7 --emit spirv-asm | FileCheck %s
// CHECK-NOT: OpCapability Int8
// CHECK:     OpUConvert %uint
// CHECK:     OpBitwiseAnd %uint
gpu.module @kernels {
  gpu.func @lowest_bit(%in: memref<?xi8>, %out: memref<?xi8>) kernel {
    %i = gpu.global_id x
    %a = memref.load %in[%i] : memref<?xi8>
    %bit = arith.trunci %a : i8 to i1
    %c = arith.constant 5 : i8
    %r = arith.select %bit, %c, %a : i8
    memref.store %r, %out[%i] : memref<?xi8>
    gpu.return
  }
}
