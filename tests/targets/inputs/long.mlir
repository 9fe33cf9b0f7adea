// Arithmetic and memory accesses on i64.
gpu.module @kernels {
  gpu.func @long(%x: memref<?xi64>, %y: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %a = memref.load %x[%i] : memref<?xi64>
    %n = memref.load %y[%i] : memref<?xi32>
    %b = arith.extsi %n : i32 to i64
    %product = arith.muli %a, %b : i64
    %quotient = arith.divsi %product, %b : i64
    %shifted = arith.shrui %quotient, %b : i64
    %most = arith.maxsi %shifted, %a : i64
    memref.store %most, %x[%i] : memref<?xi64>
    gpu.return
  }
}
