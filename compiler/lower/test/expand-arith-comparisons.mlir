// RUN: pumice-opt %s --pumice-expand-arith --cse | FileCheck %s
// RUN: pumice-opt %s --pumice-expand-arith=index-bits=64 --cse | FileCheck %s --check-prefix=LONG

gpu.module @m {
// Comparisons of extended values, on either side, become comparisons of their sources. A
// constant counts as extended if it fits. Both values are sign-extended, or both are zero-extended.
// CHECK-LABEL: gpu.func @compared
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xi1>, %[[A:[a-z0-9]*]]: i32, %[[B:[a-z0-9]*]]: i32, %[[N:[a-z0-9]*]]: i8
// CHECK-NOT: i64
// CHECK-DAG: %[[SN:.*]] = arith.extsi %[[N]] : i8 to i32
// CHECK-DAG: %[[ZN:.*]] = arith.extui %[[N]] : i8 to i32
// CHECK-DAG: arith.cmpi slt, %[[A]], %[[B]] : i32
// CHECK-DAG: arith.cmpi ult, %[[A]], %[[B]] : i32
// CHECK-DAG: arith.cmpi eq, %[[A]], %[[SN]] : i32
// CHECK-DAG: arith.cmpi uge, %[[A]], %[[ZN]] : i32
// CHECK-DAG: arith.cmpi sle, %[[A]], %[[ZN]] : i32
// CHECK-DAG: arith.cmpi sgt, %[[A]], %c-2147483648_i32 : i32
// CHECK-DAG: arith.cmpi ugt, %[[A]], %c-2147483648_i32 : i32
// CHECK-DAG: arith.cmpi ne, %[[A]], %c-1_i32 : i32
// CHECK: gpu.return
gpu.func @compared(%x: memref<?xi1>, %a: i32, %b: i32, %n: i8) kernel {
  %c0 = arith.constant 0 : index
  %least = arith.constant -2147483648 : i64
  %half = arith.constant 2147483648 : i64
  %most = arith.constant 4294967295 : i64
  %sa = arith.extsi %a : i32 to i64
  %sb = arith.extsi %b : i32 to i64
  %sn = arith.extsi %n : i8 to i64
  %za = arith.extui %a : i32 to i64
  %zb = arith.extui %b : i32 to i64
  %zn = arith.extui %n : i8 to i64
  %0 = arith.cmpi slt, %sa, %sb : i64
  %1 = arith.cmpi slt, %za, %zb : i64
  %2 = arith.cmpi eq, %sa, %sn : i64
  %3 = arith.cmpi sge, %za, %zn : i64
  %4 = arith.cmpi sle, %sa, %zn : i64
  %5 = arith.cmpi slt, %least, %sa : i64
  %6 = arith.cmpi slt, %half, %za : i64
  %7 = arith.cmpi ne, %za, %most : i64
  memref.store %0, %x[%c0] : memref<?xi1>
  memref.store %1, %x[%c0] : memref<?xi1>
  memref.store %2, %x[%c0] : memref<?xi1>
  memref.store %3, %x[%c0] : memref<?xi1>
  memref.store %4, %x[%c0] : memref<?xi1>
  memref.store %5, %x[%c0] : memref<?xi1>
  memref.store %6, %x[%c0] : memref<?xi1>
  memref.store %7, %x[%c0] : memref<?xi1>
  gpu.return
}

// This includes unsigned order: sign-extended values have the same order with 32 bits.
// CHECK-LABEL: gpu.func @comparedUnsigned
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xi1>, %[[A:[a-z0-9]*]]: i32, %[[B:[a-z0-9]*]]: i32
// CHECK-NOT: i64
// CHECK-DAG: arith.cmpi ult, %[[A]], %[[B]] : i32
// CHECK-DAG: arith.cmpi ugt, %[[A]], %c-7_i32 : i32
gpu.func @comparedUnsigned(%x: memref<?xi1>, %a: i32, %b: i32) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %minus = arith.constant -7 : i64
  %sa = arith.extsi %a : i32 to i64
  %sb = arith.extsi %b : i32 to i64
  %0 = arith.cmpi ult, %sa, %sb : i64
  %1 = arith.cmpi ugt, %sa, %minus : i64
  memref.store %0, %x[%c0] : memref<?xi1>
  memref.store %1, %x[%c1] : memref<?xi1>
  gpu.return
}

