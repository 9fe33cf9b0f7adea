// RUN: pumice-opt %s --pumice-fix-index-width --verify-diagnostics

gpu.module @kernels {
  func.func @large() -> index {
    // expected-error @below {{the index 4294967296 does not fit 32 bits: compile with --index-bits 64, or use i64}}
    %0 = arith.constant 4294967296 : index
    // This constant has no uses.
    %1 = arith.constant 8589934592 : index
    func.return %0 : index
  }
  // expected-error @below {{'memref<70000x70000xi8>' has its last element at 4899999999, but indices of 32 bits reach 2147483647: compile with --index-bits 64}}
  gpu.func @far(%m: memref<70000x70000xi8>) kernel {
    gpu.return
  }
  // expected-error @below {{'memref<2x2xi8, strided<[4294967295, 1]>>' has its last element at 4294967296, but}}
  gpu.func @strided(%m: memref<2x2xi8, strided<[4294967295, 1]>>) kernel {
    gpu.return
  }
  gpu.func @fits(%m: memref<32768x65536xi8>, %none: memref<70000x70000x0xi8>, %open: memref<?x70000xi8>) kernel {
    gpu.return
  }
}
