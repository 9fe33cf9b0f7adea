// y = a * x + y, with one element per invocation.
gpu.module @saxpy {
  gpu.func @saxpy(%n: i32, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.global_id x
    %count = arith.index_cast %n : i32 to index
    %inside = arith.cmpi ult, %i, %count : index
    scf.if %inside {
      %xi = memref.load %x[%i] : memref<?xf32>
      %yi = memref.load %y[%i] : memref<?xf32>
      %product = arith.mulf %a, %xi : f32
      %sum = arith.addf %product, %yi : f32
      memref.store %sum, %y[%i] : memref<?xf32>
    }
    gpu.return
  }
}
