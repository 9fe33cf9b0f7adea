// RUN: pumice-opt %s --pumice-spirv-to-lanes=width=8 --split-input-file --verify-diagnostics | FileCheck %s

!buffer = !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
!element = !spirv.ptr<f32, StorageBuffer>
!matrix = !spirv.coopmatrix<4x8xf32, Subgroup, MatrixAcc>
!half = !spirv.coopmatrix<8x4xf32, Subgroup, MatrixAcc>
spirv.module Logical Vulkan requires #spirv.vce<v1.6, [Shader, CooperativeMatrixKHR], []> {
  spirv.GlobalVariable @data bind(0, 0) : !buffer

  // Element e belongs to lane e % 8. A row of eight elements is one load. The kernel gets a
  // subgroup size.
  // CHECK-LABEL: func.func @rows
  // CHECK-SAME: lane.subgroup_size = 8 : i32
  // CHECK: %[[P:.*]] = lane.buffer 0, 0
  // CHECK: %[[LANE:.*]] = lane.builtin subgroup_lane
  // CHECK-COUNT-4: lane.load {{.*}} align 4 : f32
  // CHECK-NOT: lane.load
  // CHECK: arith.negf
  // CHECK-COUNT-4: lane.store {{.*}} align 4 {coherent} : f32
  spirv.func @rows() "None" {
    %0 = spirv.Constant 0 : i32
    %stride = spirv.Constant 20 : i32
    %base = spirv.mlir.addressof @data : !buffer
    %at = spirv.AccessChain %base[%0, %0] : !buffer, i32, i32 -> !element
    %m = spirv.KHR.CooperativeMatrixLoad %at, %stride, <RowMajor> : !element, i32 -> !matrix
    %n = spirv.FNegate %m : !matrix
    spirv.KHR.CooperativeMatrixStore %at, %n, %stride, <RowMajor>, <NonPrivatePointer> : !element, !matrix, i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @rows, @data
  spirv.ExecutionMode @rows "LocalSize", 32, 1, 1

  // A matrix that is stored by columns is the transpose of one that is stored by rows. Its elements
  // are a composite.
  // CHECK-LABEL: func.func @columns
  // CHECK: %[[T:.*]]:4 = lane.matrix_transpose 8, 4(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32, f32)
  // CHECK: %[[F:.*]] = arith.sitofp %c4_i32
  // CHECK: %[[S:.*]] = arith.addf %[[T]]#3, %[[F]]
  // CHECK: lane.matrix_transpose 4, 8(%[[T]]#0, %[[T]]#1, %[[T]]#2, %[[S]]
  spirv.func @columns() "None" {
    %0 = spirv.Constant 0 : i32
    %stride = spirv.Constant 4 : i32
    %base = spirv.mlir.addressof @data : !buffer
    %at = spirv.AccessChain %base[%0, %0] : !buffer, i32, i32 -> !element
    %m = spirv.KHR.CooperativeMatrixLoad %at, %stride, <ColumnMajor> : !element, i32 -> !matrix
    %length = spirv.KHR.CooperativeMatrixLength : !matrix
    %real = spirv.ConvertSToF %length : i32 to f32
    %last = spirv.CompositeExtract %m[3 : i32] : !matrix
    %sum = spirv.FAdd %last, %real : f32
    %changed = spirv.CompositeInsert %sum, %m[3 : i32] : f32 into !matrix
    spirv.KHR.CooperativeMatrixStore %at, %changed, %stride, <ColumnMajor> : !element, !matrix, i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @columns, @data
  spirv.ExecutionMode @columns "LocalSize", 8, 1, 1

  // The workgroup has four invocations, so a subgroup has four lanes, each with twice the elements.
  // CHECK-LABEL: func.func @product
  // CHECK-SAME: lane.subgroup_size = 4 : i32
  // CHECK: %[[ONE:.*]] = arith.constant 1.0
  // CHECK: lane.matrix_product 8, 8, 4(%[[ONE]]
  spirv.func @product() "None" {
    %0 = spirv.Constant 0 : i32
    %stride = spirv.Constant 4 : i32
    %1 = spirv.Constant 1.0 : f32
    %a = spirv.CompositeConstruct %1 : (f32) -> !spirv.coopmatrix<8x4xf32, Subgroup, MatrixA>
    %b = spirv.CompositeConstruct %1 : (f32) -> !spirv.coopmatrix<4x8xf32, Subgroup, MatrixB>
    %c = spirv.CompositeConstruct %1 : (f32) -> !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>
    %d = spirv.KHR.CooperativeMatrixMulAdd %a, %b, %c : !spirv.coopmatrix<8x4xf32, Subgroup, MatrixA>, !spirv.coopmatrix<4x8xf32, Subgroup, MatrixB> -> !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>
    %base = spirv.mlir.addressof @data : !buffer
    %at = spirv.AccessChain %base[%0, %0] : !buffer, i32, i32 -> !element
    spirv.KHR.CooperativeMatrixStore %at, %d, %stride, <RowMajor> : !element, !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>, i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @product, @data
  spirv.ExecutionMode @product "LocalSize", 4, 1, 1
}

// -----

!buffer = !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
spirv.module Logical Vulkan requires #spirv.vce<v1.6, [Shader, CooperativeMatrixKHR], []> {
  spirv.GlobalVariable @data bind(0, 0) : !buffer
  spirv.func @odd() "None" {
    %0 = spirv.Constant 0 : i32
    %base = spirv.mlir.addressof @data : !buffer
    %at = spirv.AccessChain %base[%0, %0] : !buffer, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
    // expected-error @+1 {{the cooperative matrix '!spirv.coopmatrix<5x8xf32, Subgroup, MatrixAcc>' is not supported by subgroups of 8 lanes: its scope must be Subgroup, rows and columns powers of two}}
    %m = spirv.KHR.CooperativeMatrixLoad %at, %0, <RowMajor> : !spirv.ptr<f32, StorageBuffer>, i32 -> !spirv.coopmatrix<5x8xf32, Subgroup, MatrixAcc>
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @odd, @data
  spirv.ExecutionMode @odd "LocalSize", 8, 1, 1
}

// -----

spirv.module Logical Vulkan requires #spirv.vce<v1.6, [Shader, CooperativeMatrixKHR], []> {
  // expected-error @+1 {{cooperative matrices need whole subgroups: the workgroup has 6 invocations, and subgroups of 4 lanes}}
  spirv.func @part() "None" {
    %n = spirv.KHR.CooperativeMatrixLength : !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @part
  spirv.ExecutionMode @part "LocalSize", 6, 1, 1
}

// -----

// Binaries also contain operations that the spirv dialect cannot represent.
!real = !spirv.coopmatrix<4x8xf32, Subgroup, MatrixAcc>
!whole = !spirv.coopmatrix<4x8xi32, Subgroup, MatrixAcc>
// CHECK-LABEL: func.func @bits
// CHECK: arith.bitcast %{{.*}} : f32 to i32
spirv.func @bits() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  %1 = spirv.Constant 1.0 : f32
  %m = spirv.CompositeConstruct %1 : (f32) -> !real
  %bits = spvx.op "Bitcast"(%m) : (!real) -> !whole
  spirv.Return
}

// -----

!real = !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>
!whole = !spirv.coopmatrix<8x8xi32, Subgroup, MatrixAcc>
spirv.func @mixed() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  %1 = spirv.Constant 1.0 : f32
  %2 = spirv.Constant 2 : i32
  %a = spirv.CompositeConstruct %1 : (f32) -> !real
  %b = spirv.CompositeConstruct %2 : (i32) -> !whole
  // expected-error @+1 {{is not supported}}
  %d = spvx.op "CooperativeMatrixMulAddKHR"(%a, %b, %a) : (!real, !whole, !real) -> !real
  spirv.Return
}

