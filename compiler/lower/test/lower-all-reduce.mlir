// RUN: pumice-opt %s --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(gpu.module(pumice-lower-all-reduce))' | FileCheck %s

// Memory for as many partial results as there are invocations. Thread ids do not identify lanes or subgroups.
// CHECK-LABEL: gpu.func @add_f32
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32
// CHECK-SAME:    workgroup(%[[MEM:.*]] : memref<128xf32, #gpu.address_space<workgroup>>)
// CHECK:         %[[P:.*]] = gpu.subgroup_reduce add %[[X]] uniform : (f32) -> f32
// CHECK-NOT:     gpu.barrier
// CHECK:         %[[LEADER:.*]] = spirv.GroupNonUniformElect <Subgroup> : i1
// CHECK:         %[[ID:.*]] = gpu.subgroup_id : index
// CHECK:         scf.if %[[LEADER]] {
// CHECK:           memref.store %[[P]], %[[MEM]][%[[ID]]]
// CHECK:         gpu.barrier
// CHECK:         %[[COUNT:.*]] = gpu.num_subgroups : index
// CHECK:         %[[FIRST:.*]] = memref.load %[[MEM]][%{{.*}}]
// CHECK:         %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[COUNT]] step %{{.*}} iter_args(%[[S:.*]] = %[[FIRST]])
// CHECK:           %[[NEXT:.*]] = memref.load %[[MEM]][%[[I]]]
// CHECK:           arith.addf %[[S]], %[[NEXT]] : f32
// CHECK:         "test.use"(%[[R]])
// A second reduction waits until the reads of the first one are finished.
// CHECK:         gpu.subgroup_reduce add
// CHECK:         gpu.barrier
// CHECK:         spirv.GroupNonUniformElect
// CHECK:         gpu.barrier
// CHECK-NOT:     gpu.thread_id
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, minSubgroupSize = 8 : i32, maxSubgroupSize = 32 : i32, subgroupSizeControl = unit, subgroupFeatures = 63 : i32, maxComputeWorkGroupInvocations = 1024 : i32}>} {
  gpu.func @add_f32(%x: f32) kernel attributes {known_block_size = array<i32: 64, 2, 1>} {
    %r = gpu.all_reduce add %x uniform {} : (f32) -> (f32)
    "test.use"(%r) : (f32) -> ()
    %s = gpu.all_reduce %r {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      gpu.yield %sum : f32
    } : (f32) -> (f32)
    "test.use"(%s) : (f32) -> ()
    gpu.return
  }

  // The workgroup's size is not known, so memory is for the target's largest size.
  // CHECK-LABEL: gpu.func @unknown_size
  // CHECK-SAME:    memref<1024xi32, #gpu.address_space<workgroup>>
  gpu.func @unknown_size(%x: i32) kernel {
    %r = gpu.all_reduce maxui %x uniform {} : (i32) -> (i32)
    "test.use"(%r) : (i32) -> ()
    gpu.return
  }

  // Minima of floats are minima of integers of the same order. NaN is the least one for minimumf.
  // CHECK-LABEL: gpu.func @minimumf
  // CHECK:         arith.bitcast %{{.*}} : f32 to i32
  // CHECK:         %[[INF:.*]] = arith.constant 2139095040 : i32
  // CHECK:         %[[ISNAN:.*]] = arith.cmpi ugt, %{{.*}}, %[[INF]] : i32
  // CHECK:         %[[NAN:.*]] = arith.constant -2147483648 : i32
  // CHECK:         %[[KEY:.*]] = arith.select %[[ISNAN]], %[[NAN]], %{{.*}} : i32
  // CHECK:         gpu.subgroup_reduce minsi %[[KEY]] uniform : (i32) -> i32
  // CHECK:         arith.minsi
  // CHECK:         arith.bitcast %{{.*}} : i32 to f32
  gpu.func @minimumf(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %r = gpu.all_reduce minimumf %x uniform {} : (f32) -> (f32)
    "test.use"(%r) : (f32) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @narrow
  // CHECK:         arith.extf %{{.*}} : f16 to f32
  // CHECK:         gpu.subgroup_reduce mul %{{.*}} uniform : (f32) -> f32
  // CHECK:         arith.truncf %{{.*}} : f32 to f16
  // CHECK:         arith.extsi %{{.*}} : i8 to i32
  // CHECK:         gpu.subgroup_reduce maxsi %{{.*}} uniform : (i32) -> i32
  // CHECK:         arith.trunci %{{.*}} : i32 to i8
  // As numbers modulo 2, booleans are added by exclusive or.
  // CHECK:         arith.extui %{{.*}} : i1 to i32
  // CHECK:         gpu.subgroup_reduce xor %{{.*}} uniform : (i32) -> i32
  // CHECK:         arith.trunci %{{.*}} : i32 to i1
  gpu.func @narrow(%x: f16, %y: i8, %z: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %0 = gpu.all_reduce mul %x uniform {} : (f16) -> (f16)
    %1 = gpu.all_reduce maxsi %y uniform {} : (i8) -> (i8)
    %2 = gpu.all_reduce add %z uniform {} : (i1) -> (i1)
    "test.use"(%0, %1, %2) : (f16, i8, i1) -> ()
    gpu.return
  }

  // In a loop, other invocations may still read results of the previous iteration.
  // CHECK-LABEL: gpu.func @loop
  // CHECK:         scf.for
  // CHECK:           gpu.subgroup_reduce
  // CHECK:           gpu.barrier
  // CHECK:           memref.store
  // CHECK:           gpu.barrier
  gpu.func @loop(%x: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> i32 {
      %s = gpu.all_reduce add %v {} : (i32) -> (i32)
      scf.yield %s : i32
    }
    "test.use"(%r) : (i32) -> ()
    gpu.return
  }

  // 64-bit integers need shaderSubgroupExtendedTypes. Without it, a tree reduces them, and its size is halved upwards.
  // CHECK-LABEL: gpu.func @tree
  // CHECK-SAME:    memref<48xi64, #gpu.address_space<workgroup>>
  // CHECK:         gpu.thread_id
  // CHECK:         memref.store
  // CHECK:         gpu.barrier
  // CHECK:         scf.while (%[[LIVE:.*]] = %c48
  // CHECK:           %[[MORE:.*]] = arith.cmpi ugt, %[[LIVE]], %{{.*}}
  // CHECK:           scf.condition(%[[MORE]])
  // CHECK:           %[[HALF:.*]] = arith.shrui
  // CHECK:           scf.if
  // CHECK:             arith.addi %{{.*}} : i64
  // CHECK:             memref.store
  // CHECK:           gpu.barrier
  // CHECK:           scf.yield %[[HALF]]
  // CHECK:         memref.load
  gpu.func @tree(%x: i64) kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %r = gpu.all_reduce add %x uniform {} : (i64) -> (i64)
    "test.use"(%r) : (i64) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @region
  // CHECK:         %[[X:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK:         memref.store %[[X]]
  // CHECK:         scf.while
  // CHECK:           scf.if
  // CHECK:             arith.truncf %{{.*}} : f32 to bf16
  // CHECK:             arith.mulf %{{.*}} : bf16
  // CHECK:             math.absf
  // CHECK:             arith.extf
  // CHECK:         arith.truncf
  gpu.func @region(%x: bf16) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %r = gpu.all_reduce %x uniform {
    ^bb0(%a: bf16, %b: bf16):
      %p = arith.mulf %a, %b : bf16
      %q = math.absf %p : bf16
      gpu.yield %q : bf16
    } : (bf16) -> (bf16)
    "test.use"(%r) : (bf16) -> ()
    gpu.return
  }
}

