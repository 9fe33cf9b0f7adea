// Kernels of one sub-group that multiply matrices in memory, and one that copies a block.

llvm.func spir_kernelcc @f16(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %d: !llvm.ptr<1>)
    attributes {intel_reqd_sub_group_size = 16 : i32} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c8 = llvm.mlir.constant(8 : i32) : i32
  %c16 = llvm.mlir.constant(16 : i32) : i32
  %c32 = llvm.mlir.constant(32 : i32) : i32
  %c64 = llvm.mlir.constant(64 : i32) : i32
  %0 = gen.block_load_2d %a[%zero, %zero] of %c32, %c8, %c32 bits 16 shape 8, 16, 1 : !llvm.ptr<1> -> vector<8xi16>
  %1 = gen.block_load_2d transformed %b[%zero, %zero] of %c32, %c16, %c32 bits 16 shape 16, 16, 1 : !llvm.ptr<1> -> vector<8xi32>
  %2 = gen.block_load_2d %c[%zero, %zero] of %c64, %c8, %c64 bits 32 shape 8, 16, 1 : !llvm.ptr<1> -> vector<8xi32>
  %3 = llvm.bitcast %2 : vector<8xi32> to vector<8xf32>
  %4 = gen.matrix_mad f16 %0, f16 %1, %3 : vector<8xi16>, vector<8xi32>, vector<8xf32>
  %5 = llvm.bitcast %4 : vector<8xf32> to vector<8xi32>
  gen.block_store_2d %5, %d[%zero, %zero] of %c64, %c8, %c64 bits 32 shape 8, 16 : vector<8xi32>, !llvm.ptr<1>
  llvm.return
}

llvm.func spir_kernelcc @bf16(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %d: !llvm.ptr<1>)
    attributes {intel_reqd_sub_group_size = 16 : i32} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c3 = llvm.mlir.constant(3 : i32) : i32
  %c16 = llvm.mlir.constant(16 : i32) : i32
  %c32 = llvm.mlir.constant(32 : i32) : i32
  %c64 = llvm.mlir.constant(64 : i32) : i32
  %0 = gen.block_load_2d %a[%zero, %zero] of %c32, %c3, %c32 bits 16 shape 3, 16, 1 : !llvm.ptr<1> -> vector<3xi16>
  %1 = gen.block_load_2d transformed %b[%zero, %zero] of %c32, %c16, %c32 bits 16 shape 16, 16, 1 : !llvm.ptr<1> -> vector<8xi32>
  %2 = gen.block_load_2d %c[%zero, %zero] of %c64, %c3, %c64 bits 32 shape 3, 16, 1 : !llvm.ptr<1> -> vector<3xi32>
  %3 = llvm.bitcast %2 : vector<3xi32> to vector<3xf32>
  %4 = gen.matrix_mad bf16 %0, bf16 %1, %3 : vector<3xi16>, vector<8xi32>, vector<3xf32>
  %5 = llvm.bitcast %4 : vector<3xf32> to vector<3xi32>
  gen.block_store_2d %5, %d[%zero, %zero] of %c64, %c3, %c64 bits 32 shape 3, 16 : vector<3xi32>, !llvm.ptr<1>
  llvm.return
}

llvm.func spir_kernelcc @tf32(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %d: !llvm.ptr<1>)
    attributes {intel_reqd_sub_group_size = 16 : i32} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c8 = llvm.mlir.constant(8 : i32) : i32
  %c32 = llvm.mlir.constant(32 : i32) : i32
  %c64 = llvm.mlir.constant(64 : i32) : i32
  %0 = gen.block_load_2d %a[%zero, %zero] of %c32, %c8, %c32 bits 32 shape 8, 8, 1 : !llvm.ptr<1> -> vector<4xi32>
  %1 = gen.block_load_2d %b[%zero, %zero] of %c64, %c8, %c64 bits 32 shape 8, 16, 1 : !llvm.ptr<1> -> vector<8xi32>
  %2 = gen.block_load_2d %c[%zero, %zero] of %c64, %c8, %c64 bits 32 shape 8, 16, 1 : !llvm.ptr<1> -> vector<8xi32>
  %3 = llvm.bitcast %0 : vector<4xi32> to vector<4xf32>
  %4 = llvm.bitcast %1 : vector<8xi32> to vector<8xf32>
  %5 = llvm.bitcast %2 : vector<8xi32> to vector<8xf32>
  %6 = gen.matrix_mad tf32 %3, tf32 %4, %5 : vector<4xf32>, vector<8xf32>, vector<8xf32>
  %7 = llvm.bitcast %6 : vector<8xf32> to vector<8xi32>
  gen.block_store_2d %7, %d[%zero, %zero] of %c64, %c8, %c64 bits 32 shape 8, 16 : vector<8xi32>, !llvm.ptr<1>
  llvm.return
}

