// RUN: pumice-opt %s --pumice-fix-index-width --verify-diagnostics

gpu.module @kernels {
  func.func @large() -> index {
    // expected-error @below {{the index 4294967296 does not fit 32 bits: compile with --index-bits 64, or use i64}}
    %0 = arith.constant 4294967296 : index
    // No one asks for this one.
    %1 = arith.constant 8589934592 : index
    func.return %0 : index
  }
}
