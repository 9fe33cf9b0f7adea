// Arithmetic and memory accesses on f16.
gpu.module @kernels {
  gpu.func @half(%x: memref<?xf16>, %y: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %half = arith.constant 0.5 : f16
    %a = memref.load %x[%i] : memref<?xf16>
    %w = memref.load %y[%i] : memref<?xf32>
    %b = arith.truncf %w : f32 to f16
    %sum = arith.addf %a, %b : f16
    %product = arith.mulf %sum, %half : f16
    %most = arith.maximumf %product, %a : f16
    %root = math.sqrt %most : f16
    %wide = arith.extf %root : f16 to f32
    memref.store %root, %x[%i] : memref<?xf16>
    memref.store %wide, %y[%i] : memref<?xf32>
    gpu.return
  }
}
