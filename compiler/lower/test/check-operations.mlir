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
    // expected-error @below {{'gpu.wait' is not allowed in a kernel: it is an operation of the host program}}
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

// -----

gpu.module @m {
  // expected-error @below {{argument 0 of type 'memref<64xf32, #gpu.address_space<workgroup>>' is memory of the kernel's own, which a launch cannot pass; make it a workgroup or private attribution}}
  gpu.func @shared(%m: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // Functions that kernels call take any memory.
  func.func @called(%m: memref<64xf32, #gpu.address_space<workgroup>>, %p: memref<4xf32, 5>) {
    return
  }
  // expected-error @below {{argument 1 of type 'memref<64xf32, 5>' is memory of the kernel's own}}
  gpu.func @private(%x: memref<4xf32, #gpu.address_space<global>>, %m: memref<64xf32, 5>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{argument 0 of type 'memref<64xf32, 7>' is in a memory space that kernels do not have; use #gpu.address_space<global>, or none}}
  gpu.func @unknown(%m: memref<64xf32, 7>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{argument 0 of type '!gpu.mma_matrix<16x16xf16, "AOp">' is spread over a subgroup, which a launch cannot pass; load it from a buffer}}
  gpu.func @matrix(%m: !gpu.mma_matrix<16x16xf16, "AOp">) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{attribution of type 'memref<?xf32, #gpu.address_space<workgroup>>' has a dynamic extent; make it static, or use gpu.dynamic_shared_memory, whose size the launch gives}}
  gpu.func @dynamic() workgroup(%m: memref<?xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @stack() kernel {
    %0 = memref.alloca() : memref<8xf32, #gpu.address_space<private>>
    %1 = memref.alloca() : memref<8xf32>
    // expected-error @below {{'memref.alloca' makes 'memref<8xf32, #gpu.address_space<workgroup>>', but each lane's memory is private; for workgroup memory, use an attribution of the function}}
    %2 = memref.alloca() : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @format(%x: memref<8xf32>, %f: f32) kernel {
    // expected-error @below {{'arith.truncf' uses 'tf32', a format that kernels do not compute with; use f16, bf16, f32 or f64}}
    %t = arith.truncf %f : f32 to tf32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @vectors(%f: vector<4xf32>) kernel {
    // expected-error @below {{'arith.extf' uses 'vector<4xf128>', a format that kernels do not compute with}}
    %t = arith.extf %f : vector<4xf32> to vector<4xf128>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @update(%x: memref<8xf8E4M3FN>, %f: f8E4M3FN, %i: index) kernel {
    // expected-error @below {{'memref.atomic_rmw' cannot compute addf on 'f8E4M3FN', a format that is only kept in memory; keep the value that is updated as f32, or use memref.generic_atomic_rmw with conversions}}
    %t = memref.atomic_rmw addf %f, %x[%i] : (f8E4M3FN, memref<8xf8E4M3FN>) -> f8E4M3FN
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{argument 0 of type 'si8' has a sign, but arith has only signless types; pass one of i8}}
  gpu.func @sign(%n: si8, %o: memref<?xsi8>, %i: index) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @scalable(%v: vector<4xf32>) kernel {
    // expected-error @below {{'arith.constant' uses 'vector<[4]xf32>', whose length the target chooses; kernels for Vulkan need vectors of a known length}}
    %c = arith.constant dense<0.0> : vector<[4]xf32>
    gpu.return
  }
}
