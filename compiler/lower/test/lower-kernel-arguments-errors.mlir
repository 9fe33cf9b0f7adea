// RUN: pumice-opt %s -split-input-file -verify-diagnostics --pass-pipeline="builtin.module(gpu.module(pumice-lower-kernel-arguments))"
// RUN: not pumice-opt %s -split-input-file --pass-pipeline="builtin.module(gpu.module(pumice-select-target{target=vulkan1.0},pumice-lower-kernel-arguments{addressing=physical}))" 2>&1 | FileCheck %s

// CHECK: physical addressing needs the feature bufferDeviceAddress, which target 'vulkan1.0' lacks; use descriptors

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // expected-error @below {{argument 0 of type 'i128' is wider than 64 bits; pass it in a buffer}}
  gpu.func @wide(%n: i128) kernel {
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // expected-error @below {{argument 0 has type 'tuple<i32, i32>', which a launch cannot pass; pass buffers, scalars and vectors}}
  gpu.func @tuple(%n: tuple<i32, i32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // expected-error @below {{argument 0 has the layout affine_map<(d0) -> (d0 mod 4)>, which is not strided; give it a strided layout}}
  gpu.func @layout(%x: memref<16xf32, affine_map<(d0) -> (d0 mod 4)>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // expected-error @below {{argument 0 has elements of type 'vector<100000xf32>'; vectors in buffers have at most 4096 components: make them dimensions of the memref}}
  gpu.func @elements(%x: memref<?xvector<100000xf32>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // expected-error @below {{argument 0 has elements of type 'complex<f32>', which no buffer can hold; pass buffers of integers and floats of at most 64 bits, each as an argument of its own}}
  gpu.func @complex(%x: memref<?xcomplex<f32>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // expected-error @below {{argument 0 has type 'vector<4097xf32>'; vectors that a launch passes have at most 4096 elements: pass a buffer}}
  gpu.func @long(%x: vector<4097xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // expected-error @below {{argument 0 of type 'vector<2xi128>' is wider than 64 bits; pass it in a buffer}}
  gpu.func @wide(%x: vector<2xi128>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  gpu.func @addresses(%x: memref<?xf32>) kernel {
    // expected-error @below {{computes with addresses of memory, for which buffers need some: compile with physical addressing, which needs the feature bufferDeviceAddress, which the target lacks}}
    %a = vk.address_of %x : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // expected-error @below {{argument 0 of type 'memref<100000000000x100000000000xf32>' has more bytes than 63 bits can count: make its extents smaller, or dynamic}}
  gpu.func @vast(%x: memref<100000000000x100000000000xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.1, r(0), [], {}>} {
  // expected-error @below {{argument 0 of type 'memref<2x?xf32, strided<[4611686018427387904, 1]>>' has more bytes than 63 bits can count}}
  gpu.func @apart(%x: memref<2x?xf32, strided<[4611686018427387904, 1]>>) kernel {
    gpu.return
  }
}
