// RUN: pumice-opt %s -split-input-file -verify-diagnostics --pass-pipeline="builtin.module(gpu.module(pumice-flatten-memory))"

gpu.module @m {
  gpu.func @two_buffers(%c: i1, %i: index) kernel {
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    %y = vk.binding set(0) binding(1) : memref<?xf32>
    // expected-error @below {{expected views of one buffer, but this chooses between different buffers at run time; index into one buffer instead}}
    %v = arith.select %c, %x, %y : memref<?xf32>
    %e = memref.load %v[%i] : memref<?xf32>
    memref.store %e, %x[%i] : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @unknown_extent() kernel {
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    %c0 = arith.constant 0 : index
    // expected-error @below {{needs an extent that the buffer does not carry; pass it to the kernel as an argument}}
    %n = memref.dim %x, %c0 : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @dynamic(%n: index) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{allocates a dynamic number of elements; SPIR-V variables are of static size}}
    %t = memref.alloca(%n) : memref<?xf32>
    %e = memref.load %t[%c0] : memref<?xf32>
    gpu.return
  }
}

// -----

#pairs = affine_map<(i) -> (i floordiv 2, i mod 2)>
gpu.module @m {
  gpu.func @selected_layout(%c: i1, %i: index) kernel {
    %x = vk.binding set(0) binding(0) : memref<8xf32, #pairs>
    // expected-error @below {{carries a memref with the layout affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>, which is not strided; give it a strided layout}}
    %y = arith.select %c, %x, %x : memref<8xf32, #pairs>
    %e = memref.load %y[%i] : memref<8xf32, #pairs>
    gpu.return
  }
}

// -----

#pairs = affine_map<(i) -> (i floordiv 2, i mod 2)>
gpu.module @m {
  gpu.func @looped_layout(%n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %true = arith.constant true
    %x = memref.alloca() : memref<8xf32, #pairs>
    // expected-error @below {{carries a memref with the layout affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>, which is not strided}}
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%z = %x) -> memref<8xf32, #pairs> {
      %w = arith.select %true, %z, %x : memref<8xf32, #pairs>
      scf.yield %w : memref<8xf32, #pairs>
    }
    %e = memref.load %y[%c0] : memref<8xf32, #pairs>
    gpu.return
  }
}
