// Vectors of halves through device addresses: a cast of a pointer to halves is valid only where the
// module declares their own type, and not just their storage.
// RUN: pumice compile %s --target rdna3 --target lavapipe22 --target vega10 --target gcn4 -o %t.pumice
// RUN: %validate %t.pumice
gpu.module @m {
  gpu.func @double(%x: memref<?x2xf16>, %y: memref<?x2xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i = gpu.global_id x
    %half = vector.load %x[%i, %c0] : memref<?x2xf16>, vector<2xf16>
    %full = arith.extf %half : vector<2xf16> to vector<2xf32>
    vector.store %full, %y[%i, %c0] : memref<?x2xf32>, vector<2xf32>
    gpu.return
  }
}
