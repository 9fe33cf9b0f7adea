// Atomics on f32, which are native or become compare-and-swap loops.
gpu.module @kernels {
  gpu.func @atomics_float(%x: memref<?xf32>, %y: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%i] : memref<?xf32>
    %a = memref.atomic_rmw addf %v, %y[%c0] : (f32, memref<?xf32>) -> f32
    %b = memref.atomic_rmw maximumf %v, %y[%c0] : (f32, memref<?xf32>) -> f32
    memref.store %a, %x[%i] : memref<?xf32>
    gpu.return
  }
}
