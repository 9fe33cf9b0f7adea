// RUN: pumice-opt %s | pumice-opt | FileCheck %s
// Every operation prints as it parses.

// CHECK-LABEL: func.func @memory
func.func @memory() attributes {lane.kernel, lane.workgroup_size = array<i32: 64, 1, 1>} {
  // CHECK: lane.builtin local_id_x
  %x = lane.builtin local_id_x
  // CHECK: lane.clock nanoseconds
  %now = lane.clock nanoseconds
  // CHECK: lane.clock{{$}}
  %time = lane.clock
  // CHECK: lane.buffer 0, 1
  %b = lane.buffer 0, 1
  // CHECK: lane.buffer 0, 2 element 3
  %c = lane.buffer 0, 2 element 3
  // CHECK: lane.buffer_bytes 0, 1
  %n = lane.buffer_bytes 0, 1
  %push = lane.push_constants
  // CHECK: lane.shared 16
  %s = lane.shared 16
  // CHECK: lane.program 32
  %program = lane.program 32
  // CHECK: lane.table [1, 2, 3, 4]
  %t = lane.table [1, 2, 3, 4]
  // CHECK: lane.private 32 align 8
  %private = lane.private 32 align 8
  // CHECK: lane.offset {{.*}}[{{.*}}]
  %p = lane.offset %b[%n]
  // CHECK: lane.load {{.*}} align 16 : f32, f32
  %v:2 = lane.load %p align 16 : f32, f32
  // CHECK: lane.store {{.*}}, {{.*}} to {{.*}} align 8 : f32, f32
  lane.store %v#0, %v#1 to %p align 8 : f32, f32
  // CHECK: %[[V:.*]] = lane.var f32
  %slot = lane.var f32
  lane.reset %slot
  // CHECK: lane.set %[[V]], {{.*}} overwrite : f32
  lane.set %slot, %v#0 overwrite : f32
  lane.set %slot, %v#1 : f32
  %w = lane.get %slot : f32
  // CHECK: lane.array 8 x f32
  %a = lane.array 8 x f32
  %y = lane.array_get %a[%x] : f32
  lane.array_set %a[%x], %y : f32
  return
}

// CHECK-LABEL: func.func @together
func.func @together(%p: !llvm.ptr, %i: i32, %f: f32, %c: i1) {
  // CHECK: lane.atomic add monotonic {{.*}} exclusive : i32
  %0 = lane.atomic add monotonic %p, %i exclusive : i32
  // CHECK: lane.compare_exchange seq_cst {{.*}} : i32
  %1 = lane.compare_exchange seq_cst %p, %i, %0 : i32
  // CHECK: lane.fence acq_rel
  lane.fence acq_rel
  // CHECK: lane.barrier{{$}}
  lane.barrier
  // CHECK: lane.barrier order "acq_rel"
  lane.barrier order "acq_rel"
  lane.subgroup_fence
  // CHECK: lane.shuffle {{.*}} : f32
  %2 = lane.shuffle %f, %i : f32
  // CHECK: lane.ballot
  %3 = lane.ballot %c
  // CHECK: lane.reduce fadd {{.*}} : f32
  %4 = lane.reduce fadd %f : f32
  // CHECK: lane.reduce add scan "exclusive" cluster 4 {{.*}} : i32
  %5 = lane.reduce add scan "exclusive" cluster 4 %i : i32
  // CHECK: lane.matrix_transpose 4, 8({{.*}} : f32, f32)
  %6:2 = lane.matrix_transpose 4, 8 (%f, %4 : f32, f32)
  // CHECK: lane.matrix_product 2, 4, 8 signed_a saturating({{.*}} : i32, i32) ({{.*}} : i32, i32, i32, i32) ({{.*}} : i32)
  %7 = lane.matrix_product 2, 4, 8 signed_a saturating (%i, %5 : i32, i32) (%i, %i, %5, %5 : i32, i32, i32, i32) (%i : i32)
  // CHECK: lane.printf "%d\0A", {{.*}} : i32
  lane.printf "%d\n", %i : i32
  return
}

// CHECK-LABEL: func.func @flow
func.func @flow(%c: i1, %n: i32) {
  // CHECK: lane.scope {
  lane.scope {
    // CHECK: lane.loop control 1 {
    lane.loop control 1 {
      // CHECK: lane.if {{.*}} control 2 {
      lane.if %c control 2 {
        // CHECK: lane.exit 1
        lane.exit 1
        // CHECK: } else {
      } else {
        lane.continue 1
      }
      lane.end
      // CHECK: } continuing {
    } continuing {
      lane.end
    }
    // CHECK: lane.switch {{.*}} : i32 [5, 0, 7] default 1
    lane.switch %n : i32 [5, 0, 7] default 1 {
      lane.exit 0
    }, {
      lane.end
    }, {
      lane.return
    }
    lane.exit 0
  }
  return
}

// CHECK-LABEL: func.func @flat
func.func @flat(%c: i1) {
  cf.cond_br %c, ^a, ^b {lane.merge = 7 : i32}
^a:
  // CHECK: lane.unreachable
  lane.unreachable
^b:
  // CHECK: lane.label 7
  lane.label 7
  return
}
