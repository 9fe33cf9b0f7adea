// c = a * b for tiles of 16 × 16 of f16 matrices of 256 × 256, with one subgroup per tile. Matrix
// operations become subgroup code if the target has no cooperative matrices.
!a = !gpu.mma_matrix<16x16xf16, "AOp">
!b = !gpu.mma_matrix<16x16xf16, "BOp">
!c = !gpu.mma_matrix<16x16xf32, "COp">
gpu.module @matrices {
  gpu.func @matrices(%a: memref<256x256xf16>, %b: memref<256x256xf16>, %c: memref<256x256xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %column = arith.muli %bx, %c16 : index
    %row = arith.muli %by, %c16 : index
    %first = gpu.subgroup_mma_constant_matrix %zero : !c
    %sum = scf.for %k = %c0 to %c256 step %c16 iter_args(%old = %first) -> (!c) {
      %l = gpu.subgroup_mma_load_matrix %a[%row, %k] {leadDimension = 256 : index} : memref<256x256xf16> -> !a
      %r = gpu.subgroup_mma_load_matrix %b[%k, %column] {leadDimension = 256 : index} : memref<256x256xf16> -> !b
      %next = gpu.subgroup_mma_compute %l, %r, %old : !a, !b -> !c
      scf.yield %next : !c
    }
    gpu.subgroup_mma_store_matrix %sum, %c[%row, %column] {leadDimension = 256 : index} : !c, memref<256x256xf32>
    gpu.return
  }
}
