// RUN: pumice-opt %s --split-input-file --verify-diagnostics

func.func @depth(%a: vector<8xi16>, %b: vector<8xi32>, %c: vector<8xf32>) {
  // expected-error@below {{expects a systolic depth of 8, got 4}}
  %0 = gen.matrix_mad f16 %a, f16 %b, %c systolic_depth 4 : vector<8xi16>, vector<8xi32>, vector<8xf32>
  return
}

// -----

func.func @mixed(%a: vector<8xi16>, %b: vector<8xi32>, %c: vector<8xf32>) {
  // expected-error@below {{expects factors of the same float type, or of s8 and u8, got f16 and s8}}
  %0 = gen.matrix_mad f16 %a, s8 %b, %c : vector<8xi16>, vector<8xi32>, vector<8xf32>
  return
}

// -----

func.func @rows(%a: vector<9xi16>, %b: vector<8xi32>, %c: vector<9xf32>) {
  // expected-error@below {{expects an accumulator of 1 to 8 elements, got 'vector<9xf32>'}}
  %0 = gen.matrix_mad f16 %a, f16 %b, %c : vector<9xi16>, vector<8xi32>, vector<9xf32>
  return
}

// -----

func.func @second(%a: vector<8xi16>, %b: vector<16xf16>, %c: vector<8xf32>) {
  // expected-error@below {{expects a second factor of 'vector<8xi32>', got 'vector<16xf16>'}}
  %0 = gen.matrix_mad f16 %a, f16 %b, %c : vector<8xi16>, vector<16xf16>, vector<8xf32>
  return
}

// -----

func.func @first(%a: vector<4xi16>, %b: vector<8xi32>, %c: vector<8xf32>) {
  // expected-error@below {{expects a first factor of 'vector<8xi16>' for sub-groups of 16, or 'vector<8xi32>' for sub-groups of 8, got 'vector<4xi16>'}}
  %0 = gen.matrix_mad f16 %a, f16 %b, %c : vector<4xi16>, vector<8xi32>, vector<8xf32>
  return
}

// -----

func.func @first_tf32(%a: vector<8xf32>, %b: vector<8xf32>, %c: vector<8xf32>) {
  // expected-error@below {{expects a first factor of 'vector<4xf32>', got 'vector<8xf32>'}}
  %0 = gen.matrix_mad tf32 %a, tf32 %b, %c : vector<8xf32>, vector<8xf32>, vector<8xf32>
  return
}

// -----

func.func @accumulator(%a: vector<8xi32>, %b: vector<8xi32>, %c: vector<8xf16>) {
  // expected-error@below {{cannot accumulate f16 in 'f16' for sub-groups of 8}}
  %0 = gen.matrix_mad f16 %a, f16 %b, %c : vector<8xi32>, vector<8xi32>, vector<8xf16>
  return
}

// -----

func.func @loads(%base: index, %n: i32) {
  // expected-error@below {{expects elements of 8, 16, 32 or 64 bits, got 4}}
  %0 = gen.block_load_2d %base[%n, %n] of %n, %n, %n bits 4 shape 8, 16, 1 : index -> vector<8xi16>
  return
}

// -----

func.func @loads(%base: index, %n: i32) {
  // expected-error@below {{expects 1 to 32 rows, got 33}}
  %0 = gen.block_load_2d %base[%n, %n] of %n, %n, %n bits 16 shape 33, 16, 1 : index -> vector<8xi16>
  return
}

// -----

func.func @loads(%base: index, %n: i32) {
  // expected-error@below {{expects a power of two as the number of columns, got 12}}
  %0 = gen.block_load_2d %base[%n, %n] of %n, %n, %n bits 16 shape 8, 12, 1 : index -> vector<8xi16>
  return
}

// -----

func.func @loads(%base: index, %n: i32) {
  // expected-error@below {{expects 1, 2 or 4 blocks, got 3}}
  %0 = gen.block_load_2d %base[%n, %n] of %n, %n, %n bits 16 shape 8, 16, 3 : index -> vector<8xi16>
  return
}

