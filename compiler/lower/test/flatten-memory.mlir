// RUN: pumice-opt %s -split-input-file --pass-pipeline="builtin.module(gpu.module(pumice-flatten-memory,cse,canonicalize))" | FileCheck %s

// Views become arithmetic on one index.
gpu.module @views {
  // CHECK-LABEL: gpu.func @subview
  gpu.func @subview(%i: index, %n: index) kernel {
    // CHECK: %[[X:.*]] = vk.parameter 0 : memref<?xf32>
    %x = vk.parameter 0 : memref<?xf32>
    %m = memref.reinterpret_cast %x to offset: [3], sizes: [%n, 16], strides: [16, 1]
        : memref<?xf32> to memref<?x16xf32, strided<[16, 1], offset: 3>>
    %v = memref.subview %m[%i, 1] [1, 8] [1, 2] : memref<?x16xf32, strided<[16, 1], offset: 3>>
        to memref<8xf32, strided<[2], offset: ?>>
    // CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c16
    // CHECK: %[[START:.*]] = arith.addi %[[ROW]], %c4
    // CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c2
    // CHECK: %[[AT:.*]] = arith.addi %[[START]], %[[COLUMN]]
    // CHECK: memref.load %[[X]][%[[AT]]] : memref<?xf32>
    %e = memref.load %v[%n] : memref<8xf32, strided<[2], offset: ?>>
    memref.store %e, %v[%n] : memref<8xf32, strided<[2], offset: ?>>
    gpu.return
  }

  // The element (r, c) of a transpose is the element (c, r) of its source.
  // CHECK-LABEL: gpu.func @transpose(%{{.*}}: index, %{{.*}}: index)
  gpu.func @transpose(%r: index, %c: index) kernel {
    %x = vk.parameter 0 : memref<?xf32>
    %m = memref.reinterpret_cast %x to offset: [0], sizes: [8, 4], strides: [4, 1]
        : memref<?xf32> to memref<8x4xf32>
    %t = memref.transpose %m (i, j) -> (j, i) : memref<8x4xf32> to memref<4x8xf32, strided<[1, 4]>>
    // CHECK: %[[FAR:.*]] = arith.muli %arg1, %c4
    // CHECK: %[[AT:.*]] = arith.addi %arg0, %[[FAR]]
    // CHECK: memref.load %{{.*}}[%[[AT]]]
    %e = memref.load %t[%r, %c] : memref<4x8xf32, strided<[1, 4]>>
    memref.store %e, %t[%r, %c] : memref<4x8xf32, strided<[1, 4]>>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @reshape
  gpu.func @reshape(%i: index) kernel {
    %x = vk.parameter 0 : memref<?xf32>
    %m = memref.reinterpret_cast %x to offset: [0], sizes: [6, 4], strides: [8, 1]
        : memref<?xf32> to memref<6x4xf32, strided<[8, 1]>>
    %w = memref.expand_shape %m [[0, 1], [2]] output_shape [2, 3, 4]
        : memref<6x4xf32, strided<[8, 1]>> into memref<2x3x4xf32, strided<[24, 8, 1]>>
    %c1 = arith.constant 1 : index
    // 24 · 1 + 8 · i + 1
    // CHECK: %[[MIDDLE:.*]] = arith.muli %{{.*}}, %c8
    // CHECK: %[[AT:.*]] = arith.addi %[[MIDDLE]], %c25
    // CHECK: memref.load %{{.*}}[%[[AT]]]
    %e = memref.load %w[%c1, %i, %c1] : memref<2x3x4xf32, strided<[24, 8, 1]>>
    memref.store %e, %w[%c1, %i, %c1] : memref<2x3x4xf32, strided<[24, 8, 1]>>
    gpu.return
  }
}

// -----

// Three floats occupy the space of four. A vector element is one aligned access.
gpu.module @elements {
  // CHECK-LABEL: gpu.func @vectors
  gpu.func @vectors(%i: index) kernel {
    // CHECK: vk.parameter 0 : memref<?xf32>
    %x = vk.parameter 0 : memref<?xvector<3xf32>>
    // CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %c4
    // CHECK: vector.load %{{.*}}[%[[AT]]] {alignment = 16 : i64} : memref<?xf32>, vector<3xf32>
    %e = memref.load %x[%i] : memref<?xvector<3xf32>>
    memref.store %e, %x[%i] : memref<?xvector<3xf32>>
    gpu.return
  }
}

// -----

// Control flow carries the offset. The buffer is fixed.
gpu.module @carried {
  // CHECK-LABEL: gpu.func @choose
  gpu.func @choose(%c: i1, %i: index) kernel {
    // CHECK: %[[X:.*]] = vk.binding set(0) binding(0) : memref<?xf32>
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    %a = memref.subview %x[8] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: 8>>
    %b = memref.subview %x[%i] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
    %d = memref.cast %a : memref<4xf32, strided<[1], offset: 8>> to memref<4xf32, strided<[1], offset: ?>>
    // CHECK: %[[START:.*]] = arith.select %{{.*}}, %c8, %{{.*}} : index
    %v = arith.select %c, %d, %b : memref<4xf32, strided<[1], offset: ?>>
    // CHECK: memref.load %[[X]][%{{.*}}]
    %e = memref.load %v[%i] : memref<4xf32, strided<[1], offset: ?>>
    memref.store %e, %v[%i] : memref<4xf32, strided<[1], offset: ?>>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @swing
  gpu.func @swing(%n: index) kernel {
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0.0 : f32
    %a = memref.subview %x[%c0] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
    %b = memref.subview %x[%n] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
    // CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %c0, %[[Q:.*]] = %{{.*}}) -> (index, index)
    // CHECK: memref.store %{{.*}}, %{{.*}}[%[[P]]]
    // CHECK: scf.yield %[[Q]], %[[P]] : index, index
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b)
        -> (memref<4xf32, strided<[1], offset: ?>>, memref<4xf32, strided<[1], offset: ?>>) {
      memref.store %z, %p[%c0] : memref<4xf32, strided<[1], offset: ?>>
      scf.yield %q, %p : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32, strided<[1], offset: ?>>
    }
    memref.store %z, %r#0[%c1] : memref<4xf32, strided<[1], offset: ?>>
    gpu.return
  }
}

// -----

gpu.module @whole {
  // CHECK-LABEL: gpu.func @copy
  gpu.func @copy() kernel {
    %x = vk.binding set(0) binding(0) : memref<?xf32>
    %m = memref.reinterpret_cast %x to offset: [0], sizes: [2, 3], strides: [3, 1] : memref<?xf32> to memref<2x3xf32>
    %t = memref.alloca() : memref<2x3xf32>
    // CHECK: memref.alloca() : memref<6xf32
    // CHECK: scf.for
    // CHECK: scf.for
    // CHECK: memref.load
    // CHECK: memref.store
    memref.copy %m, %t : memref<2x3xf32> to memref<2x3xf32>
    memref.copy %t, %m : memref<2x3xf32> to memref<2x3xf32>
    // CHECK-NOT: memref.dim
    %c1 = arith.constant 1 : index
    %d = memref.dim %m, %c1 : memref<2x3xf32>
    %s = arith.index_cast %d : index to i32
    %f = arith.sitofp %s : i32 to f32
    memref.store %f, %t[%c1, %c1] : memref<2x3xf32>
    gpu.return
  }

  // A requested order is kept.
  // CHECK-LABEL: gpu.func @atomic
  gpu.func @atomic(%i: index, %v: i32) kernel {
    %x = vk.binding set(0) binding(0) : memref<?xi32>
    // CHECK: memref.atomic_rmw addi {{.*}} {pumice.acquire_release}
    %o = memref.atomic_rmw addi %v, %x[%i] {pumice.acquire_release} : (i32, memref<?xi32>) -> i32
    gpu.return
  }

  // The rows of an element are consecutive, each rounded up to a power of two.
  // CHECK-LABEL: gpu.func @rows
  gpu.func @rows(%i: index) kernel {
    %x = vk.binding set(0) binding(0) : memref<?xvector<2x3xf32>>
    // CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %c8
    // CHECK: %[[A:.*]] = vector.load %{{.*}}[%[[AT]]] {alignment = 16 : i64} : memref<?xf32>, vector<3xf32>
    // CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %c4
    // CHECK: %[[B:.*]] = vector.load %{{.*}}[%[[NEXT]]] {alignment = 16 : i64} : memref<?xf32>, vector<3xf32>
    %v = memref.load %x[%i] : memref<?xvector<2x3xf32>>
    // CHECK: vector.store %[[A]], %{{.*}}[%[[AT]]] {alignment = 16 : i64}
    // CHECK: vector.store %[[B]], %{{.*}}[%[[NEXT]]] {alignment = 16 : i64}
    memref.store %v, %x[%i] : memref<?xvector<2x3xf32>>
    gpu.return
  }
}

// -----

// A compare-and-exchange updates the buffer behind the view.
gpu.module @exchange {
  // CHECK-LABEL: gpu.func @exchange
  gpu.func @exchange(%i: index, %n: index, %a: i32, %b: i32) kernel {
    // CHECK: %[[X:.*]] = vk.parameter 0 : memref<?xi32>
    %x = vk.parameter 0 : memref<?xi32>
    %m = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1] : memref<?xi32> to memref<?xi32>
    // CHECK: memref.generic_atomic_rmw %[[X]][%{{.*}}] : memref<?xi32>
    // CHECK: ^bb0(%[[FOUND:.*]]: i32):
    // CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[FOUND]]
    // CHECK: arith.select %[[SAME]]
    %old = vk.atomic_cmpxchg %a, %b, %m[%i] : memref<?xi32>
    memref.store %old, %m[%n] : memref<?xi32>
    gpu.return
  }
}
