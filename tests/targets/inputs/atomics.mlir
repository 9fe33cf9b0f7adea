// Atomics on i32, in buffers and in workgroup memory.
gpu.module @kernels {
  gpu.func @atomics(%x: memref<?xi32>, %y: memref<?xi32>) workgroup(%w: memref<64xi32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%i] : memref<?xi32>
    %a = memref.atomic_rmw addi %v, %y[%c0] : (i32, memref<?xi32>) -> i32
    %b = memref.atomic_rmw maxs %v, %y[%i] : (i32, memref<?xi32>) -> i32
    %c = memref.atomic_rmw muli %v, %y[%i] : (i32, memref<?xi32>) -> i32
    memref.store %a, %w[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %d = memref.atomic_rmw ori %b, %w[%c0] : (i32, memref<64xi32, #gpu.address_space<workgroup>>) -> i32
    memref.store %d, %x[%i] : memref<?xi32>
    gpu.return
  }
}
