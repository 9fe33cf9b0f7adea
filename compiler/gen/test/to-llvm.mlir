// RUN: pumice-opt %s -convert-gen-to-llvm --split-input-file | FileCheck %s
// Every operation becomes a call of a function of OpenCL C, and clang's names name it (names.test).

// CHECK-LABEL: llvm.func spir_funccc @_Z12get_group_idj(i32) -> i64{{$}}
// CHECK-LABEL: func.func @constant_dimensions
func.func @constant_dimensions() -> (index, index, index, index) {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  // CHECK: llvm.call @_Z12get_group_idj(%c0_i32) : (i32) -> i64
  %0 = gen.work_group_id %c0_i32
  // CHECK: llvm.call @_Z14get_local_sizej(%c1_i32) : (i32) -> i64
  %1 = gen.work_group_size %c1_i32
  // CHECK: llvm.call @_Z14get_num_groupsj(%c2_i32) : (i32) -> i64
  %2 = gen.num_work_groups %c2_i32
  // CHECK: llvm.call @_Z12get_local_idj(%c2_i32) : (i32) -> i64
  %3 = gen.local_id %c2_i32
  return %0, %1, %2, %3 : index, index, index, index
}

// -----

// Only constants are passed, and the result is selected before the backend extracts a component.
// CHECK-LABEL: func.func @any_dimension
// CHECK-SAME: (%[[D:.*]]: i32)
func.func @any_dimension(%dimension: i32) -> index {
  // CHECK: %[[BEYOND:.*]] = llvm.mlir.constant(1 : i64) : i64
  // CHECK: %[[C2:.*]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK: %[[Z:.*]] = llvm.call @_Z14get_local_sizej(%[[C2]])
  // CHECK: %[[IS2:.*]] = llvm.icmp "eq" %[[D]], %[[C2]] : i32
  // CHECK: %[[S2:.*]] = llvm.select %[[IS2]], %[[Z]], %[[BEYOND]]
  // CHECK: %[[C1:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK: %[[Y:.*]] = llvm.call @_Z14get_local_sizej(%[[C1]])
  // CHECK: %[[IS1:.*]] = llvm.icmp "eq" %[[D]], %[[C1]] : i32
  // CHECK: %[[S1:.*]] = llvm.select %[[IS1]], %[[Y]], %[[S2]]
  // CHECK: %[[C0:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK: %[[X:.*]] = llvm.call @_Z14get_local_sizej(%[[C0]])
  // CHECK: %[[IS0:.*]] = llvm.icmp "eq" %[[D]], %[[C0]] : i32
  // CHECK: %[[S0:.*]] = llvm.select %[[IS0]], %[[X]], %[[S1]]
  // CHECK: builtin.unrealized_conversion_cast %[[S0]] : i64 to index
  %0 = gen.work_group_size %dimension
  return %0 : index
}

// -----

// CHECK-LABEL: func.func @no_dimension
func.func @no_dimension() -> (index, index) {
  %c3_i32 = arith.constant 3 : i32
  %0 = gen.local_id %c3_i32
  %1 = gen.num_work_groups %c3_i32
  // CHECK-NOT: llvm.call
  // CHECK: llvm.mlir.constant(0 : i64) : i64
  // CHECK: llvm.mlir.constant(1 : i64) : i64
  return %0, %1 : index, index
}

// -----

// CHECK-DAG: llvm.func spir_funccc @_Z18get_sub_group_sizev() -> i32{{$}}
// CHECK-DAG: llvm.func spir_funccc @_Z7barrierj(i32) attributes {convergent, no_unwind}
// CHECK-LABEL: func.func @sub_groups
func.func @sub_groups() -> (i32, i32, i32, i32) {
  // CHECK: llvm.call @_Z22get_sub_group_local_idv() : () -> i32
  %0 = gen.sub_group_local_id
  // CHECK: llvm.call @_Z18get_sub_group_sizev() : () -> i32
  %1 = gen.sub_group_size
  // CHECK: llvm.call @_Z16get_sub_group_idv() : () -> i32
  %2 = gen.sub_group_id
  // CHECK: llvm.call @_Z18get_num_sub_groupsv() : () -> i32
  %3 = gen.num_sub_groups
  // CHECK: %[[ALL:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: llvm.call @_Z7barrierj(%[[ALL]]) : (i32) -> ()
  gen.barrier
  // CHECK: %[[LOCAL:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @_Z7barrierj(%[[LOCAL]]) : (i32) -> ()
  gen.barrier local
  // CHECK: %[[GLOBAL:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @_Z7barrierj(%[[GLOBAL]]) : (i32) -> ()
  gen.barrier global
  return %0, %1, %2, %3 : i32, i32, i32, i32
}

