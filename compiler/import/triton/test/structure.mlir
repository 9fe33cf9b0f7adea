// RUN: pumice-opt %s --split-input-file --pumice-structure-triton --verify-diagnostics | FileCheck %s

// An early return becomes a condition.
// CHECK-LABEL: tt.func public @early
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: } else {
// CHECK-NEXT: tt.store %arg0, %arg1
// CHECK-NEXT: }
// CHECK-NEXT: tt.return
tt.func public @early(%p: !tt.ptr<i32>, %n: i32) attributes {noinline = false} {
  %x = tt.get_program_id x : i32
  %beyond = arith.cmpi sge, %x, %n : i32
  cf.cond_br %beyond, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.store %p, %n : !tt.ptr<i32>
  tt.return
}

// -----

// An early return of several values becomes a condition, even in a region.
// CHECK-LABEL: tt.func public @region
// CHECK: "tt.map_elementwise"
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK: tt.map_elementwise.return %[[R]] : f32
// CHECK-LABEL: tt.func private @callee
// CHECK: %[[V:.*]]:2 = scf.if
// CHECK: tt.return %[[V]]#0, %[[V]]#1 : f32, i32
tt.func public @region(%v: tensor<8xf32>, %o: tensor<8x!tt.ptr<f32>>) attributes {noinline = false} {
  %zero = arith.constant 0.0 : f32
  %r = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%x: f32):
    %positive = arith.cmpf ogt, %x, %zero : f32
    cf.cond_br %positive, ^bb2(%x : f32), ^bb1
  ^bb1:
    %twice = arith.addf %x, %x : f32
    cf.br ^bb2(%twice : f32)
  ^bb2(%y: f32):
    tt.map_elementwise.return %y : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.store %o, %r : tensor<8x!tt.ptr<f32>>
  tt.return
}
tt.func private @callee(%c: i1, %f: f32, %i: i32) -> (f32, i32) attributes {noinline = true} {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %g = math.exp %f : f32
  tt.return %g, %i : f32, i32
^bb2:
  %j = arith.addi %i, %i : i32
  tt.return %f, %j : f32, i32
}

// -----

// If paths cross, a number records which path was taken.
// CHECK-LABEL: tt.func public @crossing
// CHECK: %[[WHICH:.*]]:2 = scf.if %arg0 -> (i32, i32) {
// CHECK-NEXT: tt.store %arg2, %arg3
// CHECK: scf.if %arg1
// CHECK: scf.yield %{{.*}}#0, %{{.*}}#1 : i32, i32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ONE:.*]], %{{.*}} : i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: %[[NONE:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[RETURNED:.*]] = arith.cmpi eq, %[[WHICH]]#1, %[[NONE]] : i32
// CHECK-NEXT: %{{.*}} = scf.if %[[RETURNED]] -> (i32) {
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: tt.store %arg2, %[[WHICH]]#0
// CHECK-NEXT: %{{.*}} = scf.if %arg1
// CHECK: tt.store %arg2, %[[ONE]]
// CHECK-NOT: {{cf\.br|cf\.cond_br|index}}
// CHECK: tt.return
tt.func public @crossing(%a: i1, %b: i1, %p: !tt.ptr<i32>, %n: i32) attributes {noinline = false} {
  %one = arith.constant 1 : i32
  cf.cond_br %a, ^bb1, ^bb3(%one : i32)
^bb1:
  tt.store %p, %n : !tt.ptr<i32>
  cf.cond_br %b, ^bb2, ^bb3(%n : i32)
^bb2:
  tt.return
^bb3(%v: i32):
  tt.store %p, %v : !tt.ptr<i32>
  cf.cond_br %b, ^bb2, ^bb4
^bb4:
  tt.store %p, %one : !tt.ptr<i32>
  tt.return
}

// -----

// Unreachable blocks are removed.
// CHECK-LABEL: tt.func public @unreached
// CHECK-NEXT: tt.return
// CHECK-NEXT: }
tt.func public @unreached(%p: !tt.ptr<i32>, %n: i32) attributes {noinline = false} {
  tt.return
^bb1:
  tt.store %p, %n : !tt.ptr<i32>
  cf.br ^bb1
}

// -----

tt.func public @endless(%p: !tt.ptr<i32>, %n: i32) attributes {noinline = false} {
  cf.br ^bb1
^bb1:
  tt.store %p, %n : !tt.ptr<i32>
  // expected-error@below {{a loop that never ends; give it a condition}}
  cf.br ^bb1
}
