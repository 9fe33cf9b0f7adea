// RUN: pumice-opt %s --pumice-triton-to-tile="lanes=16" | FileCheck %s
// RUN: pumice-opt %s --pumice-triton-to-tile="lanes=16 access-bytes=16" | FileCheck %s --check-prefix=GPU
// RUN: pumice-opt %s --pumice-triton-to-tile="lanes=16" --pumice-distribute-tiles --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=LANES

// A matrix is read along its rows, and written along its columns. SIMD registers store neighbours, so the value moves. The
// remainder hides that the places in a column of 96 are neighbours.
// CHECK-LABEL: gpu.func @to_channels_last
// CHECK: %[[V:.*]] = tile.load {{.*}} -> tensor<32x32xf32, [[ROWS:#[a-z0-9]*]]>
// CHECK: %[[MOVED:.*]] = tile.convert_layout %[[V]] : tensor<32x32xf32, [[ROWS]]> -> tensor<32x32xf32, [[COLUMNS:#[a-z0-9]*]]>
// CHECK: tile.store %[[MOVED]] {{.*}} {lanes_in_row = 32 : i32}
// GPU-LABEL: gpu.func @to_channels_last
// GPU-NOT: tile.convert_layout
// GPU: tile.store
// GPU-NOT: lanes_in_row
tt.func public @to_channels_last(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c96 = arith.constant dense<96> : tensor<32x1xi32>
  %c64 = arith.constant dense<64> : tensor<32x1xi32>
  %c96r = arith.constant dense<96> : tensor<1x32xi32>
  %c6144 = arith.constant dense<6144> : tensor<32x1xi32>
  %c32 = arith.constant 32 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c32 : i32
  %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %j = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %firsts = tt.splat %first : i32 -> tensor<32x1xi32>
  %i = arith.addi %firsts, %column : tensor<32x1xi32>
  %row = arith.muli %i, %c64 : tensor<32x1xi32>
  %rows = tt.broadcast %row : tensor<32x1xi32> -> tensor<32x32xi32>
  %columns = tt.broadcast %j : tensor<1x32xi32> -> tensor<32x32xi32>
  %from = arith.addi %rows, %columns : tensor<32x32xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %p = tt.addptr %xs, %from : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %v = tt.load %p : tensor<32x32x!tt.ptr<f32>>
  %channel = arith.remsi %i, %c96 : tensor<32x1xi32>
  %image = arith.divsi %i, %c96 : tensor<32x1xi32>
  %part = arith.muli %image, %c6144 : tensor<32x1xi32>
  %start = arith.addi %channel, %part : tensor<32x1xi32>
  %starts = tt.broadcast %start : tensor<32x1xi32> -> tensor<32x32xi32>
  %point = arith.muli %j, %c96r : tensor<1x32xi32>
  %points = tt.broadcast %point : tensor<1x32xi32> -> tensor<32x32xi32>
  %to = arith.addi %starts, %points : tensor<32x32xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %q = tt.addptr %ys, %to : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %q, %v : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// 48 neighbours share a number. So the 16 lanes of a SIMD register load one element.
// CHECK-LABEL: gpu.func @scales
// CHECK: tile.load {{.*}} {same_place = 16 : i32}
// CHECK-NOT: same_place
// GPU-LABEL: gpu.func @scales
// GPU-NOT: same_place
// The quotient is computed once for a register, from the number of the program. No lane sends it to others.
// LANES-LABEL: gpu.func @scales
// LANES-NOT: gpu.shuffle
// LANES: %[[FIRST:.*]] = arith.muli %{{.*}}, %c256_i32 : i32
// LANES-NOT: gpu.shuffle
// LANES: %[[CHANNEL:.*]] = arith.divsi %[[FIRST]], %c48_i32 : i32
// LANES-NOT: gpu.shuffle
// LANES: %[[PLACE:.*]] = arith.index_cast %[[CHANNEL]] : i32 to index
// LANES-NEXT: memref.load %arg0[%[[PLACE]]]
// LANES-NOT: gpu.shuffle
// LANES: gpu.return
tt.func public @scales(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c48 = arith.constant dense<48> : tensor<256xi32>
  %c24 = arith.constant dense<24> : tensor<256xi32>
  %c256 = arith.constant 256 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c256 : i32
  %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %firsts = tt.splat %first : i32 -> tensor<256xi32>
  %at = arith.addi %firsts, %range : tensor<256xi32>
  %channel = arith.divsi %at, %c48 : tensor<256xi32>
  %half = arith.divsi %at, %c24 : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %p = tt.addptr %xs, %channel : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %q = tt.addptr %xs, %half : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %a = tt.load %p : tensor<256x!tt.ptr<f32>>
  %b = tt.load %q : tensor<256x!tt.ptr<f32>>
  %v = arith.addf %a, %b : tensor<256xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %r = tt.addptr %ys, %at : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %r, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
