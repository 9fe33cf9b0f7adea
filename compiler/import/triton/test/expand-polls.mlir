// RUN: pumice-opt %s --pumice-expand-polls | FileCheck %s
// RUN: pumice-opt %s --pumice-expand-polls --pumice-triton-to-tile=lanes=4 | FileCheck %s --check-prefix=TILE

// Elements without the expected value are read again, until none is left or the time is over.
// CHECK-LABEL: tt.func public @with_a_time
// CHECK: %[[ALL:.*]] = arith.constant dense<true> : tensor<2x4xi1>
// CHECK: %[[TURNS:.*]] = arith.divui %{{.*}}, %c64_i64
// CHECK: %[[LOOP:.*]]:2 = scf.while (%[[OPEN:.*]] = %[[ALL]], %[[LEFT:.*]] = %[[TURNS]])
// CHECK: %[[V:.*]] = tt.atomic_load acquire, gpu, %{{.*}}, %[[OPEN]]
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[V]], %{{.*}} : tensor<2x4xi32>
// CHECK: %[[STILL:.*]] = arith.andi %[[OPEN]], %[[OTHER]]
// CHECK: tt.reshape %[[STILL]] : tensor<2x4xi1> -> tensor<8xi1>
// CHECK: %[[ANY:.*]] = arith.cmpi ne
// CHECK: %[[TIME:.*]] = arith.cmpi ne, %[[LEFT]], %c0_i64
// CHECK: %[[ON:.*]] = arith.andi %[[ANY]], %[[TIME]]
// CHECK: scf.condition(%[[ON]]) %[[STILL]]
// CHECK: arith.xori %[[LOOP]]#0, %[[ALL]]
// TILE-LABEL: gpu.func @with_a_time
// TILE: scf.while
// TILE: tile.atomic_cas "acquire"
tt.func public @with_a_time(%x: !tt.ptr<i32>, %n: i32, %t: i64) attributes {noinline = false} {
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<2x4x!tt.ptr<i32>>
  %e = tt.splat %n : i32 -> tensor<2x4xi32>
  %0 = tt.atomic_poll acquire, gpu, %p, %e timeout %t : tensor<2x4x!tt.ptr<i32>>, tensor<2x4xi32> -> tensor<2x4xi1>
  tt.assert %0, "seen" : tensor<2x4xi1>
  tt.return
}

// CHECK-LABEL: tt.func public @without_limit
// CHECK: scf.while (%[[OPEN:.*]] = %true) : (i1) -> i1
// CHECK: tt.atomic_load relaxed, sys, %{{.*}}, %[[OPEN]] : (!tt.ptr<i64>, i1) -> i64
// CHECK-NOT: tt.reduce
// CHECK: scf.condition(%[[STILL:.*]]) %[[STILL]] : i1
tt.func public @without_limit(%p: !tt.ptr<i64>, %e: i64) attributes {noinline = false} {
  %0 = tt.atomic_poll relaxed, sys, %p, %e : !tt.ptr<i64>, i64 -> i1
  tt.assert %0, "seen" : i1
  tt.return
}