// -----

// The target has no subgroup operations.
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.0, r(0), [], {subgroupSize = 1 : i32}>} {
  // CHECK-LABEL: gpu.func @no_subgroups
  // CHECK:         gpu.block_dim
  // CHECK:         scf.while
  // CHECK-NOT:     gpu.subgroup
  gpu.func @no_subgroups(%x: f32) kernel {
    %r = gpu.all_reduce add %x uniform {} : (f32) -> (f32)
    "test.use"(%r) : (f32) -> ()
    gpu.return
  }
}

// -----

// A kernel in generic form need not count its attributions.
// CHECK-LABEL: gpu.func @uncounted
// CHECK-SAME: workgroup(%{{.*}} : memref<
gpu.module @generic attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 63 : i32}>} {
  "gpu.func"() <{function_type = (f32, memref<f32>) -> (), known_block_size = array<i32: 64, 1, 1>}> ({
  ^bb0(%x: f32, %out: memref<f32>):
    %r = "gpu.all_reduce"(%x) <{op = #gpu<all_reduce_op add>, uniform}> ({}) : (f32) -> f32
    "memref.store"(%r, %out) : (f32, memref<f32>) -> ()
    "gpu.return"() : () -> ()
  }) {gpu.kernel, sym_name = "uncounted"} : () -> ()
}
