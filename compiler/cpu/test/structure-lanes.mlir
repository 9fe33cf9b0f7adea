// RUN: pumice-opt %s -pumice-structure-lanes -split-input-file | FileCheck %s

// A conditional whose merge has an argument. The argument's variable is dead before the
// conditional.
// CHECK-LABEL: func.func @choose
// CHECK: %[[V:.*]] = lane.var i32
// CHECK: lane.reset %[[V]]
// CHECK: lane.if
// CHECK-NEXT: %[[A:.*]] = arith.addi
// CHECK-NEXT: lane.set %[[V]], %[[A]] : i32
// CHECK-NEXT: lane.end
// CHECK-NEXT: } else {
// CHECK-NEXT: lane.set %[[V]], {{.*}} : i32
// CHECK-NEXT: lane.end
// CHECK: %[[R:.*]] = lane.get %[[V]] : i32
// CHECK: lane.store %[[R]]
func.func @choose() attributes {lane.kernel} {
  %x = lane.builtin local_id_x
  %c4 = arith.constant 4 : i32
  %p = lane.buffer 0, 0
  %c = arith.cmpi ult, %x, %c4 : i32
  cf.cond_br %c, ^a, ^m(%c4 : i32) {lane.merge = 1 : i32}
^a:
  %y = arith.addi %x, %c4 : i32
  cf.br ^m(%y : i32)
^m(%r: i32):
  lane.label 1
  lane.store %r to %p align 4 : i32
  return
}

// -----

// A loop that is tested at its top. Its own variable is overwritten, but the variable of the value
// that leaves it is not.
// CHECK-LABEL: func.func @count
// CHECK-DAG: %[[I:.*]] = lane.var i32
// CHECK-DAG: %[[OUT:.*]] = lane.var i32
// CHECK: lane.set {{.*}} overwrite : i32
// CHECK: lane.reset
// CHECK: lane.loop control 1 {
// CHECK-NEXT: %[[G:.*]] = lane.get
// CHECK: lane.set {{.*}}, %[[G]] : i32
// CHECK: arith.cmpi
// CHECK-NEXT: lane.if
// CHECK-NEXT: lane.end
// CHECK-NEXT: } else {
// CHECK-NEXT: lane.exit 1
// CHECK: lane.end
// CHECK-NEXT: } continuing {
// CHECK: arith.addi
// CHECK: lane.set {{.*}} overwrite : i32
// CHECK-NEXT: lane.end
// CHECK: lane.store
func.func @count() attributes {lane.kernel} {
  %n = lane.builtin local_id_x
  %p = lane.buffer 0, 0
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^header(%c0 : i32)
^header(%i: i32):
  %c = arith.cmpi ult, %i, %n : i32
  cf.cond_br %c, ^body, ^m {lane.merge = 1 : i32, lane.continue = 2 : i32, lane.control = 1 : i32}
^body:
  cf.br ^next
^next:
  lane.label 2
  %j = arith.addi %i, %c1 : i32
  cf.br ^header(%j : i32)
^m:
  lane.label 1
  lane.store %i to %p align 4 : i32
  return
}

// -----

// The only exit of a loop carries a value. Invocations leave in different iterations, and keep
// their values.
// CHECK-LABEL: func.func @carried_out
// CHECK: lane.reset %[[OUT:.*]]
// CHECK: lane.loop
// CHECK: lane.set %[[OUT]], %{{.*}} : i32
// CHECK-NEXT: lane.exit 1
// CHECK: lane.get %[[OUT]]
func.func @carried_out() attributes {lane.kernel} {
  %n = lane.builtin local_id_x
  %p = lane.buffer 0, 0
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^header(%c0 : i32)
^header(%i: i32):
  %c = arith.cmpi ult, %i, %n : i32
  cf.cond_br %c, ^next, ^m(%i : i32) {lane.merge = 1 : i32, lane.continue = 2 : i32}
^next:
  lane.label 2
  %j = arith.addi %i, %c1 : i32
  cf.br ^header(%j : i32)
^m(%left: i32):
  lane.label 1
  lane.store %left to %p align 4 : i32
  return
}

// -----

// A break out of a conditional in a loop, and a loop that is its own continue block.
// CHECK-LABEL: func.func @breaks
// CHECK: lane.loop {
// CHECK-NEXT: lane.if
// CHECK-NEXT: lane.if
// CHECK-NEXT: lane.exit 2
// CHECK-NEXT: } else {
// CHECK-NEXT: lane.continue 2
// CHECK: } else {
// CHECK: lane.end
// CHECK: } continuing {
// CHECK: lane.loop {
// CHECK-NEXT: lane.if
// CHECK-NEXT: lane.end
// CHECK-NEXT: } else {
// CHECK-NEXT: lane.exit 1
// CHECK: lane.end
// CHECK-NEXT: } continuing {
// CHECK-NEXT: lane.end
func.func @breaks() attributes {lane.kernel} {
  %x = lane.builtin local_id_x
  %y = lane.builtin local_id_y
  %c = arith.cmpi eq, %x, %y : i32
  %d = arith.cmpi ult, %x, %y : i32
  cf.br ^header
^header:
  cf.br ^body {lane.merge = 1 : i32, lane.continue = 2 : i32}
^body:
  cf.cond_br %c, ^inner, ^m3 {lane.merge = 3 : i32}
^inner:
  cf.cond_br %d, ^m, ^next
^m3:
  lane.label 3
  cf.br ^next
^next:
  lane.label 2
  cf.br ^header
^m:
  lane.label 1
  cf.br ^own
^own:
  lane.label 4
  cf.cond_br %d, ^own, ^done {lane.merge = 5 : i32, lane.continue = 4 : i32}
^done:
  lane.label 5
  return
}

