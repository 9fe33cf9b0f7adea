// A matrix that is flattened in any order and then summed is reduced along one axis after the
// other.
// RUN: pumice compile %s --target cpu --emit mlir-after=pumice-triton-to-tile | FileCheck %s
// CHECK-LABEL: gpu.func @sum
// CHECK: %[[ROWS:.*]] = tile.reduce %{{.*}} axis 1 : (tensor<64x256xf32
// CHECK: tile.reduce %[[ROWS]] axis 0 : (tensor<64xf32{{.*}} -> f32
module attributes {"tt.num_warps" = 4 : i32} {
  tt.func public @sum(%X: !tt.ptr<f32>, %A: !tt.ptr<f32>) attributes {noinline = false} {
    %r = tt.make_range {end = 16384 : i32, start = 0 : i32} : tensor<16384xi32>
    %m = tt.reshape %r : tensor<16384xi32> -> tensor<64x256xi32>
    %u = tt.splat %X : !tt.ptr<f32> -> tensor<64x256x!tt.ptr<f32>>
    %p = tt.addptr %u, %m : tensor<64x256x!tt.ptr<f32>>, tensor<64x256xi32>
    %v = tt.load %p : tensor<64x256x!tt.ptr<f32>>
    %flat = tt.reshape %v allow_reorder : tensor<64x256xf32> -> tensor<16384xf32>
    %s = "tt.reduce"(%flat) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16384xf32>) -> f32
    tt.store %A, %s : !tt.ptr<f32>
    tt.return
  }
}
