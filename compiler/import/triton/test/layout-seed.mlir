// RUN: pumice-opt %s --pumice-triton-to-tile="lanes=8 layout-seed=1" | FileCheck %s
// RUN: pumice-opt %s --pumice-triton-to-tile="lanes=8 layout-seed=1" --pumice-fuse-fragment-loops | FileCheck %s --check-prefix=LOOPS
// Random layouts for tests mix at most 64 registers. Loops use the other registers to cut large
// tensors into blocks.

// CHECK: #tile.layout<[4096], register = [{{.*}}, 512, 1024, 2048]
// CHECK-NOT: register = [1, 2, 4
// LOOPS: scf.for
tt.func public @fill(%x: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %b = tt.splat %x : !tt.ptr<i32> -> tensor<4096x!tt.ptr<i32>>
  %p = tt.addptr %b, %i : tensor<4096x!tt.ptr<i32>>, tensor<4096xi32>
  tt.store %p, %i : tensor<4096x!tt.ptr<i32>>
  tt.return
}
