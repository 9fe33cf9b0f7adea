// RUN: pumice-opt %s --pumice-distribute-tiles --split-input-file --verify-diagnostics

#a = #tile.layout<[16384], register = [1], lane = [2, 4, 8, 16, 32, 64, 128], subgroup = [256, 512, 1024, 2048, 4096, 8192]>
#b = #tile.layout<[16384], register = [8192], lane = [1, 2, 4, 8, 16, 32, 64], subgroup = [128, 256, 512, 1024, 2048, 4096]>
gpu.module @memory {
  gpu.func @convert(%x: memref<?xi32>) kernel {
    %i = tile.range 0 to 16384 : tensor<16384xi32, #a>
    // expected-error @below {{takes 65536 bytes of workgroup memory at least; there are 32768}}
    // expected-error @below {{failed to legalize}}
    %c = tile.convert_layout %i : tensor<16384xi32, #a> -> tensor<16384xi32, #b>
    tile.store %c to %x at %c : (tensor<16384xi32, #b>, memref<?xi32>, tensor<16384xi32, #b>)
    gpu.return
  }
}

// -----

#a = #tile.layout<[16], register = [1], lane = [2, 4, 8], subgroup = []>
#b = #tile.layout<[16], register = [1, 2], lane = [4, 8], subgroup = []>
gpu.module @lanes {
  gpu.func @differ(%x: memref<?xi32>) kernel {
    %i = tile.range 0 to 16 : tensor<16xi32, #a>
    // expected-error @below {{has 4 lanes and 1 subgroups in [16], register = [1, 2], lane = [4, 8], subgroup = [], but other layouts have 8 and 1}}
    %j = tile.range 0 to 16 : tensor<16xi32, #b>
    gpu.return
  }
}

// -----

#a = #tile.layout<[16], register = [1], lane = [2, 4, 8], subgroup = []>
gpu.module @size {
  // expected-error @below {{has a workgroup of [64, 1, 1], but its layouts have 8 lanes and 1 subgroups: leave known_block_size out, or make it [8, 1, 1]}}
  gpu.func @size(%x: memref<?xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = tile.range 0 to 16 : tensor<16xi32, #a>
    gpu.return
  }
}

// -----

#a = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
gpu.module @constant {
  gpu.func @constant(%x: memref<?xi32>) kernel {
    // expected-error @below {{has different elements; make them from tile.range, or load them}}
    // expected-error @below {{failed to legalize}}
    %i = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32, #a>
    tile.store %i to %x at %i : (tensor<4xi32, #a>, memref<?xi32>, tensor<4xi32, #a>)
    gpu.return
  }
}

// -----

#a = #tile.layout<[64, 64], register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [32, 0]], subgroup = []>
gpu.module @large {
  gpu.func @large(%x: f32) kernel {
    %t = tile.splat %x : f32 -> tensor<64x64xf32, #a>
    // expected-error @below {{takes 32768 multiplications in each lane, all unrolled; the limit is 16384: use smaller blocks}}
    // expected-error @below {{failed to legalize}}
    %d = tile.dot %t, %t, %t : tensor<64x64xf32, #a>, tensor<64x64xf32, #a> -> tensor<64x64xf32, #a>
    gpu.return
  }
}

// -----

#a = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
gpu.module @own {
  // expected-error @below {{has workgroup memory of its own as well as distributed tensors; store these and load them instead}}
  gpu.func @own() workgroup(%m: memref<4xi32, #gpu.address_space<workgroup>>) kernel {
    %i = tile.range 0 to 4 : tensor<4xi32, #a>
    gpu.return
  }
}

// -----

#a = #tile.layout<[4], register = [1, 2], lane = [], subgroup = []>
gpu.module @complex {
  gpu.func @complex(%x: memref<?xf32>) kernel {
    // expected-error @below {{failed to legalize}}
    %c = ub.poison : tensor<4xcomplex<f32>, #a>
    gpu.return
  }
}
