// RUN: pumice-opt %s --pass-pipeline='builtin.module(func.func(pumice-promote-variables))' | FileCheck %s

// CHECK-LABEL: func.func @merge
// CHECK-SAME: (%[[C:.*]]: i1, %[[X:.*]]: i32, %[[Y:.*]]: i32)
func.func @merge(%c: i1, %x: i32, %y: i32) -> (i32, i32) {
  // CHECK-NOT: lane.var
  %v = lane.var i32
  %w = lane.var i32
  lane.set %w, %y : i32
  cf.cond_br %c, ^a, ^b
// CHECK: ^bb1:
// CHECK-NEXT: cf.br ^bb3(%[[X]] : i32)
^a:
  lane.set %v, %x : i32
  cf.br ^end
// CHECK: ^bb2:
// CHECK-NEXT: cf.br ^bb3(%[[Y]] : i32)
^b:
  %old = lane.get %w : i32
  lane.set %v, %old : i32
  cf.br ^end
// A variable that neither branch changes needs no argument.
// CHECK: ^bb3(%[[V:.*]]: i32):
// CHECK-NEXT: return %[[V]], %[[Y]] : i32, i32
^end:
  %r = lane.get %v : i32
  %s = lane.get %w : i32
  return %r, %s : i32, i32
}

// A loop sets one variable and reads another. Both edges of one branch lead to the same block.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%[[C:.*]]: i1, %[[X:.*]]: i32)
func.func @loop(%c: i1, %x: i32) -> i32 {
  %v = lane.var i32
  %fixed = lane.var i32
  lane.set %v, %x : i32
  lane.set %fixed, %x : i32
  // CHECK: cf.br ^bb1(%[[X]] : i32)
  cf.br ^header
// CHECK: ^bb1(%[[V:.*]]: i32):
^header:
  %old = lane.get %v : i32
  %add = lane.get %fixed : i32
  // CHECK: %[[SUM:.*]] = arith.addi %[[V]], %[[X]]
  %sum = arith.addi %old, %add : i32
  lane.set %v, %sum : i32
  // CHECK: cf.cond_br %[[C]], ^bb2, ^bb2
  cf.cond_br %c, ^both, ^both
^both:
  // CHECK: cf.cond_br %[[C]], ^bb1(%[[SUM]] : i32), ^bb3
  cf.cond_br %c, ^header, ^end
^end:
  %r = lane.get %v : i32
  // CHECK: return %[[SUM]]
  return %r : i32
}

// CHECK-LABEL: func.func @switched
// CHECK-SAME: (%[[N:.*]]: i32, %[[X:.*]]: i32)
func.func @switched(%n: i32, %x: i32) -> i32 {
  %v = lane.var i32
  // CHECK: %[[POISON:.*]] = ub.poison : i32
  // CHECK: cf.switch %[[N]] : i32, [
  // CHECK-NEXT: default: ^bb2(%[[POISON]] : i32),
  // CHECK-NEXT: 1: ^bb1,
  // CHECK-NEXT: 2: ^bb2(%[[POISON]] : i32)
  cf.switch %n : i32, [default: ^end, 1: ^one, 2: ^end]
^one:
  lane.set %v, %x : i32
  cf.br ^end
^end:
  %r = lane.get %v : i32
  return %r : i32
// This block is unreachable.
^never:
  %u = lane.get %v : i32
  lane.set %v, %u : i32
  cf.br ^end
}

// CHECK-LABEL: func.func @left
func.func @left(%x: i32) -> i32 {
  // CHECK: lane.var
  %v = lane.var i32
  lane.set %v, %x : i32
  lane.reset %v
  %r = lane.get %v : i32
  return %r : i32
}
