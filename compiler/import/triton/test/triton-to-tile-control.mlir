// RUN: pumice-opt %s --split-input-file --pumice-triton-to-tile=lanes=8 | FileCheck %s
// Tests how tensors and pointers pass through loops and conditions.

// If a loop advances all elements of a pointer by the same amount, it carries one i64. A sum that
// starts with zeros gets the layout of the loads.
// CHECK-LABEL: gpu.func @advance
tt.func public @advance(%x: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<8> : tensor<8xi32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  // CHECK: %[[R:.*]] = tile.range 0 to 8
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %p, %range : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  // CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[AT:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (i64, tensor<8xf32,
  %end:2 = scf.for %i = %c0 to %n step %c1 iter_args(%r = %q, %sum = %zero) -> (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) : i32 {
    // CHECK: %[[INDEX:.*]] = arith.index_cast %[[AT]]
    // CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%[[INDEX]]]
    // CHECK: tile.load from %[[VIEW]] at %[[R]]
    %v = tt.load %r : tensor<8x!tt.ptr<f32>>
    %more = arith.addf %sum, %v : tensor<8xf32>
    // CHECK: %[[NEXT:.*]] = arith.addi %[[AT]]
    %s = tt.addptr %r, %step : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    // CHECK: scf.yield %[[NEXT]], %{{.*}} : i64, tensor<8xf32,
    scf.yield %s, %more : tensor<8x!tt.ptr<f32>>, tensor<8xf32>
  } {tt.num_stages = 2 : i32}
  // CHECK: } {tt.num_stages = 2 : i32}
  tt.store %end#0, %end#1 : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

// A carried tensor has the layout of its value in the loop. Here, these are sums of rows, which all
// lanes of a row hold, and offsets of i64, which differ from element to element.
// CHECK-DAG: #[[ROWS:.*]] = #tile.layout<[8], register = [2, 4], lane = [0, 0, 1], subgroup = []>
// CHECK-LABEL: gpu.func @rows
tt.func public @rows(%x: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %tile = tt.reshape %range : tensor<32xi32> -> tensor<8x4xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<8x4x!tt.ptr<f32>>
  %q = tt.addptr %p, %tile : tensor<8x4x!tt.ptr<f32>>, tensor<8x4xi32>
  // CHECK: scf.for {{.*}} -> (i64, tensor<8x4xi64, #{{.*}}>, tensor<8xf32, #[[ROWS]]>)
  %end:2 = scf.for %i = %c0 to %n step %c1 iter_args(%r = %q, %sum = %zero) -> (tensor<8x4x!tt.ptr<f32>>, tensor<8xf32>) : i32 {
    %v = tt.load %r : tensor<8x4x!tt.ptr<f32>>
    %row = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<8x4xf32>) -> tensor<8xf32>
    // CHECK-NOT: convert_layout
    %more = arith.addf %sum, %row : tensor<8xf32>
    %s = tt.addptr %r, %tile : tensor<8x4x!tt.ptr<f32>>, tensor<8x4xi32>
    scf.yield %s, %more : tensor<8x4x!tt.ptr<f32>>, tensor<8xf32>
  }
  %rows = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %o = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %t = tt.addptr %o, %rows : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  // If several lanes hold an element, each of them stores its own copy.
  // CHECK: tile.convert_layout
  // CHECK: tile.store
  tt.store %t, %end#1 : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK-LABEL: gpu.func @sides
tt.func public @sides(%x: !tt.ptr<f32>, %n: i32, %yes: i1) attributes {noinline = false} {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %p, %range : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  // CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (tensor<8xf32, #{{.*}}>, i64)
  %r:2 = scf.if %yes -> (tensor<8xf32>, !tt.ptr<f32>) {
    %v = tt.load %q : tensor<8x!tt.ptr<f32>>
    // CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<8xf32, #{{.*}}>, i64
    scf.yield %v, %x : tensor<8xf32>, !tt.ptr<f32>
  } else {
    %s = tt.addptr %x, %n : !tt.ptr<f32>, i32
    // CHECK: scf.yield
    scf.yield %one, %s : tensor<8xf32>, !tt.ptr<f32>
  }
  // CHECK: scf.if
  // CHECK-NOT: else
  scf.if %yes {
    tt.store %q, %r#0 : tensor<8x!tt.ptr<f32>>
  }
  %ps = tt.splat %r#1 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %t = tt.addptr %ps, %range : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %t, %r#0 : tensor<8x!tt.ptr<f32>>
  // A selection between pointers becomes a selection between offsets.
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i64
  %u = arith.select %yes, %q, %t : tensor<8x!tt.ptr<f32>>
  tt.store %u, %one : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK-LABEL: gpu.func @until
tt.func public @until(%x: !tt.ptr<f32>, %limit: f32) attributes {noinline = false} {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %c8 = arith.constant 8 : i32
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  // CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i64, tensor<8xf32, #{{.*}}>) -> (i64, tensor<8xf32, #{{.*}}>)
  %r:2 = scf.while (%p = %x, %v = %zero) : (!tt.ptr<f32>, tensor<8xf32>) -> (!tt.ptr<f32>, tensor<8xf32>) {
    %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<8xf32>) -> f32
    %more = arith.cmpf olt, %sum, %limit : f32
    // CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : i64, tensor<8xf32,
    scf.condition(%more) %p, %v : !tt.ptr<f32>, tensor<8xf32>
  } do {
  ^bb0(%p: !tt.ptr<f32>, %v: tensor<8xf32>):
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %q = tt.addptr %ps, %range : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %w = tt.load %q : tensor<8x!tt.ptr<f32>>
    %next = tt.addptr %p, %c8 : !tt.ptr<f32>, i32
    // CHECK: scf.yield %{{.*}}, %{{.*}} : i64, tensor<8xf32,
    scf.yield %next, %w : !tt.ptr<f32>, tensor<8xf32>
  }
  tt.store %r#0, %limit : !tt.ptr<f32>
  tt.return
}
