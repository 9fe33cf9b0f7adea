// op: gpu.subgroup_mma_$OP
// for $OP: load_matrix, compute, store_matrix
// for $A to $M to $C: f16 to f16 to f32, f16 to f16 to f16, si8 to i8 to i32, ui8 to i8 to i32, f32 to f32 to f32
gpu.module @sample {
  gpu.func @kernel(%x: memref<64x64x$M>, %y: memref<64x64x$M>, %z: memref<64x64x$C>) kernel {
    %zero = arith.constant 0 : index
    %a = gpu.subgroup_mma_load_matrix %x[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64x$M> -> !gpu.mma_matrix<16x16x$A, "AOp">
    %b = gpu.subgroup_mma_load_matrix %y[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64x$M> -> !gpu.mma_matrix<16x16x$A, "BOp">
    %c = gpu.subgroup_mma_load_matrix %z[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64x$C> -> !gpu.mma_matrix<16x16x$C, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c
      : !gpu.mma_matrix<16x16x$A, "AOp">, !gpu.mma_matrix<16x16x$A, "BOp">
      -> !gpu.mma_matrix<16x16x$C, "COp">
    gpu.subgroup_mma_store_matrix %d, %z[%zero, %zero] {leadDimension = 64 : index}
      : !gpu.mma_matrix<16x16x$C, "COp">, memref<64x64x$C>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_mma_compute
// for $T: a_transpose, b_transpose
gpu.module @sample {
  gpu.func @kernel(%x: memref<64x64xf16>, %z: memref<64x64xf32>) kernel {
    %zero = arith.constant 0 : index
    %a = gpu.subgroup_mma_load_matrix %x[%zero, %zero] {leadDimension = 64 : index, transpose}
      : memref<64x64xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %b = gpu.subgroup_mma_load_matrix %x[%zero, %zero] {leadDimension = 64 : index, transpose}
      : memref<64x64xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
    %c = gpu.subgroup_mma_load_matrix %z[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c {$T}
      : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">
      -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %d, %z[%zero, %zero] {leadDimension = 64 : index, transpose}
      : !gpu.mma_matrix<16x16xf32, "COp">, memref<64x64xf32>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_mma_elementwise
// for $K: addf, mulf, subf, maxf, minf, divf
gpu.module @sample {
  gpu.func @kernel(%z: memref<64x64xf32>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %c = gpu.subgroup_mma_load_matrix %z[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
    %k = gpu.subgroup_mma_constant_matrix %one : !gpu.mma_matrix<16x16xf32, "COp">
    %d = gpu.subgroup_mma_elementwise $K %c, %k
      : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
      -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %d, %z[%zero, %zero] {leadDimension = 64 : index}
      : !gpu.mma_matrix<16x16xf32, "COp">, memref<64x64xf32>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_mma_elementwise
// for $K to $A to $B: negatef to f32 to f32, negates to i32 to i32, extf to f16 to f32
gpu.module @sample {
  gpu.func @kernel(%z: memref<64x64x$A>, %r: memref<64x64x$B>) kernel {
    %zero = arith.constant 0 : index
    %c = gpu.subgroup_mma_load_matrix %z[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64x$A> -> !gpu.mma_matrix<16x16x$A, "COp">
    %d = gpu.subgroup_mma_elementwise $K %c
      : (!gpu.mma_matrix<16x16x$A, "COp">) -> !gpu.mma_matrix<16x16x$B, "COp">
    gpu.subgroup_mma_store_matrix %d, %r[%zero, %zero] {leadDimension = 64 : index}
      : !gpu.mma_matrix<16x16x$B, "COp">, memref<64x64x$B>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_mma_elementwise
// for $K: addi, muli, subi
gpu.module @sample {
  gpu.func @kernel(%z: memref<64x64xi32>) kernel {
    %zero = arith.constant 0 : index
    %c = gpu.subgroup_mma_load_matrix %z[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64xi32> -> !gpu.mma_matrix<16x16xi32, "COp">
    %d = gpu.subgroup_mma_elementwise $K %c, %c
      : (!gpu.mma_matrix<16x16xi32, "COp">, !gpu.mma_matrix<16x16xi32, "COp">)
      -> !gpu.mma_matrix<16x16xi32, "COp">
    gpu.subgroup_mma_store_matrix %d, %z[%zero, %zero] {leadDimension = 64 : index}
      : !gpu.mma_matrix<16x16xi32, "COp">, memref<64x64xi32>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_mma_$OP
// for $OP: constant_matrix, extract_thread_local, insert_thread_local
// for $T: f16, f32
gpu.module @sample {
  gpu.func @kernel(%i: index, %z: memref<64x64x$T>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1.0 : $T
    %c = gpu.subgroup_mma_constant_matrix %one : !gpu.mma_matrix<16x16x$T, "COp">
    %e = gpu.subgroup_mma_extract_thread_local %c[%i] : !gpu.mma_matrix<16x16x$T, "COp"> -> $T
    %f = arith.addf %e, %one : $T
    %d = gpu.subgroup_mma_insert_thread_local %f, %c[%zero]
      : $T, !gpu.mma_matrix<16x16x$T, "COp"> -> !gpu.mma_matrix<16x16x$T, "COp">
    gpu.subgroup_mma_store_matrix %d, %z[%zero, %zero] {leadDimension = 64 : index}
      : !gpu.mma_matrix<16x16x$T, "COp">, memref<64x64x$T>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_mma_$OP
// for $OP: load_matrix, compute, store_matrix
// for $A to $M to $C: f16 to f16 to f32, f16 to f16 to f16, si8 to i8 to i32, ui8 to i8 to i32
// on: h200
gpu.module @sample {
  gpu.func @kernel(%x: memref<64x64x$M>, %y: memref<64x64x$M>, %z: memref<64x64x$C>) kernel {
    %zero = arith.constant 0 : index
    %a = gpu.subgroup_mma_load_matrix %x[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64x$M> -> !gpu.mma_matrix<16x16x$A, "AOp">
    %b = gpu.subgroup_mma_load_matrix %y[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64x$M> -> !gpu.mma_matrix<16x16x$A, "BOp">
    %c = gpu.subgroup_mma_load_matrix %z[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64x$C> -> !gpu.mma_matrix<16x16x$C, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c
      : !gpu.mma_matrix<16x16x$A, "AOp">, !gpu.mma_matrix<16x16x$A, "BOp">
      -> !gpu.mma_matrix<16x16x$C, "COp">
    gpu.subgroup_mma_store_matrix %d, %z[%zero, %zero] {leadDimension = 64 : index}
      : !gpu.mma_matrix<16x16x$C, "COp">, memref<64x64x$C>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_mma_compute
// for $T: a_transpose, b_transpose
// on: h200
gpu.module @sample {
  gpu.func @kernel(%x: memref<64x64xf16>, %z: memref<64x64xf32>) kernel {
    %zero = arith.constant 0 : index
    %a = gpu.subgroup_mma_load_matrix %x[%zero, %zero] {leadDimension = 64 : index, transpose}
      : memref<64x64xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %b = gpu.subgroup_mma_load_matrix %x[%zero, %zero] {leadDimension = 64 : index, transpose}
      : memref<64x64xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
    %c = gpu.subgroup_mma_load_matrix %z[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c {$T}
      : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">
      -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %d, %z[%zero, %zero] {leadDimension = 64 : index, transpose}
      : !gpu.mma_matrix<16x16xf32, "COp">, memref<64x64xf32>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_mma_elementwise
// for $K: addf, mulf, subf, maxf, minf, divf
// on: h200
gpu.module @sample {
  gpu.func @kernel(%z: memref<64x64xf32>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %c = gpu.subgroup_mma_load_matrix %z[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
    %k = gpu.subgroup_mma_constant_matrix %one : !gpu.mma_matrix<16x16xf32, "COp">
    %d = gpu.subgroup_mma_elementwise $K %c, %k
      : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
      -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %d, %z[%zero, %zero] {leadDimension = 64 : index}
      : !gpu.mma_matrix<16x16xf32, "COp">, memref<64x64xf32>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_mma_elementwise
// for $K to $A to $B: negatef to f32 to f32, negates to i32 to i32, extf to f16 to f32
// on: h200
gpu.module @sample {
  gpu.func @kernel(%z: memref<64x64x$A>, %r: memref<64x64x$B>) kernel {
    %zero = arith.constant 0 : index
    %c = gpu.subgroup_mma_load_matrix %z[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64x$A> -> !gpu.mma_matrix<16x16x$A, "COp">
    %d = gpu.subgroup_mma_elementwise $K %c
      : (!gpu.mma_matrix<16x16x$A, "COp">) -> !gpu.mma_matrix<16x16x$B, "COp">
    gpu.subgroup_mma_store_matrix %d, %r[%zero, %zero] {leadDimension = 64 : index}
      : !gpu.mma_matrix<16x16x$B, "COp">, memref<64x64x$B>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_mma_elementwise
// for $K: addi, muli, subi
// on: h200
gpu.module @sample {
  gpu.func @kernel(%z: memref<64x64xi32>) kernel {
    %zero = arith.constant 0 : index
    %c = gpu.subgroup_mma_load_matrix %z[%zero, %zero] {leadDimension = 64 : index}
      : memref<64x64xi32> -> !gpu.mma_matrix<16x16xi32, "COp">
    %d = gpu.subgroup_mma_elementwise $K %c, %c
      : (!gpu.mma_matrix<16x16xi32, "COp">, !gpu.mma_matrix<16x16xi32, "COp">)
      -> !gpu.mma_matrix<16x16xi32, "COp">
    gpu.subgroup_mma_store_matrix %d, %z[%zero, %zero] {leadDimension = 64 : index}
      : !gpu.mma_matrix<16x16xi32, "COp">, memref<64x64xi32>
    gpu.return
  }
}
// -----
// op: gpu.subgroup_mma_$OP
// for $OP: constant_matrix, extract_thread_local, insert_thread_local
// for $T: f16, f32
// on: h200
gpu.module @sample {
  gpu.func @kernel(%i: index, %z: memref<64x64x$T>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1.0 : $T
    %c = gpu.subgroup_mma_constant_matrix %one : !gpu.mma_matrix<16x16x$T, "COp">
    %e = gpu.subgroup_mma_extract_thread_local %c[%i] : !gpu.mma_matrix<16x16x$T, "COp"> -> $T
    %f = arith.addf %e, %one : $T
    %d = gpu.subgroup_mma_insert_thread_local %f, %c[%zero]
      : $T, !gpu.mma_matrix<16x16x$T, "COp"> -> !gpu.mma_matrix<16x16x$T, "COp">
    gpu.subgroup_mma_store_matrix %d, %z[%zero, %zero] {leadDimension = 64 : index}
      : !gpu.mma_matrix<16x16x$T, "COp">, memref<64x64x$T>
    gpu.return
  }
}
