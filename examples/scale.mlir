gpu.module @kernels {
  gpu.func @scale(%x: memref<?xf32>, %a: f32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %old = memref.load %x[%i] : memref<?xf32>
    %new = arith.mulf %a, %old : f32
    memref.store %new, %x[%i] : memref<?xf32>
    gpu.return
  }
}
