// If a base and offsets cannot represent a pointer, the arguments of the kernel become addresses.
// RUN: pumice-opt %s --split-input-file --pumice-triton-to-tile=lanes=4 | FileCheck %s

// CHECK-LABEL: gpu.func @chosen
// CHECK-SAME: (%[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[C:.*]]: i1
// CHECK-DAG: %[[A:.*]] = vk.address_of %[[X]]
// CHECK-DAG: %[[B:.*]] = vk.address_of %[[Y]]
// CHECK: %[[P:.*]] = arith.select %[[C]], %[[A]], %[[B]] : i64
// CHECK: %[[T:.*]] = tile.splat %[[P]] : i64
// CHECK: tile.store %{{.*}} at %[[T]]
tt.func public @chosen(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %yes: i1, %v: f32) attributes {noinline = false} {
  %p = arith.select %yes, %x, %y : !tt.ptr<f32>
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: gpu.func @two_ways
// CHECK: scf.if %{{.*}} -> (i64)
tt.func public @two_ways(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %yes: i1, %v: f32) attributes {noinline = false} {
  %p = scf.if %yes -> (!tt.ptr<f32>) {
    scf.yield %x : !tt.ptr<f32>
  } else {
    scf.yield %y : !tt.ptr<f32>
  }
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: gpu.func @in_a_loop
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (i64, i64)
tt.func public @in_a_loop(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %v: f32) attributes {noinline = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
    scf.yield %q, %p : !tt.ptr<f32>, !tt.ptr<f32>
  }
  tt.store %r#0, %v : !tt.ptr<f32>
  tt.return
}

// -----

// An argument keeps its base if a loop does not mix it with other pointers.
// CHECK-LABEL: gpu.func @own_base
// CHECK-NOT: vk.address_of
tt.func public @own_base(%x: !tt.ptr<f32>, %n: i32, %v: f32) attributes {noinline = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> (!tt.ptr<f32>) : i32 {
    %q = tt.addptr %p, %c1 : !tt.ptr<f32>, i32
    scf.yield %q : !tt.ptr<f32>
  }
  tt.store %r, %v : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: gpu.func @other_size
// CHECK: tile.store %{{.*}} at %{{.*}} : (tensor<1xi64
tt.func public @other_size(%x: !tt.ptr<f32>, %v: i64) attributes {noinline = false} {
  %p = tt.bitcast %x : !tt.ptr<f32> -> !tt.ptr<i64>
  tt.store %p, %v : !tt.ptr<i64>
  tt.return
}

// -----

// CHECK-LABEL: gpu.func @stored_pointer
// CHECK-DAG: %[[X:.*]] = vk.address_of %arg0
// CHECK-DAG: %[[Y:.*]] = vk.address_of %arg1
// CHECK: tile.store
tt.func public @stored_pointer(%x: !tt.ptr<!tt.ptr<f32>>, %y: !tt.ptr<f32>) attributes {noinline = false} {
  tt.store %x, %y : !tt.ptr<!tt.ptr<f32>>
  tt.return
}
