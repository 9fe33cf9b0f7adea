// RUN: pumice-opt %s -pumice-emulate-gen | FileCheck %s
// A pointer of LLVM is an address, too.

// CHECK-LABEL: func.func @store
func.func @store(%base: !llvm.ptr<1>, %n: i32, %v: vector<8xi32>) {
  // CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %arg0 : !llvm.ptr<1> to i64
  // CHECK: arith.index_castui %[[ADDRESS]] : i64 to index
  // CHECK: scf.if
  // CHECK: llvm.store
  gen.block_store_2d %v, %base[%n, %n] of %n, %n, %n bits 32 shape 8, 16 : vector<8xi32>, !llvm.ptr<1>
  return
}
