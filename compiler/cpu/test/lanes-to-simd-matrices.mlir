// RUN: pumice-opt %s --pumice-lanes-to-simd='width=16' | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: pumice-opt %s --pumice-lanes-to-simd='width=16 features=+avx512bf16,+avx512vnni' | FileCheck %s --check-prefixes=CHECK,DOTS
// RUN: pumice-opt %s --pumice-lanes-to-simd='width=16 features=+avx512bf16,+avx512vnni,+amx-tile,+amx-bf16,+amx-int8' | FileCheck %s --check-prefixes=CHECK,TILES

// A tile of sums is in registers, and both factors are in scratch memory. A splat is multiplied by
// vectors.
// CHECK-LABEL: llvm.func @floats
// CHECK: ^bb{{[0-9]+}}(%{{.*}}: i64, %{{.*}}: vector<16xf32>
// CHECK: llvm.load %{{.*}} {alignment = 64 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: %[[A:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK: llvm.insertelement %[[A]]
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : vector<16xf32>
func.func @floats() attributes {lane.kernel, lane.subgroup_size = 16 : i32, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %p = lane.buffer 0, 0
  %i = lane.builtin subgroup_lane
  %w = arith.extui %i : i32 to i64
  %q = lane.offset %p[%w]
  %x = lane.load %q align 1 : f32
  %y = arith.constant 1.0 : f32
  %r:16 = lane.matrix_product 16, 16, 16(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) (%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) (%y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
  lane.store %r#0 to %q align 1 : f32
  return
}

// Products of pairs of bf16, and products of 64 bytes of bf16 by AMX, which is configured for the
// call.
// CHECK-LABEL: llvm.func @brains
// PLAIN: arith.extf %{{.*}} : vector<16xbf16> to vector<16xf32>
// DOTS-NOT: arith.extf
// DOTS: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"{{.*}} (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// TILES: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// TILES: llvm.call_intrinsic "llvm.x86.tilerelease"
// TILES-NEXT: llvm.return
// TILES: llvm.call_intrinsic "llvm.x86.tileloadd64"
// TILES: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// TILES: llvm.call_intrinsic "llvm.x86.tilestored64"
func.func @brains() attributes {lane.kernel, lane.subgroup_size = 16 : i32, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %p = lane.buffer 0, 0
  %i = lane.builtin subgroup_lane
  %w = arith.extui %i : i32 to i64
  %q = lane.offset %p[%w]
  %x = lane.load %q align 1 : bf16
  %y = arith.constant 1.0 : f32
  %r:16 = lane.matrix_product 16, 16, 32(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16) (%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16) (%y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
  lane.store %r#0 to %q align 1 : f32
  return
}

// Both factors have signed bytes, so 128 is added to the bytes of one of them.
// CHECK-LABEL: llvm.func @bytes
// PLAIN: arith.extsi %{{.*}} : vector<16xi8> to vector<16xi32>
// DOTS: llvm.xor %{{.*}} : vector<16xi8>
// DOTS: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"{{.*}} (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// DOTS: %[[MOVED:.+]] = llvm.mlir.constant(dense<-128> : vector<16xi32>)
// DOTS: %[[TAKEN:.+]] = llvm.mul %{{.*}}, %[[MOVED]] : vector<16xi32>
// DOTS: llvm.add %{{.*}}, %[[TAKEN]] : vector<16xi32>
// TILES-NOT: llvm.xor
// TILES: llvm.call_intrinsic "llvm.x86.tdpbssd"
func.func @bytes() attributes {lane.kernel, lane.subgroup_size = 16 : i32, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %p = lane.buffer 0, 0
  %i = lane.builtin subgroup_lane
  %w = arith.extui %i : i32 to i64
  %q = lane.offset %p[%w]
  %x = lane.load %q align 1 : i8
  %y = arith.constant 1 : i32
  %r:16 = lane.matrix_product 16, 16, 64 signed_a signed_b signed_c(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8) (%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8) (%y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)
  lane.store %r#0 to %q align 1 : i32
  return
}

// A transpose is four steps of shuffles.
// CHECK-LABEL: llvm.func @transpose
// CHECK-COUNT-64: llvm.shufflevector
// CHECK-NOT: llvm.shufflevector
func.func @transpose() attributes {lane.kernel, lane.subgroup_size = 16 : i32, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %p = lane.buffer 0, 0
  %i = lane.builtin subgroup_lane
  %w = arith.extui %i : i32 to i64
  %q = lane.offset %p[%w]
  %x = lane.load %q align 1 : i8
  %r:16 = lane.matrix_transpose 16, 16(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8)
  lane.store %r#0 to %q align 1 : i8
  return
}
