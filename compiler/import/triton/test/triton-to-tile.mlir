// RUN: pumice-opt %s --split-input-file --pumice-triton-to-tile=lanes=8 | FileCheck %s
// RUN: pumice-opt %s --split-input-file --pumice-triton-to-tile="lanes=32 subgroups=2 access-bytes=16" | FileCheck %s --check-prefix=GPU
// RUN: pumice-opt %s --split-input-file --pumice-triton-to-tile="lanes=1 subgroups=8 access-bytes=16" | FileCheck %s --check-prefix=ALONE
// Tests the rules for layouts and pointers one by one. triton-to-tile.test has kernels of the
// Triton wheel.

// The range, the mask and the sum of a load have the layout of the load. On a GPU, a lane holds
// several elements if the facts show that they are neighbours in memory. Subgroups of one lane are
// neighbours, as lanes usually are, and need no subgroup features of the device.
// CHECK: #[[L:.*]] = #tile.layout<[64], register = [8, 16, 32], lane = [1, 2, 4], subgroup = []>
// GPU: #tile.layout<[64], register = [1, 2], lane = [4, 8, 16, 32, 0], subgroup = [0]>
// ALONE: #tile.layout<[64], register = [1, 2, 32], lane = [], subgroup = [4, 8, 16]>
// ALONE: gpu.func @add({{.*}} attributes {known_block_size = array<i32: 8, 1, 1>}
// CHECK: gpu.module @triton
// CHECK: gpu.func @add(%[[X:.*]]: memref<?xf32>, %[[N:.*]]: i32) kernel attributes {known_block_size = array<i32: 8, 1, 1>, pumice.full_subgroups, pumice.required_subgroup_size = 8 : i32}
// GPU: known_block_size = array<i32: 64, 1, 1>, pumice.full_subgroups, pumice.required_subgroup_size = 32
tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
  %c64 = arith.constant 64 : i32
  // CHECK: %[[ID:.*]] = gpu.block_id x
  // CHECK: %[[PID:.*]] = arith.index_cast %[[ID]] : index to i32
  %pid = tt.get_program_id x : i32
  // CHECK: %[[START:.*]] = arith.muli %[[PID]]
  %start = arith.muli %pid, %c64 : i32
  // CHECK: %[[R:.*]] = tile.range 0 to 64 : tensor<64xi32, #[[L]]>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // CHECK: %[[S:.*]] = tile.splat %[[START]]
  %starts = tt.splat %start : i32 -> tensor<64xi32>
  // CHECK: %[[AT:.*]] = arith.addi %[[S]], %[[R]]
  %at = arith.addi %starts, %range : tensor<64xi32>
  // CHECK: %[[NS:.*]] = tile.splat %[[N]]
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  // CHECK: %[[M:.*]] = arith.cmpi slt, %[[AT]], %[[NS]] : tensor<64xi32, #[[L]]>
  %mask = arith.cmpi slt, %at, %ns : tensor<64xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %p, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // CHECK: %[[V:.*]] = tile.load from %[[X]] at %[[AT]] mask %[[M]] {cache = "cg", eviction = "evict_first", volatile}
  %v = tt.load %q, %mask cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  // CHECK: %[[W:.*]] = arith.addf %[[V]], %[[V]] : tensor<64xf32, #[[L]]>
  %w = arith.addf %v, %v : tensor<64xf32>
  // CHECK: tile.store %[[W]] to %[[X]] at %[[AT]] mask %[[M]]
  tt.store %q, %w, %mask : tensor<64x!tt.ptr<f32>>
  // CHECK: gpu.return
  tt.return
}

// -----

