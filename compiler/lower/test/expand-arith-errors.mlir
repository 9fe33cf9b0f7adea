// RUN: pumice-opt %s --pumice-expand-arith --split-input-file --verify-diagnostics

gpu.module @m {
  func.func @wide(%a: i128) -> i128 {
    // expected-error @below {{'arith.mulsi_extended' op cannot be computed on 'i128'}}
    %0, %1 = arith.mulsi_extended %a, %a : i128
    return %1 : i128
  }
}

// -----

gpu.module @m {
  func.func @float(%a: f80) -> f80 {
    // expected-error @below {{'arith.remf' op cannot be computed on 'f80'}}
    %0 = arith.remf %a, %a : f80
    return %0 : f80
  }
}
