// RUN: pumice-opt %s --pumice-split-integers --split-input-file | FileCheck %s

!matrix = !spirv.coopmatrix<16x16xf32, Subgroup, MatrixAcc>

// Vectors that have been split already are not split again. Components of constants are constants.
spirv.module @matrices PhysicalStorageBuffer64 Vulkan attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, vulkanMemoryModel, noIntegerVectors}>} {
  // CHECK-LABEL: spirv.func @absolute
  // CHECK-SAME: %[[X:.*]]: vector<2xi32>
  spirv.func @absolute(%x: vector<2xi32>) -> vector<2xi32> "None" {
    %f = spirv.Constant 0.0 : f32
    %matrix = spirv.CompositeConstruct %f : (f32) -> !matrix
    %zeros = spirv.Constant dense<0> : vector<2xi32>
    // CHECK: %[[X0:.*]] = spirv.CompositeExtract %[[X]][0 : i32]
    // CHECK: %[[X1:.*]] = spirv.CompositeExtract %[[X]][1 : i32]
    // CHECK-NOT: spirv.CompositeExtract
    // CHECK: %[[B0:.*]] = spirv.SLessThan %[[X0]], %{{.*}} : i32
    // CHECK: %[[B1:.*]] = spirv.SLessThan %[[X1]], %{{.*}} : i32
    // CHECK-NOT: spirv.CompositeConstruct
    %isBelow = spirv.SLessThan %x, %zeros : vector<2xi32>
    // CHECK: %[[N0:.*]] = spirv.ISub %{{.*}}, %{{.*}} : i32
    // CHECK: %[[N1:.*]] = spirv.ISub %{{.*}}, %{{.*}} : i32
    %negative = spirv.ISub %zeros, %x : vector<2xi32>
    // CHECK: %[[R0:.*]] = spirv.Select %[[B0]], %[[N0]], %[[X0]] : i1, i32
    // CHECK: %[[R1:.*]] = spirv.Select %[[B1]], %[[N1]], %{{.*}} : i1, i32
    // CHECK: %[[R:.*]] = spirv.CompositeConstruct %[[R0]], %[[R1]] : (i32, i32) -> vector<2xi32>
    %r = spirv.Select %isBelow, %negative, %x : vector<2xi1>, vector<2xi32>
    // CHECK: spirv.ReturnValue %[[R]]
    spirv.ReturnValue %r : vector<2xi32>
  }

  // Tests one condition for all elements, comparisons and conversions of floats, and shifts by
  // another type.
  // CHECK-LABEL: spirv.func @others
  // CHECK-SAME: %[[C:.*]]: i1, %{{.*}}: vector<2xi64>, %{{.*}}: vector<2xi32>, %[[F:.*]]: vector<2xf32>
  spirv.func @others(%c: i1, %x: vector<2xi64>, %n: vector<2xi32>, %f: vector<2xf32>) -> vector<2xf32> "None" {
    // CHECK-COUNT-2: spirv.ShiftRightArithmetic %{{.*}}, %{{.*}} : i64, i32
    %shifted = spirv.ShiftRightArithmetic %x, %n : vector<2xi64>, vector<2xi32>
    // CHECK-COUNT-2: spirv.Select %[[C]], %{{.*}}, %{{.*}} : i1, i64
    %chosen = spirv.Select %c, %shifted, %x : i1, vector<2xi64>
    // CHECK-COUNT-2: spirv.ConvertSToF %{{.*}} : i64 to f32
    %floats = spirv.ConvertSToF %chosen : vector<2xi64> to vector<2xf32>
    // CHECK: %[[SUM:.*]] = spirv.FAdd %{{.*}}, %[[F]] : vector<2xf32>
    %sum = spirv.FAdd %floats, %f : vector<2xf32>
    // CHECK-COUNT-2: spirv.FOrdLessThan %{{.*}}, %{{.*}} : f32
    %isLess = spirv.FOrdLessThan %sum, %f : vector<2xf32>
    // CHECK-COUNT-2: spirv.Select %{{.*}}, %{{.*}}, %{{.*}} : i1, f32
    %least = spirv.Select %isLess, %sum, %f : vector<2xi1>, vector<2xf32>
    // CHECK: %[[BITS:.*]] = spirv.Bitcast %{{.*}} : vector<2xf32> to vector<2xi32>
    %bits = spirv.Bitcast %least : vector<2xf32> to vector<2xi32>
    // CHECK: spirv.VectorShuffle [1 : i32, 0 : i32] %[[BITS]]
    %turned = spirv.VectorShuffle [1 : i32, 0 : i32] %bits, %bits : vector<2xi32>, vector<2xi32> -> vector<2xi32>
    %result = spirv.Bitcast %turned : vector<2xi32> to vector<2xf32>
    spirv.ReturnValue %result : vector<2xf32>
  }
}

// -----

// Without matrices, vectors are not split.
spirv.module @plain PhysicalStorageBuffer64 GLSL450 attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {noIntegerVectors}>} {
  // CHECK-LABEL: spirv.func @choice
  spirv.func @choice(%c: vector<2xi1>, %x: vector<2xi32>, %y: vector<2xi32>) -> vector<2xi32> "None" {
    // CHECK: spirv.Select %{{.*}} : vector<2xi1>, vector<2xi32>
    %r = spirv.Select %c, %x, %y : vector<2xi1>, vector<2xi32>
    spirv.ReturnValue %r : vector<2xi32>
  }
}

// -----

// For targets without the workaround, vectors are not split.
!matrix = !spirv.coopmatrix<16x16xf32, Subgroup, MatrixAcc>
spirv.module @others PhysicalStorageBuffer64 Vulkan attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, vulkanMemoryModel}>} {
  // CHECK-LABEL: spirv.func @choice
  spirv.func @choice(%c: vector<2xi1>, %x: vector<2xi32>, %y: vector<2xi32>) -> vector<2xi32> "None" {
    %f = spirv.Constant 0.0 : f32
    %matrix = spirv.CompositeConstruct %f : (f32) -> !matrix
    // CHECK: spirv.Select %{{.*}} : vector<2xi1>, vector<2xi32>
    %r = spirv.Select %c, %x, %y : vector<2xi1>, vector<2xi32>
    spirv.ReturnValue %r : vector<2xi32>
  }
}
