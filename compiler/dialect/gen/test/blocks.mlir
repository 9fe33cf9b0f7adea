// RUN: pumice-opt %s | pumice-opt | FileCheck %s
// Every operation on matrices and blocks prints as it parses.

// CHECK-LABEL: func.func @matrices
func.func @matrices(%a: vector<8xi16>, %b: vector<8xi32>, %c: vector<8xf32>, %n: vector<3xi32>,
                    %ta: vector<2xf32>, %tb: vector<8xf32>, %tc: vector<3xf32>, %one: i16, %h: f16) {
  // CHECK: gen.matrix_mad f16 %arg0, f16 %arg1, %arg2 : vector<8xi16>, vector<8xi32>, vector<8xf32>
  %0 = gen.matrix_mad f16 %a, f16 %b, %c systolic_depth 8 : vector<8xi16>, vector<8xi32>, vector<8xf32>
  // CHECK: gen.matrix_mad s8 %arg3, u8 %arg1, %arg3 : vector<3xi32>, vector<8xi32>, vector<3xi32>
  %1 = gen.matrix_mad s8 %n, u8 %b, %n : vector<3xi32>, vector<8xi32>, vector<3xi32>
  // CHECK: gen.matrix_mad tf32 %arg4, tf32 %arg5, %arg6 : vector<2xf32>, vector<8xf32>, vector<3xf32>
  %2 = gen.matrix_mad tf32 %ta, tf32 %tb, %tc : vector<2xf32>, vector<8xf32>, vector<3xf32>
  // CHECK: gen.matrix_mad f16 %arg7, f16 %arg1, %arg8 : i16, vector<8xi32>, f16
  %3 = gen.matrix_mad f16 %one, f16 %b, %h : i16, vector<8xi32>, f16
  return
}

// CHECK-LABEL: func.func @blocks
func.func @blocks(%base: index, %pointer: !llvm.ptr<1>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) {
  // CHECK: gen.block_load_2d %arg0[%arg5, %arg6] of %arg2, %arg3, %arg4 bits 16 shape 8, 16, 2 : index -> vector<16xi16>
  %0 = gen.block_load_2d %base[%x, %y] of %w, %h, %p bits 16 shape 8, 16, 2 : index -> vector<16xi16>
  // CHECK: gen.block_load_2d transposed %arg1[%arg5, %arg6] of %arg2, %arg3, %arg4 bits 32 shape 16, 8, 1 : !llvm.ptr<1> -> vector<8xi32>
  %1 = gen.block_load_2d transposed %pointer[%x, %y] of %w, %h, %p bits 32 shape 16, 8, 1 : !llvm.ptr<1> -> vector<8xi32>
  // CHECK: gen.block_load_2d transformed %arg0[%arg5, %arg6] of %arg2, %arg3, %arg4 bits 8 shape 32, 16, 1 : index -> vector<8xi32>
  %2 = gen.block_load_2d transformed %base[%x, %y] of %w, %h, %p bits 8 shape 32, 16, 1 : index -> vector<8xi32>
  // CHECK: gen.block_prefetch_2d %arg0[%arg5, %arg6] of %arg2, %arg3, %arg4 bits 16 shape 8, 16, 1 : index
  gen.block_prefetch_2d %base[%x, %y] of %w, %h, %p bits 16 shape 8, 16, 1 : index
  // CHECK: gen.block_store_2d %{{.*}}, %arg0[%arg5, %arg6] of %arg2, %arg3, %arg4 bits 32 shape 8, 16 : vector<8xi32>, index
  gen.block_store_2d %1, %base[%x, %y] of %w, %h, %p bits 32 shape 8, 16 : vector<8xi32>, index
  // CHECK: gen.sub_group_block_read %arg0 : index -> vector<16xi8>
  %3 = gen.sub_group_block_read %base : index -> vector<16xi8>
  // CHECK: gen.sub_group_block_write %arg1, %{{.*}} : !llvm.ptr<1>, vector<16xi8>
  gen.sub_group_block_write %pointer, %3 : !llvm.ptr<1>, vector<16xi8>
  return
}
