// RUN: pumice-opt %s -convert-gen-to-spirv=extensions=SPV_INTEL_subgroup_matrix_multiply_accumulate,SPV_INTEL_2d_block_io | FileCheck %s
// Instructions that MLIR lacks are calls of imported functions. IntelInstructionsTest.cpp has the rest.

module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.2,
    [Addresses, Kernel, Int8, Int16, Vector16, SubgroupBufferBlockIOINTEL], [SPV_INTEL_subgroups]>,
    #spirv.resource_limits<>>} {

// CHECK-DAG: spirv.func @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_sDv8_iDv8_fi(i32, vector<8xi16>, vector<8xi32>, vector<8xf32>, i32) -> vector<8xf32> "None" attributes {linkage_attributes = #spirv.linkage_attributes<linkage_name = "_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_sDv8_iDv8_fi", linkage_type = <Import>>}

// CHECK-LABEL: func.func @matrix
func.func @matrix(%a: vector<8xi16>, %b: vector<8xi32>, %c: vector<8xf32>) -> vector<8xf32> {
  // CHECK: %[[K:.*]] = spirv.Constant 16 : i32
  // CHECK: %[[BITS:.*]] = spirv.Constant 3072 : i32
  // CHECK: spirv.FunctionCall @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_sDv8_iDv8_fi(%[[K]], %arg0, %arg1, %arg2, %[[BITS]])
  %0 = gen.matrix_mad f16 %a, f16 %b, %c : vector<8xi16>, vector<8xi32>, vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func.func @blocks
func.func @blocks(%base: index, %n: i32) {
  // CHECK: %[[STORED:.*]] = spirv.Variable : !spirv.ptr<vector<8xi32>, Function>
  // CHECK: %[[LOADED:.*]] = spirv.Variable : !spirv.ptr<vector<8xi32>, Function>
  // CHECK: %[[BASE:.*]] = spirv.ConvertUToPtr %{{.*}} : i32 to !spirv.ptr<i8, CrossWorkgroup>
  // CHECK: %[[XY:.*]] = spirv.CompositeConstruct %arg1, %arg1 : (i32, i32) -> vector<2xi32>
  // CHECK: spirv.FunctionCall @_Z41__spirv_Subgroup2DBlockLoadTransformINTELiiiiPU3AS1KviiiDv2_iPv(%{{.*}}, %[[BASE]], %arg1, %arg1, %arg1, %[[XY]], %[[LOADED]])
  // CHECK: spirv.Load "Function" %[[LOADED]] : vector<8xi32>
  %0 = gen.block_load_2d transformed %base[%n, %n] of %n, %n, %n bits 16 shape 16, 16, 1 : index -> vector<8xi32>
  // CHECK: spirv.FunctionCall @_Z36__spirv_Subgroup2DBlockPrefetchINTELiiiiPU3AS1KviiiDv2_i(
  gen.block_prefetch_2d %base[%n, %n] of %n, %n, %n bits 16 shape 8, 16, 1 : index
  // CHECK: spirv.Store "Function" %[[STORED]], %{{.*}} : vector<8xi32>
  // CHECK: spirv.FunctionCall @_Z33__spirv_Subgroup2DBlockStoreINTELiiiiPKvPU3AS1viiiDv2_i(
  gen.block_store_2d %0, %base[%n, %n] of %n, %n, %n bits 32 shape 8, 16 : vector<8xi32>, index
  return
}

// CHECK-LABEL: func.func @consecutive
func.func @consecutive(%address: index) {
  // CHECK: spirv.INTEL.SubgroupBlockRead %{{.*}} : !spirv.ptr<i16, CrossWorkgroup> -> vector<4xi16>
  %0 = gen.sub_group_block_read %address : index -> vector<4xi16>
  // CHECK: spirv.INTEL.SubgroupBlockWrite
  gen.sub_group_block_write %address, %0 : index, vector<4xi16>
  return
}

}
