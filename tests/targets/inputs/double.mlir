// Arithmetic and memory accesses on f64.
gpu.module @kernels {
  gpu.func @double(%x: memref<?xf64>, %y: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %a = memref.load %x[%i] : memref<?xf64>
    %n = memref.load %y[%i] : memref<?xf32>
    %b = arith.extf %n : f32 to f64
    %sum = arith.addf %a, %b : f64
    %quotient = arith.divf %sum, %a : f64
    %least = arith.minimumf %quotient, %b : f64
    memref.store %least, %x[%i] : memref<?xf64>
    gpu.return
  }
}
