// RUN: pumice-opt %s --pumice-narrow-integers --canonicalize --cse | FileCheck %s

gpu.module @m {

// CHECK-LABEL: gpu.func @offset
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xf32>, %[[A:[a-z0-9]*]]: i32, %[[B:[a-z0-9]*]]: i32, %[[W:[a-z0-9]*]]: i64
// CHECK-NOT: i64
// CHECK: %[[P:.*]] = arith.muli %[[A]], %[[B]] : i32
// CHECK: %[[S:.*]] = arith.shli %[[P]], %c3_i32 : i32
// CHECK: %[[Q:.*]] = arith.addi %[[S]], %c-1_i32 : i32
// CHECK: arith.index_cast %[[Q]] : i32 to index
gpu.func @offset(%x: memref<?xf32>, %a: i32, %b: i32, %w: i64) kernel {
  %three = arith.constant 3 : i64
  %all = arith.constant 4294967295 : i64
  %p = arith.extsi %a : i32 to i64
  %q = arith.extsi %b : i32 to i64
  %r = arith.muli %p, %q overflow<nsw> : i64
  %s = arith.shli %r, %three : i64
  %t = arith.addi %s, %all : i64
  %u = arith.trunci %t : i64 to i32
  %i = arith.index_cast %u : i32 to index
  %f = arith.constant 0.0 : f32
  memref.store %f, %x[%i] : memref<?xf32>
  gpu.return
}

// A loop variable, and the result of a conditional. Other values are truncated.
// CHECK-LABEL: gpu.func @carried
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xf32>, %[[A:[a-z0-9]*]]: i32, %[[W:[a-z0-9]*]]: i64, %[[C:[a-z0-9]*]]: i1
// CHECK: %[[CUT:.*]] = arith.trunci %[[W]] : i64 to i32
// CHECK: scf.for {{.*}} iter_args(%[[V:.*]] = %c0_i32) -> (i32)
// CHECK:   arith.index_cast %[[V]] : i32 to index
// CHECK:   %[[NEXT:.*]] = arith.addi %[[V]], %[[A]] : i32
// CHECK:   %[[OTHER:.*]] = arith.select %[[C]], %[[NEXT]], %[[CUT]] : i32
// CHECK:   scf.yield %[[OTHER]] : i32
gpu.func @carried(%x: memref<?xf32>, %a: i32, %w: i64, %c: i1) kernel {
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %f = arith.constant 0.0 : f32
  %step = arith.extsi %a : i32 to i64
  %end = scf.for %k = %c0 to %c9 step %c1 iter_args(%v = %zero) -> i64 {
    %cut = arith.trunci %v : i64 to i32
    %i = arith.index_cast %cut : i32 to index
    memref.store %f, %x[%i] : memref<?xf32>
    %next = arith.addi %v, %step : i64
    %other = scf.if %c -> i64 {
      scf.yield %next : i64
    } else {
      scf.yield %w : i64
    }
    scf.yield %other : i64
  }
  %last = arith.trunci %end : i64 to i32
  %j = arith.index_cast %last : i32 to index
  memref.store %f, %x[%j] : memref<?xf32>
  gpu.return
}

// Vectors, their elements, and the upper half of a seed.
// CHECK-LABEL: gpu.func @vectors
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xi32>, %[[V:[a-z0-9]*]]: vector<2xi32>, %[[SEED:[a-z0-9]*]]: i32
// CHECK-NOT: i64
// CHECK: %[[SIGN:.*]] = arith.shrsi %[[SEED]], %c31_i32 : i32
// CHECK: %[[SUM:.*]] = arith.addi %[[V]], %[[V]] : vector<2xi32>
// CHECK: %[[E:.*]]:2 = vector.to_elements %[[SUM]] : vector<2xi32>
// CHECK: memref.store %[[E]]#0
// CHECK: memref.store %[[SIGN]]
gpu.func @vectors(%x: memref<?xi32>, %v: vector<2xi32>, %seed: i32) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : i64
  %low = arith.constant 4294967295 : i64
  %s = arith.extsi %seed : i32 to i64
  %h = arith.shrui %s, %c32 : i64
  %m = arith.andi %h, %low : i64
  %sign = arith.trunci %m : i64 to i32
  %w = arith.extsi %v : vector<2xi32> to vector<2xi64>
  %sum = arith.addi %w, %w : vector<2xi64>
  %e:2 = vector.to_elements %sum : vector<2xi64>
  %p = arith.trunci %e#0 : i64 to i32
  memref.store %p, %x[%c0] : memref<?xi32>
  memref.store %sign, %x[%c1] : memref<?xi32>
  gpu.return
}

