// The product of 8 × 16 and 16 × 16 elements of f16, by one sub-group of 16 work-items. Rows in memory have 64 bytes.
gpu.module @kernels {
  gpu.func @multiply(%a: memref<8x32xf16>, %b: memref<16x32xf16>, %c: memref<8x16xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>} {
    %zero = arith.constant 0 : i32
    %i8 = arith.constant 8 : i32
    %i16 = arith.constant 16 : i32
    %i64 = arith.constant 64 : i32
    %none = arith.constant dense<0.0> : vector<8xf32>
    %at_a = vk.address_of %a : memref<8x32xf16>
    %at_b = vk.address_of %b : memref<16x32xf16>
    %at_c = vk.address_of %c : memref<8x16xf32>
    %left = gen.block_load_2d %at_a[%zero, %zero] of %i64, %i8, %i64 bits 16 shape 8, 16, 1 : i64 -> vector<8xi16>
    %right = gen.block_load_2d transformed %at_b[%zero, %zero] of %i64, %i16, %i64 bits 16 shape 16, 16, 1
        : i64 -> vector<8xi32>
    %sum = gen.matrix_mad f16 %left, f16 %right, %none : vector<8xi16>, vector<8xi32>, vector<8xf32>
    %words = arith.bitcast %sum : vector<8xf32> to vector<8xi32>
    gen.block_store_2d %words, %at_c[%zero, %zero] of %i64, %i8, %i64 bits 32 shape 8, 16 : vector<8xi32>, i64
    gpu.return
  }
}
