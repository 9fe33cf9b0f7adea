// Functions have the names that clang gives to those of OpenCL C.

// RUN: pumice-opt %s -convert-gen-to-llvm | grep -o '@_Z[A-Za-z0-9_]*' | sort -u > %t.ours
// RUN: clang -cc1 -triple spirv64-unknown-unknown -cl-std=CL3.0 -cl-ext=+all -finclude-default-header -O0 -emit-llvm %S/inputs/names.cl -o - \
// RUN:   | grep declare | grep -o '@_Z[A-Za-z0-9_]*' | grep -v 'convert_float8\|vstore8' | sort -u > %t.clang
// RUN: diff %t.clang %t.ours
// RUN: FileCheck %s < %t.ours
// CHECK-COUNT-43: @_Z

func.func @all(%i8: i8, %i16: i16, %i32: i32, %i64: i64, %f16: f16, %f32: f32, %f64: f64, %c: i1,
               %base: index, %s8: vector<8xi16>, %v8: vector<8xi32>, %f8: vector<8xf32>,
               %f4: vector<4xf32>, %f2: vector<2xf32>, %s2: vector<2xi16>, %b2: vector<2xbf16>) {
  %c0_i32 = arith.constant 0 : i32
  %0 = gen.local_id %c0_i32
  %1 = gen.work_group_id %c0_i32
  %2 = gen.work_group_size %c0_i32
  %3 = gen.num_work_groups %c0_i32
  %4 = gen.sub_group_local_id
  %5 = gen.sub_group_size
  %6 = gen.sub_group_id
  %7 = gen.num_sub_groups
  gen.barrier local
  %8 = gen.sub_group_shuffle xor %i8, %i32 : i8
  %9 = gen.sub_group_shuffle up %i16, %i32 : i16
  %10 = gen.sub_group_shuffle down %i64, %i32 : i64
  %11 = gen.sub_group_shuffle idx %f16, %i32 : f16
  %12 = gen.sub_group_broadcast %f64, %i32 : f64
  %13 = gen.sub_group_ballot %c
  %14 = gen.sub_group_reduce add %f32 uniform : f32
  %15 = gen.sub_group_reduce min %f32 uniform : f32
  %16 = gen.sub_group_reduce smin %i32 uniform : i32
  %17 = gen.sub_group_reduce umax %i64 uniform : i64
  %18 = gen.sub_group_reduce umin %i32 : i32
  %19 = gen.sub_group_reduce xor %i32 : i32
  %20 = gen.sub_group_scan add %i32 uniform : i32
  %21 = gen.sub_group_scan mul %i64 exclusive : i64
  %22 = gen.block_load_2d %base[%i32, %i32] of %i32, %i32, %i32 bits 16 shape 8, 16, 1 : index -> vector<8xi16>
  %23 = gen.block_load_2d transposed %base[%i32, %i32] of %i32, %i32, %i32 bits 32 shape 16, 8, 1 : index -> vector<8xi32>
  %24 = gen.block_load_2d transformed %base[%i32, %i32] of %i32, %i32, %i32 bits 16 shape 16, 16, 1 : index -> vector<8xi32>
  gen.block_prefetch_2d %base[%i32, %i32] of %i32, %i32, %i32 bits 16 shape 8, 16, 1 : index
  gen.block_store_2d %v8, %base[%i32, %i32] of %i32, %i32, %i32 bits 32 shape 8, 16 : vector<8xi32>, index
  %25 = gen.matrix_mad f16 %s8, f16 %v8, %f8 : vector<8xi16>, vector<8xi32>, vector<8xf32>
  %26 = gen.matrix_mad tf32 %f2, tf32 %f8, %f4 : vector<2xf32>, vector<8xf32>, vector<4xf32>
  %27 = gen.matrix_mad s8 %s8, u8 %v8, %v8 : vector<8xi16>, vector<8xi32>, vector<8xi32>
  %28 = gen.matrix_mad u8 %v8, u8 %v8, %v8 : vector<8xi32>, vector<8xi32>, vector<8xi32>
  %29 = gen.matrix_mad bf16 %s2, bf16 %v8, %b2 : vector<2xi16>, vector<8xi32>, vector<2xbf16>
  %30 = gen.matrix_mad f16 %i16, f16 %v8, %f16 : i16, vector<8xi32>, f16
  %31 = gen.sub_group_block_read %base : index -> i32
  %32 = gen.sub_group_block_read %base : index -> vector<4xi32>
  gen.sub_group_block_write %base, %32 : index, vector<4xi32>
  %33 = gen.sub_group_block_read %base : index -> vector<2xi16>
  gen.sub_group_block_write %base, %33 : index, vector<2xi16>
  %34 = gen.sub_group_block_read %base : index -> vector<16xi8>
  gen.sub_group_block_write %base, %34 : index, vector<16xi8>
  %35 = gen.sub_group_block_read %base : index -> i64
  gen.sub_group_block_write %base, %35 : index, i64
  return
}
