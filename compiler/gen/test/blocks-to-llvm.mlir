// Matrices and blocks become calls, which LLVM's backend turns into instructions of extensions.

// RUN: pumice-opt %s --pass-pipeline='builtin.module(convert-gen-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,canonicalize)' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.mlir \
// RUN:   | llc -mtriple=spirv64 -spirv-ext=+SPV_INTEL_subgroup_matrix_multiply_accumulate,+SPV_INTEL_2d_block_io,+SPV_INTEL_subgroups \
// RUN:   | FileCheck %s --check-prefix=SPIRV

// CHECK-LABEL: llvm.func @f16(
// CHECK-DAG: %[[K:.*]] = llvm.mlir.constant(16 : i32) : i32
// CHECK-DAG: %[[BITS:.*]] = llvm.mlir.constant(3072 : i32) : i32
// CHECK: llvm.call @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_sDv8_iDv8_fi(%[[K]], %arg0, %arg1, %arg2, %[[BITS]])
// SPIRV: OpName %[[F16:.*]] "f16"
// SPIRV: %[[F16]] = OpFunction
// SPIRV: OpSubgroupMatrixMultiplyAccumulateINTEL %{{.*}} MatrixAPackedFloat16INTEL|MatrixBPackedFloat16INTEL
func.func @f16(%a: vector<8xi16>, %b: vector<8xi32>, %c: vector<8xf32>) -> vector<8xf32> {
  %0 = gen.matrix_mad f16 %a, f16 %b, %c : vector<8xi16>, vector<8xi32>, vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: llvm.func @bf16(
// CHECK: %[[D:.*]] = llvm.call @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv2_sDv8_iS_i(%{{.*}}, %arg0, %arg1, %arg2, %{{.*}})
// CHECK: llvm.return %[[D]]
// SPIRV: OpSubgroupMatrixMultiplyAccumulateINTEL %{{.*}} MatrixCBFloat16INTEL|MatrixResultBFloat16INTEL|MatrixAPackedBFloat16INTEL|MatrixBPackedBFloat16INTEL
func.func @bf16(%a: vector<2xi16>, %b: vector<8xi32>, %c: vector<2xi16>) -> vector<2xi16> {
  %bf16 = llvm.bitcast %c : vector<2xi16> to vector<2xbf16>
  %0 = gen.matrix_mad bf16 %a, bf16 %b, %bf16 : vector<2xi16>, vector<8xi32>, vector<2xbf16>
  %1 = llvm.bitcast %0 : vector<2xbf16> to vector<2xi16>
  return %1 : vector<2xi16>
}

// CHECK-LABEL: llvm.func @tf32(
// CHECK: %[[K:.*]] = llvm.mlir.constant(8 : i32) : i32
// CHECK: llvm.call @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv2_fDv8_fDv4_fi(%[[K]],
// SPIRV: OpSubgroupMatrixMultiplyAccumulateINTEL %{{.*}} MatrixATF32INTEL|MatrixBTF32INTEL
func.func @tf32(%a: vector<2xf32>, %b: vector<8xf32>, %c: vector<4xf32>) -> vector<4xf32> {
  %0 = gen.matrix_mad tf32 %a, tf32 %b, %c : vector<2xf32>, vector<8xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: llvm.func @bytes(
// CHECK: %[[K:.*]] = llvm.mlir.constant(32 : i32) : i32
// CHECK: llvm.call @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv4_iDv8_iS_i(%[[K]],
// SPIRV: OpSubgroupMatrixMultiplyAccumulateINTEL %{{.*}} MatrixASignedComponentsINTEL|MatrixAPackedInt8INTEL|MatrixBPackedInt8INTEL
func.func @bytes(%a: vector<4xi32>, %b: vector<8xi32>, %c: vector<4xi32>) -> vector<4xi32> {
  %0 = gen.matrix_mad s8 %a, u8 %b, %c : vector<4xi32>, vector<8xi32>, vector<4xi32>
  return %0 : vector<4xi32>
}

// Three rows are two and one.
// CHECK-LABEL: llvm.func @three_rows(
// CHECK-COUNT-1: llvm.call @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv2_sDv8_iDv2_fi(
// CHECK-COUNT-1: llvm.call @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELisDv8_ifi(
// CHECK: llvm.return
// SPIRV-COUNT-2: OpSubgroupMatrixMultiplyAccumulateINTEL
func.func @three_rows(%a: vector<3xi16>, %b: vector<8xi32>, %c: vector<3xf32>) -> vector<3xf32> {
  %0 = gen.matrix_mad f16 %a, f16 %b, %c : vector<3xi16>, vector<8xi32>, vector<3xf32>
  return %0 : vector<3xf32>
}

// CHECK-LABEL: llvm.func @blocks(
// CHECK: %[[POINTER:.*]] = llvm.inttoptr %arg0 : i64 to !llvm.ptr<1>
// CHECK: llvm.call @_Z32__spirv_Subgroup2DBlockLoadINTELiiiiPU3AS1KviiiDv2_iPv(
// CHECK: llvm.call @_Z41__spirv_Subgroup2DBlockLoadTransposeINTELiiiiPU3AS1KviiiDv2_iPv(
// CHECK: llvm.call @_Z41__spirv_Subgroup2DBlockLoadTransformINTELiiiiPU3AS1KviiiDv2_iPv(
// CHECK: llvm.call @_Z36__spirv_Subgroup2DBlockPrefetchINTELiiiiPU3AS1KviiiDv2_i(
// CHECK: llvm.call @_Z33__spirv_Subgroup2DBlockStoreINTELiiiiPKvPU3AS1viiiDv2_i(
// SPIRV: OpSubgroup2DBlockLoadINTEL
// SPIRV: OpSubgroup2DBlockLoadTransposeINTEL
// SPIRV: OpSubgroup2DBlockLoadTransformINTEL
// SPIRV: OpSubgroup2DBlockPrefetchINTEL
// SPIRV: OpSubgroup2DBlockStoreINTEL
func.func @blocks(%base: index, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) {
  %0 = gen.block_load_2d %base[%x, %y] of %w, %h, %p bits 32 shape 8, 16, 1 : index -> vector<8xi32>
  %1 = gen.block_load_2d transposed %base[%x, %y] of %w, %h, %p bits 32 shape 16, 8, 1 : index -> vector<8xi32>
  %2 = gen.block_load_2d transformed %base[%x, %y] of %w, %h, %p bits 16 shape 16, 16, 1 : index -> vector<8xi32>
  gen.block_prefetch_2d %base[%x, %y] of %w, %h, %p bits 16 shape 8, 16, 1 : index
  %3 = arith.addi %0, %1 : vector<8xi32>
  %4 = arith.addi %2, %3 : vector<8xi32>
  gen.block_store_2d %4, %base[%x, %y] of %w, %h, %p bits 32 shape 8, 16 : vector<8xi32>, index
  return
}

// CHECK-LABEL: llvm.func @consecutive(
// CHECK: llvm.call @_Z30intel_sub_group_block_read_us4PU3AS1Kt(%arg0) : (!llvm.ptr<1>) -> vector<4xi16>
// CHECK: llvm.call @_Z31intel_sub_group_block_write_us4PU3AS1tDv4_t(%arg0, %{{.*}}) : (!llvm.ptr<1>, vector<4xi16>) -> ()
// SPIRV: OpSubgroupBlockReadINTEL
// SPIRV: OpSubgroupBlockWriteINTEL
func.func @consecutive(%address: !llvm.ptr<1>) {
  %0 = gen.sub_group_block_read %address : !llvm.ptr<1> -> vector<4xi16>
  gen.sub_group_block_write %address, %0 : !llvm.ptr<1>, vector<4xi16>
  return
}
