// RUN: pumice-opt %s --pumice-expand-math --split-input-file --verify-diagnostics

gpu.module @m {
  func.func @wide(%x: f80) -> f80 {
    // expected-error @below {{'math.exp' op cannot be computed on 'f80': cast to f16, f32 or f64, or to an integer of 8 to 64 bits, first}}
    %0 = math.exp %x : f80
    return %0 : f80
  }
}

// -----

gpu.module @m {
  func.func @index(%x: index) -> index {
    // expected-error @below {{'math.ctlz' op cannot be computed on 'index': cast to}}
    %0 = math.ctlz %x : index
    return %0 : index
  }
}
