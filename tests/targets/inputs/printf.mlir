// A kernel that prints.
gpu.module @kernels {
  gpu.func @printf(%x: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %v = memref.load %x[%i] : memref<?xf32>
    %n = arith.index_cast %i : index to i32
    gpu.printf "%d: %f\n", %n, %v : i32, f32
    gpu.return
  }
}
