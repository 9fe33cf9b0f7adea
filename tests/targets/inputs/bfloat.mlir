// Arithmetic and memory accesses on bf16.
gpu.module @kernels {
  gpu.func @bfloat(%x: memref<?xbf16>, %y: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %half = arith.constant 0.5 : bf16
    %a = memref.load %x[%i] : memref<?xbf16>
    %w = memref.load %y[%i] : memref<?xf32>
    %b = arith.truncf %w : f32 to bf16
    %sum = arith.addf %a, %b : bf16
    %product = arith.mulf %sum, %half : bf16
    %wide = arith.extf %product : bf16 to f32
    memref.store %product, %x[%i] : memref<?xbf16>
    memref.store %wide, %y[%i] : memref<?xf32>
    gpu.return
  }
}
