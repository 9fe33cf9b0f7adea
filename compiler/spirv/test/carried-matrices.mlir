// A loop carries a matrix that a branch chooses, and one of two matrices is stored. SPIR-V cannot
// select matrices.
// RUN: pumice compile %s --target rdna3 --emit spirv -o %t.spv
// RUN: %validate %t.spv
gpu.module @m {
  gpu.func @k(%a: memref<?x?xf16>, %c: memref<?x?xf32>, %n: index, %which: i1)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %zero = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %f = arith.constant 0.0 : f32
    %C = gpu.subgroup_mma_constant_matrix %f : !gpu.mma_matrix<16x16xf32, "COp">
    %D = scf.for %j = %zero to %n step %c16 iter_args(%sum = %C) -> !gpu.mma_matrix<16x16xf32, "COp"> {
      %A = gpu.subgroup_mma_load_matrix %a[%zero, %j] {leadDimension = 64 : index} : memref<?x?xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
      %B = gpu.subgroup_mma_load_matrix %a[%j, %zero] {leadDimension = 64 : index, transpose} : memref<?x?xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
      %E = gpu.subgroup_mma_compute %A, %B, %sum : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      %F = scf.if %which -> !gpu.mma_matrix<16x16xf32, "COp"> {
        scf.yield %E : !gpu.mma_matrix<16x16xf32, "COp">
      } else {
        %G = gpu.subgroup_mma_elementwise maxf %E, %sum : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        scf.yield %G : !gpu.mma_matrix<16x16xf32, "COp">
      }
      scf.yield %F : !gpu.mma_matrix<16x16xf32, "COp">
    }
    %S = arith.select %which, %D, %C : !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %S, %c[%zero, %zero] {leadDimension = 64 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<?x?xf32>
    gpu.return
  }
}