// -----

!whole = !spirv.coopmatrix<8x8xi64, Subgroup, MatrixAcc>
spirv.func @clamped() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  %1 = spirv.Constant 1 : i64
  %a = spirv.CompositeConstruct %1 : (i64) -> !whole
  // expected-error @+1 {{saturating accumulation in 'i64' is not supported: use integers of up to 32 bits}}
  %d = spvx.op "CooperativeMatrixMulAddKHR"(%a, %a, %a) {literals = array<i32: 31>} : (!whole, !whole, !whole) -> !whole
  spirv.Return
}

// -----

!real = !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>
!buffer = !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
spirv.GlobalVariable @data bind(0, 0) : !buffer
spirv.func @layout() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  %0 = spirv.Constant 0 : i32
  %base = spirv.mlir.addressof @data : !buffer
  %at = spirv.AccessChain %base[%0, %0] : !buffer, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
  // expected-error @+1 {{a cooperative matrix of layout 4202 is not supported: store it by rows (0) or by columns (1)}}
  %m = spvx.op "CooperativeMatrixLoadKHR"(%at, %0) {literals = array<i32: 4202>} : (!spirv.ptr<f32, StorageBuffer>, i32) -> !real
  spirv.Return
}

// -----

!real = !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>
!buffer = !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
spirv.GlobalVariable @data bind(0, 0) : !buffer
spirv.func @stride() "None" attributes {spvx.execution_model = "GLCompute", lane.workgroup_size = array<i32: 8, 1, 1>} {
  %0 = spirv.Constant 0 : i32
  %base = spirv.mlir.addressof @data : !buffer
  %at = spirv.AccessChain %base[%0, %0] : !buffer, i32, i32 -> !spirv.ptr<f32, StorageBuffer>
  // expected-error @+1 {{OpCooperativeMatrixLoadKHR has no stride}}
  %m = spvx.op "CooperativeMatrixLoadKHR"(%at) {literals = array<i32: 0>} : (!spirv.ptr<f32, StorageBuffer>) -> !real
  spirv.Return
}
