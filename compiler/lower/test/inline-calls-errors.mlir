// RUN: pumice-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(pumice-inline-calls))'

gpu.module @m {
  func.func @even(%x: i32) {
    func.call @odd(%x) : (i32) -> ()
    return
  }
  func.func @odd(%x: i32) {
    // expected-error @below {{kernels cannot recurse: 'even' calls 'odd' calls 'even'; use a loop}}
    func.call @even(%x) : (i32) -> ()
    return
  }
  gpu.func @kernel(%a: i32) kernel {
    func.call @even(%a) : (i32) -> ()
    gpu.return
  }
}

// -----

gpu.module @m {
  func.func private @sinf(f32) -> f32
  gpu.func @kernel(%a: f32) kernel {
    // expected-error @below {{'sinf' has no body; define it in the kernel's module}}
    %r = func.call @sinf(%a) : (f32) -> f32
    gpu.return
  }
}

// -----

gpu.module @m {
  func.func @f(%x: i32) {
    return
  }
  gpu.func @kernel(%a: i32) kernel {
    // expected-error @below {{'func.constant' needs function pointers, which Vulkan does not have; use func.call}}
    %f = func.constant @f : (i32) -> ()
    func.call_indirect %f(%a) : (i32) -> ()
    gpu.return
  }
}

// -----

gpu.module @m {
  func.func @blocks(%x: i32) {
    cf.br ^next
  ^next:
    return
  }
  gpu.func @kernel(%a: i32) kernel {
    // expected-error @below {{'blocks' has several blocks; structure its control flow first}}
    func.call @blocks(%a) : (i32) -> ()
    gpu.return
  }
}
