// Mathematical functions on f64.
gpu.module @kernels {
  gpu.func @math_double(%x: memref<?xf64>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %a = memref.load %x[%i] : memref<?xf64>
    %b = math.exp %a : f64
    %c = math.log %b : f64
    %d = math.sin %c : f64
    %e = math.powf %d, %a : f64
    %f = math.sqrt %e : f64
    memref.store %f, %x[%i] : memref<?xf64>
    gpu.return
  }
}
