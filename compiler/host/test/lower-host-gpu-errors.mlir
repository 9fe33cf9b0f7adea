// RUN: pumice-opt %s --pumice-host-pipeline --split-input-file --verify-diagnostics

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%m: memref<?xf32>) kernel { gpu.return }
  }
  func.func @clusters(%n: index, %m: memref<?xf32>) {
    // expected-error @below {{Vulkan has no clusters of workgroups; leave 'clusters' out}}
    gpu.launch_func @kernels::@k clusters in (%n, %n, %n) blocks in (%n, %n, %n)
        threads in (%n, %n, %n) args(%m : memref<?xf32>)
    return
  }
}

// -----

func.func @layout() -> memref<4x4xf32, strided<[1, 4]>> {
  // expected-error @below {{only row-major memory is allocated; allocate that, and take a memref.subview or memref.reinterpret_cast of it}}
  %m = gpu.alloc () : memref<4x4xf32, strided<[1, 4]>>
  return %m : memref<4x4xf32, strided<[1, 4]>>
}

// -----

func.func @device_operation() -> index {
  // expected-error @below {{'gpu.thread_id' cannot run in host code}}
  %i = gpu.thread_id x
  return %i : index
}

// -----

func.func @tensors(%m: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'bufferization.to_tensor' cannot be compiled for the host; bufferize tensors first: mlir-opt --one-shot-bufferize}}
  %t = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  // expected-error @below {{'tensor.extract' cannot be compiled for the host}}
  %x = tensor.extract %t[%c0] : tensor<4xf32>
  return %x : f32
}