// -----

// A switch. Cases that fall through come first, and two numbers select one case.
// CHECK-LABEL: func.func @cases
// CHECK: lane.switch %{{.*}} : i32 [3, 1, 7, 0] default 3 {
// CHECK-NEXT: lane.scope {
// CHECK-NEXT: lane.printf "a"
// CHECK-NEXT: lane.if
// CHECK-NEXT: lane.end
// CHECK-NEXT: } else {
// CHECK-NEXT: lane.exit 2
// CHECK: lane.end
// CHECK-NEXT: }
// CHECK-NEXT: lane.end
// CHECK-NEXT: }, {
// CHECK-NEXT: lane.end
// CHECK-NEXT: }, {
// CHECK-NEXT: lane.printf "b"
// CHECK-NEXT: lane.exit 0
// CHECK-NEXT: }, {
// CHECK-NEXT: lane.exit 0
// CHECK-NEXT: }
func.func @cases() attributes {lane.kernel} {
  %n = lane.builtin local_id_x
  %y = lane.builtin local_id_y
  %c = arith.cmpi eq, %n, %y : i32
  cf.switch %n : i32, [
    default: ^m,
    1: ^b, 7: ^b, 3: ^a
  ] {lane.merge = 1 : i32}
^b:
  lane.printf "b"
  cf.br ^m
^a:
  lane.printf "a"
  cf.cond_br %c, ^b, ^m
^m:
  lane.label 1
  return
}

// -----

// An inlined call that returns from within a loop leaves the scope of the call.
// CHECK-LABEL: func.func @call
// CHECK: lane.scope {
// CHECK-NEXT: lane.loop {
// CHECK-NEXT: lane.if
// CHECK-NEXT: lane.end
// CHECK-NEXT: } else {
// CHECK-NEXT: lane.continue 1
// CHECK-NEXT: }
// CHECK-NEXT: lane.set
// CHECK-NEXT: lane.exit 1
// CHECK: lane.get
func.func @call() attributes {lane.kernel} {
  %x = lane.builtin local_id_x
  %y = lane.builtin local_id_y
  %c = arith.cmpi eq, %x, %y : i32
  %p = lane.buffer 0, 0
  cf.br ^entry {lane.merge = 9 : i32}
^entry:
  cf.br ^header
^header:
  cf.br ^body {lane.merge = 1 : i32, lane.continue = 2 : i32}
^body:
  cf.cond_br %c, ^return, ^next
^return:
  cf.br ^after(%x : i32)
^next:
  lane.label 2
  cf.cond_br %c, ^m, ^header
^m:
  lane.label 1
  %two = arith.constant 2 : i32
  cf.br ^after(%two : i32)
^after(%r: i32):
  lane.label 9
  lane.store %r to %p align 4 : i32
  return
}

// -----

// Push constants are read once, at the beginning.
// CHECK-LABEL: func.func @bound
// CHECK: %[[N:.*]] = lane.load %{{.*}} align 4 : i32
// CHECK: lane.loop {
// CHECK-NOT: lane.load
// CHECK: arith.cmpi ult, %{{.*}}, %[[N]]
func.func @bound() attributes {lane.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^header(%c0 : i32)
^header(%i: i32):
  cf.br ^test {lane.merge = 1 : i32, lane.continue = 2 : i32}
^test:
  %push = lane.push_constants
  %c8 = arith.constant 8 : i64
  %p = lane.offset %push[%c8]
  %n = lane.load %p align 4 : i32
  %c = arith.cmpi ult, %i, %n : i32
  cf.cond_br %c, ^next, ^m
^next:
  lane.label 2
  %m = lane.load %p align 4 : i32
  lane.printf "%d", %m : i32
  %j = arith.addi %i, %c1 : i32
  cf.br ^header(%j : i32)
^m:
  lane.label 1
  return
}

// -----

// Only one edge leads to the block after the loop. Still, the value that it passes must not
// overwrite those of invocations that left before.
// CHECK-LABEL: func.func @leave_with
// CHECK: lane.loop
// CHECK: } else {
// CHECK-NEXT: lane.set %{{[0-9]+}}, %{{[0-9]+}} : i32
// CHECK-NEXT: lane.exit 1
func.func @leave_with() attributes {lane.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = lane.builtin local_id_x
  %p = lane.buffer 0, 0
  cf.br ^h(%c0 : i32)
^h(%i: i32):
  %next = arith.addi %i, %c1 : i32
  %c = arith.cmpi ult, %next, %x : i32
  cf.cond_br %c, ^l, ^e(%next : i32) {lane.merge = 1 : i32, lane.continue = 2 : i32}
^l:
  lane.label 2
  cf.br ^h(%next : i32)
^e(%r: i32):
  lane.label 1
  lane.store %r to %p align 4 : i32
  return
}

// -----

// Every path of a switch leaves the loop around it. Nothing reaches the merge block, so it was
// removed.
// CHECK-LABEL: func.func @goneMerge
// CHECK: lane.switch
// CHECK: lane.exit 1
// CHECK: }, {
// CHECK-NEXT: lane.unreachable
// CHECK-NEXT: }
// CHECK-NEXT: lane.unreachable
func.func @goneMerge() attributes {lane.kernel} {
  %n = lane.builtin local_id_x
  cf.br ^header
^header:
  cf.br ^body {lane.continue = 2 : i32, lane.merge = 1 : i32}
^body:
  cf.switch %n : i32, [
    default: ^never,
    0: ^leave
  ] {lane.merge = 3 : i32}
^leave:
  lane.printf "out"
  cf.br ^m
^never:
  lane.unreachable
^m:
  lane.label 1
  return
}
