// The product of f16 matrices. Each subgroup computes one 8×8 tile of c.
gpu.module @kernels {
  gpu.func @matrix_matmul(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %block = gpu.block_id x
    %subgroups = gpu.num_subgroups : index
    %subgroup = gpu.subgroup_id : index
    %before = arith.muli %block, %subgroups : index
    %tile_row = arith.addi %before, %subgroup : index
    %row = arith.muli %tile_row, %c16 : index
    %tile_column = gpu.block_id y
    %column = arith.muli %tile_column, %c16 : index
    %rows = memref.dim %c, %c0 : memref<?x?xf32>
    %depth = memref.dim %a, %c1 : memref<?x?xf16>
    %inside = arith.cmpi ult, %row, %rows : index
    scf.if %inside {
      %none = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<8x8xf32, "COp">
      %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%s = %none) -> (!gpu.mma_matrix<8x8xf32, "COp">) {
        %at = gpu.subgroup_mma_load_matrix %a[%row, %k] {leadDimension = 512 : index} : memref<?x?xf16> -> !gpu.mma_matrix<8x8xf16, "AOp">
        %bt = gpu.subgroup_mma_load_matrix %b[%k, %column] {leadDimension = 512 : index} : memref<?x?xf16> -> !gpu.mma_matrix<8x8xf16, "BOp">
        %next = gpu.subgroup_mma_compute %at, %bt, %s : !gpu.mma_matrix<8x8xf16, "AOp">, !gpu.mma_matrix<8x8xf16, "BOp"> -> !gpu.mma_matrix<8x8xf32, "COp">
        scf.yield %next : !gpu.mma_matrix<8x8xf32, "COp">
      }
      gpu.subgroup_mma_store_matrix %sum, %c[%row, %column] {leadDimension = 512 : index} : !gpu.mma_matrix<8x8xf32, "COp">, memref<?x?xf32>
    }
    gpu.return
  }
}
