// RUN: pumice-opt %s --pumice-host-pipeline | FileCheck %s
// RUN: pumice-opt %s --convert-scf-to-cf --pumice-lower-host-gpu | FileCheck %s --check-prefix=SITES

// The module's attribute has the constant facts about each call.
// SITES: pumice.sites = [
// SITES-SAME: {async, bytes = array<i64>, call = "pumice_host_wait", location = "{{.*}}.mlir:[[@LINE+26]]:{{[0-9]+}}", ranks = array<i64>, types = []}
// SITES-SAME: {async, bytes = array<i64: 4>, call = "pumice_host_alloc", {{.*}}ranks = array<i64: 1>
// SITES-SAME: {async, bytes = array<i64: 4, 4>, call = "pumice_host_fill", {{.*}}ranks = array<i64: 1, -1>, types = ["{{[a-z0-9]+}}", "{{[a-z0-9]+}}"]}
// SITES-SAME: {async, bytes = array<i64: 4, 2, 8>, call = "pumice_host_launch", kernel = 3 : i64, {{.*}}ranks = array<i64: 1, -1, -1>, symbol = "@kernels::@k", types = ["f32", "f16", "index"]}
// SITES-SAME: {bytes = array<i64>, call = "pumice_host_wait"
// SITES-SAME: {bytes = array<i64: 16>, call = "pumice_host_alloc", host_shared, {{.*}}ranks = array<i64: 2>
// SITES-SAME: {bytes = array<i64: 16, 16>, call = "pumice_host_copy", {{.*}}ranks = array<i64: 2, 2>, types = ["{{[a-z0-9]+}}", "{{[a-z0-9]+}}"]}
// SITES-SAME: {bytes = array<i64: 4>, call = "pumice_host_register", {{.*}}ranks = array<i64: -2>, types = ["{{[a-z0-9]+}}"]}
// SITES-SAME: {bytes = array<i64>, call = "pumice_host_fail", {{.*}}message = "not so"

// CHECK-NOT: {{( = |^ +)gpu[.]}}
// CHECK-LABEL: llvm.func @tokens
// CHECK: llvm.alloca
// CHECK: ^bb1(%[[I:.*]]: i64, %[[TOKEN:.*]]: !llvm.ptr)
// Slots for operands are outside of the loop, which would grow the stack.
// CHECK-NOT: llvm.alloca
// CHECK: %[[NEXT:.*]] = llvm.call @pumice_host_launch({{.*}}) : (i64, !llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
// CHECK: llvm.br ^bb1({{.*}}, %[[NEXT]] : i64, !llvm.ptr)
// CHECK: llvm.call @pumice_host_wait
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%m: memref<?xf32>, %h: f16, %i: index) kernel { gpu.return }
  }
  func.func @tokens(%n: index, %v: f32, %h: f16, %s: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t0 = gpu.wait async
    %m, %t1 = gpu.alloc async [%t0] (%n) : memref<?xf32>
    %t2 = gpu.memset async [%t1] %m, %v : memref<?xf32>, f32
    %t3 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t2) -> !gpu.async.token {
      %next = gpu.launch_func async [%t] @kernels::@k blocks in (%n, %c1, %c1)
          threads in (%c1, %c1, %c1) dynamic_shared_memory_size %s
          args(%m : memref<?xf32>, %h : f16, %i : index) {pumice.kernel = 3 : i64}
      scf.yield %next : !gpu.async.token
    }
    gpu.wait [%t3]
    return
  }

  // A vector of three elements takes the space of four. The host ignores memory spaces.
  // CHECK-LABEL: llvm.func @memory
  // CHECK: llvm.call @pumice_host_alloc
  // CHECK-NOT: ptr<1>
  // CHECK: llvm.call @pumice_host_copy
  // CHECK: llvm.call @pumice_host_register
  // CHECK: llvm.call @pumice_host_place
  // CHECK: llvm.call @_mlir_memref_to_llvm_alloc
  // CHECK: llvm.call @_mlir_memref_to_llvm_free
  func.func @memory(%from: memref<2x4xvector<3xf32>>, %any: memref<*xf32>) {
    %to = gpu.alloc host_shared () : memref<2x4xvector<3xf32>, 1>
    gpu.memcpy %to, %from : memref<2x4xvector<3xf32>, 1>, memref<2x4xvector<3xf32>>
    gpu.host_register %any : memref<*xf32>
    %own = memref.alloc() : memref<4xf32>
    memref.dealloc %own : memref<4xf32>
    return
  }

  // CHECK-LABEL: llvm.func @asserts
  // CHECK: llvm.cond_br %{{.*}}, ^bb[[AFTER:.]], ^bb[[FAILING:.]]
  // CHECK: ^bb[[FAILING]]:
  // CHECK: llvm.call @pumice_host_fail
  // CHECK-NEXT: llvm.unreachable
  // CHECK: ^bb[[AFTER]]:
  // CHECK-NEXT: llvm.return
  func.func @asserts(%holds: i1) {
    cf.assert %holds, "not so"
    return
  }
}