// The offset that all elements share is added to the base as an i64. A single further offset of i32
// stays an i32.
// CHECK-LABEL: gpu.func @uniform
tt.func public @uniform(%x: !tt.ptr<f32>, %stride: i32) attributes {noinline = false} {
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %p, %range : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %far = tt.splat %stride : i32 -> tensor<8xi32>
  // CHECK: %[[FAR:.*]] = arith.extsi %{{.*}} : i32 to i64
  %r = tt.addptr %q, %far : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  // CHECK: %[[OFFSET:.*]] = arith.index_cast %[[FAR]]
  // CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%[[OFFSET]]]
  // CHECK: tile.load from %[[VIEW]] at %{{.*}} tensor<8xi32,
  %v = tt.load %r : tensor<8x!tt.ptr<f32>>
  tt.store %q, %v : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

// A sum of two offsets is computed in i64. A view uses the layout of its operand.
// CHECK-DAG: #[[TILE:.*]] = #tile.layout<[4, 8], register = {{\[\[}}1, 0], [2, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4]], subgroup = []>
// CHECK-DAG: #[[ROWS:.*]] = #tile.layout<[4, 1], register = {{\[\[}}1, 0], [2, 0]], lane = {{\[\[}}0, 0], [0, 0], [0, 0]], subgroup = []>
// CHECK-DAG: #[[ROW:.*]] = #tile.layout<[4], register = [1, 2], lane = [0, 0, 0], subgroup = []>
// CHECK-LABEL: gpu.func @rows_and_columns
tt.func public @rows_and_columns(%x: !tt.ptr<f16>, %stride: i32) attributes {noinline = false} {
  // CHECK: %[[R:.*]] = tile.range 0 to 4 : tensor<4xi32, #[[ROW]]>
  %range = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  // CHECK: %[[C:.*]] = tile.range 0 to 8
  %columns = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  // CHECK: tile.expand_dims %[[R]] axis 1 : tensor<4xi32, #[[ROW]]> -> tensor<4x1xi32, #[[ROWS]]>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %strides = tt.splat %stride : i32 -> tensor<4x1xi32>
  %starts = arith.muli %rows, %strides : tensor<4x1xi32>
  %p = tt.splat %x : !tt.ptr<f16> -> tensor<4x1x!tt.ptr<f16>>
  %q = tt.addptr %p, %starts : tensor<4x1x!tt.ptr<f16>>, tensor<4x1xi32>
  // CHECK: tile.broadcast %{{.*}} : tensor<4x1xi32, #[[ROWS]]> -> tensor<4x8xi32, #[[TILE]]>
  %r = tt.broadcast %q : tensor<4x1x!tt.ptr<f16>> -> tensor<4x8x!tt.ptr<f16>>
  %e = tt.expand_dims %columns {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %f = tt.broadcast %e : tensor<1x8xi32> -> tensor<4x8xi32>
  %s = tt.addptr %r, %f : tensor<4x8x!tt.ptr<f16>>, tensor<4x8xi32>
  // CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<4x8xi64, #[[TILE]]>
  // CHECK: tile.load from
  %v = tt.load %s : tensor<4x8x!tt.ptr<f16>>
  // A transposed tile is held and stored in the transposed layout.
  // CHECK: tile.trans
  %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<4x8xf16> -> tensor<8x4xf16>
  %u = tt.trans %s {order = array<i32: 1, 0>} : tensor<4x8x!tt.ptr<f16>> -> tensor<8x4x!tt.ptr<f16>>
  // CHECK-NOT: convert_layout
  // CHECK: tile.store
  tt.store %u, %t : tensor<8x4x!tt.ptr<f16>>
  tt.return
}

// -----

// A scalar in memory is a tensor of one element. An i1 is stored as a byte.
// CHECK: #[[ONE:.*]] = #tile.layout<[1], register = [], lane = [0, 0, 0], subgroup = []>
// CHECK-LABEL: gpu.func @scalars
// CHECK-SAME: (%[[X:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xi8>, %[[I:.*]]: i32)
tt.func public @scalars(%x: !tt.ptr<f32>, %b: !tt.ptr<i1>, %i: i32) attributes {noinline = false} {
  // CHECK: tile.load from %{{.*}} at %{{.*}} : (memref<?xi8, strided<[1], offset: ?>>, tensor<1xi32, #[[ONE]]>) -> tensor<1xi8, #[[ONE]]>
  %at = tt.addptr %b, %i : !tt.ptr<i1>, i32
  %byte = tt.bitcast %at : !tt.ptr<i1> -> !tt.ptr<i8>
  // CHECK: %[[V:.*]] = tile.unsplat
  %v = tt.load %byte : !tt.ptr<i8>
  // CHECK: arith.sitofp %[[V]] : i8 to f32
  %f = arith.sitofp %v : i8 to f32
  // CHECK: tile.store %{{.*}} to %[[X]] at
  tt.store %x, %f : !tt.ptr<f32>
  %n = tt.bitcast %x : !tt.ptr<f32> -> !tt.ptr<i32>
  // An f32 is read as an i32.
  // CHECK: arith.bitcast %{{.*}} : f32 to i32
  %bits = tt.load %n : !tt.ptr<i32>
  // CHECK: tile.atomic_rmw "smax" "acq_rel"
  %was = tt.atomic_rmw max, acq_rel, gpu, %byte, %v : (!tt.ptr<i8>, i8) -> i8
  tt.store %n, %bits : !tt.ptr<i32>
  tt.return
}

// -----

// Pointers that are loaded from memory are addresses, and count bytes.
// CHECK-LABEL: gpu.func @pointers_in_memory
// CHECK-SAME: memref<?xi64>
tt.func public @pointers_in_memory(%table: !tt.ptr<!tt.ptr<f16>>, %n: i64) attributes {noinline = false} {
  // CHECK: %[[P:.*]] = tile.unsplat
  %p = tt.load %table : !tt.ptr<!tt.ptr<f16>>
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<8x!tt.ptr<f16>>
  // CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : tensor<8xi32, {{.*}}> to tensor<8xi64,
  // CHECK: %[[TWO:.*]] = arith.constant dense<2> : tensor<8xi64,
  // CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %[[TWO]]
  %q = tt.addptr %ps, %range : tensor<8x!tt.ptr<f16>>, tensor<8xi32>
  // CHECK: %[[BASE:.*]] = tile.splat %[[P]] : i64
  // CHECK: %[[AT:.*]] = arith.addi %[[BASE]], %[[BYTES]]
  // CHECK: tile.load at %[[AT]] :
  %v = tt.load %q : tensor<8x!tt.ptr<f16>>
  %r = tt.int_to_ptr %n : i64 -> !tt.ptr<f16>
  %rs = tt.splat %r : !tt.ptr<f16> -> tensor<8x!tt.ptr<f16>>
  %s = tt.addptr %rs, %range : tensor<8x!tt.ptr<f16>>, tensor<8xi32>
  // CHECK: tile.store %{{.*}} at %{{.*}} :
  tt.store %s, %v : tensor<8x!tt.ptr<f16>>
  %address = tt.ptr_to_int %r : !tt.ptr<f16> -> i64
  %t = tt.int_to_ptr %address : i64 -> !tt.ptr<i64>
  tt.store %t, %n : !tt.ptr<i64>
  tt.return
}

// -----

// If the floats in memory are compared by their bits, or combined as integers, the memory holds
// integers.
// CHECK-LABEL: gpu.func @atomics_of_bits
// CHECK-SAME: (%{{.*}}: memref<?xi32>, %{{.*}}: memref<?xi32>, %{{.*}}: memref<?xf32>, %{{.*}}: f32)
tt.func public @atomics_of_bits(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %v: f32) attributes {noinline = false} {
  // CHECK: tile.atomic_cas "relaxed" {{.*}} (tensor<1xi32,
  // CHECK: %[[WAS:.*]] = tile.unsplat
  // CHECK: arith.bitcast %[[WAS]] : i32 to f32
  %was = tt.atomic_cas relaxed, gpu, %x, %v, %v : (!tt.ptr<f32>, f32, f32) -> f32
  %bits = tt.bitcast %v : f32 -> i32
  %p = tt.bitcast %y : !tt.ptr<f32> -> !tt.ptr<i32>
  // CHECK: tile.atomic_rmw "umax" "acq_rel"
  %n = tt.atomic_rmw umax, acq_rel, gpu, %p, %bits : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tile.atomic_rmw "fadd" "acq_rel"
  %f = tt.atomic_rmw fadd, acq_rel, gpu, %z, %was : (!tt.ptr<f32>, f32) -> f32
  tt.store %y, %f : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: gpu.func @counted
tt.func public @counted(%x: !tt.ptr<i32>) attributes {noinline = false} {
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %q = tt.addptr %p, %range : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %q : tensor<8x!tt.ptr<i32>>
  // CHECK: tile.histogram %{{.*}} : (tensor<8xi32, #{{.*}}>) -> tensor<8xi32, #{{.*}}>
  %h = tt.histogram %v : tensor<8xi32> -> tensor<8xi32>
  tt.store %q, %h : tensor<8x!tt.ptr<i32>>
  tt.return
}

// -----

// Random numbers are computed in the layouts of their users, so that no values move between lanes.

// CHECK-LABEL: gpu.func @random
// GPU-LABEL: gpu.func @random
// GPU: tile.range 0 to 1024 : tensor<1024xi32, #[[WIDE:.*]]>
// GPU: arith.mului_extended {{.*}} : tensor<1024xi32, #[[WIDE]]>
// GPU-NOT: tile.convert_layout
// GPU: tile.store {{.*}}#[[WIDE]]>
// GPU: gpu.return
tt.func public @random(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %k = arith.constant dense<-845247145> : tensor<1024xi32>
  %h = tt.mulhiui %i, %k : tensor<1024xi32>
  %l = arith.muli %i, %k : tensor<1024xi32>
  %r = arith.xori %h, %l : tensor<1024xi32>
  %b = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %p = tt.addptr %b, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<i32>>
  %s = arith.addi %v, %r : tensor<1024xi32>
  tt.store %p, %s : tensor<1024x!tt.ptr<i32>>
  tt.return
}