// Vectors, with each element of a constant on its own, and values that were moved or selected in between.
// CHECK-LABEL: gpu.func @comparedVectors
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xi1>, %[[N:[a-z0-9]*]]: i32, %[[V:[a-z0-9]*]]: vector<4xi32>, %[[C:[a-z0-9]*]]: i1
// CHECK-NOT: i64
// CHECK-DAG: %[[RANGE:.*]] = arith.constant dense<[0, 1, -2, 3]> : vector<4xi32>
// CHECK-DAG: %[[ALL:.*]] = vector.broadcast %[[N]] : i32 to vector<4xi32>
// CHECK-DAG: arith.cmpi sgt, %[[ALL]], %[[RANGE]] : vector<4xi32>
// CHECK-DAG: %[[EITHER:.*]] = arith.select %[[C]], %[[V]], %[[ALL]] : vector<4xi32>
// CHECK-DAG: arith.cmpi sge, %[[EITHER]], %[[ALL]] : vector<4xi32>
gpu.func @comparedVectors(%x: memref<?xi1>, %n: i32, %v: vector<4xi32>, %c: i1) kernel {
  %c0 = arith.constant 0 : index
  %range = arith.constant dense<[0, 1, -2, 3]> : vector<4xi64>
  %wide = arith.extsi %n : i32 to i64
  %all = vector.broadcast %wide : i64 to vector<4xi64>
  %other = arith.extsi %v : vector<4xi32> to vector<4xi64>
  %either = arith.select %c, %other, %all : vector<4xi64>
  %0 = arith.cmpi slt, %range, %all : vector<4xi64>
  %1 = arith.cmpi sge, %either, %all : vector<4xi64>
  vector.store %0, %x[%c0] : memref<?xi1>, vector<4xi1>
  vector.store %1, %x[%c0] : memref<?xi1>, vector<4xi1>
  gpu.return
}

// Constants that no extended value equals decide the comparison, if all of them do.
// CHECK-LABEL: gpu.func @beyond
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xi1>, %[[Y:[a-z0-9]*]]: memref<?xi1>, %[[A:[a-z0-9]*]]: i32
// CHECK-NOT: i64
// CHECK-DAG: %[[MIXED:.*]] = arith.constant dense<[true, false]> : vector<2xi1>
// CHECK: memref.store %true, %[[X]]
// CHECK: memref.store %false, %[[X]]
// CHECK: memref.store %true, %[[X]]
// CHECK: memref.store %false, %[[X]]
// CHECK: memref.store %false, %[[X]]
// CHECK: vector.store %[[MIXED]], %[[Y]]
gpu.func @beyond(%x: memref<?xi1>, %y: memref<?xi1>, %a: i32, %v: vector<2xi32>) kernel {
  %c0 = arith.constant 0 : index
  %half = arith.constant 2147483648 : i64
  %below = arith.constant -2147483649 : i64
  %full = arith.constant 4294967296 : i64
  %both = arith.constant dense<[2147483648, -2147483649]> : vector<2xi64>
  %sa = arith.extsi %a : i32 to i64
  %za = arith.extui %a : i32 to i64
  %sv = arith.extsi %v : vector<2xi32> to vector<2xi64>
  %0 = arith.cmpi slt, %sa, %half : i64
  %1 = arith.cmpi sge, %below, %sa : i64
  %2 = arith.cmpi ult, %za, %full : i64
  %3 = arith.cmpi eq, %sa, %half : i64
  %4 = arith.cmpi slt, %za, %below : i64
  %5 = arith.cmpi slt, %sv, %both : vector<2xi64>
  memref.store %0, %x[%c0] : memref<?xi1>
  memref.store %1, %x[%c0] : memref<?xi1>
  memref.store %2, %x[%c0] : memref<?xi1>
  memref.store %3, %x[%c0] : memref<?xi1>
  memref.store %4, %x[%c0] : memref<?xi1>
  vector.store %5, %y[%c0] : memref<?xi1>, vector<2xi1>
  gpu.return
}

