// RUN: pumice-opt %s -pumice-find-merges -split-input-file | FileCheck %s
// RUN: pumice-opt %s -pass-pipeline='builtin.module(func.func(pumice-find-merges,pumice-structure-lanes))' -split-input-file | FileCheck %s --check-prefix=REGIONS

// The merge of a conditional is the block to which both branches lead.
// CHECK-LABEL: func.func @selection
// CHECK-NOT: lane.unmarked
// CHECK: cf.cond_br %{{.*}}, ^[[A:bb.]], ^[[M:bb.]] {lane.merge = 0 : i32}
// CHECK: ^[[A]]:
// CHECK: cf.br ^[[M]]
// CHECK: ^[[M]]:
// CHECK-NEXT: lane.label 0
func.func @selection() attributes {lane.kernel, lane.unmarked} {
  %x = lane.builtin local_id_x
  %c4 = arith.constant 4 : i32
  %p = lane.buffer 0, 0
  %c = arith.cmpi ult, %x, %c4 : i32
  cf.cond_br %c, ^a, ^m
^a:
  lane.store %x to %p align 4 : i32
  cf.br ^m
^m:
  return
}

// -----

// A loop gets a block before it, a header, and a latch. The block after the loop is its merge.
// CHECK-LABEL: func.func @loop
// CHECK: cf.br ^[[BEFORE:bb.]](
// CHECK: cf.cond_br %{{.*}}, ^[[LATCH:bb.]](%{{.*}} : i32), ^[[EXIT:bb.]]
// CHECK: ^[[EXIT]]:
// CHECK-NEXT: lane.label 1
// CHECK: ^[[BEFORE]](%{{.*}}: i32):
// CHECK: cf.br ^[[HEADER:bb.]](
// CHECK: ^[[HEADER]](%{{.*}}: i32):
// CHECK-NEXT: cf.br ^{{.*}} {lane.continue = 0 : i32, lane.control = 1 : i32, lane.merge = 1 : i32}
// CHECK: ^[[LATCH]](%{{.*}}: i32):
// CHECK-NEXT: lane.label 0
// CHECK-NEXT: cf.br ^[[HEADER]]
// REGIONS-LABEL: func.func @loop
// REGIONS: lane.loop control 1 {
// REGIONS: lane.exit 1
func.func @loop() attributes {lane.kernel, lane.unmarked} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = lane.builtin local_id_x
  %p = lane.buffer 0, 0
  cf.br ^h(%c0 : i32)
^h(%i: i32):
  %next = arith.addi %i, %c1 : i32
  %c = arith.cmpi ult, %next, %x : i32
  cf.cond_br %c, ^h(%next : i32), ^e {lane.control = 1 : i32, lane.merge = 7 : i32, lane.continue = 8 : i32}
^e:
  lane.store %i to %p align 4 : i32
  return
}

// -----

// With short-circuit evaluation, two conditions lead to one block, which gets its own scope.
// REGIONS-LABEL: func.func @both
// REGIONS: lane.scope {
// REGIONS: lane.if
// REGIONS: lane.if
// REGIONS: lane.exit 1
// REGIONS: lane.store
// REGIONS-NEXT: lane.exit 1
// REGIONS-NEXT: } else {
// REGIONS-NEXT: lane.end
// REGIONS-NEXT: }
// REGIONS-NEXT: lane.store
// REGIONS-NEXT: lane.end
func.func @both() attributes {lane.kernel, lane.unmarked} {
  %x = lane.builtin local_id_x
  %c4 = arith.constant 4 : i32
  %p = lane.buffer 0, 0
  %c = arith.cmpi ult, %x, %c4 : i32
  %d = arith.cmpi ne, %x, %c4 : i32
  cf.cond_br %c, ^a, ^otherwise
^a:
  cf.cond_br %d, ^then, ^otherwise
^then:
  lane.store %x to %p align 4 : i32
  cf.br ^m
^otherwise:
  lane.store %c4 to %p align 4 : i32
  cf.br ^m
^m:
  return
}

// -----

// A loop with two entries gets one entry, which receives the number of the block to continue at.
// CHECK-LABEL: func.func @irreducible
// CHECK: cf.switch %{{.*}} : i32, [
// CHECK-NEXT: default: ^
// CHECK-NEXT: 1: ^
// CHECK-NEXT: ]
// REGIONS-LABEL: func.func @irreducible
// REGIONS: lane.loop
// REGIONS: lane.switch
func.func @irreducible() attributes {lane.kernel, lane.unmarked} {
  %x = lane.builtin local_id_x
  %c4 = arith.constant 4 : i32
  %p = lane.buffer 0, 0
  %c = arith.cmpi ult, %x, %c4 : i32
  cf.cond_br %c, ^a, ^b
^a:
  lane.store %x to %p align 4 : i32
  cf.br ^b
^b:
  %y = lane.load %p align 4 : i32
  %d = arith.cmpi ult, %y, %c4 : i32
  cf.cond_br %d, ^a, ^e
^e:
  return
}

// -----

// Code after an early return and a barrier must not become part of the return's condition.
// REGIONS-LABEL: func.func @returns
// REGIONS: lane.if %{{.*}} {
// REGIONS-NEXT: lane.return
// REGIONS-NEXT: } else {
// REGIONS-NEXT: lane.end
// REGIONS-NEXT: }
// REGIONS-NEXT: lane.barrier
func.func @returns() attributes {lane.kernel, lane.unmarked} {
  %x = lane.builtin workgroup_id_x
  %c4 = arith.constant 4 : i32
  %p = lane.shared 0
  %c = arith.cmpi ult, %x, %c4 : i32
  cf.cond_br %c, ^m, ^a
^a:
  lane.barrier
  lane.store %x to %p align 4 : i32
  cf.br ^m
^m:
  return
}
