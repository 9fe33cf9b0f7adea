// RUN: pumice-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(gpu.module(pumice-structure-control-flow))' | FileCheck %s

gpu.module @m {
  // Attributions stay arguments of the entry block.
  // CHECK-LABEL: gpu.func @early_return
  // CHECK-SAME:    (%[[P:.*]]: i1) workgroup(%[[W:.*]] : memref<8xf32, 3>) private(%[[T:.*]] : memref<1xf32, 5>) kernel
  // CHECK:         scf.if %[[P]] {
  // CHECK-NEXT:    } else {
  // CHECK-NEXT:      "test.work"(%[[W]], %[[T]])
  // CHECK-NEXT:    }
  // CHECK-NEXT:    gpu.return
  gpu.func @early_return(%p: i1) workgroup(%w: memref<8xf32, 3>) private(%t: memref<1xf32, 5>) kernel {
    cf.cond_br %p, ^early, ^rest
  ^early:
    gpu.return
  ^rest:
    "test.work"(%w, %t) : (memref<8xf32, 3>, memref<1xf32, 5>) -> ()
    gpu.return
  }

  // CHECK-LABEL: func.func @two_values
  // CHECK:         %[[R:.*]] = scf.if
  // CHECK:         return %[[R]] : i32
  func.func @two_values(%p: i1, %a: i32, %b: i32) -> i32 {
    cf.cond_br %p, ^one, ^other
  ^one:
    return %a : i32
  ^other:
    return %b : i32
  }

  // CHECK-LABEL: gpu.func @loop
  // CHECK:         scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32 {
  // CHECK:           "test.body"
  // CHECK:           scf.condition
  // CHECK:         gpu.return
  gpu.func @loop(%n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    cf.br ^head(%c0 : i32)
  ^head(%i: i32):
    "test.body"(%i) : (i32) -> ()
    %next = arith.addi %i, %c1 : i32
    %more = arith.cmpi slt, %next, %n : i32
    cf.cond_br %more, ^head(%next : i32), ^exit
  ^exit:
    gpu.return
  }

  // The cycle of ^a and ^b has two entries.
  // CHECK-LABEL: gpu.func @irreducible
  // CHECK-NOT:     {{[[:space:]]}}cf.
  // CHECK:         scf.while
  // CHECK-NOT:     {{[[:space:]]}}cf.
  // CHECK:         gpu.return
  gpu.func @irreducible(%p: i1, %q: i1) kernel {
    cf.cond_br %p, ^a, ^b
  ^a:
    "test.a"() : () -> ()
    cf.cond_br %q, ^b, ^exit
  ^b:
    "test.b"() : () -> ()
    cf.cond_br %q, ^a, ^exit
  ^exit:
    gpu.return
  }

  // CHECK-LABEL: gpu.func @switch
  // CHECK-SAME:    (%[[I:.*]]: i32, %[[X:.*]]: f32, %[[Y:.*]]: f32)
  // CHECK:         %[[IDX:.*]] = arith.index_castui %[[I]] : i32 to index
  // CHECK:         %[[C4:.*]] = arith.constant 4 : index
  // CHECK:         %[[IS4:.*]] = arith.cmpi eq, %[[IDX]], %[[C4]] : index
  // CHECK:         %[[R:.*]] = scf.if %[[IS4]] -> (f32) {
  // CHECK:           scf.yield %[[X]] : f32
  // CHECK:         } else {
  // CHECK:           %[[BIG:.*]] = arith.constant 4294967295 : index
  // CHECK:           %[[ISBIG:.*]] = arith.cmpi eq, %[[IDX]], %[[BIG]] : index
  // CHECK:           %[[S:.*]] = scf.if %[[ISBIG]] -> (f32) {
  // CHECK:             scf.yield %[[Y]] : f32
  // CHECK:           } else {
  // CHECK:             %[[Z:.*]] = arith.addf
  // CHECK:             scf.yield %[[Z]] : f32
  // CHECK:           }
  // CHECK:           scf.yield %[[S]] : f32
  // CHECK:         "test.use"(%[[R]])
  gpu.func @switch(%i: i32, %x: f32, %y: f32) kernel {
    cf.switch %i : i32, [
      default: ^other,
      4: ^join(%x : f32),
      -1: ^join(%y : f32)
    ]
  ^other:
    %z = arith.addf %x, %y : f32
    cf.br ^join(%z : f32)
  ^join(%r: f32):
    "test.use"(%r) : (f32) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @nested_region
  // CHECK-NOT:     scf.execute_region
  // CHECK:         %[[R:.*]] = scf.if
  // CHECK-NOT:     {{[[:space:]]}}cf.
  // CHECK:         "test.use"(%[[R]])
  gpu.func @nested_region(%p: i1, %a: i32, %b: i32) kernel {
    %r = scf.execute_region -> i32 {
      cf.cond_br %p, ^one, ^other
    ^one:
      scf.yield %a : i32
    ^other:
      scf.yield %b : i32
    }
    "test.use"(%r) : (i32) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @parallel
  // CHECK-SAME:    (%[[N:.*]]: index, %[[M:.*]]: memref<?x?xf32>, %[[INIT:.*]]: f32)
  // CHECK:         %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[S:.*]] = %[[INIT]]) -> (f32) {
  // CHECK:           %[[T:.*]] = scf.for %[[J:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[U:.*]] = %[[S]]) -> (f32) {
  // CHECK:             %[[V:.*]] = memref.load %[[M]][%[[I]], %[[J]]]
  // CHECK:             %[[W:.*]] = arith.addf %[[U]], %[[V]] : f32
  // CHECK:             scf.yield %[[W]]
  // CHECK:           scf.yield %[[T]]
  // CHECK:         "test.use"(%[[R]])
  // CHECK:         scf.for %[[K:.*]] = %{{.*}} to %[[N]]
  // CHECK:           "test.item"(%[[K]])
  gpu.func @parallel(%n: index, %m: memref<?x?xf32>, %init: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) init (%init) -> f32 {
      %v = memref.load %m[%i, %j] : memref<?x?xf32>
      scf.reduce(%v : f32) {
      ^bb0(%lhs: f32, %rhs: f32):
        %s = arith.addf %lhs, %rhs : f32
        scf.reduce.return %s : f32
      }
    }
    "test.use"(%r) : (f32) -> ()
    scf.forall (%k) in (%n) {
      "test.item"(%k) : (index) -> ()
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @reduction_region
  // CHECK:         gpu.all_reduce
  // CHECK:           %[[R:.*]] = scf.if
  // CHECK:           gpu.yield %[[R]] : i32
  gpu.func @reduction_region(%x: i32) kernel {
    %r = gpu.all_reduce %x uniform {
    ^bb0(%a: i32, %b: i32):
      %less = arith.cmpi slt, %a, %b : i32
      cf.cond_br %less, ^one, ^other
    ^one:
      gpu.yield %a : i32
    ^other:
      gpu.yield %b : i32
    } : (i32) -> (i32)
    "test.use"(%r) : (i32) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @alloca_scope
  // CHECK-NOT:     alloca_scope
  // CHECK:         %[[M:.*]] = memref.alloca
  // CHECK:         %[[R:.*]] = memref.load %[[M]]
  // CHECK:         "test.use"(%[[R]])
  gpu.func @alloca_scope(%i: index) kernel {
    %r = memref.alloca_scope -> (f32) {
      %m = memref.alloca() : memref<4xf32>
      %x = memref.load %m[%i] : memref<4xf32>
      memref.alloca_scope.return %x : f32
    }
    "test.use"(%r) : (f32) -> ()
    gpu.return
  }
}