// These need all bits: a sign-extended and a zero-extended value, a constant between sign-extended ones, one of
// two constants out of range, and sums, which may be more than 32 bits.
// CHECK-LABEL: gpu.func @comparedWhole
// CHECK-DAG: arith.cmpi slt, %{{.*}} : i64
// CHECK-DAG: arith.cmpi eq, %{{.*}} : i64
// CHECK-DAG: arith.cmpi ult, %{{.*}} : i64
// CHECK-DAG: arith.cmpi sle, %{{.*}} : vector<2xi64>
// CHECK-DAG: arith.cmpi sgt, %{{.*}} : i64
// CHECK: gpu.return
gpu.func @comparedWhole(%x: memref<?xi1>, %a: i32, %b: i32, %v: vector<2xi32>) kernel {
  %c0 = arith.constant 0 : index
  %half = arith.constant 2147483648 : i64
  %some = arith.constant dense<[2147483648, 1]> : vector<2xi64>
  %sa = arith.extsi %a : i32 to i64
  %zb = arith.extui %b : i32 to i64
  %sv = arith.extsi %v : vector<2xi32> to vector<2xi64>
  %sum = arith.addi %sa, %sa : i64
  %0 = arith.cmpi slt, %sa, %zb : i64
  %1 = arith.cmpi eq, %sa, %zb : i64
  %2 = arith.cmpi ult, %sa, %half : i64
  %3 = arith.cmpi sle, %sv, %some : vector<2xi64>
  %4 = arith.cmpi sgt, %sum, %sa : i64
  memref.store %0, %x[%c0] : memref<?xi1>
  memref.store %1, %x[%c0] : memref<?xi1>
  memref.store %2, %x[%c0] : memref<?xi1>
  vector.store %3, %x[%c0] : memref<?xi1>, vector<2xi1>
  memref.store %4, %x[%c0] : memref<?xi1>
  gpu.return
}

// An index is compared by its final width: one of 64 bits like an integer of 64 bits. One of 32 bits may
// be the source of an extension.
// CHECK-LABEL: gpu.func @index
// CHECK: %[[I:.*]] = gpu.thread_id
// CHECK: arith.cmpi slt, %{{.*}}, %c7 : index
// CHECK: %[[N:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: arith.cmpi slt, %[[N]], %{{.*}} : i32
// LONG-LABEL: gpu.func @index
// LONG-SAME: %{{.*}}: memref<?xi1>, %[[A:[a-z0-9]*]]: i32
// LONG: arith.cmpi ult, %[[A]], %{{.*}} : i32
// LONG: arith.cmpi slt, %{{.*}}, %{{.*}} : i64
gpu.func @index(%x: memref<?xi1>, %a: i32) kernel {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %seven = arith.constant 7 : i64
  %i = gpu.thread_id x
  %n = arith.index_castui %a : i32 to index
  %0 = arith.cmpi slt, %n, %c7 : index
  %w = arith.index_cast %i : index to i64
  %1 = arith.cmpi slt, %w, %seven : i64
  memref.store %0, %x[%c0] : memref<?xi1>
  memref.store %1, %x[%c0] : memref<?xi1>
  gpu.return
}

// The position is known only at run time: the index may be out of range.
// CHECK-LABEL: gpu.func @dynamic
// CHECK: arith.cmpi slt, %{{.*}} : i64
gpu.func @dynamic(%x: memref<?xi1>, %v: vector<4xi32>, %p: index) kernel {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i64
  %w = arith.extsi %v : vector<4xi32> to vector<4xi64>
  %e = vector.extract %w[%p] : i64 from vector<4xi64>
  %0 = arith.cmpi slt, %e, %seven : i64
  memref.store %0, %x[%c0] : memref<?xi1>
  gpu.return
}
}
