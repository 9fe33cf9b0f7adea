// Mathematical functions on f32.
gpu.module @kernels {
  gpu.func @math(%x: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %a = memref.load %x[%i] : memref<?xf32>
    %b = math.exp2 %a : f32
    %c = math.log1p %b : f32
    %d = math.sin %c : f32
    %e = math.powf %d, %a : f32
    %f = math.erf %e : f32
    %g = math.tanh %f : f32
    %h = math.rsqrt %g : f32
    %k = math.atan2 %h, %a : f32
    %l = math.roundeven %k : f32
    memref.store %l, %x[%i] : memref<?xf32>
    gpu.return
  }
}
