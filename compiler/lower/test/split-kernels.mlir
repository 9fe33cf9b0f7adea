// RUN: pumice-opt %s --pumice-split-kernels --split-input-file | FileCheck %s

// Each kernel gets a module with the buffers that it uses. The module records the original module's name.

// CHECK-NOT:   gpu.module @two {
// CHECK-LABEL: gpu.module @two_first
// CHECK-SAME:    pumice.module = "two"
// CHECK-NEXT:    memref.global "private" @scratch
// CHECK-NEXT:    gpu.func @first() kernel
// CHECK:         memref.get_global @scratch
// CHECK-NOT:     gpu.func
// CHECK-LABEL: gpu.module @two_second
// CHECK-SAME:    pumice.module = "two"
// CHECK-NEXT:    gpu.func @second() kernel
// CHECK-NOT:     gpu.func
module attributes {gpu.container_module} {
  gpu.module @two {
    memref.global "private" @scratch : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.func @first() kernel {
      %0 = memref.get_global @scratch : memref<32xf32, #gpu.address_space<workgroup>>
      %i = gpu.thread_id x
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %0[%i] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.return
    }
    gpu.func @second() kernel {
      gpu.return
    }
  }
}

// -----

// A single kernel keeps its module. A buffer that it does not use is removed.

// CHECK-LABEL: gpu.module @one {
// CHECK-NEXT:    gpu.func @only() kernel
module attributes {gpu.container_module} {
  gpu.module @one {
    memref.global "private" @unused : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.func @only() kernel {
      gpu.return
    }
  }
}

// -----

// A module that has only functions is removed: they are already inlined into kernels.

// CHECK-NOT:  gpu.module @functions
// CHECK:      gpu.module @kernels
// CHECK-NEXT:   gpu.func @k() kernel
module attributes {gpu.container_module} {
  gpu.module @functions {
    func.func @f() {
      return
    }
  }
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}
