// A sum over all axes first flattens its operand, which has no effect if there is one axis. The
// size of the code does not depend on the block.
// RUN: pumice compile %s --target cpu --emit mlir-after=pumice-fuse-fragment-loops | FileCheck %s
// CHECK-LABEL: gpu.func @sum
// CHECK: scf.for
// CHECK-NOT: tile.reshape
// CHECK: tile.reduce %{{.*}} axis 0 : (tensor<{{8|16|32|64}}xf32
module attributes {"tt.num_warps" = 4 : i32} {
  tt.func public @sum(%X: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %A: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %r = tt.make_range {end = 16384 : i32, start = 0 : i32} : tensor<16384xi32>
    %u = tt.splat %X : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>>
    %p = tt.addptr %u, %r : tensor<16384x!tt.ptr<f32>>, tensor<16384xi32>
    %v = tt.load %p : tensor<16384x!tt.ptr<f32>>
    %flat = tt.reshape %v allow_reorder : tensor<16384xf32> -> tensor<16384xf32>
    %s = "tt.reduce"(%flat) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16384xf32>) -> f32
    tt.store %A, %s : !tt.ptr<f32>
    tt.return
  }
}
