// Counts how often each byte occurs, first in workgroup memory, and adds the counts to the result.
//
//   pumice compile examples/histogram.mlir -o histogram.pumice --target rdna3
!local = memref<256xi32, #gpu.address_space<workgroup>>
gpu.module @histogram {
  gpu.func @histogram(%bytes: memref<?xi8>, %counts: memref<256xi32>) workgroup(%local: !local) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bin = gpu.thread_id x
    memref.store %zero, %local[%bin] : !local
    gpu.barrier

    %first = gpu.global_id x
    %groups = gpu.grid_dim x
    %width = gpu.block_dim x
    %step = arith.muli %groups, %width : index
    %size = memref.dim %bytes, %c0 : memref<?xi8>
    scf.for %i = %first to %size step %step {
      %byte = memref.load %bytes[%i] : memref<?xi8>
      %value = arith.index_castui %byte : i8 to index
      %before = memref.atomic_rmw addi %one, %local[%value] : (i32, !local) -> i32
    }
    gpu.barrier

    %count = memref.load %local[%bin] : !local
    %total = memref.atomic_rmw addi %count, %counts[%bin] : (i32, memref<256xi32>) -> i32
    gpu.return
  }
}
