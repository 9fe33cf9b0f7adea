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
