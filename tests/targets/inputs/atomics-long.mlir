// Atomics on i64.
gpu.module @kernels {
  gpu.func @atomics_long(%x: memref<?xi64>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%i] : memref<?xi64>
    %a = memref.atomic_rmw addi %v, %x[%c0] : (i64, memref<?xi64>) -> i64
    gpu.return
  }
}
