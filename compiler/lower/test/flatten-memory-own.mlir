// Memory that a kernel allocates and that names no memory space: each invocation has its own.
// RUN: pumice-opt %s --pumice-flatten-memory --split-input-file --verify-diagnostics | FileCheck %s

gpu.module @stack {
  // CHECK-LABEL: gpu.func @stack
  gpu.func @stack(%i: index, %v: f32) kernel {
    // CHECK: memref.alloca() : memref<32xf32, #gpu.address_space<private>>
    %table = memref.alloca() : memref<4x8xf32>
    // CHECK: memref.store {{.*}} : memref<32xf32, #gpu.address_space<private>>
    memref.store %v, %table[%i, %i] : memref<4x8xf32>
    gpu.return
  }
}

// -----

gpu.module @table {
  // CHECK: memref.global "private" constant @primes : memref<4xi32, #gpu.address_space<private>>
  memref.global "private" constant @primes : memref<2x2xi32> = dense<[[2, 3], [5, 7]]>
  // CHECK-LABEL: gpu.func @table
  gpu.func @table(%i: index) kernel {
    // CHECK: memref.get_global @primes : memref<4xi32, #gpu.address_space<private>>
    %table = memref.get_global @primes : memref<2x2xi32>
    %e = memref.load %table[%i, %i] : memref<2x2xi32>
    %copy = memref.alloca() : memref<1xi32>
    memref.store %e, %copy[%i] : memref<1xi32>
    gpu.return
  }
}

// -----

gpu.module @variable {
  memref.global "private" @state : memref<4xi32> = dense<0>
  gpu.func @variable(%i: index, %v: i32) kernel {
    // expected-error @below {{names 'state', an initialized global that is not a table of constants in the kernel's own memory; make it 'constant', or store to it first}}
    %state = memref.get_global @state : memref<4xi32>
    memref.store %v, %state[%i] : memref<4xi32>
    gpu.return
  }
}

// -----

gpu.module @device {
  memref.global "private" @state : memref<4xi32>
  gpu.func @device(%i: index, %v: i32) kernel {
    // expected-error @below {{names 'state', a variable in device memory; pass a buffer to the kernel}}
    %state = memref.get_global @state : memref<4xi32>
    memref.store %v, %state[%i] : memref<4xi32>
    gpu.return
  }
}
