// RUN: pumice-opt %s --pumice-fix-index-width | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: pumice-opt %s --pumice-fix-index-width=index-bits=64 | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: pumice-opt %s --pumice-fix-index-width --canonicalize | FileCheck %s --check-prefix=FOLDED

gpu.module @kernels {
  // CHECK-LABEL: @divide
  // NARROW:      %[[A:.*]] = arith.index_cast %{{.*}} : index to i32
  // NARROW:      %[[B:.*]] = arith.index_cast %{{.*}} : index to i32
  // NARROW:      %[[Q:.*]] = arith.divui %[[A]], %[[B]] : i32
  // NARROW:      arith.index_cast %[[Q]] : i32 to index
  // WIDE:        arith.divui %{{.*}}, %{{.*}} : i64
  func.func @divide(%a: index, %b: index) -> index {
    %q = arith.divui %a, %b : index
    func.return %q : index
  }

  // CHECK-LABEL: @dialects
  // NARROW:      arith.shrui %{{.*}}, %{{.*}} : vector<4xi32>
  // NARROW:      arith.remui %{{.*}}, %{{.*}} : i32
  // NARROW:      arith.cmpi ult, %{{.*}}, %{{.*}} : i32
  // NARROW:      arith.cmpi uge, %{{.*}}, %{{.*}} : i32
  // CHECK:       arith.cmpi slt, %{{.*}}, %{{.*}} : index
  // CHECK:       arith.addi %{{.*}}, %{{.*}} : index
  func.func @dialects(%a: index, %v: vector<4xindex>) -> (vector<4xindex>, index, i1, i1, i1, index) {
    %0 = arith.shrui %v, %v : vector<4xindex>
    %1 = index.remu %a, %a
    %2 = index.cmp ult(%a, %1)
    %3 = arith.cmpi uge, %a, %1 : index
    %4 = arith.cmpi slt, %a, %1 : index
    %5 = arith.addi %a, %1 : index
    func.return %0, %1, %2, %3, %4, %5 : vector<4xindex>, index, i1, i1, i1, index
  }

  // The bits above the lowest eight are lost, whatever is folded afterwards.
  // CHECK-LABEL:  @casts
  // NARROW:       %[[A:.*]] = arith.index_cast %{{.*}} : index to i32
  // NARROW:       %[[T:.*]] = arith.trunci %[[A]] : i32 to i8
  // NARROW:       %[[E:.*]] = arith.extsi %[[T]] : i8 to i32
  // NARROW:       arith.index_cast %[[E]] : i32 to index
  // NARROW:       arith.index_castui
  // NARROW-SAME:  i32 to index
  // NARROW:       %[[W:.*]] = arith.index_cast %{{.*}} : index to i32
  // NARROW:       arith.extui %[[W]] : i32 to i64
  // FOLDED-LABEL: @casts
  // FOLDED:       arith.trunci
  func.func @casts(%a: index, %n: i32) -> (index, index, i64) {
    %0 = arith.index_cast %a : index to i8
    %1 = arith.index_cast %0 : i8 to index
    %2 = arith.index_castui %n : i32 to index
    %3 = index.castu %a : index to i64
    func.return %1, %2, %3 : index, index, i64
  }

  // CHECK-LABEL:  @constants
  // FOLDED-LABEL: @constants
  // FOLDED:       arith.constant 268435455 : index
  // NARROW:       arith.constant -1 : index
  // WIDE:         arith.constant 4294967295 : index
  func.func @constants() -> (index, index) {
    %c4 = index.constant 4
    %all = index.constant -1
    %0 = index.shru %all, %c4
    %1 = arith.constant 4294967295 : index
    func.return %0, %1 : index, index
  }
}