// -----

func.func @loads(%base: index, %n: i32) {
  // expected-error@below {{expects rows of 4 to 64 bytes in all blocks, got 128}}
  %0 = gen.block_load_2d %base[%n, %n] of %n, %n, %n bits 16 shape 8, 64, 1 : index -> vector<8xi16>
  return
}

// -----

func.func @loads(%base: index, %n: i32) {
  // expected-error@below {{expects i8, i16, i32 or i64 that hold 128 bits for sub-groups of 16, or 64 bits for sub-groups of 32, got 'vector<4xi64>'}}
  %0 = gen.block_load_2d %base[%n, %n] of %n, %n, %n bits 16 shape 8, 16, 1 : index -> vector<4xi64>
  return
}

// -----

func.func @loads(%base: index, %n: i32) {
  // expected-error@below {{expects words of at least one element of 16 bits, got 8}}
  %0 = gen.block_load_2d %base[%n, %n] of %n, %n, %n bits 16 shape 8, 16, 1 : index -> vector<16xi8>
  return
}

// -----

func.func @loads(%base: index, %n: i32) {
  // expected-error@below {{transposes one block of elements of 32 or 64 bits, got 1 of 16 bits as words of 16}}
  %0 = gen.block_load_2d transposed %base[%n, %n] of %n, %n, %n bits 16 shape 16, 8, 1 : index -> vector<8xi16>
  return
}

// -----

func.func @loads(%base: index, %n: i32) {
  // expected-error@below {{transforms elements of 8 or 16 bits, in whole words of 32 bits, got 16 rows of 32 bits as words of 32}}
  %0 = gen.block_load_2d transformed %base[%n, %n] of %n, %n, %n bits 32 shape 16, 8, 1 : index -> vector<8xi32>
  return
}

// -----

func.func @stores(%base: index, %n: i32, %v: vector<16xi16>) {
  // expected-error@below {{expects 1 to 8 rows, got 16}}
  gen.block_store_2d %v, %base[%n, %n] of %n, %n, %n bits 16 shape 16, 16 : vector<16xi16>, index
  return
}

// -----

func.func @reads(%base: index) {
  // expected-error@below {{expects 1, 2, 4 or 8 elements of i8, i16, i32 or i64, or 16 of i8, got 'vector<16xi32>'}}
  %0 = gen.sub_group_block_read %base : index -> vector<16xi32>
  return
}

// -----

func.func @address(%base: i32) {
  // expected-error@below {{operand #0 must be address in global memory, as an index, i64 or LLVM pointer, but got 'i32'}}
  %0 = gen.sub_group_block_read %base : i32 -> i32
  return
}

// -----

func.func @loads(%base: index, %n: i32) {
  // expected-error@below {{expects i8, i16, i32 or i64 that hold 128 bits for sub-groups of 16, or 64 bits for sub-groups of 32, got 'i0'}}
  %0 = gen.block_load_2d %base[%n, %n] of %n, %n, %n bits 16 shape 8, 16, 1 : index -> i0
  return
}

// -----

func.func @loads(%base: index, %n: i32) {
  // expected-error@below {{expects i8, i16, i32 or i64 that hold 48 bits for sub-groups of 16, or 24 bits for sub-groups of 32, got 'vector<2xi24>'}}
  %0 = gen.block_load_2d %base[%n, %n] of %n, %n, %n bits 8 shape 6, 16, 1 : index -> vector<2xi24>
  return
}

// -----

func.func @stores(%base: index, %n: i32, %v: vector<8xi0>) {
  // expected-error@below {{expects i8, i16, i32 or i64 that hold 128 bits for sub-groups of 16, or 64 bits for sub-groups of 32, got 'vector<8xi0>'}}
  gen.block_store_2d %v, %base[%n, %n] of %n, %n, %n bits 16 shape 8, 16 : vector<8xi0>, index
  return
}
