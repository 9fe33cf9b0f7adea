// Element by element over fragments, stored transposed.
module attributes {gpu.container_module} {
  gpu.module @matrices {
    gpu.func @mma_elementwise(%x: memref<16x16xf32>, %y: memref<16x16xf32>, %h: memref<16x16xf16>,
                              %out: memref<16x16xf32>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>} {
      %c0 = arith.constant 0 : index
      %limit = arith.constant 1.5 : f32
      %a = gpu.subgroup_mma_load_matrix %x[%c0, %c0] {leadDimension = 16 : index}
          : memref<16x16xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
      %b = gpu.subgroup_mma_load_matrix %y[%c0, %c0] {leadDimension = 16 : index}
          : memref<16x16xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
      %half = gpu.subgroup_mma_load_matrix %h[%c0, %c0] {leadDimension = 16 : index}
          : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "COp">
      %most = gpu.subgroup_mma_constant_matrix %limit : !gpu.mma_matrix<16x16xf32, "COp">
      %sum = gpu.subgroup_mma_elementwise addf %a, %b
          : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
          -> !gpu.mma_matrix<16x16xf32, "COp">
      %product = gpu.subgroup_mma_elementwise mulf %a, %b
          : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
          -> !gpu.mma_matrix<16x16xf32, "COp">
      %larger = gpu.subgroup_mma_elementwise maxf %sum, %product
          : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
          -> !gpu.mma_matrix<16x16xf32, "COp">
      %minus = gpu.subgroup_mma_elementwise negatef %a
          : (!gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
      %steps = gpu.subgroup_mma_elementwise subf %larger, %minus
          : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
          -> !gpu.mma_matrix<16x16xf32, "COp">
      %ratio = gpu.subgroup_mma_elementwise divf %steps, %b
          : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
          -> !gpu.mma_matrix<16x16xf32, "COp">
      %less = gpu.subgroup_mma_elementwise minf %ratio, %most
          : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
          -> !gpu.mma_matrix<16x16xf32, "COp">
      %wide = gpu.subgroup_mma_elementwise extf %half
          : (!gpu.mma_matrix<16x16xf16, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
      %all = gpu.subgroup_mma_elementwise addf %less, %wide
          : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
          -> !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %all, %out[%c0, %c0] {leadDimension = 16 : index, transpose}
          : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
      gpu.return
    }

    // Each lane reads and replaces the elements of the fragment that it holds.
    gpu.func @mma_thread_local(%x: memref<8x8xf32>, %out: memref<8x8xf32>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %two = arith.constant 2.0 : f32
      %one = arith.constant 1.0 : f32
      %a = gpu.subgroup_mma_load_matrix %x[%c0, %c0] {leadDimension = 8 : index}
          : memref<8x8xf32> -> !gpu.mma_matrix<8x8xf32, "COp">
      %lanes = gpu.subgroup_size : index
      %held = arith.divui %c64, %lanes : index
      %changed = scf.for %k = %c0 to %held step %c1 iter_args(%m = %a)
          -> !gpu.mma_matrix<8x8xf32, "COp"> {
        %e = gpu.subgroup_mma_extract_thread_local %m[%k]
            : !gpu.mma_matrix<8x8xf32, "COp"> -> f32
        %twice = arith.mulf %e, %two : f32
        %f = arith.addf %twice, %one : f32
        %n = gpu.subgroup_mma_insert_thread_local %f, %m[%k]
            : f32, !gpu.mma_matrix<8x8xf32, "COp"> -> !gpu.mma_matrix<8x8xf32, "COp">
        scf.yield %n : !gpu.mma_matrix<8x8xf32, "COp">
      }
      gpu.subgroup_mma_store_matrix %changed, %out[%c0, %c0] {leadDimension = 8 : index}
          : !gpu.mma_matrix<8x8xf32, "COp">, memref<8x8xf32>
      gpu.return
    }
  }
}
