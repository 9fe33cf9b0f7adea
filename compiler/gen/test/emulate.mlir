// RUN: pumice-opt %s -pumice-emulate-gen | FileCheck %s
// RUN: pumice-opt %s -pumice-emulate-gen=memory=spirv | FileCheck %s --check-prefix=SPIRV
// No operation on matrices and blocks is left. run.test runs the code.

// CHECK-NOT: gen.matrix_mad
// CHECK-NOT: gen.block
// CHECK-NOT: gen.sub_group_block

// CHECK-LABEL: func.func @product
func.func @product(%a: i16, %b: vector<8xi32>, %c: f32) -> f32 {
  // CHECK: %[[B0:.*]] = vector.extract %arg1[0]
  // CHECK: %[[LOW:.*]] = arith.trunci %[[B0]] : i32 to i16
  // CHECK: %[[HALF:.*]] = arith.bitcast %[[LOW]] : i16 to f16
  // CHECK: arith.extf %[[HALF]] : f16 to f32
  // CHECK: arith.shrui
  // CHECK-COUNT-16: gen.sub_group_shuffle idx %arg0, %{{.*}} : i16
  // CHECK: arith.addf
  // CHECK-NEXT: return
  %0 = gen.matrix_mad f16 %a, f16 %b, %c : i16, vector<8xi32>, f32
  return %0 : f32
}

// CHECK-LABEL: func.func @load
func.func @load(%base: index, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> vector<8xi16> {
  // CHECK: gen.sub_group_local_id
  // CHECK: arith.cmpi ult
  // CHECK: %[[POINTER:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
  // CHECK: llvm.load %[[POINTER]] {alignment = 2 : i64} : !llvm.ptr<1> -> i16
  // SPIRV: %[[POINTER:.*]] = spirv.ConvertUToPtr %{{.*}} : i32 to !spirv.ptr<i16, CrossWorkgroup>
  // SPIRV: spirv.Load "CrossWorkgroup" %[[POINTER]] ["Aligned", 2] : i16
  // CHECK: arith.select
  %0 = gen.block_load_2d %base[%x, %y] of %w, %h, %p bits 16 shape 8, 16, 1 : index -> vector<8xi16>
  return %0 : vector<8xi16>
}

// CHECK-LABEL: func.func @store
func.func @store(%base: index, %n: i32, %v: vector<8xi32>) {
  // CHECK: scf.if
  // CHECK: llvm.store
  // SPIRV: scf.if
  // SPIRV: spirv.Store "CrossWorkgroup" %{{.*}}, %{{.*}} ["Aligned", 4] : i32
  gen.block_prefetch_2d %base[%n, %n] of %n, %n, %n bits 32 shape 8, 16, 1 : index
  gen.block_store_2d %v, %base[%n, %n] of %n, %n, %n bits 32 shape 8, 16 : vector<8xi32>, index
  return
}

// CHECK-LABEL: func.func @consecutive
func.func @consecutive(%address: index) {
  // CHECK: gen.sub_group_size
  // CHECK-COUNT-2: llvm.load
  %0 = gen.sub_group_block_read %address : index -> vector<2xi32>
  // CHECK-COUNT-2: llvm.store
  gen.sub_group_block_write %address, %0 : index, vector<2xi32>
  return
}
