// RUN: pumice-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(pumice-structure-control-flow))'

gpu.module @m {
  gpu.func @endless(%p: i1) kernel {
    cf.br ^forever
  ^forever:
    "test.work"() : () -> ()
    // expected-error @below {{loop never ends: give it an exit, or let it return}}
    cf.br ^forever
  }
}

// -----

gpu.module @m {
  gpu.func @tensors(%t: tensor<4xf32>) kernel {
    // expected-error @below {{scf.forall has shared_outs, which are tensors: bufferize first}}
    %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<4xf32>) {
      scf.forall.in_parallel {
      }
    }
    gpu.return
  }
}
