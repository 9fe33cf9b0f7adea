// Lane operations with regions become branches.
// RUN: pumice-opt %s --pass-pipeline='builtin.module(func.func(pumice-flatten-lanes))' | FileCheck %s

// CHECK-LABEL: func @choice
// CHECK: cf.cond_br %arg0, ^[[A:.*]], ^[[B:.*]]
// CHECK: ^[[A]]:
// CHECK-NEXT: lane.barrier
// CHECK-NEXT: cf.br ^[[C:.*]]
// CHECK: ^[[B]]:
// CHECK-NEXT: cf.br ^[[C]]
// CHECK: ^[[C]]:
// CHECK-NEXT: lane.subgroup_fence
func.func @choice(%c: i1) {
  lane.if %c {
    lane.barrier
    lane.end
  } else {
    lane.end
  }
  lane.subgroup_fence
  return
}

// The exit of an if inside a loop leaves the loop.
// CHECK-LABEL: func @loop
// CHECK: cf.br ^[[HEAD:.*]]
// CHECK: ^[[HEAD]]:
// CHECK: cf.cond_br %arg0, ^[[OUT:.*]], ^[[ON:.*]]
// CHECK: ^[[OUT]]:
// CHECK-NEXT: cf.br ^[[AFTER:.*]]
// CHECK: ^[[AFTER]]:
// CHECK-NEXT: lane.barrier
// CHECK-NEXT: return
func.func @loop(%c: i1) {
  lane.loop {
    lane.if %c {
      lane.exit 1
    } else {
      lane.end
    }
    lane.end
  } continuing {
    lane.end
  }
  lane.barrier
  return
}