llvm.func spir_kernelcc @s8u8(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %d: !llvm.ptr<1>)
    attributes {intel_reqd_sub_group_size = 16 : i32} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c8 = llvm.mlir.constant(8 : i32) : i32
  %c16 = llvm.mlir.constant(16 : i32) : i32
  %c32 = llvm.mlir.constant(32 : i32) : i32
  %c64 = llvm.mlir.constant(64 : i32) : i32
  %0 = gen.block_load_2d %a[%zero, %zero] of %c32, %c8, %c32 bits 8 shape 8, 32, 1 : !llvm.ptr<1> -> vector<8xi16>
  %1 = gen.block_load_2d transformed %b[%zero, %zero] of %c16, %c32, %c16 bits 8 shape 32, 16, 1 : !llvm.ptr<1> -> vector<8xi32>
  %2 = gen.block_load_2d %c[%zero, %zero] of %c64, %c8, %c64 bits 32 shape 8, 16, 1 : !llvm.ptr<1> -> vector<8xi32>
  %3 = gen.matrix_mad s8 %0, u8 %1, %2 : vector<8xi16>, vector<8xi32>, vector<8xi32>
  gen.block_store_2d %3, %d[%zero, %zero] of %c64, %c8, %c64 bits 32 shape 8, 16 : vector<8xi32>, !llvm.ptr<1>
  llvm.return
}

// A sub-group of 8 has two elements in each word of the first factor. The words of the second are in
// memory as the operation expects them.
llvm.func spir_kernelcc @f16_of_8(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %d: !llvm.ptr<1>)
    attributes {intel_reqd_sub_group_size = 8 : i32} {
  %0 = gen.sub_group_block_read %a : !llvm.ptr<1> -> vector<8xi32>
  %1 = gen.sub_group_block_read %b : !llvm.ptr<1> -> vector<8xi32>
  %2 = gen.sub_group_block_read %c : !llvm.ptr<1> -> vector<8xi32>
  %3 = llvm.bitcast %2 : vector<8xi32> to vector<8xf32>
  %4 = gen.matrix_mad f16 %0, f16 %1, %3 : vector<8xi32>, vector<8xi32>, vector<8xf32>
  %5 = llvm.bitcast %4 : vector<8xf32> to vector<8xi32>
  gen.sub_group_block_write %d, %5 : !llvm.ptr<1>, vector<8xi32>
  llvm.return
}

// Two blocks that begin outside the matrix, and the first one's transposed elements.
llvm.func spir_kernelcc @edges(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>, %words: !llvm.ptr<1>)
    attributes {intel_reqd_sub_group_size = 16 : i32} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %x = llvm.mlir.constant(-3 : i32) : i32
  %y = llvm.mlir.constant(-2 : i32) : i32
  %c8 = llvm.mlir.constant(8 : i32) : i32
  %c40 = llvm.mlir.constant(40 : i32) : i32
  %0 = gen.block_load_2d %from[%x, %y] of %c40, %c8, %c40 bits 16 shape 4, 16, 2 : !llvm.ptr<1> -> vector<8xi16>
  gen.block_store_2d %0, %to[%one, %one] of %c40, %c8, %c40 bits 16 shape 8, 16 : vector<8xi16>, !llvm.ptr<1>
  %1 = gen.block_load_2d transposed %from[%one, %y] of %c40, %c8, %c40 bits 32 shape 16, 2, 1 : !llvm.ptr<1> -> vector<2xi32>
  gen.sub_group_block_write %words, %1 : !llvm.ptr<1>, vector<2xi32>
  %2 = gen.sub_group_block_read %words : !llvm.ptr<1> -> i32
  %3 = llvm.add %2, %one : i32
  gen.sub_group_block_write %words, %3 : !llvm.ptr<1>, i32
  llvm.return
}
