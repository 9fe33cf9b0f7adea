// RUN: pumice-opt %s --pumice-expand-arith | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: func @floor_division
  // CHECK-SAME: (%[[A:.*]]: i32, %[[B:.*]]: i32)
  // CHECK: %[[Q:.*]] = arith.divsi %[[A]], %[[B]]
  // CHECK: %[[P:.*]] = arith.muli %[[Q]], %[[B]]
  // CHECK: %[[R:.*]] = arith.subi %[[A]], %[[P]]
  // CHECK: arith.cmpi ne, %[[R]]
  // CHECK: arith.xori %[[R]], %[[B]]
  // CHECK: arith.select
  func.func @floor_division(%a: i32, %b: i32) -> i32 {
    %0 = arith.floordivsi %a, %b : i32
    return %0 : i32
  }

  // OpSRem with negative operands is undefined.
  // CHECK-LABEL: func @remainder
  // CHECK-NOT: arith.remsi
  // CHECK: arith.remui
  // CHECK-NOT: arith.remsi
  // CHECK: return
  func.func @remainder(%a: vector<4xi32>, %b: vector<4xi32>) -> vector<4xi32> {
    %0 = arith.remsi %a, %b : vector<4xi32>
    return %0 : vector<4xi32>
  }

  // CHECK-LABEL: func @booleans
  // CHECK: arith.xori
  // CHECK-NEXT: arith.andi
  // CHECK-NOT: i32
  // CHECK: return
  func.func @booleans(%a: i1, %b: i1) -> i1 {
    %0 = arith.addi %a, %b : i1
    %1 = arith.muli %0, %b : i1
    %2 = arith.cmpi slt, %1, %b : i1
    return %2 : i1
  }

  // A signed i1 is 0 or -1.
  // CHECK-LABEL: func @boolean_to_index
  // CHECK: arith.extsi %{{.*}} : i1 to i32
  // CHECK: arith.index_cast %{{.*}} : i32 to index
  func.func @boolean_to_index(%a: i1) -> index {
    %0 = arith.index_cast %a : i1 to index
    return %0 : index
  }

  // CHECK-LABEL: func @maximum
  // CHECK: arith.maxnumf %{{.*}} fastmath<nnan>
  // CHECK: arith.cmpf oeq
  // CHECK: arith.cmpf uno
  func.func @maximum(%a: f32, %b: f32) -> f32 {
    %0 = arith.maximumf %a, %b : f32
    return %0 : f32
  }

  // NaN and signed zeros are excluded: the instruction suffices.
  // CHECK-LABEL: func @fast_maximum
  // CHECK-NEXT: arith.maxnumf %{{.*}} fastmath<nnan,nsz>
  // CHECK-NEXT: return
  func.func @fast_maximum(%a: f32, %b: f32) -> f32 {
    %0 = arith.maximumf %a, %b fastmath<nnan,nsz> : f32
    return %0 : f32
  }

  // CHECK-LABEL: func @float_remainder
  // CHECK: scf.while
  // CHECK: arith.remui
  func.func @float_remainder(%a: f32, %b: f32) -> f32 {
    %0 = arith.remf %a, %b : f32
    return %0 : f32
  }

  // CHECK-LABEL: func @wide_product
  // CHECK: arith.extsi %{{.*}} : i16 to i32
  // CHECK: arith.muli %{{.*}} : i32
  func.func @wide_product(%a: i16, %b: i16) -> (i16, i16) {
    %0, %1 = arith.mulsi_extended %a, %b : i16
    return %0, %1 : i16, i16
  }

  // CHECK-LABEL: func @native_product
  // CHECK-NEXT: arith.mului_extended
  // CHECK-NEXT: return
  func.func @native_product(%a: i32, %b: i32) -> (i32, i32) {
    %0, %1 = arith.mului_extended %a, %b : i32
    return %0, %1 : i32, i32
  }

  // CHECK-LABEL: func @tiny_float
  // CHECK: arith.bitcast %{{.*}} : f8E4M3FN to i8
  // CHECK-NOT: arith.{{truncf|extf}}
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
  func.func @tiny_float(%a: f8E4M3FN) -> f8E5M2 {
    %0 = arith.extf %a : f8E4M3FN to f32
    %1 = arith.truncf %0 : f32 to f8E5M2
    return %1 : f8E5M2
  }

  // CHECK-LABEL: func @tiny_arithmetic
  // CHECK-NOT: arith.addf %{{.*}} : f8
  // CHECK: arith.addf %{{.*}} : f32
  func.func @tiny_arithmetic(%a: f8E4M3FN, %b: f8E4M3FN) -> f8E4M3FN {
    %0 = arith.addf %a, %b : f8E4M3FN
    return %0 : f8E4M3FN
  }

  // CHECK-LABEL: func @rounding
  // CHECK-NOT: arith.truncf
  // CHECK: arith.bitcast %{{.*}} : i16 to f16
  func.func @rounding(%a: f32) -> f16 {
    %0 = arith.truncf %a toward_zero : f32 to f16
    return %0 : f16
  }

  // CHECK-LABEL: func @native_rounding
  // CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
  func.func @native_rounding(%a: f32) -> f16 {
    %0 = arith.truncf %a : f32 to f16
    return %0 : f16
  }

  // CHECK-LABEL: func @scaling
  // CHECK-NOT: arith.scaling_extf
  // CHECK: arith.mulf %{{.*}} : f32
  func.func @scaling(%a: f4E2M1FN, %s: f8E8M0FNU) -> f32 {
    %0 = arith.scaling_extf %a, %s : f4E2M1FN, f8E8M0FNU to f32
    return %0 : f32
  }

  // CHECK-LABEL: func @index
  // CHECK-DAG: arith.constant 32 : index
  // CHECK-NOT: {{[^_]}}index.{{[a-z]+}}
  // CHECK: return
  func.func @index(%a: index, %b: index) -> (index, i1, i32, index) {
    %0 = index.add %a, %b
    %1 = index.ceildivs %0, %b
    %2 = index.cmp uge(%1, %a)
    %3 = index.castu %1 : index to i32
    %4 = index.sizeof
    %5 = index.constant 7
    %6 = index.rems %1, %5
    return %6, %2, %3, %4 : index, i1, i32, index
  }

  // Operations that depend on the width are computed on integers of this width.
  // CHECK-LABEL: func @index_width
  // CHECK:         %[[X:.*]] = arith.index_cast %{{.*}} : index to i32
  // CHECK:         arith.mului_extended %[[X]], %{{.*}} : i32
  // CHECK:         %[[Y:.*]] = arith.index_cast %{{.*}} : vector<2xindex> to vector<2xi32>
  // CHECK:         math.ctlz %[[Y]] : vector<2xi32>
  func.func @index_width(%a: index, %b: vector<2xindex>) -> (index, vector<2xindex>) {
    %0, %1 = arith.mului_extended %a, %a : index
    %2 = math.ctlz %b : vector<2xindex>
    return %1, %2 : index, vector<2xindex>
  }

  // CHECK-LABEL: func @poison
  // CHECK: arith.constant dense<0.000000e+00> : vector<2xf32>
  func.func @poison() -> vector<2xf32> {
    %0 = ub.poison : vector<2xf32>
    return %0 : vector<2xf32>
  }

  // Both words of the 64-bit product hold a part of the upper 48 bits.
  // CHECK-LABEL: func @odd_product
  // CHECK-COUNT-2: arith.extui %{{.*}} : i48 to i64
  // CHECK:       %[[LOW:.*]] = arith.shrui %{{.*}}, %c48{{.*}} : i64
  // CHECK:       %[[HIGH:.*]] = arith.shli %{{.*}}, %c16{{.*}} : i64
  // CHECK:       %[[BOTH:.*]] = arith.ori %[[LOW]], %[[HIGH]] : i64
  // CHECK:       arith.trunci %[[BOTH]] : i64 to i48
  func.func @odd_product(%a: i48, %b: i48) -> i48 {
    %0, %1 = arith.mului_extended %a, %b : i48
    return %1 : i48
  }

  // The target has no 64-bit integers.
  // CHECK-LABEL: func @product_of_24
  // CHECK-NOT:   i64
  // CHECK:       arith.mulsi_extended %{{.*}}, %{{.*}} : i32
  // CHECK-NOT:   i64
  // CHECK:       return
  func.func @product_of_24(%a: i24, %b: i24) -> i24 {
    %0, %1 = arith.mulsi_extended %a, %b : i24
    return %1 : i24
  }
}