// -----

// CHECK-LABEL: func.func @exchange
func.func @exchange(%i8: i8, %i16: i16, %i32: i32, %i64: i64, %f16: f16, %bf16: bf16, %f32: f32,
                    %f64: f64, %lane: i32, %c: i1) {
  // CHECK: llvm.call @_Z21sub_group_shuffle_xorcj(%arg0, %arg8) : (i8, i32) -> i8
  %0 = gen.sub_group_shuffle xor %i8, %lane : i8
  // CHECK: llvm.call @_Z20sub_group_shuffle_upsj(%arg1, %arg8) : (i16, i32) -> i16
  %1 = gen.sub_group_shuffle up %i16, %lane : i16
  // CHECK: llvm.call @_Z22sub_group_shuffle_downlj(%arg3, %arg8) : (i64, i32) -> i64
  %2 = gen.sub_group_shuffle down %i64, %lane : i64
  // CHECK: llvm.call @_Z17sub_group_shuffleDhj(%arg4, %arg8) : (f16, i32) -> f16
  %3 = gen.sub_group_shuffle idx %f16, %lane : f16
  // CHECK: %[[BITS:.*]] = llvm.bitcast %arg5 : bf16 to i16
  // CHECK: %[[MOVED:.*]] = llvm.call @_Z17sub_group_shufflesj(%[[BITS]], %arg8) : (i16, i32) -> i16
  // CHECK: llvm.bitcast %[[MOVED]] : i16 to bf16
  %4 = gen.sub_group_shuffle idx %bf16, %lane : bf16
  // CHECK: llvm.call @_Z19sub_group_broadcastdj(%arg7, %arg8) : (f64, i32) -> f64
  %5 = gen.sub_group_broadcast %f64, %lane : f64
  // CHECK: %[[WORD:.*]] = llvm.zext %arg9 : i1 to i32
  // CHECK: llvm.call @_Z16sub_group_balloti(%[[WORD]]) : (i32) -> vector<4xi32>
  %6 = gen.sub_group_ballot %c
  return
}

// -----

// CHECK-LABEL: func.func @combine
func.func @combine(%i: i32, %l: i64, %f: f32, %h: f16) {
  // CHECK: llvm.call @_Z20sub_group_reduce_addf(
  %0 = gen.sub_group_reduce add %f uniform : f32
  // CHECK: llvm.call @_Z32sub_group_non_uniform_reduce_addf(
  %1 = gen.sub_group_reduce add %f : f32
  // CHECK: llvm.call @_Z32sub_group_non_uniform_reduce_minDh(
  %2 = gen.sub_group_reduce min %h uniform : f16
  // CHECK: llvm.call @_Z20sub_group_reduce_mini(
  %3 = gen.sub_group_reduce smin %i uniform : i32
  // CHECK: llvm.call @_Z20sub_group_reduce_maxm(
  %4 = gen.sub_group_reduce umax %l uniform : i64
  // CHECK: llvm.call @_Z32sub_group_non_uniform_reduce_minj(
  %5 = gen.sub_group_reduce umin %i : i32
  // CHECK: llvm.call @_Z31sub_group_non_uniform_reduce_ori(
  %6 = gen.sub_group_reduce or %i uniform : i32
  // CHECK: llvm.call @_Z28sub_group_scan_inclusive_addi(
  %7 = gen.sub_group_scan add %i uniform : i32
  // CHECK: llvm.call @_Z28sub_group_scan_exclusive_maxi(
  %8 = gen.sub_group_scan smax %i exclusive uniform : i32
  // CHECK: llvm.call @_Z40sub_group_non_uniform_scan_inclusive_mulf(
  %9 = gen.sub_group_scan mul %f : f32
  // CHECK: llvm.call @_Z40sub_group_non_uniform_scan_exclusive_xorl(
  %10 = gen.sub_group_scan xor %l exclusive : i64
  return
}

// -----

// A function that is already declared is called.
// CHECK-COUNT-1: llvm.func spir_funccc @_Z16get_sub_group_idv
gpu.module @kernels {
  llvm.func spir_funccc @_Z16get_sub_group_idv() -> i32
  // CHECK: func.func @twice
  func.func @twice() -> (i32, i32) {
    // CHECK-COUNT-2: llvm.call @_Z16get_sub_group_idv()
    %0 = gen.sub_group_id
    %1 = gen.sub_group_id
    return %0, %1 : i32, i32
  }
}
