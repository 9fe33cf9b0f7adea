// RUN: pumice-opt %s --pumice-carry-loop-results --split-input-file | FileCheck %s

// CHECK-LABEL: gpu.func @search
// CHECK:       %[[GO:.*]] = arith.constant true
// CHECK:       %[[NONE:.*]] = arith.constant 0 : i32
// CHECK:       %[[R:.*]]:3 = scf.while (%[[I:.*]] = %{{.*}}, %[[G:.*]] = %[[GO]], %[[V:.*]] = %[[NONE]]) : (index, i1, i32) -> (index, i1, i32) {
// CHECK-NEXT:    scf.condition(%[[G]]) %[[I]], %[[G]], %[[V]]
// CHECK:       ^bb0(%[[J:.*]]: index, %{{.*}}: i1, %{{.*}}: i32):
// CHECK:         %[[X:.*]] = memref.load %{{.*}}[%[[J]]]
// CHECK:         %[[C:.*]] = arith.cmpi slt, %[[X]]
// CHECK:         %[[N:.*]] = scf.if %[[C]] -> (index) {
// CHECK:           %[[NEXT:.*]] = arith.addi %[[J]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[J]]
// CHECK:         scf.yield %[[N]], %[[C]], %[[X]]
// CHECK:       memref.store %[[R]]#2
gpu.module @kernels {
  gpu.func @search(%in: memref<?xi32>, %out: memref<?xi32>, %from: index) kernel {
    %one = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %r:2 = scf.while (%i = %from) : (index) -> (index, i32) {
      %x = memref.load %in[%i] : memref<?xi32>
      %c = arith.cmpi slt, %x, %zero : i32
      scf.condition(%c) %i, %x : index, i32
    } do {
    ^bb0(%i: index, %x: i32):
      %n = arith.addi %i, %one : index
      scf.yield %n : index
    }
    memref.store %r#1, %out[%from] : memref<?xi32>
    gpu.return
  }
}

// -----

// Loop variables and values from outside do not change, nor does a result without a use.
// CHECK-LABEL: gpu.func @variables
// CHECK:       scf.while (%{{.*}} = %{{.*}}) : (index) -> (index, index, i32)
// CHECK-NOT:   scf.if
gpu.module @kernels {
  gpu.func @variables(%in: memref<?xi32>, %out: memref<?xindex>, %from: index) kernel {
    %one = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %r:3 = scf.while (%i = %from) : (index) -> (index, index, i32) {
      %x = memref.load %in[%i] : memref<?xi32>
      %c = arith.cmpi slt, %x, %zero : i32
      scf.condition(%c) %i, %from, %x : index, index, i32
    } do {
    ^bb0(%i: index, %f: index, %x: i32):
      %n = arith.addi %i, %one : index
      scf.yield %n : index
    }
    memref.store %r#0, %out[%from] : memref<?xindex>
    memref.store %r#1, %out[%one] : memref<?xindex>
    gpu.return
  }
}

// -----

// Loops in both parts of a loop: each is rewritten separately.
// CHECK-LABEL: gpu.func @nested
// CHECK-COUNT-3: scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %{{.*}} : i32, i1, i32
gpu.module @kernels {
  gpu.func @nested(%in: memref<?xi32>, %out: memref<?xi32>, %i: index, %a: i32) kernel {
    %r = scf.while (%p = %a) : (i32) -> i32 {
      %s = scf.while (%q = %p) : (i32) -> i32 {
        %x = arith.muli %q, %q : i32
        %c = arith.cmpi slt, %x, %a : i32
        scf.condition(%c) %x : i32
      } do {
      ^bb0(%q: i32):
        scf.yield %q : i32
      }
      %c = arith.cmpi slt, %s, %a : i32
      scf.condition(%c) %s : i32
    } do {
    ^bb0(%p: i32):
      %s = scf.while (%q = %p) : (i32) -> i32 {
        %x = arith.addi %q, %p : i32
        %c = arith.cmpi slt, %x, %a : i32
        scf.condition(%c) %x : i32
      } do {
      ^bb0(%q: i32):
        scf.yield %q : i32
      }
      scf.yield %s : i32
    }
    memref.store %r, %out[%i] : memref<?xi32>
    gpu.return
  }
}
