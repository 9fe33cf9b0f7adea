// Arithmetic on f32, and conversions.
gpu.module @kernels {
  gpu.func @floats(%x: memref<?xf32>, %y: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %half = arith.constant 0.5 : f32
    %a = memref.load %x[%i] : memref<?xf32>
    %n = memref.load %y[%i] : memref<?xi32>
    %b = arith.sitofp %n : i32 to f32
    %sum = arith.addf %a, %b : f32
    %product = arith.mulf %sum, %half : f32
    %quotient = arith.divf %product, %b : f32
    %rest = arith.remf %a, %half : f32
    %least = arith.minimumf %quotient, %rest : f32
    %most = arith.maxnumf %least, %a : f32
    %bits = arith.bitcast %most : f32 to i32
    %whole = arith.fptosi %a : f32 to i32
    %both = arith.andi %bits, %whole : i32
    %ordered = arith.cmpf olt, %most, %half : f32
    %chosen = arith.select %ordered, %both, %n : i32
    memref.store %chosen, %y[%i] : memref<?xi32>
    memref.store %most, %x[%i] : memref<?xf32>
    gpu.return
  }
}