// Users that need all bits keep the value wide: quotients, comparisons, memory, right shifts.
// CHECK-LABEL: gpu.func @whole
// CHECK: arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: arith.divsi %{{.*}} : i64
// CHECK: arith.addi %{{.*}} : i64
// CHECK: arith.cmpi slt, %{{.*}} : i64
// CHECK: arith.shrui %{{.*}} : i64
// CHECK: scf.for {{.*}} -> (i64)
// CHECK: memref.store %{{.*}} : memref<?xi64>
gpu.func @whole(%x: memref<?xi64>, %y: memref<?xi32>, %a: i32, %b: i32) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %seven = arith.constant 7 : i64
  %p = arith.extsi %a : i32 to i64
  %q = arith.extsi %b : i32 to i64
  %r = arith.muli %p, %q : i64
  %d = arith.divsi %r, %seven : i64
  %cut = arith.trunci %d : i64 to i32
  memref.store %cut, %y[%c0] : memref<?xi32>
  %s = arith.addi %r, %q : i64
  %less = arith.cmpi slt, %s, %seven : i64
  %n = arith.select %less, %a, %b : i32
  memref.store %n, %y[%c1] : memref<?xi32>
  %h = arith.shrui %r, %seven : i64
  %hc = arith.trunci %h : i64 to i32
  memref.store %hc, %y[%c9] : memref<?xi32>
  %end = scf.for %k = %c0 to %c9 step %c1 iter_args(%v = %p) -> i64 {
    %vc = arith.trunci %v : i64 to i32
    memref.store %vc, %y[%k] : memref<?xi32>
    %next = arith.addi %v, %q : i64
    scf.yield %next : i64
  }
  memref.store %end, %x[%c0] : memref<?xi64>
  gpu.return
}

// A private array holds what its loads need: low bits, or all bits if one load needs them.
// CHECK-LABEL: gpu.func @arrays
// CHECK-DAG: %[[LOW:.*]] = memref.alloca() : memref<8xi32, #gpu.address_space<private>>
// CHECK-DAG: %[[ALL:.*]] = memref.alloca() : memref<8xi64, #gpu.address_space<private>>
// CHECK: %[[P:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: memref.store %[[P]], %[[LOW]]
// CHECK: memref.store %{{.*}}, %[[ALL]][%{{.*}}] : memref<8xi64
// CHECK: memref.load %[[LOW]][%{{.*}}] : memref<8xi32
gpu.func @arrays(%x: memref<?xi64>, %y: memref<?xi32>, %a: i32, %b: i32, %i: index) kernel {
  %low = memref.alloca() : memref<8xi64, #gpu.address_space<private>>
  %all = memref.alloca() : memref<8xi64, #gpu.address_space<private>>
  %p = arith.extsi %a : i32 to i64
  %q = arith.extsi %b : i32 to i64
  %r = arith.muli %p, %q : i64
  memref.store %r, %low[%i] : memref<8xi64, #gpu.address_space<private>>
  memref.store %r, %all[%i] : memref<8xi64, #gpu.address_space<private>>
  %kept = memref.load %low[%i] : memref<8xi64, #gpu.address_space<private>>
  %sum = arith.addi %kept, %q : i64
  %cut = arith.trunci %sum : i64 to i32
  memref.store %cut, %y[%i] : memref<?xi32>
  %whole = memref.load %all[%i] : memref<8xi64, #gpu.address_space<private>>
  %second = arith.trunci %whole : i64 to i32
  memref.store %second, %y[%i] : memref<?xi32>
  memref.store %whole, %x[%i] : memref<?xi64>
  gpu.return
}
}
