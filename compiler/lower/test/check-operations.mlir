// RUN: pumice-opt %s -split-input-file -verify-diagnostics --pumice-check-operations

gpu.module @m {
  gpu.func @fine(%x: memref<?xf32>, %i: index) kernel {
    %e = memref.load %x[%i] : memref<?xf32>
    %b = spirv.GroupNonUniformElect <Subgroup> : i1
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @refused() kernel {
    // expected-error @below {{'memref.alloc' cannot be compiled: a kernel cannot allocate device memory; use memref.alloca, a workgroup attribution or an argument}}
    %m = memref.alloc() : memref<8xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @host() kernel {
    // expected-error @below {{'gpu.wait' cannot stand in a kernel: it is an operation of the host program}}
    gpu.wait
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @foreign(%x: memref<8xf32>) kernel {
    // expected-error @below {{'bufferization.to_tensor' is not an operation that a kernel may hold; lower it to gpu, arith, math, memref, scf, cf, vector, index or func first}}
    %t = bufferization.to_tensor %x : memref<8xf32> to tensor<8xf32>
    gpu.return
  }
}
